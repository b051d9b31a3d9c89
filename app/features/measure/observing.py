"""Turns what the model, the server and the person's side saw into cells. Pure.

“Ran” is what the server saw: a model may get an error though the call ran.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...hosts.measured.values import WITHOUT_QUESTION, Did, MeasuredCell
from .probes.probe import SERVER_NAME, Probe
from .probes.probe_server import log_lines
from .running.asking import are_same
from .scripted.model import ScriptedAttempt

_CLOCKS: Final = 0.02
"""Seconds by which two processes may read the clock apart."""


OUTPUT_KEPT: Final = 4_000
"""Characters of a host's output that are kept."""


def tail_of(text: str) -> str:
    """The end of a text that is kept."""
    return text[-OUTPUT_KEPT:]


class Arrival(NamedTuple):
    """A call that came to the probe server."""

    name: str
    arguments: JsonValue
    at: float


class ProbeServerLog(NamedTuple):
    """What the probe server wrote down."""

    arrivals: tuple[Arrival, ...]
    initialize: Mapping[str, JsonValue] | None
    """The `params` of the first `initialize`."""
    variables: tuple[str, ...]
    listed: int
    """How often the tools were listed."""
    answers: tuple[Mapping[str, Any], ...]
    """Responses of the host to requests of the server."""
    is_whole: bool = True
    """False if an entry is missing, or is not numbered as the server numbers its own."""


def read_server_log(text: str) -> ProbeServerLog:
    """Read the log of one run."""
    arrivals, answers, listed = [], [], 0
    numbers: dict[str, int] = {}
    is_whole = True
    initialize: Mapping[str, JsonValue] | None = None
    variables: tuple[str, ...] = ()
    for entry in log_lines(text):
        start, message = entry.get("start"), entry.get("in")
        process = str(entry.get("by"))
        numbers[process] = numbers.get(process, 0) + 1
        is_whole = is_whole and entry.get("n") == numbers[process]
        if isinstance(start, dict) and not variables:
            named = start.get("variables")
            variables = tuple(map(str, named)) if isinstance(named, list) else ()
        if not isinstance(message, dict):
            continue
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        match message.get("method"):
            case "tools/call":
                at = entry.get("at")
                seconds = at if isinstance(at, int | float) else 0.0
                arrivals.append(Arrival(str(params.get("name")), params.get("arguments"), seconds))
            case "tools/list":
                listed += 1
            case "initialize" if initialize is None:
                initialize = params
            case None:
                answers.append(message)
    return ProbeServerLog(tuple(arrivals), initialize, variables, listed, tuple(answers), is_whole)


class Question(NamedTuple):
    """A question of the host that was answered for a person."""

    attempt: ScriptedAttempt
    asked_at: float
    answered_at: float
    is_approved: bool
    screen: str = ""
    """The screen, if there was one."""
    is_always: bool = False
    shown: JsonValue = None
    """Which parts of the tool and the call it showed."""
    other: str = ""
    """Why it was about something else than the call; empty if it was about the call."""


@frozen
class RunEnd:
    """How a run of the host ended."""

    status: int | None
    """Its exit status; None if it was ended here."""
    reason: str
    """Why it was ended here; empty if it ended by itself."""
    output: str
    """The end of what it printed."""
    is_void: bool = False
    """True if the host was not used on the surface that is measured: no cell has a proof."""


class Sighting(NamedTuple):
    """An attempt with what came of it."""

    attempt: ScriptedAttempt
    arrival: Arrival | None
    questions: tuple[Question, ...]
    strays: tuple[Arrival, ...] = ()
    """Further calls of its tool: before the model made it, repeated, or too late."""


