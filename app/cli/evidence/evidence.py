"""`signoff evidence`: calls tools in a scratch folder and compares deeds with hints.

Also prints the result for people: each tool, its hints, and its deeds.

The runs of `signoff evidence`: calls tools in rounds and assigns deeds to tools.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ...analysis.evidence.claims import (
    ClaimStatus,
    ClaimVerdict,
    Watched,
    judge,
    seen_lines,
    without,
)
from ...analysis.evidence.watch import Watch
from ...calls.call import Call, Outcome
from ...calls.deeds import Observation
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import count, visible
from ...headless.exit_status import ExitStatus
from ...headless.live import NotConnected, Options, opened, print_json, run
from ...headless.printing import Hiding, tell
from ...headless.readable import Out
from ...headless.readings import reading_of
from ...headless.reports import server_report
from ...headless.targets import UsageError
from ...protocol.hints import Claim
from ...protocol.tool import ToolDefinition
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.samples import sample_arguments
from ..calling import answering
from ..command import on_server
from ..options.calling import add_approve
from ..options.parser import Parser, number_up_to
from ..options.server import add_bundled, add_json
from ..tool_inputs import (
    check_names,
    read_inputs,
    sample_problem,
    telling_if_slow,
    wanted_tools,
)
from .ending import Control, end_server, tell_not_run
from .runs import (
    EvidenceOptions,
    Probe,
    Runs,
    Trial,
    culprits,
    find_who_changes,
    read_all,
    resource_probes,
)

if TYPE_CHECKING:
    from ...engine.engine import Engine


MAX_CALLS: Final = 100
"""Of one tool."""


def add(evidence: Parser) -> None:
    evidence.add_argument(
        "--tools",
        metavar="GLOB",
        default="",
        help="only tools that match, separated by commas: 'get_*,list_*'",
    )
    evidence.add_argument(
        "--inputs",
        metavar="FILE",
        default="",
        help="JSON file of arguments by tool; {scratch} in it is the path of the "
        "scratch folder (default: arguments made from the input schemas)",
    )
    evidence.add_argument(
        "--strict", action="store_true", help="exit with 1 if a tool gave no response"
    )
    evidence.add_argument(
        "--calls",
        metavar="N",
        type=number_up_to(MAX_CALLS),
        default=2,
        help="call each tool N times with the same arguments (default: 2)",
    )
    add_json(evidence)
    add_bundled(evidence)
    add_approve(evidence)
    on_server(evidence, EvidenceOptions, run_evidence, watches=True)


def run_evidence(options: Options, wanted: EvidenceOptions) -> int:
    """Call the tools, and report the deeds; returns the exit status."""
    if options.config.target.watch is None:
        raise UsageError("evidence needs a server that Signoff starts: give its command, not --url")
    return run(_gather(options, wanted, read_inputs(wanted.inputs), options.config.target.watch))


async def _gather(
    options: Options,
    wanted: EvidenceOptions,
    inputs: dict[str, list[dict[str, JsonValue]]],
    watch: Watch,
) -> int:
    async with opened(options) as engine:
        check_names(engine.tools, inputs, engine.definitions.findings)
        tools = wanted_tools(engine.tools, wanted.tools, engine.definitions.findings)
        if watch.why_not:
            tell(f"signoff: {watch.why_not}: {watch.method.sees}")
        tried = Tried(Runs(options, wanted, watch))
        missing = 0
        try:
            with answering(options, engine, wanted):
                await tried.try_all(engine, tools, inputs)
        except asyncio.CancelledError:
            # What was seen so far was waited for, too.
            if (task := asyncio.current_task()) is not None:
                task.uncancel()
            missing = len(tools) - len({one.tool.name for one in tried.found()})
            tell(f"signoff: interrupted: {missing} of {len(tools)} tools were not tried to the end")
        found = tried.found()
        hiding = options.hiding(engine)
        status = _status(found, is_strict=wanted.strict)
        if options.as_json:
            report = _report(engine, hiding, found, tried, status)
            print_json(report | {"not_tried": missing} if missing else report)
        else:
            print_evidence(engine, hiding, found, tried)
    return status


def _status(found: Sequence[ToolEvidence], *, is_strict: bool) -> ExitStatus:
    """4 where a hint is contradicted; 3 where every call was denied; with `is_strict` 1 where a
    tool was not tried; else 0.
    """
    if any(one.is_contradicted for one in found):
        return ExitStatus.BROKEN
    calls = [call for one in found for call in one.calls]
    if calls and all(call.outcome is Outcome.DENIED for call in calls):
        return ExitStatus.NOT_APPROVED
    is_doubtful = is_strict and any(not call_was_answered(one) for one in found)
    return ExitStatus.DOUBTFUL if is_doubtful else ExitStatus.OK


def call_was_answered(one: ToolEvidence) -> bool:
    """True if a call of the tool returned a result without an error."""
    return any(call.outcome is Outcome.OK for call in one.calls)


def _report(
    engine: Engine, hiding: Hiding, found: Sequence[ToolEvidence], tried: Tried, status: ExitStatus
) -> dict[str, Any]:
    watch, control, ending = tried.runs.watch, tried.control, tried.ending
    standings = [verdict.standing for one in found for verdict in one.verdicts]
    return {
        "server": server_report(engine, hiding),
        "method": watch.method.value,
        "sees": watch.method.sees,
        "misses": watch.method.misses,
        "counts": {one.value: standings.count(one) for one in ClaimStatus},
        "tools": [
            {
                "tool": one.tool.name,
                "arguments": hiding.value(one.arguments),
                "problem": one.problem or None,
                "verdicts": hiding.value([verdict.as_json() for verdict in one.verdicts]),
                "calls": [_call_report(call, hiding) for call in one.calls],
                "at_end": hiding.value(one.ending.as_json()) if one.ending else None,
            }
            for one in found
        ],
        "at_end": hiding.value(ending.as_json()) if ending else None,
        "without_calls": {
            "seconds": round(control.seconds, 2),
            "idle": hiding.value(control.idle.as_json()),
            "at_end": hiding.value(control.ending.as_json()),
        }
        if control
        else None,
        "further_runs": tried.runs.number,
        "notes": [hiding.text(words) for words in tried.notes],
        "exit_status": int(status),
        "masked": hiding.report(),
    }


def _call_report(call: Call, hiding: Hiding) -> dict[str, Any]:
    seen = call.evidence
    return {
        "sent": call.sent,
        "outcome": call.outcome.value if call.outcome else None,
        "reason": hiding.text(call.reason),
        "evidence": hiding.value(seen.as_json()) if seen is not None else None,
    }


STYLES: Final = {
    ClaimStatus.CONTRADICTED: "bold red",
    ClaimStatus.CONSISTENT: "green",
    ClaimStatus.NOT_EXERCISED: "dim",
}


def print_evidence(
    engine: Engine, hiding: Hiding, found: Sequence[ToolEvidence], tried: Tried
) -> None:
    """All tools, the contradicted ones first."""
    method = tried.runs.watch.method
    out = Out(hiding)
    out.line(("server   ", "dim"), (visible(engine.server.name), "bold"))
    out.line(("watched  ", "dim"), (f"by {method.value}: {method.sees}", ""))
    out.line(("         ", ""), (f"not seen: {method.misses}", "dim"))
    for one in sorted(found, key=lambda one: not one.is_contradicted):
        out.blank()
        effect = one.tool.effect
        out.line(
            (f"{effect.sign} ", ""), (one.tool.display_name, "bold"), (f"   {effect.value}", "")
        )
        if one.problem:
            out.line(("  not called: ", "yellow"), (one.problem, ""))
        for call in one.calls:
            if not call.sent or call.outcome is not Outcome.OK:
                out.line(("  ", ""), (f"{call.status}: {call.reason}".rstrip(": "), "yellow"))
        for verdict in one.verdicts:
            if verdict.claim is Claim.NOT_SET and verdict.standing is not ClaimStatus.CONTRADICTED:
                continue
            out.line(
                (f"  {verdict.standing.sign} ", STYLES[verdict.standing]),
                (f"{verdict.hint} {verdict.claim.value}: ", ""),
                (verdict.standing.value, STYLES[verdict.standing]),
                (f" - {verdict.why}", ""),
            )
        for number, call in enumerate(one.calls, 1):
            if call.evidence is not None:
                for words in seen_lines(call.evidence):
                    out.line((f"    call {number}: ", "dim"), (words, ""))
        if one.ending is not None:
            for words in seen_lines(one.ending):
                out.line(("    at the server's end: ", "dim"), (words, ""))
    if tried.control is not None:
        out.blank()
        words = f"watched for {tried.control.seconds:.1f} s and to its end"
        out.line(("a run without calls: ", "dim"), (f"{words}; its deeds are not counted", "dim"))
    for words in tried.notes:
        out.line(("seen: ", "dim"), (words, ""))
    out.blank()
    contradicted = sum(one.is_contradicted for one in found)
    style = "bold red" if contradicted else "bold"
    words = f"{count(contradicted, 'tool')} of {len(found)} contradicted by what was seen"
    out.line((words, style), ("; a hint without a contradiction is not proven", "dim"))


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
class Tried:
    """All that was tried, as far as it came."""

    runs: Runs
    trials: list[Trial] = field(default_factory=list)
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
        differing += [Probe(trial=one) for one in reading if _answers_differ(one)]
        await self._find_out(reading, differing, time.monotonic() - began)

    async def _call_in_turn(self, engine: Engine, trials: Sequence[Trial], rounds: int) -> None:
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
        self, reading: Sequence[Trial], differing: Sequence[Probe], seconds: float
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
        self, reading: Sequence[Trial], differing: Sequence[Probe]
    ) -> list[Probe]:
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
            Probe(trial=one)
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

        async def shows(some: Sequence[Trial]) -> bool:
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
) -> list[Trial]:
    trials = []
    for tool in tools:
        for arguments in inputs.get(tool.name) or [sample_arguments(tool.input_schema)]:
            trial = Trial(tool, arguments)
            checked = await judge_arguments_in_worker(
                tool.input_schema, trial.arguments_in("/scratch")
            )
            trial.problem = sample_problem(checked) if tool.callable else "it cannot be called"
            trials.append(trial)
    return trials


def _lost_words(trial: Trial) -> str:
    name = trial.tool.display_name
    return (
        f"the server exited during a call of {name}, so other tools were called less often; "
        f"--tools can leave {name} out"
    )


def _with_fates(call: Call, runs: Runs) -> Call:
    if call.evidence is None:
        return call
    return call.later(evidence=runs.watch.with_fates(call.evidence))


def _first_reading(trial: Trial) -> str | None:
    """Return the result of the first call."""
    return reading_of(trial.calls[0]) if trial.calls else None


def _answers_differ(trial: Trial) -> bool:
    readings = [reading_of(call) for call in trial.calls]
    return len({one for one in readings if one is not None}) > 1


def verdicts_on(trial: Trial, ending: Observation | None = None) -> tuple[ClaimVerdict, ...]:
    """Return verdicts on a tool's hints after all its deeds."""
    watched = [
        Watched(call.evidence, call.outcome is Outcome.OK)
        for call in trial.calls
        if call.sent and call.evidence is not None
    ]
    return judge(trial.tool.hints, watched, ending=ending or trial.ending, shown=tuple(trial.shown))


def is_contradicted(trial: Trial, ending: Observation | None = None) -> bool:
    """True if any of its hints is; `ending` if the server's effects at its end counted, too."""
    return any(one.standing is ClaimStatus.CONTRADICTED for one in verdicts_on(trial, ending))
