"""The runs of `signoff evidence`: calls tools in rounds and assigns deeds to tools."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ...calls.call import Call, Outcome
from ...calls.effects.claims import ClaimStatus, ClaimVerdict, Watched, judge, without
from ...calls.effects.deeds import Observation
from ...cli.output.readings import reading_of
from ...cli.targets.ending import Control, end_server, tell_not_run
from ...cli.targets.live import NotConnected
from ...cli.tool_inputs import sample_problem, telling_if_slow
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import count, visible
from ...protocol.tool import ToolDefinition
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.samples import sample_arguments
from .runs import (
    EvidenceProbe,
    EvidenceTrial,
    Runs,
    culprits,
    find_who_changes,
    read_all,
    resource_probes,
)

if TYPE_CHECKING:
    from ...engine.engine import Engine


@frozen
class ToolEvidence:
    """One tool with one set of arguments: its calls, and the verdicts on its hints."""

    tool: ToolDefinition
    arguments: dict[str, JsonValue]
    calls: tuple[Call, ...]
    verdicts: tuple[ClaimVerdict, ...]
    problem: str = ""
    """Why it was not called, in words that are safe to show."""
    ending: Observation | None = None
    """What the server did at its end for these calls."""

    @property
    def is_contradicted(self) -> bool:
        return any(one.standing is ClaimStatus.CONTRADICTED for one in self.verdicts)


PROBES_MAX: Final = 8
"""Readings that differ, and of which further runs find out why."""


@dataclass
class EvidenceTried:
    """All that was tried, as far as it came."""

    runs: Runs
    trials: list[EvidenceTrial] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What was found out beside the tools, in words that are safe to show."""
    control: Control | None = None
    ending: Observation | None = None

    def found(self) -> list[ToolEvidence]:
        """Evidence on each tool that was called, or could not be."""
        tried = [one for one in self.trials if one.calls or one.problem]
        return [
            ToolEvidence(
                one.tool,
                one.arguments_in(self.runs.watch.scratch),
                tuple(one.calls),
                verdicts_on(one),
                one.problem,
                one.ending,
            )
            for one in sorted(tried, key=lambda one: one.tool.index)
        ]

    async def try_all(
        self, engine: Engine, tools: Iterable[ToolDefinition], inputs: dict[str, list[Arguments]]
    ) -> None:
        """Call the tools, end the server, and assign the deeds with further runs.

        The tools declared read-only come first and in rounds, so that the result of one of them is
        read before and after each call of another one.
        """
        self.trials = await _trials(tools, inputs)
        reading = [one for one in self.trials if one.is_read_only and not one.problem]
        probes = await resource_probes(engine) if reading else []
        began = time.monotonic()
        before = await read_all(probes, engine, self.runs.watch)
        await self._call_in_turn(engine, reading, self.runs.wanted.calls)
        after = await read_all(probes, engine, self.runs.watch)
        differing = [
            probe
            for probe, old, new in zip(probes, before, after, strict=True)
            if old is not None and new is not None and old != new
        ]
        denied = sum(one is None for one in before)
        if denied:
            self.notes.append(
                f"not compared: {denied} of the first {count(len(probes), 'resource')} "
                "(their reads were denied or failed)"
            )
        for one in self.trials:
            if not one.is_read_only and not one.problem:
                await self._call_in_turn(engine, [one], self.runs.wanted.calls)
        if engine.server.is_open:
            self.ending = await end_server(engine, self.runs.watch)
        self.notes += [_lost_words(one) for one in self.trials if one.was_lost]
        for one in self.trials:
            one.calls = [_with_fates(call, self.runs) for call in one.calls]
        differing += [EvidenceProbe(trial=one) for one in reading if _answers_differ(one)]
        await self._find_out(reading, differing, time.monotonic() - began)

    async def _call_in_turn(
        self, engine: Engine, trials: Sequence[EvidenceTrial], rounds: int
    ) -> None:
        names = list(dict.fromkeys(one.tool.name for one in self.trials))
        for _ in range(rounds):
            for trial in trials:
                if trial.calls and not trial.calls[-1].sent:
                    continue
                if not engine.server.is_open:
                    if not trial.calls:
                        gone = visible(engine.server.ended_words)
                        trial.problem = f"the server is gone: {gone}"
                    continue
                number = names.index(trial.tool.name) + 1
                with telling_if_slow(trial.tool, number, len(names)):
                    arguments = trial.arguments_in(self.runs.watch.scratch)
                    trial.calls.append(await engine.ended(engine.call(trial.tool, arguments)))

    async def _find_out(
        self, reading: Sequence[EvidenceTrial], differing: Sequence[EvidenceProbe], seconds: float
    ) -> None:
        """Further runs, if there is anything that they can tell."""
        lost = [one for one in self.trials if one.was_lost]
        try:
            has_ending = self.ending is not None and bool(
                self.ending.changes or self.ending.reached
            )
            if has_ending or lost or any(is_contradicted(one) for one in self.trials):
                self.control = await self.runs.control(seconds)
                for one in self.trials:
                    one.calls = [
                        call.later(evidence=without(call.evidence, self.control.idle))
                        if call.evidence is not None
                        else call
                        for call in one.calls
                    ]
                await self._attribute_ending(self.control)
                for one in lost:
                    one.ending = await self.runs.alone(one, self.control)
            differing = [*differing, *await self._differing_in_turn(reading, differing)]
            for probe in differing[:PROBES_MAX]:
                if words := await find_who_changes(self.runs, probe, reading):
                    self.notes.append(words)
            if len(differing) > PROBES_MAX:
                more = len(differing) - PROBES_MAX
                self.notes.append(f"{more} further readings differ and were not looked into")
        except NotConnected as problem:
            tell_not_run(problem)

    async def _differing_in_turn(
        self, reading: Sequence[EvidenceTrial], differing: Sequence[EvidenceProbe]
    ) -> list[EvidenceProbe]:
        """Tools that answer otherwise if those before them are called after them.

        What one call sets for good shows in no second answer of a tool that was called later.
        """
        known = [probe.trial for probe in differing]
        of_these = [one for one in reading if not one.was_lost and _first_reading(one)]
        if len(of_these) < 2 or self.runs.wanted.calls < 2:
            return []
        backwards = of_these[::-1]
        answers = await self.runs.readings(backwards)
        return [
            EvidenceProbe(trial=one)
            for one, answer in zip(backwards, answers, strict=True)
            if answer is not None and answer != _first_reading(one) and one not in known
        ]

    async def _attribute_ending(self, control: Control) -> None:
        """Find the tools for which the server did something at its end."""
        if self.ending is None:
            return
        self.ending = rest = without(self.ending, control.ending)
        called = [one for one in self.trials if one.was_sent]
        if not (rest.changes or rest.reached):
            return
        if len(called) == 1:
            called[0].ending = rest
            return
        alone: dict[int, Observation] = {}

        async def shows(some: Sequence[EvidenceTrial]) -> bool:
            ending = await self.runs.ending(some, control)
            alone[id(some[0])] = ending
            return bool(ending.changes or ending.reached)

        # Of the others it contradicts nothing.
        found = await culprits([one for one in called if is_contradicted(one, rest)], shows)
        for one in found:
            one.ending = alone[id(one)]
        deeds = [one.words(rest.scratch) for one in rest.changes]
        deeds += [f"reached for {one.words}" for one in rest.reached]
        names = ", ".join(one.tool.display_name for one in found)
        whose = f"for {names}" if found else "after these calls, for none of the read-only tools"
        self.notes.append(f"at its end the server {deeds[0]}, {whose}")


