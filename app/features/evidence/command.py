"""`signoff evidence`: calls tools in a scratch folder and compares deeds with hints.

Also prints the result for people: each tool, its hints, and its deeds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from ...calls.call import Call, Outcome
from ...calls.effects.claims import ClaimStatus, ClaimVerdict, seen_lines
from ...calls.effects.watch import Watch
from ...cli.calling import answering
from ...cli.command import on_server
from ...cli.options.parser import Parser
from ...cli.options.session import WATCHES
from ...cli.output.finding_reports import print_markdown, write_reports
from ...cli.output.printing import Hiding, tell
from ...cli.output.readable import Out
from ...cli.targets.live import Options, opened, print_json, run, status_with_list
from ...cli.targets.targets import UsageError
from ...cli.tool_inputs import check_names, read_inputs, wanted_tools
from ...content.json.jsonio import JsonValue
from ...content.text import count, visible
from ...presentation.exit_status import ExitStatus
from ...presentation.junit import Ending, TestCase, TestSuite
from ...presentation.report_pages import page_of_suites
from ...presentation.server import as_json as server_json
from ...protocol.hints import Claim
from .runs import EvidenceOptions, Runs
from .trying import EvidenceTried, ToolEvidence

if TYPE_CHECKING:
    from ...engine.engine import Engine


def add(evidence: Parser) -> None:
    on_server(evidence, EvidenceOptions, run_evidence, watches=True, uses=WATCHES)


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
        tried = EvidenceTried(Runs(options, wanted, watch))
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
        status = status_with_list(engine, options, _status(found, is_strict=wanted.strict))
        if missing and status in (ExitStatus.OK, ExitStatus.DOUBTFUL):
            status = ExitStatus.LOST
        suites = [evidence_suite(engine.server.name, found, is_strict=wanted.strict)]
        tools_number = len(engine.tools)
        write_reports(
            "evidence", suites, wanted.reports, hiding.text, tools=tools_number, status=int(status)
        )
        if options.as_json:
            report = _report(engine, hiding, found, tried, status)
            print_json(report | {"not_tried": missing} if missing else report)
        elif wanted.reports.markdown:
            print_markdown(page_of_suites("evidence", suites), hiding.text)
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
    engine: Engine,
    hiding: Hiding,
    found: Sequence[ToolEvidence],
    tried: EvidenceTried,
    status: ExitStatus,
) -> dict[str, Any]:
    watch, control, ending = tried.runs.watch, tried.control, tried.ending
    standings = [verdict.standing for one in found for verdict in one.verdicts]
    return {
        "server": server_json(engine, hiding),
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


def evidence_suite(name: str, found: Sequence[ToolEvidence], *, is_strict: bool) -> TestSuite:
    """One test case for each hint of each tool, and one for its calls.

    A hint that is contradicted failed; one that was not exercised, and a tool without a result, are
    skipped. With `is_strict` such a tool failed.
    """
    cases = [case for one in found for case in _junit_cases(one, is_strict=is_strict)]
    none = TestCase("signoff.evidence", "all tools", Ending.SKIPPED, message="no tool was called")
    return TestSuite(name, tuple(cases) or (none,))


_ENDINGS: Final = {
    ClaimStatus.CONTRADICTED: Ending.FAILED,
    ClaimStatus.CONSISTENT: Ending.PASSED,
    ClaimStatus.NOT_EXERCISED: Ending.SKIPPED,
}


def _junit_cases(one: ToolEvidence, *, is_strict: bool) -> Iterator[TestCase]:
    classname = f"signoff.evidence.{one.tool.display_name}"
    if call_was_answered(one):
        yield TestCase(classname, "calls")
    else:
        why = one.problem or next((f"{call.status}: {call.reason}" for call in one.calls), "")
        ending = Ending.FAILED if is_strict else Ending.SKIPPED
        yield TestCase(classname, "calls", ending, message=why.rstrip(": "))
    for verdict in one.verdicts:
        if _is_told(verdict):
            standing = verdict.standing
            ending = _ENDINGS[standing]
            kind = standing.value if ending is Ending.FAILED else ""
            words = "" if ending is Ending.SKIPPED else verdict.words
            yield TestCase(classname, verdict.hint, ending, kind, verdict.words, words)


def _is_told(verdict: ClaimVerdict) -> bool:
    """True for a claim, and for a default that is contradicted."""
    return verdict.claim is not Claim.NOT_SET or verdict.standing is ClaimStatus.CONTRADICTED


STYLES: Final = {
    ClaimStatus.CONTRADICTED: "bold red",
    ClaimStatus.CONSISTENT: "green",
    ClaimStatus.NOT_EXERCISED: "dim",
}


def print_evidence(
    engine: Engine, hiding: Hiding, found: Sequence[ToolEvidence], tried: EvidenceTried
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
            if not _is_told(verdict):
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