def sightings(
    attempts: Sequence[ScriptedAttempt],
    arrivals: Iterable[Arrival],
    questions: Sequence[Question] = (),
) -> list[Sighting]:
    """Each attempt with the arrival and the questions that belong to it."""
    left = sorted(arrivals, key=lambda one: one.at)
    found = []
    for attempt in attempts:
        until = min((one.at for one in attempts if one.turn > attempt.turn), default=math.inf)
        beside = [one for one in attempts if one.turn == attempt.turn and one is not attempt]
        has_twin = any(one.planned.tool == attempt.planned.tool for one in beside)
        arrival = next((one for one in left if _belongs(one, attempt, until, has_twin)), None)
        if arrival is not None:
            left.remove(arrival)
        own = tuple(one for one in questions if one.attempt is attempt)
        found.append(Sighting(attempt, arrival, own))
    for stray in left:
        place = _place_of(stray, attempts)
        if place is not None:
            found[place] = found[place]._replace(strays=(*found[place].strays, stray))
    return found


def _belongs(arrival: Arrival, attempt: ScriptedAttempt, until: float, has_twin: bool) -> bool:
    """True for a call of the tool that came before the model's next turn.

    Two calls of one tool in a turn differ by their arguments.
    """
    is_in_time = attempt.at - _CLOCKS <= arrival.at < until
    is_same = not has_twin or arrival.arguments == attempt.planned.arguments
    return arrival.name == attempt.planned.tool and is_in_time and is_same


def _place_of(stray: Arrival, attempts: Sequence[ScriptedAttempt]) -> int | None:
    """The newest attempt of its tool before it, or else the first one; None if there is none.

    Several probes may share a tool: they differ by their arguments.
    """
    same = [at for at, one in enumerate(attempts) if one.planned.tool == stray.name]
    exact = [at for at in same if attempts[at].planned.arguments == stray.arguments]
    chosen = exact or same
    before = [at for at in chosen if attempts[at].at - _CLOCKS <= stray.at]
    return before[-1] if before else next(iter(chosen), None)


def never_made(attempts: Sequence[ScriptedAttempt], arrivals: Iterable[Arrival]) -> int:
    """How many calls came of tools that the model never called."""
    made = {one.planned.tool for one in attempts}
    return sum(one.name not in made for one in arrivals)


ABSENT: Final = "probe_absent"
"""The name of a tool that no probe server has."""
NOTHING_FOUND: Final = (
    "no tool of the probe server was found among those that its model was offered; "
    "--tool-name TEMPLATE gives their names"
)
_NAME_UNKNOWN: Final = (
    "not found among the tools that its model was offered, and the name by which it would be "
    "offered is not known; --tool-name TEMPLATE gives it"
)
_COMPARED: Final = 40
_LONG: Final = 200
_BY_CHANCE: Final = 8
"""Fewer characters than these are found in any text."""
_BLANKS: Final = re.compile(r"\s+")


def absent_as_text(control: Sighting | None) -> str | None:
    """The beginning of the answer to a call of a tool that does not exist; None if unknown.

    An empty text means that the host ends at such a call.
    """
    if control is None:
        return None
    return _beginning(control.attempt) if control.attempt.has_answer else ""


def _beginning(attempt: ScriptedAttempt) -> str:
    value = attempt.given
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace(attempt.name, "#").replace(attempt.planned.tool, "#")[:_COMPARED]


def cell_of(
    probe: Probe, seen: Sequence[Sighting], end: RunEnd, absent: str | None = None
) -> MeasuredCell:
    """The cell of a probe from all attempts of it: with a person, first denied, then approved.

    `absent` is what `absent_as_text` returned: a tool is hidden if the host treats its call as that
    of a tool that does not exist.
    """
    did, why = _did(seen, end, absent)
    approved = next((one for one in seen if one.arrival is not None), seen[-1] if seen else None)
    denied = next((one for one in seen if _is_denied(one) and one is not approved), None)
    if denied is None and approved is not None and _is_denied(approved):
        denied = approved
    return MeasuredCell(
        probe=probe.id,
        hints=probe.hints,
        did=did,
        why=why,
        was_offered=any(one.attempt.is_offered for one in seen),
        model_got=approved.attempt.given if approved is not None else None,
        when_denied=denied.attempt.given if denied is not None else None,
        shown=_shown(seen),
        screen=_screen(seen) or (end.output if did is Did.UNKNOWN else ""),
    )


