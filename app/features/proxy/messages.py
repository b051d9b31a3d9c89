"""Messages between a proxy and those who watch it: JSON, one object each.

A proxy sends `hello`, then a `call` for every change of a call, a `question`, `closed` for a
question that needs no answer any more, and `note` for a finding. A watcher sends an `answer`, which
has the digest of the question that it has shown: for any other one it does not count.
"""

from __future__ import annotations

import json
from typing import Any, Final

from ...approval.approval import Decision, DecisionAnswer
from ...approval.grants import Remember, Scope
from ...approval.policies.verdicts import Verdict, VerdictAnswer
from ...approval.questions.questions import AboutCall, AboutRead
from ...approval.snapshot import Snapshot
from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, digest, parse
from ...protocol.definitions.changes import compare_definitions
from ...protocol.definitions.lists import DefinitionStatus
from ...protocol.extensions.display_templates import DisplayTemplate
from ...protocol.extensions.tool_resolution import Resolution, ResolutionStatus, ResolvedHints
from ...protocol.requests import CallName, PromptGet, ResourceRead, ToolCall
from ...protocol.rpc import PROMPT_METHOD, READ_METHOD
from ...protocol.server import Trust
from ...protocol.tool_reading import read_tool

HELLO: Final = "hello"
CALL: Final = "call"
QUESTION: Final = "question"
CLOSED: Final = "closed"
NOTE: Final = "note"
ANSWER: Final = "answer"

ProxyQuestion = AboutCall | AboutRead


def written(message: dict[str, Any]) -> bytes:
    """The bytes of a message."""
    return json.dumps(message, separators=(",", ":")).encode("ascii")


def read(data: bytes) -> dict[str, Any]:
    """Read a message. Raises ValueError for anything else."""
    try:
        value = parse(data).value
    except JsonError as problem:
        raise ValueError(problem.reason) from None
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str):
        raise ValueError("no message")
    return value


def question_message(
    question: ProxyQuestion, before: JsonValue, seconds: float
) -> dict[str, JsonValue]:
    """A question as a message; `before` is the definition that was approved or listed before, None
    if nothing changed. `seconds` are left to answer."""
    snapshot, verdict = question.snapshot, question.verdict
    facts: dict[str, JsonValue] = {
        "number": question.call.number,
        "server": question.server_name,
        "command": question.server_command,
        "calls_itself": question.server_calls_itself,
        "trusted": question.trust is Trust.TRUSTED,
        "identity": snapshot.server_identity,
        "definition": snapshot.definition_digest,
        "snapshot": snapshot.digest,
        "method": snapshot.method,
        "name": snapshot.tool,
        "arguments": snapshot.arguments(),
        "verdict": {
            "reasons": list(verdict.reasons),
            "strong": verdict.strong,
            "policy": verdict.policy,
            "rule": verdict.rule,
            "source": verdict.source,
            "depends": verdict.depends,
            "unjudged": list(verdict.unjudged),
        },
        "can_remember": question.can_remember,
        "why_not_remembered": question.why_not_remembered,
    }
    if isinstance(question, AboutCall):
        facts["tool"] = question.tool.raw
        facts["seen"] = question.seen.value
        facts["before"] = before
        facts["since"] = question.diff_since
        facts["problems"] = list(question.argument_problems)
        facts["lets_later_calls_run"] = question.lets_later_calls_run
        facts["resolution"] = _resolution_json(question.resolution)
        facts["template"] = _template_json(question.template)
    return {"kind": QUESTION, "facts": facts, "digest": digest(facts), "seconds": seconds}


@frozen
class ShownQuestion:
    """A question of a proxy, as a watcher shows it."""

    question: ProxyQuestion
    digest: str
    """Of all that is shown."""
    seconds: float


