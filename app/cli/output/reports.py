"""The JSON that the headless commands print: the same words as the screens.

Also the server's log messages, as lines and in a report: the newest of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from ...calls.call import Call, Outcome
from ...calls.effects.claims import is_contradicted
from ...content.text import count
from ...engine.engine import Engine
from ...presentation.calls import as_json as call_json
from ...presentation.calls import schema_json
from ...presentation.exit_status import ExitStatus
from ...presentation.server import as_json as server_json
from ...protocol.definitions.deprecation import deprecation_json
from ...protocol.findings.findings import Finding, Severity
from ...protocol.log_messages import LogMessage
from ...protocol.tool import ToolDefinition, section_of
from ...schemas.schema import SchemaAnswer
from ..options.arguments import InvalidArguments
from .printing import Hiding, tell

INVALID_ARGUMENTS = "invalid-arguments"
"""The outcome where nothing was asked: the arguments are not what the input schema wants."""

BROKEN_BLOCKS = (
    "unreadable-content",
    "unknown-content",
    "duplicate-key",
    "malformed-block",
    "lone-surrogate",
    "clients-reject-answer",
)
"""Findings about an answer that breaks its contract, although the rest of it can be read."""

_EXITS = {
    Outcome.OK: ExitStatus.OK,
    Outcome.TOOL_ERROR: ExitStatus.TOOL_ERROR,
    Outcome.PROTOCOL_ERROR: ExitStatus.TOOL_ERROR,
    Outcome.DENIED: ExitStatus.NOT_APPROVED,
    Outcome.NOT_SENT: ExitStatus.LOST,
    Outcome.CANCELLED: ExitStatus.INTERRUPTED,
    Outcome.TIMEOUT: ExitStatus.TIME_LIMIT,
    Outcome.CONNECTION_LOST: ExitStatus.LOST,
    Outcome.UNREADABLE: ExitStatus.BROKEN,
    Outcome.NOT_TAKEN: ExitStatus.LOST,
    Outcome.SERVER_FAILED: ExitStatus.LOST,
    Outcome.INPUT_REQUIRED: ExitStatus.UNFINISHED,
    Outcome.TASK_STARTED: ExitStatus.UNFINISHED,
    Outcome.FAULT: ExitStatus.FAULT,
}


def _breaks_contract(finding: Finding) -> bool:
    """True if a finding is of that kind; a warning is about something that the specification
    allows.
    """
    return finding.code in BROKEN_BLOCKS and finding.severity is Severity.ERROR


def exit_status(call: Call) -> int:
    """The exit status of `signoff call`."""
    assert call.outcome is not None
    if call.is_too_late:
        return ExitStatus.TIME_LIMIT
    status = _EXITS[call.outcome]
    schema = call.schema.answer if call.schema is not None else None
    if status == ExitStatus.OK and schema in (SchemaAnswer.INVALID, SchemaAnswer.MISSING):
        return ExitStatus.BROKEN
    if status == ExitStatus.OK and any(_breaks_contract(one) for one in call.findings):
        return ExitStatus.BROKEN
    if status == ExitStatus.OK and is_contradicted(call):
        return ExitStatus.BROKEN
    return status


def tools_report(engine: Engine, hiding: Hiding) -> dict[str, Any]:
    """`signoff tools --json`."""
    return {
        "server": server_json(engine, hiding),
        "tools": [tool_report(engine, tool) for tool in engine.tools],
        "findings": hiding.value([finding.as_json() for finding in engine.observed.all()]),
        "masked": hiding.report(),
    }


def tool_report(engine: Engine, tool: ToolDefinition) -> dict[str, Any]:
    section = {"section": section_of(tool).value} if engine.server.is_bundled else {}
    return {
        "name": tool.name,
        "title": tool.title or None,
        **section,
        "definition": tool.raw,
        "digest": tool.digest,
        "hints": tool.hints.as_json(),
        "effect": tool.effect.value,
        **tool.reach.as_json(),
        "deprecated": deprecation_json(
            tool.name, tool.deprecation, (one.name for one in engine.tools)
        ),
        "verdict": engine.verdict(tool).as_json(),
        "findings": [finding.as_json() for finding in tool.findings],
    }


def call_report(engine: Engine, call: Call, hiding: Hiding) -> dict[str, Any]:
    """`signoff call --json`."""
    runs = call.snapshot.runs
    return {
        "server": {
            **server_json(engine, hiding),
            "runs": hiding.value(runs.as_json()) if runs else None,
        },
        **call_json(call, hiding, hiding.arguments, engine.observed.complete()),
        "log": log_report(engine, hiding),
        # Last, since the others are counted in it.
        "masked": hiding.report(),
    }


def invalid_report(
    engine: Engine, tool: ToolDefinition, problem: InvalidArguments, hiding: Hiding
) -> dict[str, Any]:
    """`signoff call --json` with arguments that break the input schema.

    It has the keys of `call_report`, and each place in `argument_errors`.
    """
    words = [one.words for one in problem.problems]
    verdict = engine.verdict(tool, problem.arguments, words)
    report: dict[str, Any] = {
        "server": {**server_json(engine, hiding), "runs": None},
        "tool": tool.name,
        "arguments": hiding.arguments,
        "hints": tool.hints.as_json(),
        "effect": tool.effect.value,
        "verdict": hiding.value(verdict.as_json()),
        "decision": None,
        "sent": False,
        "outcome": INVALID_ARGUMENTS,
        "reason": hiding.text(problem.words),
        "result": None,
        "schema": schema_json(None),
        "findings": hiding.value(
            [one.as_json() for one in (*tool.findings, *engine.observed.complete())]
        ),
        "progress": [],
        "log": log_report(engine, hiding),
        "duration_ms": None,
        "masked": None,
        "argument_errors": hiding.value([one.as_json() for one in problem.problems]),
    }
    if problem.more:
        report["more_argument_errors"] = problem.more
    report["masked"] = hiding.report()
    return report


TOLD_MAX: Final = 40
"""Messages that a command prints on stderr, the newest."""
REPORTED_MAX: Final = 200


def tell_log(engine: Engine, hiding: Hiding) -> None:
    """The newest messages on standard error, each as a line of the server's."""
    if engine.log.problem:
        tell(f"signoff: {engine.log.problem}")
    shown = list(engine.log.messages)[-TOLD_MAX:]
    if left_out := engine.log.count - len(shown):
        tell(f"log ┃ ({count(left_out, 'message')} before these)")
    for message in shown:
        tell(f"log ┃ {log_line(message, hiding)}")


def log_line(message: LogMessage, hiding: Hiding) -> str:
    """One message on one line, safe to show, without the secrets that are known."""
    logger, text = hiding.said(message.logger), hiding.said(message.text)
    return replace(message, logger=logger, text=text).line


def log_report(engine: Engine, hiding: Hiding) -> dict[str, Any]:
    """The requested level and the received messages, the newest last."""
    shown = list(engine.log.messages)[-REPORTED_MAX:]
    return {
        "level": engine.log.level or None,
        "problem": engine.log.problem or None,
        "count": engine.log.count,
        "messages": [{**message.as_json(), "text": hiding.said(message.text)} for message in shown],
    }
