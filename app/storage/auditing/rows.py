"""A record of the audit log as one line for people. Everything in it is safe to show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...approval.approval import ANSWER_WORDS, DecisionAnswer
from ...calls.call import OUTCOME_WORDS, Outcome
from ...content.frozen import frozen
from ...content.text import cut, seconds, visible
from ...protocol.findings.findings import Severity
from ...schemas.secrets.secrets import mask_text
from .filters import Record, severity_of, text_of, time_of, value_of

SIGNS = {Severity.NOTE: "·", Severity.WARNING: "*", Severity.ERROR: "!"}
UNREADABLE = "unreadable"
_SHOWN_MAX = 200


@frozen
class Row:
    """The line of a record, column by column."""

    time: str
    """Local, to the second; empty where the record has no time that can be read."""
    severity: Severity
    event: str
    server: str
    tool: str
    words: str
    """Decision and basis, outcome, or other words on the event."""

    @property
    def sign(self) -> str:
        return SIGNS[self.severity]


def row_of(record: Record) -> Row:
    at = time_of(record)
    name = text_of(record, "server", "name")
    return Row(
        time="" if at is None else at.astimezone().strftime("%Y-%m-%d %H:%M:%S"),
        severity=list(Severity)[severity_of(record)],
        event=_short(text_of(record, "event")),
        server=_short(mask_text(name) or text_of(record, "server", "identity")[:8]),
        tool=_short(text_of(record, "tool")),
        words=_short(_words(record)),
    )


def named(records: Iterable[dict[str, Any]], names: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Records with the configured name of their server, also if only its identity is kept.

    `names` maps identities to names; names in the records are added to it.
    """
    for record in records:
        identity, name = text_of(record, "server", "identity"), text_of(record, "server", "name")
        if identity and name:
            names[identity] = name
        elif identity and identity in names:
            record = {**record, "server": {"name": names[identity], **record["server"]}}
        yield record


def unreadable(line: bytes) -> dict[str, Any]:
    """Return a placeholder record for a line that is not one."""
    return {"event": UNREADABLE, "severity": "error", "line": line.decode("utf-8", "replace")}


def _words(record: Record) -> str:
    match text_of(record, "event"):
        case "asked" | "result-asked":
            strong = " with a warning" if value_of(record, "verdict", "strong") is True else ""
            words = f"{text_of(record, 'verdict', 'answer')}{strong}" + _by_rule(record)
            return words + _although_invalid(record)
        case "decided":
            return _decision(record)
        case "server-request":
            return text_of(record, "method") + _by_rule(record)
        case "server-request-answered":
            return f"{text_of(record, 'method')}: {_decision(record)}{_by_rule(record)}"
        case "server-request-unanswered":
            return f"{text_of(record, 'method')}: no answer went out: {text_of(record, 'reason')}"
        case "sent":
            words = f"arguments {text_of(record, 'arguments', 'sha256')[:8]}"
            return words + _although_invalid(record)
        case "ended":
            return _ended(record)
        case "opened" | "reopened":
            return f"{text_of(record, 'trust')}, policy {text_of(record, 'policy')}"
        case "lost":
            return text_of(record, "reason")
        case "closed":
            return _count(record, "calls", "call")
        case "listed":
            return _count(record, "tools", "tool")
        case "definitions-changed":
            return _changes(record)
        case "grant-given" | "grant-used" | "grant-revoked" | "grant-voided":
            return text_of(record, "grant", "scope")
        case "trust":
            return text_of(record, "trust")
        case "policy":
            return text_of(record, "policy")
        case "what-if":
            return _overrides(record)
        case "opened-outside":
            return text_of(record, "uri")
        case "raw-sent" | "raw-denied" | "raw-answered" | "send-blocked":
            method, outcome = text_of(record, "method"), text_of(record, "outcome")
            return f"{method}: {outcome}" if outcome else method
        case "torn-line":
            return f"{value_of(record, 'torn', 'bytes')} bytes of the line before were lost"
        case "log-replaced":
            return text_of(record, "reason")
        case "unreadable":
            return text_of(record, "line")
        case _:
            return ""


def _although_invalid(record: Record) -> str:
    return ", although invalid" if value_of(record, "although_invalid") is True else ""


def _decision(record: Record) -> str:
    answer = text_of(record, "decision", "answer")
    if answer in list(DecisionAnswer):
        answer = ANSWER_WORDS[DecisionAnswer(answer)]
    words = f"{answer} by {text_of(record, 'decision', 'by')}"
    basis = text_of(record, "decision", "basis")
    if basis and basis != text_of(record, "decision", "by"):
        words += f", {basis}"
    took = value_of(record, "decision", "seconds")
    if isinstance(took, (int, float)):
        words += f", after {seconds(took)}"
    if scope := text_of(record, "decision", "remembered", "scope"):
        words += f", remembered: {scope}"
    return f"the answer: {words}" if text_of(record, "about") == "result" else words


def _ended(record: Record) -> str:
    outcome = text_of(record, "outcome")
    words = OUTCOME_WORDS[Outcome(outcome)] if outcome in list(Outcome) else outcome
    if outcome == Outcome.NOT_SENT and (reason := text_of(record, "reason")):
        return f"{words}: {reason}"
    schema = text_of(record, "schema")
    if schema in ("invalid", "missing"):
        words += f", structured answer {schema}"
    took = value_of(record, "duration_ms")
    return f"{words}, {seconds(took / 1000)}" if isinstance(took, (int, float)) else words


def _by_rule(record: Record) -> str:
    policy, rule = text_of(record, "verdict", "policy"), text_of(record, "verdict", "rule")
    return f" ({policy}{': ' if rule else ''}{rule})" if policy else ""


def _changes(record: Record) -> str:
    found = []
    for name in ("changed", "added", "gone"):
        items = value_of(record, name)
        if isinstance(items, list) and items:
            found.append(f"{len(items)} {name}")
    return ", ".join(found)


def _overrides(record: Record) -> str:
    found = value_of(record, "overrides")
    if not isinstance(found, dict) or not found:
        return "taken back"
    return ", ".join(f"{name} {str(value).lower()}" for name, value in found.items())


def _count(record: Record, name: str, noun: str) -> str:
    value = value_of(record, name)
    return f"{value:,} {noun}{'' if value == 1 else 's'}" if isinstance(value, int) else ""


def _short(text: str) -> str:
    return visible(cut(text, _SHOWN_MAX).text)
