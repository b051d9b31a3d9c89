"""Further runs of a watched server: one without a call, and some with a few tools alone.

Actions of a server without any call are not evidence against a tool. If only the whole run shows
an action - at the server's end, or in the content of a resource - runs with fewer tools find the
tool: half of them at a time, each run with a server and a scratch folder of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from ...calls.call import Call
from ...calls.effects.claims import LOST, without
from ...calls.effects.deeds import Observation
from ...calls.effects.scratch import in_scratch
from ...calls.effects.watch import Watch
from ...cli.calling import answering
from ...cli.options.calling import ANSWER, APPROVE, PERSON_ASKED, tools_opt
from ...cli.options.declared import opt, options, within
from ...cli.options.parser import number_up_to
from ...cli.options.server import FindingReports
from ...cli.output.readings import reading_of, resource_uris
from ...cli.targets.ending import Control, control_of, end_server
from ...cli.targets.live import Options, started_again
from ...content.json.jsonio import JsonValue
from ...content.text import shortened, visible
from ...protocol.hints import Claim
from ...protocol.tool import ToolDefinition
from ...protocol.wire.frames import WireLog

if TYPE_CHECKING:
    from ...engine.engine import Engine

MAX_CALLS: Final = 100
"""Of one tool."""
STILL_SECONDS: Final = 1.1
"""Between two readings with no call between them: longer than one tick of a clock with seconds."""
BOOKKEEPING: Final = 3
"""Least number of tools that change a resource for it to be an account of all calls."""


@options
class EvidenceOptions(NamedTuple):
    """Options of `evidence`."""

    tools: str = tools_opt()
    """Patterns of names with commas between; empty for all."""
    inputs: str = opt(
        "--inputs FILE",
        "JSON file of arguments by tool; {scratch} in it is the path of the scratch folder "
        "(default: arguments made from the input schemas)",
    )
    """The file of their arguments; empty where they are made of the schemas."""
    strict: bool = opt("--strict", "exit with 1 if a tool gave no response")
    calls: int = opt(
        "--calls N",
        "call each tool N times with the same arguments (default: 2)",
        default=2,
        type=number_up_to(MAX_CALLS),
    )
    """How often each tool is called."""
    reports: FindingReports = within(FindingReports)
    approve: str = APPROVE
    person: str = PERSON_ASKED
    answer: str = ANSWER


@dataclass
class EvidenceTrial:
    """One tool with one set of arguments; `{scratch}` in them is still to be put in."""

    tool: ToolDefinition
    arguments: dict[str, JsonValue]
    calls: list[Call] = field(default_factory=list)
    problem: str = ""
    ending: Observation | None = None
    """What the server did at its end for these calls."""
    shown: list[str] = field(default_factory=list)
    """What reads otherwise after it, in words that are safe to show."""

    @property
    def is_read_only(self) -> bool:
        """True if the tool declares it."""
        return self.tool.hints.read_only.claim is Claim.TRUE

    @property
    def was_sent(self) -> bool:
        return any(call.sent for call in self.calls)

    @property
    def was_lost(self) -> bool:
        """True if the server exited during one of these calls."""
        return any(call.evidence is not None and LOST in call.evidence.blind for call in self.calls)

    def arguments_in(self, scratch: str) -> dict[str, JsonValue]:
        """The arguments with `{scratch}` as the folder."""
        return in_scratch(self.arguments, scratch)


@dataclass(frozen=True)
class EvidenceProbe:
    """Something that is read before and after calls: a resource, or the answer of a tool."""

    uri: str = ""
    trial: EvidenceTrial | None = None

    @property
    def words(self) -> str:
        """Safe to show."""
        if self.trial is not None:
            return f"the response of {self.trial.tool.display_name}"
        return f"the resource {visible(shortened(self.uri, 100))}"

    async def read(self, engine: Engine, watch: Watch) -> str | None:
        """Read its content, approved as any other read or call; None if unknown."""
        if self.trial is None:
            call_id = engine.read(self.uri)
        else:
            call_id = engine.call(self.trial.tool, self.trial.arguments_in(watch.scratch))
        watch.is_resting = True
        try:
            return reading_of(await engine.ended(call_id))
        finally:
            watch.is_resting = False


async def resource_probes(engine: Engine) -> list[EvidenceProbe]:
    """The first resources that the server lists."""
    return [EvidenceProbe(uri) for uri in await resource_uris(engine)]


async def read_all(
    probes: Sequence[EvidenceProbe], engine: Engine, watch: Watch
) -> list[str | None]:
    """One reading of each."""
    return [await probe.read(engine, watch) for probe in probes]


@dataclass
class Runs:
    """Runs of the same server, each in a fresh copy of the scratch folder."""

    options: Options
    wanted: EvidenceOptions
    watch: Watch
    """That of the first run, of which each further one has a copy."""
    number: int = 0
    """How many there were."""

    @contextlib.asynccontextmanager
    async def fresh(self) -> AsyncIterator[tuple[Engine, Watch]]:
        """A server that nothing was called on. Raises NotConnected."""
        self.number += 1
        async with started_again(self.options, self.watch, WireLog()) as (engine, watch):
            with answering(self.options, engine, self.wanted):
                yield engine, watch

    async def control(self, seconds: float) -> Control:
        """Watch the server without a call for so long, and at its end."""
        self.number += 1
        return await control_of(self.options, self.watch, seconds)

    async def ending(self, trials: Sequence[EvidenceTrial], control: Control) -> Observation:
        """Return actions at the server's end that occur only after calls of these tools."""
        async with self.fresh() as (engine, watch):
            await self._call(trials, engine, watch)
            return without(await end_server(engine, watch), control.ending)

    async def alone(self, trial: EvidenceTrial, control: Control) -> Observation:
        """All actions of the server from calls of this tool to its end that occur only with
        them."""
        async with self.fresh() as (engine, watch):
            watching = await watch.begin()
            await self._call([trial], engine, watch)
            await engine.link.close()
            seen = await watch.ended(watching)
        return without(without(seen, control.idle), control.ending)

    async def stands_still(self, probe: EvidenceProbe) -> bool:
        """True if a probe reads the same each time, where nothing else is called."""
        async with self.fresh() as (engine, watch):
            readings = [await probe.read(engine, watch)]
            for _ in range(self.wanted.calls):
                await asyncio.sleep(STILL_SECONDS / self.wanted.calls)
                readings.append(await probe.read(engine, watch))
        return len({*readings}) == 1 and readings[0] is not None

    async def readings(self, trials: Sequence[EvidenceTrial]) -> list[str | None]:
        """Return the results of these tools, called once in this order."""
        async with self.fresh() as (engine, watch):
            return [await EvidenceProbe(trial=one).read(engine, watch) for one in trials]

    async def changes(self, probe: EvidenceProbe, trials: Sequence[EvidenceTrial]) -> bool:
        """True if a probe reads otherwise after calls of these tools."""
        async with self.fresh() as (engine, watch):
            before = await probe.read(engine, watch)
            if len(trials) > 1:
                await self._call(trials, engine, watch)
                return _differ(before, await probe.read(engine, watch))
            for _ in range(self.wanted.calls):
                await self._call(trials, engine, watch, times=1)
                if _differ(before, await probe.read(engine, watch)):
                    return True
        return False

    async def _call(
        self, trials: Sequence[EvidenceTrial], engine: Engine, watch: Watch, times: int = 0
    ) -> None:
        watch.is_resting = True
        try:
            for trial in trials:
                for _ in range(times or self.wanted.calls):
                    arguments = trial.arguments_in(watch.scratch)
                    call = await engine.ended(engine.call(trial.tool, arguments))
                    if not call.sent:
                        break
        finally:
            watch.is_resting = False


