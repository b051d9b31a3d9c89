"""The JSON that the headless commands print: the same words as the screens.

Also the server's log messages, as lines and in a report: the newest of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from ...calls.call import Call, Outcome
from ...calls.effects.claims import is_contradicted, judge_call
from ...content.json.jsonio import pointer
from ...content.text import count
from ...engine.engine import Engine
from ...presentation.exit_status import ExitStatus
from ...presentation.server import as_json as server_json
from ...protocol.clients.findings import rejection_words
from ...protocol.definitions.deprecation import deprecation_json
from ...protocol.findings.findings import Finding, Severity
from ...protocol.log_messages import LogMessage
from ...protocol.tool import ToolDefinition, section_of
from ...schemas.schema import SchemaAnswer, SchemaVerdict
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
    duration = call.ended_at - call.sent_at if call.ended_at and call.sent_at else None
    findings = (*call.request.findings, *call.findings, *engine.observed.complete())
    report: dict[str, Any] = {
        "server": {
            **server_json(engine, hiding),
            "runs": hiding.value(runs.as_json()) if (runs := call.snapshot.runs) else None,
        },
        "tool": call.request.name,
        "arguments": hiding.arguments,
        "hints": call.request.hints.as_json(),
        "effect": call.request.effect.value,
        "verdict": hiding.value(call.verdict.as_json()),
        "decision": hiding.value(call.decision.as_json()) if call.decision else None,
        "sent": call.sent,
        "rounds": call.rounds,
        "outcome": call.outcome.value if call.outcome else None,
        "reason": hiding.text(call.reason),
        "result": hiding.value(call.raw),
        "schema": hiding.value(schema_report(call.schema)),
        "findings": hiding.value([finding.as_json() for finding in findings]),
        "progress": hiding.value([progress.as_json() for progress in call.progress_log]),
        "log": log_report(engine, hiding),
        "duration_ms": None if duration is None else round(duration * 1000, 3),
        "masked": None,
    }
    if call.tool is None:
        report["method"] = call.snapshot.method
    if call.evidence is not None:
        report["evidence"] = hiding.value(
            {
                **call.evidence.as_json(),
                "at_end": ending.as_json() if (ending := call.evidence.ending) else None,
                "verdicts": [one.as_json() for one in judge_call(call)],
            }
        )
    if call.task is not None:
        report["task"] = hiding.value(call.task.as_json())
    if call.error is not None:
        error = call.error
        raw = {"code": error.code, "message": error.message, "data": error.data}
        report["error"] = hiding.value(raw)
    report["masked"] = hiding.report()
    return report


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
        "schema": schema_report(None),
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


def schema_report(verdict: SchemaVerdict | None) -> dict[str, Any]:
    if verdict is None:
        return {"answer": SchemaAnswer.NOT_VALIDATED.value, "reason": "no response", "errors": []}
    report: dict[str, Any] = {
        "answer": verdict.answer.value,
        "errors": [
            {
                "path": pointer(mismatch.path),
                "message": mismatch.message,
                "schema_path": "/" + "/".join(str(step) for step in mismatch.schema_path),
            }
            for mismatch in verdict.errors
        ],
    }
    if verdict.reason:
        report["reason"] = verdict.reason
    if verdict.more:
        report["more"] = verdict.more
    if verdict.unchecked:
        report["unchecked"] = [
            {"path": pointer(one.path), "message": one.message} for one in verdict.unchecked
        ]
    if verdict.rejected_by_clients:
        report["rejected_by_clients"] = [
            {"path": pointer(one.path), "message": rejection_words(one)}
            for one in verdict.rejected_by_clients
        ]
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
