"""Audit events: the name, severity and fields of each.

Secrets are masked here, and of a response only digest and size are kept.

Includes raw messages, messages stopped at the last gate, and approval requests with a digest of
their whole content.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

from ...approval.approval import Decision, DecisionAnswer
from ...approval.fingerprint import ServerFingerprint
from ...approval.grants import Grant, Scope, identity_digest
from ...approval.questions.questions import AboutAnswer, AboutCall, AboutRead, OwnQuestion
from ...calls.call import Call, Outcome
from ...calls.effects.deeds import Observation
from ...content.json.jsonio import JsonValue, digest
from ...content.text import cut
from ...protocol.definitions.changes import ListDiff, Weight
from ...protocol.definitions.lists import DefinitionStatus as ListSeen
from ...protocol.extensions.trust_annotations import TrustLabel
from ...protocol.findings.findings import Severity, rank
from ...protocol.server import Server, Trust
from ...protocol.tool import ToolDefinition
from ...schemas.secrets.commands import mask_command
from ...schemas.secrets.masks import mask_text, mask_value
from .fields import (
    LIST_MAX,
    TEXT_MAX,
    UNKNOWN_OUTCOMES,
    Arguments,
    Fields,
    answer_value,
    at_least,
    by_effect,
    call_fields,
    decision_fields,
    definition_diff,
    digest_and_size,
    ended_severity,
    look_at,
    masked_words,
    of_call,
    raw_verdict,
    runs_fields,
    server_fields,
    some_of,
    verdict_fields,
    whole_diff,
)

Event: TypeAlias = tuple[str, Severity, Fields]
"""Its name, its severity, and its fields; ready to be appended."""

_OF_HOST = ("name", "version")
EVIDENCE_MAX = 10
"""Changed files and addresses that a record names; the others are counted."""
_BY_WEIGHT = {
    Weight.SAME: Severity.NOTE,
    Weight.SAFE: Severity.NOTE,
    Weight.REWORDED: Severity.WARNING,
    Weight.OUTPUT: Severity.WARNING,
    Weight.WORSENED: Severity.ERROR,
    Weight.WEAKENED: Severity.ERROR,
    Weight.BREAKING: Severity.ERROR,
}


class _Named(Protocol):
    @property
    def name(self) -> str: ...


def opened(server: Server, policy: _Named) -> Event:
    """A run of Signoff begins on a server."""
    fields: Fields = {
        "server": server_fields(server),
        "trust": server.trust.value,
        "policy": policy.name,
    }
    return "opened", Severity.NOTE, fields


def lost(server: Server) -> Event:
    """Event for a lost connection that was not closed on purpose; `exit_code` only of a process."""
    # Words of a server are not kept, just as its responses are not.
    reason = server.ended_words.partition("“")[0].rstrip(" :,;(")
    fields: Fields = {
        "server": server_fields(server),
        "reason": mask_text(cut(reason, TEXT_MAX).text),
    }
    if server.exit_code is not None:
        fields["exit_code"] = server.exit_code
    return "lost", Severity.WARNING, fields


def reopened(server: Server, policy: _Named, runs: ServerFingerprint | None) -> Event:
    """There is a connection again; `runs` as far as it could be looked at."""
    _, severity, fields = opened(server, policy)
    fields["server"] = {**server_fields(server), **runs_fields(runs)}
    return "reopened", severity, fields


def closed(server: Server, calls: int) -> Event:
    return "closed", Severity.NOTE, {"server": server_fields(server), "calls": calls}


def relayed(server: Server, host: JsonValue, policy: str) -> Event:
    """A host speaks to the server from now on; `policy` is empty if it is only watched.

    `host` is its `clientInfo`: raw.
    """
    info = host if isinstance(host, dict) else {}
    fields: Fields = {
        "server": server_fields(server),
        "host": {name: mask_text(cut(str(info.get(name, "")), TEXT_MAX).text) for name in _OF_HOST},
        "policy": policy,
    }
    return "relayed", Severity.NOTE, fields


def listed(server: Server, tools: Sequence[ToolDefinition]) -> Event:
    """The tools as the server lists them: how many, and the digest of the whole list."""
    fields: Fields = {
        "server": server_fields(server),
        "tools": len(tools),
        "definitions": digest([tool.digest for tool in tools]),
    }
    return "listed", Severity.NOTE, fields


def definitions_changed(server: Server, diff: ListDiff) -> Event:
    """Event for changes since the previous list; weight and places of each definition."""
    severity = max(
        (_BY_WEIGHT[one.weight] for one in diff.changed),
        default=Severity.NOTE,
        key=rank,
    )
    if diff.added or diff.gone:
        severity = at_least(severity, Severity.WARNING)
    fields: Fields = {"server": server_fields(server)}
    for name, found in (("added", diff.added), ("gone", diff.gone)):
        if found:
            fields[name] = some_of(found)
    if diff.changed:
        fields["changed"] = [definition_diff(one) for one in diff.changed[:LIST_MAX]]
        if len(diff.changed) > LIST_MAX:
            fields["more_changed"] = len(diff.changed) - LIST_MAX
    if diff.renamed:
        fields["renamed"] = [
            {"old": one.old, "new": one.new, "exact": one.is_exact}
            for one in diff.renamed[:LIST_MAX]
        ]
    return "definitions-changed", severity, fields


def changes_accepted(server: Server, diff: ListDiff) -> Event:
    """A person accepted these changes as their own; later ones count from here."""
    _, severity, fields = definitions_changed(server, diff)
    return "changes-accepted", severity, {**fields, "by": "you"}


def trust_changed(server: Server) -> Event:
    is_trusted = server.trust is Trust.TRUSTED
    severity = Severity.WARNING if is_trusted else Severity.NOTE
    return "trust", severity, {"server": server_fields(server), "trust": server.trust.value}


def policy_changed(server: Server, policy: _Named) -> Event:
    severity = Severity.ERROR if policy.name == "allow-all" else Severity.WARNING
    return "policy", severity, {"server": server_fields(server), "policy": policy.name}


def what_if(server: Server, tool: str, overrides: Mapping[str, bool | None]) -> Event:
    """Hints that the person set locally; empty if they were taken back."""
    fields: Fields = {"server": server_fields(server), "tool": tool, "overrides": dict(overrides)}
    return "what-if", Severity.NOTE, fields


def decided(call: Call, decision: Decision, server: Server | None = None) -> Event:
    """An answer, of a person or of anything else; written before anything is sent."""
    look = look_at(call.snapshot, call.request)
    is_about_result = decision is call.result_decision
    fields: Fields = {
        **of_call(call, server),
        "arguments": look.fields,
        "verdict": verdict_fields(call.verdict, look),
        "decision": decision_fields(call, decision, look),
    }
    if is_about_result:
        fields["about"] = "result"
    if call.resolution is not None:
        # The reason can have words of the server.
        found = call.resolution.as_json(call.request.hints)
        fields["resolution"] = {key: one for key, one in found.items() if key != "reason"}
    severity = Severity.NOTE
    if decision.answer is DecisionAnswer.APPROVE and not is_about_result:
        severity = by_effect(call.request.effect)
    elif decision.by in ("time limit", "signoff"):
        severity = Severity.WARNING
    return "decided", severity, fields


def resolving(call: Call, server: Server | None = None) -> Event:
    """The arguments of a call leave for `tools/resolve`, before anyone decides on it."""
    look = look_at(call.snapshot, call.request)
    fields: Fields = {**of_call(call, server), "arguments": look.digest_only}
    return "resolving", Severity.WARNING, fields


def sent(call: Call, server: Server | None = None) -> Event:
    fields: Fields = {
        **of_call(call, server),
        "arguments": look_at(call.snapshot, call.request).digest_only,
    }
    return "sent", by_effect(call.request.effect), fields


def ended(call: Call, server: Server | None = None) -> Event:
    """Event for the end of a call. Of the response: a digest and a size."""
    outcome = call.outcome
    look = look_at(call.snapshot, call.request)
    fields: Fields = {**of_call(call, server), "arguments": look.digest_only, "sent": call.sent}
    if outcome is not None:
        fields["outcome"] = outcome.value
    denied = (Outcome.DENIED, Outcome.NOT_SENT)
    if call.reason and outcome in (*UNKNOWN_OUTCOMES, *denied, Outcome.NOT_TAKEN):
        # A server's reason for a refusal is part of a response, of which no word is kept.
        is_ours = outcome in (*denied, Outcome.FAULT)
        reason = call.reason if is_ours else call.reason.partition("“")[0].rstrip(" :,;(")
        fields["reason"] = masked_words(reason, look)
    if call.schema is not None:
        fields["schema"] = call.schema.answer.value
    if call.sent_at is not None and call.ended_at is not None:
        fields["duration_ms"] = round((call.ended_at - call.sent_at) * 1000, 3)
    if call.error is not None:
        error = call.error
        raw: Fields = {"code": error.code, "message": error.message, "data": error.data}
        fields["error"] = {"code": error.code, **digest_and_size(raw)}
    if (denial := call.denial) is not None:
        kinds = [one.kind if one.is_known else "unknown" for one in denial.hints]
        fields["denial"] = {"remediation": denial.remediation.value, "hints": some_of(kinds)}
    if call.awaits_server:
        fields["awaits_server"] = True
    if call.disposition is not None:
        fields["disposition"] = call.disposition.value
    if call.withheld:
        fields["withheld"] = True
    elif call.raw is not None:
        fields["result"] = digest_and_size(call.raw)
    if call.findings:
        fields["findings"] = some_of([finding.code for finding in call.findings])
    if call.labels is not None:
        fields["labels"] = [one.value for one in TrustLabel if one in call.labels.labels]
        if call.labels.evidence:
            checks = (one.check for one in call.labels.evidence)
            fields["evidence_digests"] = [one.answer.value for one in checks if one is not None]
    if call.evidence is not None:
        fields["evidence"] = _evidence(call.evidence, look)
    if call.comparison is not None:
        fields["comparison"] = {"call": call.comparison.other, "agrees": call.comparison.agrees}
    return "ended", ended_severity(call), fields


def _evidence(seen: Observation, look: Arguments) -> Fields:
    """Observed effects of the call, in short: secrets of its arguments are masked."""
    changes = [one.words(seen.scratch) for one in seen.changes]
    return {
        "method": seen.method.value,
        "changes": len(changes),
        "changed": [masked_words(words, look) for words in changes[:EVIDENCE_MAX]],
        "reached": [one.words for one in seen.reached[:EVIDENCE_MAX]],
        "processes": len(seen.processes),
        "lists": list(seen.lists),
    }


def grant(event: str, given: Grant) -> Event:
    """`grant-given`, `grant-used` or `grant-revoked`."""
    is_wide = given.scope in (Scope.SESSION, Scope.UNTIL)
    severity = Severity.WARNING if event == "grant-given" and is_wide else Severity.NOTE
    fields: Fields = {
        "server": {
            "name": given.server_name,
            "identity": given.server_digest,
            **runs_fields(given.runs),
        },
        "tool": given.tool,
        "definition": given.definition_digest,
        "grant": {
            "id": given.id,
            "scope": given.scope.value,
            "expires_at": given.expires_at,
            "uses": given.uses,
        },
    }
    if given.is_of_skill:
        fields["kind"] = "skill"
    if given.arguments_digest is not None:
        fields["arguments"] = {"sha256": given.arguments_digest}
    return event, severity, fields


def denied_for_session(call: Call, server: Server | None = None) -> Event:
    return "denied-for-session", Severity.NOTE, of_call(call, server)


def opened_outside(server: Server, uri: str, program: str) -> Event:
    """An address was given to a program outside; written before it is."""
    fields: Fields = {
        "server": server_fields(server),
        "uri": mask_text(cut(uri, TEXT_MAX).text),
        "sha256": digest(uri),
        "program": program,
    }
    return "opened-outside", Severity.WARNING, fields


def raw_sent(server: Server, body: dict[str, JsonValue]) -> Event:
    """One was approved; written before it leaves."""
    shown = json.dumps(mask_value(body).value, ensure_ascii=True, separators=(",", ":"))
    fields = _fields(server, body)
    fields["message"] = {**digest_and_size(body), "shown": cut(shown, TEXT_MAX).text}
    fields["decision"] = {"answer": "approve", "by": "you"}
    return "raw-sent", Severity.WARNING, fields


def raw_denied(server: Server, body: dict[str, JsonValue]) -> Event:
    """Event of a raw message that a person denied; it is not sent."""
    fields = _fields(server, body)
    fields["decision"] = {"answer": "deny", "by": "you"}
    return "raw-denied", Severity.NOTE, fields


def raw_answered(server: Server, body: dict[str, JsonValue], outcome: str) -> Event:
    """Event for its outcome: result, error, lost, time-limit, or not-sent, though it was
    approved.
    """
    severity = Severity.NOTE if outcome == "result" else Severity.WARNING
    return "raw-answered", severity, _fields(server, body) | {"outcome": outcome}


def send_blocked(server: Server, method: str, identity: JsonValue) -> Event:
    """A message that no approval covers was stopped before it was written."""
    body: dict[str, JsonValue] = {"method": method}
    if isinstance(identity, str | int):
        body["id"] = cut(identity, TEXT_MAX).text if isinstance(identity, str) else identity
    return "send-blocked", Severity.ERROR, _fields(server, body)


def _fields(server: Server, body: dict[str, JsonValue]) -> Fields:
    fields: Fields = {
        "server": server_fields(server),
        "method": cut(str(body["method"]), TEXT_MAX).text,
    }
    if "id" in body:
        fields["id"] = body["id"]
    return fields


def asked(question: OwnQuestion) -> Event:
    """A question is put: about a call, a read, or whether an answer may be used."""
    request, snapshot = question.request, question.snapshot
    look = look_at(snapshot, request)
    fields: Fields = {
        "server": {
            "name": mask_text(question.server_name),
            "identity": identity_digest(snapshot.server_identity),
            "command": mask_command(question.server_command),
            **runs_fields(snapshot.runs),
        },
        **call_fields(question.call.number, snapshot, request.effect),
        "arguments": look.fields,
        "verdict": verdict_fields(question.verdict, look),
        "prompt": prompt_digest(question),
        "seen": _seen(question).value,
    }
    if not isinstance(question, AboutRead) and question.overrides:
        fields["overrides"] = dict(question.overrides)
    if isinstance(question, AboutAnswer):
        fields["result"] = digest_and_size(answer_value(question.answer))
        return "result-asked", Severity.NOTE, fields
    if isinstance(question, AboutCall) and question.although_invalid:
        fields["although_invalid"] = True
    severity = Severity.WARNING if request.effect.may_destroy else Severity.NOTE
    return "asked", severity, fields


def prompt_digest(question: OwnQuestion) -> str:
    """SHA-256 over everything that a question shows, so that it can be shown again and compared."""
    call = question if isinstance(question, AboutCall) else None
    diff = call.diff if call is not None else None
    shown: Fields = {
        "server": question.server_name,
        "command": question.server_command,
        "calls_itself": question.server_calls_itself,
        "trust": question.trust.value,
        "tool": question.request.name,
        "definition": question.request.definition.digest,
        "arguments": question.snapshot.arguments_digest,
        "origins": {name: origin.value for name, origin in call.origins.items()} if call else {},
        "verdict": raw_verdict(question.verdict),
        "diff": None if diff is None else whole_diff(diff),
        "diff_since": call.diff_since if call is not None else "",
        "seen": _seen(question).value,
        "can_remember": question.can_remember,
        "why_not_remembered": question.why_not_remembered,
        "overrides": {} if isinstance(question, AboutRead) else dict(question.overrides),
        "result": None,
    }
    if isinstance(question, AboutAnswer):
        shown["result"] = answer_value(question.answer)
    if call is not None and call.although_invalid:
        shown["although_invalid"] = call.although_invalid
    if question.snapshot.runs is not None:
        shown["runs"] = question.snapshot.runs.as_json()
    return digest(shown)


def _seen(question: OwnQuestion) -> ListSeen:
    return ListSeen.UNKNOWN if isinstance(question, AboutRead) else question.seen