def read_question(message: dict[str, Any]) -> ShownQuestion:
    """Read a question that a proxy sent. Raises KeyError, TypeError or ValueError."""
    facts = message["facts"]
    found = facts["verdict"]
    verdict = Verdict(
        VerdictAnswer.ASK,
        tuple(map(str, found["reasons"])),
        strong=bool(found["strong"]),
        policy=str(found["policy"]),
        rule=str(found["rule"]),
        source=str(found["source"]),
        depends=bool(found["depends"]),
        unjudged=tuple(map(str, found["unjudged"])),
    )
    arguments = dict(facts["arguments"])
    common: dict[str, Any] = {
        "call": CallName(str(facts["server"]), int(facts["number"])),
        "server_name": str(facts["server"]),
        "server_command": str(facts["command"]),
        "server_calls_itself": str(facts["calls_itself"]),
        "trust": Trust.TRUSTED if facts["trusted"] else Trust.UNTRUSTED,
        "snapshot": Snapshot(
            str(facts["identity"]),
            str(facts["definition"]),
            str(facts["name"]),
            json.dumps(arguments),
            str(facts["method"]),
        ),
        "verdict": verdict,
        "can_remember": bool(facts["can_remember"]),
        "why_not_remembered": str(facts["why_not_remembered"]),
    }
    question: ProxyQuestion
    if facts["method"] == READ_METHOD:
        question = AboutRead(**common, request=ResourceRead(str(arguments["uri"])))
    elif facts["method"] == PROMPT_METHOD:
        question = AboutRead(**common, request=PromptGet(str(arguments["name"])))
    else:
        tool = read_tool(0, facts["tool"])
        before = facts["before"]
        question = AboutCall(
            **common,
            request=ToolCall(tool),
            seen=DefinitionStatus(facts["seen"]),
            diff=None if before is None else compare_definitions(before, facts["tool"]),
            diff_since=str(facts["since"]),
            argument_problems=tuple(map(str, facts["problems"])),
            lets_later_calls_run=bool(facts["lets_later_calls_run"]),
            resolution=_read_resolution(facts.get("resolution")),
            template=_read_template(facts.get("template")),
        )
    return ShownQuestion(question, digest(facts), float(message["seconds"]))


def _resolution_json(found: Resolution | None) -> JsonValue:
    if found is None:
        return None
    return {
        "status": found.status.value,
        "hints": None if found.hints is None else list(found.hints),
        "reason": found.reason,
        "was_sent": found.was_sent,
    }


def _read_resolution(found: Any) -> Resolution | None:
    if found is None:
        return None
    hints = found["hints"]
    return Resolution(
        ResolutionStatus(found["status"]),
        None if hints is None else ResolvedHints(*(one is True for one in hints)),
        str(found["reason"]),
        found["was_sent"] is True,
    )


def _template_json(found: DisplayTemplate | None) -> JsonValue:
    if found is None:
        return None
    return {"text": found.text, "path": found.path, "pinned": [*sorted(found.pinned)]}


def _read_template(found: Any) -> DisplayTemplate | None:
    if found is None:
        return None
    pinned = frozenset(map(str, found["pinned"]))
    return DisplayTemplate(str(found["text"]), str(found["path"]), pinned)


def answer_message(
    shown: ShownQuestion, decision: Decision, arguments: dict[str, JsonValue] | None = None
) -> dict[str, JsonValue]:
    """A decision of a person as a message; `arguments` are those to send in place of the host's."""
    message: dict[str, JsonValue] = {
        "kind": ANSWER,
        "number": shown.question.call.number,
        "digest": shown.digest,
        "answer": decision.answer.value,
        "by": decision.by,
        "reason": decision.reason,
        "scope": decision.remember.scope.value,
        "days": decision.remember.days,
        "for_session": decision.for_session,
        "seconds": decision.seconds,
    }
    return message if arguments is None else message | {"arguments": arguments}


def read_answer(message: dict[str, Any]) -> Decision:
    """Read a decision. Raises KeyError, TypeError or ValueError."""
    seconds, days = message.get("seconds"), message.get("days")
    return Decision(
        DecisionAnswer(message["answer"]),
        str(message["by"]),
        str(message["reason"]),
        Remember(Scope(message["scope"]), days if isinstance(days, int) else 0),
        for_session=message["for_session"] is True,
        seconds=seconds if isinstance(seconds, int | float) else None,
    )
