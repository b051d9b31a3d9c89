"""Runs a host once, with the scripted model and the probe server.

A start of a host takes seconds, so one run makes one call a turn.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import shutil
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, Protocol

from ....content.json.jsonio import JsonValue
from ....content.text import count, visible
from ....hosts.measured.values import Did, MeasuredCell
from ....platforms.processes import adopting
from ..drivers import DriverError, PlaceholderValues
from ..observing import (
    ABSENT,
    NOTHING_FOUND,
    ProbeServerLog,
    Question,
    RunEnd,
    Sighting,
    absent_as_text,
    as_text,
    cell_of,
    never_made,
    opened_words,
    read_server_log,
    settled,
    shown_in,
    sightings,
)
from ..probes.family_facts import ORDINARY, by_approval, facts_of
from ..probes.patience import FAMILY as PATIENCE_FAMILY
from ..probes.probe import SERVER_NAME, Probe
from ..probes.probe_server import SILENCE
from ..probes.probes import CHANGE
from ..scripted.model import QUESTION, Planned, Script, ScriptedAttempt, ScriptedModel
from .asking import other_words
from .http_probes import served_by_http
from .planning import Way, control, descriptions, plan
from .reached import read_reached
from .scratch import Scratch, scratch
from .short_runs import MeasureSubject, prepared_environment
from .so_far import RUNNING, STOPPED, SoFar, proved_cells

EARLY_SECONDS: Final = 0.6
"""Seconds that a question is left open: a call that comes in them ran before its answer."""
BESIDE_SECONDS: Final = 2.0
"""Seconds that a question is left open if a second call was made with its call."""
LISTING: Final = '"tools/list"'
"""A text that the log has once for each list."""
RELISTED_SECONDS: Final = 4.0
"""Seconds that a host has to list the tools again after a change."""
FIRST_LISTED_SECONDS: Final = 15.0
"""Seconds that a host has to list the tools if it asks its model before."""
LISTED_TAKEN_SECONDS: Final = 0.5
"""Seconds that it has to take the list."""
DENIED_FIRST: Final = ("hints", "shown")
"""Families whose tools are called twice if the host asks: denied, then approved."""


_NAMES_SHOWN: Final = 3


class SurfaceRunner(Protocol):
    """Runs the host on one surface, and answers its questions if there are any."""

    async def run(self, run: Run) -> RunEnd:
        """Start the host, and return when it has ended."""


@dataclass
class Run:
    """One start of a host."""

    subject: MeasureSubject
    place: Scratch
    model: ScriptedModel
    prompt: str
    command: list[str]
    environment: dict[str, str]
    probes: Mapping[str, Probe]
    places: PlaceholderValues
    before: tuple[str, ...] = ()
    """The words before the command: its network, and the note of every address."""
    questions: list[Question] = field(default_factory=list)
    facts: dict[str, dict[str, JsonValue]] = field(default_factory=dict)
    """Observations beside the verdict, by probe."""
    asked: list[ScriptedAttempt] = field(default_factory=list)
    """The call of each question, in the order in which they opened."""
    way: Way = Way.USUAL
    had_bundle: bool = False
    """Whether a question opened while no call was open."""

    @property
    def script(self) -> Script:
        return self.model.script

    @property
    def quiet_seconds(self) -> float:
        """Seconds without a request of the model after which the run is given up."""
        attempt = self.script.outstanding
        probe = None if attempt is None else self.probes.get(attempt.planned.key)
        is_slow = probe is not None and probe.act == "silence"
        more = self._patience if probe is not None and probe.family == PATIENCE_FAMILY else 0.0
        return self.subject.quiet_seconds + (SILENCE if is_slow else more)

    @property
    def seconds(self) -> float:
        """The time limit of the run."""
        return self.subject.seconds + self._patience

    @property
    def _patience(self) -> float:
        """Seconds that the slowest tool takes; 0 if none is slow for longer than limits are."""
        is_slow = any(one.family == PATIENCE_FAMILY for one in self.probes.values())
        return self.subject.patience if is_slow else 0.0

    @property
    def quiet_words(self) -> str:
        """The reason for which a quiet run is given up."""
        return f"its model was asked nothing for {self.quiet_seconds:g} s"

    @property
    def unfinished_words(self) -> str:
        """The reason why not every call was made; empty if all were."""
        return "" if self.script.is_over else "its model was asked for no further call"

    @property
    def next_server(self) -> str:
        """The name of the server in the session of the next call."""
        planned = self.script.planned
        return (planned[0].server if planned else "") or SERVER_NAME

    def begin_session(self) -> None:
        """Prepare a new start of the host in the same home.

        Its files are as it left them, but for a server with another name.
        """
        driver, name = self.subject.driver, self.next_server
        if driver is not None and name != SERVER_NAME:
            places = self.places._replace(server_name=name)
            self.place.write_files(driver, places)
            self.command = [*self.before, *self.subject.words(places)]
        self.script.begin_session()

    def about(self, text: str) -> ScriptedAttempt | None:
        """Note that a question with this text opened; returns the open call that it is about.

        Of two, the one whose argument it shows alone, else the first without a question so far.
        """
        calls = self.script.open_calls
        showing = [one for one in calls if str(one.planned.arguments.get("note")) in text]
        new = [one for one in calls if not any(one is other for other in self.asked)]
        chosen = showing if len(showing) == 1 else new or calls
        if not chosen:
            self.had_bundle = True
            return None
        self.asked.append(chosen[0])
        return chosen[0]

    def open_seconds(self, attempt: ScriptedAttempt) -> float:
        """Seconds that a question is left open: the question of a call beside it may come."""
        probe = self.probes.get(attempt.planned.key)
        return BESIDE_SECONDS if probe is not None and probe.beside else EARLY_SECONDS

    def must_deny(self, attempt: ScriptedAttempt) -> bool:
        """True for the questions about the first call of a tool whose hints are measured.

        For all of them: of a host that asks twice and heeds no answer, one approval proves nothing.
        Two calls of a turn are made twice: first the one with the first question is denied, then
        all others.
        """
        probe = self.probes.get(attempt.planned.key)
        if self.way is Way.APPROVES:
            return False
        if probe is not None and probe.beside:
            is_first = attempt is next(one for one in self.asked if one.turn == attempt.turn)
            return is_first is self._is_first_turn(attempt)
        was_asked = any(
            one.attempt.planned.key == attempt.planned.key and one.attempt is not attempt
            for one in self.questions
        )
        return probe is not None and probe.family in DENIED_FIRST and not was_asked

    def call_again(self, attempt: ScriptedAttempt) -> None:
        """Have the model make the same calls next, once."""
        if any(one.attempt.turn == attempt.turn for one in self.questions):
            return
        probe = self.probes.get(attempt.planned.key)
        if probe is not None and probe.beside and not self._is_first_turn(attempt):
            return
        same = [one.planned for one in self.script.attempts if one.turn == attempt.turn]
        self.script.planned[:0] = same

    def _is_first_turn(self, attempt: ScriptedAttempt) -> bool:
        """True if the calls of its probe were not made in an earlier turn."""
        key = attempt.planned.key
        return not any(
            one.turn < attempt.turn and one.planned.key == key for one in self.script.attempts
        )

    def arrived(self, attempt: ScriptedAttempt) -> bool:
        """True if the call of an attempt has come to the server by now."""
        log = read_server_log(self.read_log())
        return any(
            one.arrival is not None
            for one in sightings([attempt], [a for a in log.arrivals if a.at >= attempt.at - 0.02])
        )

    def read_log(self) -> str:
        """The log of the probe server so far."""
        return self.place.log.read()


class Network(NamedTuple):
    """What one start reached for."""

    reached: set[str] | None
    """Addresses beyond the loopback; None if connections were not watched."""
    names: set[str] | None
    """Names that were looked up; None if that was not watched."""
    is_isolated: bool
    not_isolated: str
    """Why it was not isolated; empty if it was, or was not to be."""


class ShownByStart(NamedTuple):
    """What one start showed."""

    cells: list[MeasuredCell]
    log: ProbeServerLog
    end: RunEnd
    network: Network
    problems: list[str]
    judgements: int
    """Requests of its model beside open calls, which may have judged them."""
    had_bundle: bool
    """Whether a question opened while no call was open: it may be about many."""
    is_stopped: bool = False
    """True if the task was cancelled: the cells are those that have a proof by now."""


async def one_start(
    subject: MeasureSubject,
    person: SurfaceRunner,
    left: Sequence[Probe],
    tracer: str,
    way: Way,
    on_cell: Callable[[MeasuredCell], None] = lambda cell: None,
    on_call: Callable[[str], None] = lambda probe: None,
    *,
    is_beside: bool = False,
) -> ShownByStart:
    """Start the host once, and try these probes. Raises DriverError if it cannot start.

    `on_call` gets each probe as its call is made, and `on_cell` its cell as soon as the next one
    begins. If the task is cancelled
    while the host runs, everything is ended, and what was seen is returned. Of starts beside each
    other (`is_beside`), the caller ends what loses its parent.
    """
    marker = f"probe-{secrets.token_hex(4)}"
    # Without the name of the server, which would be on the screen of every question.
    prompt = f"Please call the tools that you were given, one after the other ({marker})."
    by_id = {probe.id: probe for probe in left}
    script = Script(
        marker,
        subject.guess,
        descriptions=descriptions(left),
        template=subject.tool_name,
        knows_names=subject.knows_names,
    )
    script.watched = {one: set() for each in left for one in _watched(each)}
    script.planned = plan(left, way)
    script.allows = way is Way.ALLOWS
    script.more_calls = lambda: control(script)
    model = ScriptedModel(script)
    problems: list[str] = []
    with scratch(
        tuple(by_id),
        problems,
        subject.patience,
        isolates=subject.isolates,
        through=subject.through,
    ) as place:
        async with (
            model.serving(place.listening),
            contextlib.nullcontext() if is_beside else ending_all(problems),
            served_by_http(place, subject.is_by_http) as server_url,
        ):
            run = await _prepared(subject, place, model, prompt, by_id, server_url)
            run.way = way
            script.before_call = lambda planned: _before_call(run, planned)
            model.on_question = lambda asked: _answer(run, asked)
            traced = place.root / "trace"
            run.before = place.entry
            if tracer:
                run.before += (
                    *(tracer, "-f", "-qq", "--seccomp-bpf", "-e", "trace=connect"),
                    *("-A", "-o", str(traced)),
                )
            run.command[:0] = run.before
            so_far = SoFar(script, lambda: _cells_so_far(run), on_cell, set())

            def look(attempt: ScriptedAttempt) -> None:
                so_far.look(attempt)
                on_call(attempt.planned.key)

            script.on_attempt = look
            try:
                end, is_stopped = await person.run(run), False
            except asyncio.CancelledError:
                end, is_stopped = RunEnd(None, STOPPED, ""), True
        text = run.read_log()
        log = read_server_log(text)
        doubt = _doubt(run, log)
        reached = read_reached(traced) if tracer else None
    if log.listed == 0 and not log.arrivals and not is_stopped:
        problems.append(f"the host did not list the tools of the probe server{_looked_up(place)}")
    problems += model.not_understood
    if doubt:
        problems.append(doubt)
    if never := never_made(script.attempts, log.arrivals):
        problems.append(f"{count(never, 'call')} came of tools that the model had not called")
    cells = [] if end.is_void else _cells(run, log, text, end)
    if is_stopped:
        waiting = {one.id for one in left if one.family == PATIENCE_FAMILY}
        cells = proved_cells(script, cells, waiting) if not doubt else []
    elif not doubt and subject.driver is None and all(one.did is Did.HIDDEN for one in cells):
        doubt = NOTHING_FOUND
    if doubt:
        cells = [replace(one, did=Did.UNKNOWN, why=doubt) for one in cells]
    judged, bundle = script.judgements, run.had_bundle
    network = Network(reached, place.names, place.isolation is not None, place.not_isolated)
    return ShownByStart(cells, log, end, network, problems, judged, bundle, is_stopped)


def _looked_up(place: Scratch) -> str:
    """The names that an isolated host looked up, which may be why it did not come far."""
    if not place.names:
        return ""
    names = ", ".join(sorted(place.names)[:_NAMES_SHOWN])
    return f"; it looked up {names}, and may reach other machines only with --network"


def _cells_so_far(run: Run) -> list[MeasuredCell]:
    text = run.read_log()
    return _cells(run, read_server_log(text), text, RUNNING)


def _watched(probe: Probe) -> Iterable[str]:
    return probe.canaries.values() if probe.family == "offered" else ()


@contextlib.asynccontextmanager
async def ending_all(problems: list[str]) -> AsyncIterator[None]:
    """End what was started in the block; `problems` gets what could not be ended, in words."""
    with adopting() as adopted:
        yield
    if not adopted.is_gone:
        problems.append("a process that it started could not be ended")


def _doubt(run: Run, log: ProbeServerLog) -> str:
    """Why the log proves nothing: something else than the server and Signoff wrote into its files.

    Empty if nothing was noticed.
    """
    place = run.place
    place.control.compare()
    if place.log.doubt:
        return f"the log of the probe server {place.log.doubt}"
    if place.control.doubt:
        return f"the file that controls the probe server {place.control.doubt}"
    if not log.is_whole:
        return "the log of the probe server has gaps, or entries of another program"
    if not log.listed and any(one.is_offered for one in run.script.attempts):
        return "the log of the probe server has no list of tools, but the model was offered them"
    if not place.has_room():
        return "the disk of the folder for temporary files is full"
    return ""


async def _prepared(
    subject: MeasureSubject,
    place: Scratch,
    model: ScriptedModel,
    prompt: str,
    probes: Mapping[str, Probe],
    server_url: str,
) -> Run:
    places = place.places(subject.driver, subject.mode, model.url, model.token, prompt, server_url)
    if subject.driver is not None and any(one.family == PATIENCE_FAMILY for one in probes.values()):
        places = places._replace(more={**places.more, **subject.driver.patience})
    values = {
        "SIGNOFF_MODEL_URL": model.url,
        "SIGNOFF_MODEL_KEY": model.token,
        "SIGNOFF_MCP_CONFIG": places.mcp_config,
        "SIGNOFF_PROMPT": prompt,
        "SIGNOFF_QUESTION_URL": f"{model.url}{QUESTION}",
        **({"SIGNOFF_MCP_URL": server_url} if server_url else {}),
    }
    if subject.driver is None:
        environment = place.environment(values)
    else:
        environment = await prepared_environment(subject.driver, place, places)
    filled = subject.words(places)
    if shutil.which(filled[0], path=environment.get("PATH")) is None:
        raise DriverError(f"{visible(filled[0])}: program not found")
    return Run(subject, place, model, prompt, filled, environment, probes, places)


async def _before_call(run: Run, planned: Planned) -> None:
    """Wait until the server is as the call needs it."""
    if len({one.turn for one in run.script.attempts}) == 1:
        await _until_listed(run)
    await _change_first(run, planned)


async def _until_listed(run: Run) -> None:
    """Wait until the host has listed the tools: some ask their model before that.

    A call of a tool that the host is about to learn of would look as if the tool were hidden.
    """
    deadline = time.monotonic() + FIRST_LISTED_SECONDS
    was_listed = LISTING in run.read_log()
    while LISTING not in run.read_log() and time.monotonic() < deadline:
        await asyncio.sleep(0.05)
    if not was_listed:
        await asyncio.sleep(LISTED_TAKEN_SECONDS)


async def _change_first(run: Run, planned: Planned) -> None:
    """Change the definitions of the server before a call that is to show what that does."""
    probe = run.probes.get(planned.key)
    if probe is None or not probe.act.startswith(CHANGE):
        return
    if any(one.planned.key == planned.key for one in run.script.attempts[:-1]):
        return
    before = run.read_log().count(LISTING)
    run.place.control.append(f"{probe.act}\n")
    deadline = time.monotonic() + RELISTED_SECONDS
    while run.read_log().count(LISTING) <= before and time.monotonic() < deadline:
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.3)


async def _answer(run: Run, asked: JsonValue) -> bool:
    """Answer a question that came by HTTP: no at first, then yes."""
    text = as_text(asked)
    attempt = run.about(text)
    if attempt is None:
        return run.way is Way.APPROVES
    asked_at = time.time()
    await asyncio.sleep(run.open_seconds(attempt))
    is_approved = not run.must_deny(attempt)
    if not is_approved:
        run.call_again(attempt)
    probe = run.probes.get(attempt.planned.key)
    shown = shown_in(text, probe) if probe is not None else None
    other = other_words(text, attempt, run.probes, asked)
    question = Question(attempt, asked_at, time.time(), is_approved, shown=shown, other=other)
    run.questions.append(question)
    return is_approved


def _cells(run: Run, log: ProbeServerLog, text: str, end: RunEnd) -> list[MeasuredCell]:
    seen: dict[str, list[Sighting]] = {}
    for one in sightings(run.script.attempts, log.arrivals, run.questions):
        seen.setdefault(one.attempt.planned.key, []).append(one)
    control = seen.pop(ABSENT, None)
    absent = absent_as_text(control[0] if control else None)
    driver = run.subject.driver
    varying = driver.varying if driver is not None else ()
    places = {"{scratch}": str(run.place.root)}
    cells = []
    for key, found in seen.items():
        if key.startswith(ORDINARY):
            continue
        if run.probes[key].beside:
            found = by_approval(found)
        cell = cell_of(run.probes[key], found, end, absent)
        facts = run.facts.get(key) or facts_of(run.probes[key], found, text, run.script, end)
        if run.way is Way.APPROVES and (opened := opened_words(found)):
            cell = replace(cell, did=Did.ONCE, why=opened)
        cells.append(
            replace(
                cell,
                model_got=settled(cell.model_got, places, varying),
                when_denied=settled(cell.when_denied, places, varying),
                screen=str(settled(cell.screen, places, varying)),
                facts=facts and {k: settled(v, places, varying) for k, v in facts.items()},
            )
        )
    return cells
