"""What comes back when a prompt is asked for: messages, each of a role.

Spec 2025-11-25 and 2026-07-28, server/prompts, "Getting a Prompt": `messages` with a role, user or
assistant, and one content block each.
"""

from __future__ import annotations

from dataclasses import replace

from ...content.json.jsonio import JsonValue
from ...content.text import shortened
from ..findings import Finding, error, warning
from .annotations import ROLES
from .content import PART_LIMIT, Answer, read_answer

NO_ROLE = "no role"
_ROLE_SHOWN = 40


def read_messages(result: JsonValue) -> Answer | None:
    """The messages of a raw result, one part each; None where it is not an object."""
    if not isinstance(result, dict):
        return None
    messages = result.get("messages")
    findings: list[Finding] = []
    if "messages" not in result:
        if result.get("resultType", "complete") in (None, "complete"):
            findings.append(error("missing-messages", "the result has no messages", "$.messages"))
        messages = []
    elif not isinstance(messages, list):
        findings.append(error("malformed-messages", "messages is not an array", "$.messages"))
        messages = [messages]
    assert isinstance(messages, list)
    blocks = [one.get("content") if isinstance(one, dict) else one for one in messages]
    as_call: dict[str, JsonValue] = {"content": blocks}
    if "resultType" in result:
        as_call["resultType"] = result["resultType"]
    answer = read_answer(as_call)
    assert answer is not None
    findings += [_in_messages(one) for one in answer.findings]
    roles = [_role(one, at, findings) for at, one in enumerate(messages[:PART_LIMIT])]
    return replace(answer, findings=tuple(findings), roles=tuple(roles))


def _role(message: JsonValue, at: int, findings: list[Finding]) -> str:
    """Safe to show."""
    role = message.get("role") if isinstance(message, dict) else None
    if isinstance(role, str) and role in ROLES:
        return role
    path = f"$.messages[{at}].role"
    if not isinstance(role, str):
        findings.append(warning("malformed-role", "a message has no role", path))
        return NO_ROLE
    shown = shortened(role, _ROLE_SHOWN)
    words = f"the role is “{shown}”, not user or assistant"
    findings.append(warning("malformed-role", words, path))
    return f"“{shown}”"


def _in_messages(finding: Finding) -> Finding:
    if not finding.path.startswith("$.content["):
        return replace(finding, path="$.messages") if finding.path == "$.content" else finding
    index, bracket, rest = finding.path.removeprefix("$.content").partition("]")
    return replace(finding, path=f"$.messages{index}{bracket}.content{rest}")