def _differ(before: str | None, after: str | None) -> bool:
    return before is not None and after is not None and before != after


async def culprits(
    trials: Sequence[EvidenceTrial], shows: Callable[[Sequence[EvidenceTrial]], Awaitable[bool]]
) -> list[EvidenceTrial]:
    """Return trials that show it in a run by themselves; other halves are left out."""
    if not trials or not await shows(trials):
        return []
    if len(trials) == 1:
        return [*trials]
    middle = len(trials) // 2
    return [*await culprits(trials[:middle], shows), *await culprits(trials[middle:], shows)]


async def find_who_changes(
    runs: Runs, probe: EvidenceProbe, trials: Sequence[EvidenceTrial]
) -> str:
    """Note it on each tool that changes a probe's content; returns a summary in words."""
    if not await runs.stands_still(probe):
        return f"{probe.words} changes by itself and is not compared"
    others = [one for one in trials if one is not probe.trial]
    found = await culprits(others, lambda some: runs.changes(probe, some))
    if len(found) == len(others) >= BOOKKEEPING:
        return f"{probe.words} changes with each call of any tool and is not counted"
    for trial in found:
        trial.shown.append(f"changed {probe.words}")
    names = ", ".join(one.tool.display_name for one in found)
    return f"{probe.words} changes after {names}" if found else ""
