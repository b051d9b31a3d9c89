"""Reports of `signoff consent`: as results of flows for people, JUnit and HTML, and as JSON.

Each tool is a flow, each person a step, each check a comparison.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ...analysis.consent.checks import Standing, Verdict, said
from ...analysis.consent.people import Asked, Observed, Response, Who
from ...content.files.tree import SourceLocation
from ...content.json.jsonio import JsonValue
from ...content.text import count, visible
from ...headless.exit_status import ExitStatus
from ...headless.printing import Hiding
from ...protocol.tool import ToolDefinition
from ..results import Check, FlowResult, Status, StepResult, WireLine, totals
from .tools import ToolConsent

NOT_ASKING = "the tool asked nothing"


def result_of(found: ToolConsent, server: str, rules: str, hiding: Hiding) -> FlowResult:
    """One tool as the result of a flow."""
    if found.problem or not (found.asks or found.must_ask):
        reason = hiding.said(found.problem or NOT_ASKING)
        idle = StepResult("all people", SourceLocation(), Status.NOT_RUN, reason=reason)
        steps: tuple[StepResult, ...] = (idle,)
    else:
        steps = tuple(_step(found, one, hiding) for one in found.people)
    return FlowResult(
        file=visible(found.tool.name),
        title="",
        server=visible(server),
        rules=visible(rules),
        steps=steps,
        seconds=found.seconds,
        unreachable=hiding.said(found.lost),
    )


def _step(found: ToolConsent, one: Observed, hiding: Hiding) -> StepResult:
    if one.not_possible or not one.was_sent:
        reason = one.not_possible or one.response.reason
        return StepResult(
            one.who.words, SourceLocation(), Status.NOT_RUN, reason=hiding.said(reason)
        )
    verdicts = found.verdicts(one)
    checks = tuple(
        Check(each.code, each.expected, hiding.said(each.seen), passed=not each.is_broken)
        for each in verdicts
        if each.standing in (Standing.KEPT, Standing.BROKEN)
    )
    status = Status.FAILED if any(each.is_broken for each in verdicts) else Status.PASSED
    return StepResult(
        one.who.words,
        SourceLocation(),
        status,
        facts=tuple(hiding.said(words) for words in _facts(one, verdicts)),
        checks=checks,
        wire=tuple(_exchange(one, hiding)) if status is Status.FAILED else (),
        seconds=one.seconds,
    )


def _exchange(one: Observed, hiding: Hiding) -> Iterator[WireLine]:
    """The questions and answers, and the arguments of the call."""
    yield WireLine("call", _json(dict(one.arguments), hiding))
    for each in one.asked:
        yield WireLine("question", _json([each.message, each.url or each.schema], hiding))
        yield WireLine("answer", _json(each.answer, hiding) if each.answer else "none")
    if one.changed is not None:
        yield WireLine("call with the old requestState", _json(dict(one.changed), hiding))


def _json(value: JsonValue, hiding: Hiding) -> str:
    return visible(json.dumps(hiding.value(value), ensure_ascii=False))


def _facts(one: Observed, verdicts: Sequence[Verdict]) -> Iterator[str]:
    asked = len(one.asked)
    yield f"asked {asked} times" if asked > 1 else "asked" if asked else "not asked"
    effects = (*one.effects.all, *one.effects.again)
    if effects:
        yield "; ".join(effects)
    elif any(each.standing is Standing.NOT_SEEN for each in verdicts):
        yield "no effect seen, but none was seen after accept either"
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


def total_words(results: tuple[FlowResult, ...]) -> str:
    """`3 tools: 20 runs passed, 4 failed`."""
    return totals(results, "tool", "run")


def exit_status(found: Sequence[ToolConsent]) -> ExitStatus:
    """A broken check counts before a server that was not reached, and that before a denial."""
    if any(one.is_broken for one in found):
        return ExitStatus.FLOW_FAILED
    if any(one.lost for one in found):
        return ExitStatus.LOST
    if found and all(one.problem for one in found):
        return ExitStatus.NOT_APPROVED
    return ExitStatus.OK


def summary(found: Sequence[ToolConsent]) -> str:
    """One line about all tools; empty if each tool that was called asks."""
    if any(one.asks or one.is_broken for one in found):
        return ""
    called = sum(not one.problem for one in found)
    if not called:
        return f"no tool was called ({count(len(found), 'tool')}); see --approve and --inputs"
    rest = len(found) - called
    others = f" ({rest:,} {'was' if rest == 1 else 'were'} not called)" if rest else ""
    return f"none of {count(called, 'tool')} asked{others}; --tools names the ones that should ask"


def consent_report(
    found: Sequence[ToolConsent], server: dict[str, Any], limit: float, hiding: Hiding
) -> dict[str, Any]:
    """`signoff consent --json`."""
    return {
        "server": server,
        "limit": limit,
        "passed": not any(one.is_broken for one in found),
        "tools": [_tool(one, hiding) for one in found],
        "exit_status": int(exit_status(found)),
        "masked": hiding.report(),
    }


def _tool(found: ToolConsent, hiding: Hiding) -> dict[str, Any]:
    return {
        "tool": found.tool.name,
        "asks": found.asks,
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
        "checks": [_check(one, each, hiding) for each in found.verdicts(one)],
    }


def _means(one: Observed) -> str:
    if one.is_of_task:
        return "task"
    return "input-required result" if one.is_modern else "elicitation"


def _asked(asked: Asked, hiding: Hiding) -> dict[str, Any]:
    return {
        "message": hiding.text(asked.message),
        "schema": asked.schema,
        "url": hiding.text(asked.url) or None,
        "answer": hiding.value(asked.answer),
    }


def _response(response: Response, hiding: Hiding) -> dict[str, Any]:
    return {
        "outcome": response.outcome.value if response.outcome else None,
        "text": hiding.text(response.text),
        "code": response.code,
        "reason": hiding.text(response.reason) or None,
    }


def _check(one: Observed, verdict: Verdict, hiding: Hiding) -> dict[str, Any]:
    section = verdict.section(is_modern=one.is_modern)
    return {
        "code": verdict.code,
        "result": verdict.standing.value,
        "expected": verdict.expected,
        "seen": hiding.text(verdict.seen),
        "section": section.as_json() if section else None,
    }


def probe_problem(tool: ToolDefinition) -> str:
    """Why a tool cannot be a probe; empty if it can."""
    required = tool.input_schema.get("required") if isinstance(tool.input_schema, dict) else None
    return "it has required arguments" if required else ""