def _screen(seen: Sequence[Sighting]) -> str:
    """The screen of the first question."""
    first = next((question for one in seen for question in one.questions), None)
    return first.screen if first is not None else ""


def _shown(seen: Sequence[Sighting]) -> Mapping[str, JsonValue] | None:
    """What the first question showed."""
    questions = (question for one in seen for question in one.questions)
    first = next(questions, None)
    return first.shown if first is not None and isinstance(first.shown, dict) else None


def _is_denied(one: Sighting) -> bool:
    return any(not question.is_approved for question in one.questions)


def _did(seen: Sequence[Sighting], end: RunEnd, absent: str | None) -> tuple[Did, str]:
    if not seen:
        return Did.UNKNOWN, _not_tried(end)
    for one in seen:
        if ran := _ran_words(one):
            return Did.RAN, ran
    strays = [each for one in seen for each in one.strays]
    if strays and (found := _did_by_strays(seen, strays)) is not None:
        return found
    asked = [one for one in seen if one.questions]
    if asked:
        if other := next(filter(None, map(_other_words, asked)), ""):
            return Did.UNRELATED, other
        return Did.ASKED, _asked_words(asked)
    return _not_run(seen[-1], end, absent)


def _ran_words(one: Sighting) -> str:
    """Why a call ran that was not approved; empty if it did not come, or was approved."""
    if one.arrival is None:
        return ""
    at = one.arrival.at
    questions = [each for each in one.questions if not each.other] or one.questions
    answered = [each.answered_at for each in questions]
    if not answered:
        return _offered_words(one, WITHOUT_QUESTION)
    if at < min(answered) - _CLOCKS:
        return "the call came to the server before its question was answered"
    approved = [each.answered_at for each in questions if each.is_approved]
    if not approved:
        return "the call came to the server though the question was answered with no"
    if at < min(approved) - _CLOCKS:
        return "the call came to the server after a no, before another question was approved"
    return ""


def _other_words(one: Sighting) -> str:
    """Why no question was about the call; empty if one was."""
    if all(each.other for each in one.questions):
        return next(each.other for each in one.questions)
    if one.arrival is not None and not are_same(
        one.attempt.planned.arguments, one.arrival.arguments
    ):
        return "the call came with other arguments than its question was about"
    return ""


def opened_words(seen: Sequence[Sighting]) -> str:
    """What a yes let run without a question of its own; empty if each call had one.

    The calls of a tool are those of a start in which every question is answered with yes.
    """
    for number, one in enumerate(seen):
        if one.arrival is not None and not one.questions:
            words = "another call of it" if number else "it"
            of = "its first call" if number else "something else"
            return f"after a yes to {of}, {words} came without a question"
    return ""


def _did_by_strays(seen: Sequence[Sighting], strays: Sequence[Arrival]) -> tuple[Did, str] | None:
    """What calls beside the expected ones show; None if they are repeats of an approved one."""
    questions = [each for one in seen for each in one.questions]
    first = min(one.at for one in strays)
    if first < min(one.attempt.at for one in seen) - _CLOCKS:
        return Did.RAN, "the call came to the server before its model made it"
    if not questions:
        return Did.RAN, "the call came to the server after its model had gone on"
    approved = [each.answered_at for each in questions if each.is_approved]
    if not approved or first < min(approved) - _CLOCKS:
        return Did.RAN, "the call came to the server late, though it had not been approved"
    came = len(strays) + sum(one.arrival is not None for one in seen)
    if any(map(_is_denied, seen)) and came > len(approved):
        words = f"the call came {came} times and was approved {len(approved)} times"
        return Did.UNKNOWN, f"{words}: was it the one that was denied?"
    return None