Arguments = dict[str, JsonValue]


async def _trials(
    tools: Iterable[ToolDefinition], inputs: dict[str, list[Arguments]]
) -> list[EvidenceTrial]:
    trials = []
    for tool in tools:
        for arguments in inputs.get(tool.name) or [sample_arguments(tool.input_schema)]:
            trial = EvidenceTrial(tool, arguments)
            checked = await judge_arguments_in_worker(
                tool.input_schema, trial.arguments_in("/scratch")
            )
            trial.problem = sample_problem(checked) if tool.callable else "it cannot be called"
            trials.append(trial)
    return trials


def _lost_words(trial: EvidenceTrial) -> str:
    name = trial.tool.display_name
    return (
        f"the server exited during a call of {name}, so other tools were called less often; "
        f"--tools can leave {name} out"
    )


def _with_fates(call: Call, runs: Runs) -> Call:
    if call.evidence is None:
        return call
    return call.later(evidence=runs.watch.with_fates(call.evidence))


def _first_reading(trial: EvidenceTrial) -> str | None:
    """Return the result of the first call."""
    return reading_of(trial.calls[0]) if trial.calls else None


def _answers_differ(trial: EvidenceTrial) -> bool:
    readings = [reading_of(call) for call in trial.calls]
    return len({one for one in readings if one is not None}) > 1


def verdicts_on(
    trial: EvidenceTrial, ending: Observation | None = None
) -> tuple[ClaimVerdict, ...]:
    """Return verdicts on a tool's hints after all its deeds."""
    watched = [
        Watched(call.evidence, call.outcome is Outcome.OK)
        for call in trial.calls
        if call.sent and call.evidence is not None
    ]
    return judge(trial.tool.hints, watched, ending=ending or trial.ending, shown=tuple(trial.shown))


def is_contradicted(trial: EvidenceTrial, ending: Observation | None = None) -> bool:
    """True if any of its hints is; `ending` if the server's effects at its end counted, too."""
    return any(one.standing is ClaimStatus.CONTRADICTED for one in verdicts_on(trial, ending))
