"""Reports of `signoff consent`: as results of flows for people, JUnit and HTML, and as JSON.

Each tool in an era is a flow, each person a step, each check a comparison. People for whom nothing
but the same checks fails are one step.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...cli.output.printing import Hiding
from ...cli.output.results import Check, FlowResult, Status, StepResult, WireLine
from ...content.files.tree import SourceLocation
from ...content.json.jsonio import JsonValue
from ...content.text import visible
from ...protocol.answers.task_states import AWAITS_APPROVAL
from ...protocol.findings.spec_sections import MODERN
from ...protocol.tool import ToolDefinition
from .checks import CheckVerdict, Standing, said
from .eras import Era
from .people import AskedByServer, CallEnding, Observed, Who
from .summary import acceptances, counts_of, exit_status, is_passed
from .tools import ToolConsent

NOT_ASKING = "the tool asked nothing"
INTERRUPTED = "interrupted before its end"


def result_of(found: ToolConsent, server: str, rules: str, hiding: Hiding) -> FlowResult:
    """One tool as the result of a flow."""
    if found.problem or not (found.asks or found.awaits or found.must_ask):
        reason = hiding.said(found.problem or NOT_ASKING)
        idle = StepResult("all people", SourceLocation(), Status.NOT_RUN, reason=reason)
        steps: tuple[StepResult, ...] = (idle,)
    else:
        steps = tuple(_steps(found, hiding))
    return FlowResult(
        file=f"{visible(found.tool.name)} in {found.era}",
        title="no other era lists it" if found.is_only else "",
        server=visible(server),
        rules=visible(rules),
        steps=steps,
        seconds=found.seconds,
        unreachable=hiding.said(found.lost),
    )


def result_of_lost(era: Era, server: str, rules: str, hiding: Hiding) -> FlowResult:
    """An era that could not be opened, as a flow that failed."""
    advice = f"Not tested in {era.version}. --protocol tests one era alone."
    return FlowResult(
        file=f"all tools in {era.version}",
        title="",
        server=visible(server),
        rules=visible(rules),
        unreachable=f"{hiding.said(era.lost)}\n{advice}",
    )


def result_of_missing(era: Era, server: str, rules: str, hiding: Hiding) -> FlowResult:
    """The tools of an era that its list may lack, as a flow that failed."""
    return FlowResult(
        file=f"all tools in {era.version}",
        title="",
        server=visible(server),
        rules=visible(rules),
        unreachable=f"tools may be missing: {visible(hiding.said(era.missing))}",
    )


def result_of_untried(tool: ToolDefinition, server: str, rules: str) -> FlowResult:
    """A tool that was not tried to the end, as a flow that was not run."""
    idle = StepResult("all people", SourceLocation(), Status.NOT_RUN, reason=INTERRUPTED)
    file = visible(tool.name)
    return FlowResult(file, "", visible(server), visible(rules), steps=(idle,))


def _steps(found: ToolConsent, hiding: Hiding) -> Iterator[StepResult]:
    """The people in their order; one with only known failures is named with the first."""
    told: dict[str, int] = {}
    steps: list[StepResult] = []
    for one in found.people:
        step = _step(found, one, hiding)
        codes = [each.name for each in step.failures]
        if codes and all(code in told for code in codes):
            first = steps[told[codes[0]]]
            steps[told[codes[0]]] = replace(first, title=f"{first.title}; {step.title}")
            continue
        for code in codes:
            told.setdefault(code, len(steps))
        steps.append(step)
    yield from steps


def _step(found: ToolConsent, one: Observed, hiding: Hiding) -> StepResult:
    if one.not_possible or not one.was_sent:
        reason = one.not_possible or one.response.reason
        return StepResult(
            one.who.words, SourceLocation(), Status.NOT_RUN, reason=hiding.said(reason)
        )
    verdicts = found.verdicts(one)
    checks = tuple(
        Check(each.code, each.expected, hiding.said(_seen(each)), passed=not each.is_broken)
        for each in verdicts
        if each.standing in (Standing.KEPT, Standing.BROKEN, Standing.ACCEPTED)
    )
    status = Status.FAILED if any(each.is_broken for each in verdicts) else Status.PASSED
    return StepResult(
        one.who.words,
        SourceLocation(),
        status,
        facts=tuple(hiding.said(words) for words in (*_facts(one, verdicts), *_advice(found, one))),
        checks=checks,
        wire=tuple(_exchange(one, hiding)) if status is Status.FAILED else (),
        seconds=one.seconds,
    )


def _seen(each: CheckVerdict) -> str:
    return f"{each.seen}; accepted: {visible(each.reason)}" if each.reason else each.seen


def _advice(found: ToolConsent, one: Observed) -> Iterator[str]:
    """What to do about a call that failed before it could ask."""
    if not any(each.code == "call-failed" and each.is_broken for each in found.verdicts(one)):
        return
    yield "whether it asks is not known"
    if found.asks_in:
        yield f"it asks with --protocol {found.asks_in}, which tests that era alone"
    elif not found.given.is_given:
        yield "--inputs gives other arguments"
    yield "--accept call-failed=REASON accepts it"


def _exchange(one: Observed, hiding: Hiding) -> Iterator[WireLine]:
    """The questions and answers, and the arguments of the call."""
    yield WireLine("call", _json(dict(one.arguments), hiding))
    for each in one.asked:
        yield WireLine("question", _json([each.message, each.url or each.schema], hiding))
        yield WireLine("answer", _json(each.answer, hiding) if each.answer else "none")
    if one.changed is not None:
        words = "second call" if one.who is Who.CALLS_AGAIN else "call with the old requestState"
        yield WireLine(words, _json(dict(one.changed), hiding))


def _json(value: JsonValue, hiding: Hiding) -> str:
    return visible(json.dumps(hiding.value(value), ensure_ascii=False))


def _facts(one: Observed, verdicts: Sequence[CheckVerdict]) -> Iterator[str]:
    asked = len(one.asked)
    yield f"asked {asked} times" if asked > 1 else "asked" if asked else "not asked"
    if one.awaited:
        yield AWAITS_APPROVAL
    effects = (*one.effects.all, *one.effects.again)
    if effects:
        yield "; ".join(effects)
    elif any(each.standing is Standing.NOT_SEEN for each in verdicts):
        yield "no effect was seen, as after accept"
    else:
        yield "no effect"
    if one.is_hung:
        yield f"no end within {one.limit:g} s, cancelled"
    elif one.who is Who.SILENT and one.is_modern:
        yield "the call had ended with the question"
    else:
        yield said(one)
    for each in verdicts:
        if each.standing is Standing.ADVICE:
            yield f"advice {each.code}: {each.seen}"
        elif each.reason:
            yield f"accepted {each.code}: {visible(each.reason)}"


def consent_report(
    found: Sequence[ToolConsent],
    eras: Sequence[Era],
    accepts: Mapping[str, str],
    server: dict[str, Any],
    limit: float,
    hiding: Hiding,
    untried: int = 0,
) -> dict[str, Any]:
    """`signoff consent --json`."""
    return {
        "server": server,
        "limit": limit,
        "passed": is_passed(found, eras, untried),
        "eras": [_era(one, found, hiding) for one in eras],
        "accepted": [
            {"code": code, "reason": reason, "checks": checks}
            for code, reason, checks in acceptances(found, accepts)
        ],
        "tools": [_tool(one, hiding) for one in found],
        "not_tried": untried,
        "exit_status": int(exit_status(found, eras, untried)),
        "masked": hiding.report(),
    }


def _era(era: Era, found: Sequence[ToolConsent], hiding: Hiding) -> dict[str, Any]:
    counts = counts_of(found, era.version)
    return {
        "protocol": era.version,
        "offered": None if era.lost else not era.not_offered,
        "problem": hiding.text(era.lost or era.not_offered or era.missing) or None,
        "tools": counts.tools,
        "called": counts.called,
        "asked": counts.asked,
        "failed": counts.failed,
        "not_called": {kind.value: number for kind, number in counts.not_called.items()},
    }


def _tool(found: ToolConsent, hiding: Hiding) -> dict[str, Any]:
    return {
        "tool": found.tool.name,
        "protocol": found.era,
        "only_in_this_era": found.is_only,
        "failed": found.has_failed,
        "asks": found.asks,
        "awaits": found.awaits,
        "must_ask": found.must_ask,
        "problem": hiding.text(found.problem or found.lost) or None,
        "people": [_person(found, one, hiding) for one in found.people],
        "seconds": round(found.seconds, 2),
    }


def _person(found: ToolConsent, one: Observed, hiding: Hiding) -> dict[str, Any]:
    effects = one.effects
    return {
        "person": one.who.value,
        "does": one.who.words,
        "arguments": hiding.value(dict(one.arguments)),
        "changed_arguments": hiding.value(dict(one.changed)) if one.changed else None,
        "not_possible": hiding.text(one.not_possible) or None,
        "asked": [_asked(each, hiding) for each in one.asked],
        "by": _means(one) if one.asked else None,
        "has_state": one.has_state,
        "response": _response(one.response, hiding),
        "second": _response(one.second, hiding) if one.second else None,
        "hung": one.is_hung,
        "seconds": round(one.seconds, 3),
        "effects": {
            "before_answer": [hiding.text(words) for words in effects.before],
            "after_answer": [hiding.text(words) for words in effects.after],
            "resources": [hiding.text(words) for words in effects.whole],
            "again": [hiding.text(words) for words in effects.again],
            "not_seen": list(effects.blind),
        },
        "checks": [_check(found.era, each, hiding) for each in found.verdicts(one)],
    }


def _means(one: Observed) -> str:
    if one.is_of_task:
        return "task"
    return "input-required result" if one.is_modern else "elicitation"


def _asked(asked: AskedByServer, hiding: Hiding) -> dict[str, Any]:
    return {
        "message": hiding.text(asked.message),
        "schema": asked.schema,
        "url": hiding.text(asked.url) or None,
        "answer": hiding.value(asked.answer),
    }


def _response(response: CallEnding, hiding: Hiding) -> dict[str, Any]:
    return {
        "outcome": response.outcome.value if response.outcome else None,
        "text": hiding.text(response.text),
        "code": response.code,
        "reason": hiding.text(response.reason) or None,
    }


def _check(era: str, verdict: CheckVerdict, hiding: Hiding) -> dict[str, Any]:
    section = verdict.section(is_modern=era == MODERN)
    return {
        "code": verdict.code,
        "result": verdict.standing.value,
        "expected": verdict.expected,
        "seen": hiding.text(verdict.seen),
        "accepted_because": verdict.reason or None,
        "section": section.as_json() if section else None,
    }


def probe_problem(tool: ToolDefinition) -> str:
    """Why a tool cannot be a probe; empty if it can."""
    required = tool.input_schema.get("required") if isinstance(tool.input_schema, dict) else None
    return "it has required arguments" if required else ""