def _asked_words(asked: Sequence[Sighting]) -> str:
    ran = any(one.arrival is not None for one in asked)
    denied = any(_is_denied(one) for one in asked)
    parts = []
    if denied:
        parts.append("denied, it did not come")
    if ran:
        parts.append("approved, it came")
    elif any(question.is_approved for one in asked for question in one.questions):
        parts.append("approved, it did not come either")
    return "; ".join(parts)


def _offered_words(one: Sighting, words: str) -> str:
    return words if one.attempt.is_offered else f"{words}; the tool had not been offered"


def _not_run(one: Sighting, end: RunEnd, absent: str | None) -> tuple[Did, str]:
    attempt = one.attempt
    if attempt.is_offered:
        if attempt.has_answer:
            return Did.REFUSED, "offered; the call did not come, and the model got a result"
        if end.reason:
            return Did.UNKNOWN, f"the call did not come; {end.reason}"
        if attempt.name in end.output or attempt.planned.tool in end.output:
            return Did.REFUSED, "offered; the call did not come, and the host ended and named it"
        return (
            Did.UNKNOWN,
            f"the call did not come, and the host ended without a word{_status(end)}",
        )
    if not attempt.is_name_known and (not attempt.has_answer or _beginning(attempt) == absent):
        return Did.UNKNOWN, _NAME_UNKNOWN
    if not attempt.has_answer:
        if absent == "":
            return Did.HIDDEN, "not offered; the host ended, as at the call of an unknown tool"
        why = end.reason or f"the host ended without a word{_status(end)}"
        return Did.UNKNOWN, f"not offered, and its call did not come; {why}"
    if absent is None:
        return Did.UNKNOWN, "not offered, and its call did not come; nothing to compare it with"
    if _beginning(attempt) == absent:
        return Did.HIDDEN, "not offered, and unknown to the host when it was called by its name"
    return Did.REFUSED, "not offered, but known; the call did not come, and the model got a result"


def _status(end: RunEnd) -> str:
    return "" if end.status is None else f" (exit status {end.status})"


def _not_tried(end: RunEnd) -> str:
    return end.reason or f"the host ended before this call{_status(end)}"


def shown_in(text: str, probe: Probe) -> dict[str, JsonValue]:
    """Parts of a tool and its call that the text of a question contains."""
    note = str(probe.arguments.get("note", ""))
    parts = probe.canaries or {"name": probe.name, "server": SERVER_NAME, "argument": note}
    found: dict[str, JsonValue] = {part: words in text for part, words in parts.items()}
    if len(note) > _LONG:
        found["characters of the argument"] = f"{_shown_of(note, text):,} of {len(note):,}"
    return found


def _shown_of(note: str, text: str) -> int:
    """How many characters of the beginning of a text are shown; blanks do not count."""
    compact = _BLANKS.sub("", text)
    low, high = 0, len(note)
    while low < high:
        middle = (low + high + 1) // 2
        if _BLANKS.sub("", note[:middle]) in compact:
            low = middle
        else:
            high = middle - 1
    return low if low >= _BY_CHANCE else 0


def as_text(value: JsonValue) -> str:
    """All texts of a value one after the other, as somebody would show them."""
    match value:
        case str():
            return value
        case list():
            return "\n".join(map(as_text, value))
        case dict():
            return "\n".join(f"{key}: {as_text(one)}" for key, one in value.items())
    return json.dumps(value)


def settled(value: JsonValue, places: Mapping[str, str], varying: Sequence[str]) -> JsonValue:
    """The value without what differs between two runs: paths of the scratch folder, durations."""
    match value:
        case str():
            for name, path in places.items():
                value = value.replace(path, name)
            for pattern in varying:
                value = re.sub(pattern, "#", value)
            return value
        case list():
            return [settled(one, places, varying) for one in value]
        case dict():
            return {key: settled(one, places, varying) for key, one in value.items()}
    return value
