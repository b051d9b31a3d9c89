"""Fields of audit records: servers, calls, verdicts, decisions, digests.

Arguments are kept as their digest, and a masked copy of bounded size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, field
from functools import lru_cache
from typing import TypeAlias

from ...approval.approval import Decision
from ...approval.fingerprint import ServerFingerprint
from ...approval.grants import Remember, identity_digest
from ...approval.policies.verdicts import Verdict, VerdictAnswer
from ...approval.snapshot import Snapshot
from ...calls.call import Call, Outcome
from ...content.frozen import frozen
from ...content.json import jsonio
from ...content.json.jsonio import JsonError, JsonValue, canonical
from ...content.text import cut, visible
from ...protocol.answers.content import Answer
from ...protocol.definitions.changes import DefinitionDiff
from ...protocol.findings.findings import Severity, rank
from ...protocol.hints import Effect
from ...protocol.requests import Request
from ...protocol.rpc import CALL_METHOD
from ...protocol.server import Server
from ...schemas.secrets.arguments import mask_arguments
from ...schemas.secrets.commands import mask_command
from ...schemas.secrets.masks import conceal, mask_text

SHOWN_MAX = 65_536
"""Characters of arguments in one record."""

STRING_MAX = 65_536
_BUDGET = 2 * SHOWN_MAX
_DEPTH_MAX = 100


@frozen
class Arguments:
    """The recorded form of one call's arguments, and the secrets to leave out."""

    sha256: str
    size: int
    """Characters of the arguments as they are sent."""
    fields: dict[str, JsonValue]
    _found: frozenset[str] = field(default_factory=frozenset, repr=False)

    @property
    def digest_only(self) -> dict[str, JsonValue]:
        return {"sha256": self.sha256, "size": self.size}

    def conceal(self, text: str) -> str:
        """Words that may quote an argument, without its secrets."""
        return conceal(text, set(self._found)) if self._found else text


@frozen
class _Looked:
    """A call that was looked at; the definition that its snapshot names has this schema."""

    snapshot: Snapshot
    schema: JsonValue = field(compare=False, repr=False)


def look_at(snapshot: Snapshot, request: Request) -> Arguments:
    """The masked arguments of a request; the schema of its tool may call some of them secret.

    Over 65,536 characters they are kept as the beginning of their JSON text, with a note.
    """
    return _look_at(_Looked(snapshot, request.definition.input_schema))


@lru_cache(maxsize=16)
def _look_at(looked: _Looked) -> Arguments:
    snapshot = looked.snapshot
    arguments = snapshot.arguments()
    # Long parts are left out whole, before masking: a cut could leave half of a secret.
    masked = mask_arguments(_reduced(arguments, [_BUDGET], 0), looked.schema)
    size = len(snapshot.arguments_json)
    fields: dict[str, JsonValue] = {"sha256": snapshot.arguments_digest, "size": size}
    if masked.count:
        fields["masked"] = masked.count
    try:
        text = canonical(masked.value)
    except JsonError as problem:
        text = f"[{problem.reason}]"
    if len(text) <= SHOWN_MAX:
        fields["value"] = masked.value
    else:
        fields["beginning"] = text[:SHOWN_MAX]
        fields["cut"] = f"cut: {SHOWN_MAX:,} of {size:,} characters"
    # Messages quote arguments as they are shown, with marks for invisible characters.
    found = masked.found | {visible(secret) for secret in masked.found}
    return Arguments(snapshot.arguments_digest, size, fields, frozenset(found))


def _reduced(value: JsonValue, budget: list[int], depth: int) -> JsonValue:
    """Return `value` without overlong parts; `budget` holds the characters left."""
    if isinstance(value, str):
        if len(value) > min(STRING_MAX, budget[0]):
            return f"[left out: {len(value):,} characters]"
        budget[0] -= len(value) + 2
        return value
    budget[0] -= 4
    if not isinstance(value, (dict, list)):
        return value
    if depth >= _DEPTH_MAX:
        return "[left out: nested too deeply]"
    if isinstance(value, list):
        items: list[JsonValue] = []
        for item in value:
            if budget[0] <= 0:
                items.append(f"[left out: {len(value) - len(items):,} more]")
                break
            items.append(_reduced(item, budget, depth + 1))
        return items
    members: dict[str, JsonValue] = {}
    for name, item in value.items():
        if budget[0] <= 0:
            members["[left out]"] = f"{len(value) - len(members):,} more"
            break
        budget[0] -= min(len(name), STRING_MAX)
        shown = name if len(name) <= STRING_MAX else f"[left out: {len(name):,} characters]"
        members[shown] = _reduced(item, budget, depth + 1)
    return members


Fields: TypeAlias = dict[str, JsonValue]

LIST_MAX = 200
TEXT_MAX = 2_000
UNKNOWN_OUTCOMES = (
    Outcome.CONNECTION_LOST,
    Outcome.TIMEOUT,
    Outcome.CANCELLED,
    Outcome.SERVER_FAILED,
    Outcome.FAULT,
)
"""Outcomes that leave the effect of the call unknown."""


def by_effect(effect: Effect) -> Severity:
    """Severity of a call: higher for more harmful effects."""
    if effect.may_destroy:
        return Severity.ERROR
    return Severity.NOTE if effect is Effect.READ_ONLY else Severity.WARNING


def server_fields(server: Server) -> Fields:
    name, identity = _known_by(server.name, server.identity)
    return {"name": name, "identity": identity, "command": mask_command(server.command)}


@lru_cache(maxsize=16)
def _known_by(name: str, identity: str) -> tuple[str, str]:
    """Masked name and digest of the identity: every record has them."""
    return mask_text(name), identity_digest(identity)


def runs_fields(runs: ServerFingerprint | None) -> Fields:
    """Files with their digests, variables by name with keyed digests of their values."""
    return {} if runs is None else dict(_runs_fields(runs))


@lru_cache(maxsize=16)
def _runs_fields(runs: ServerFingerprint) -> Fields:
    """The same, cached; every request has the running program."""
    files: list[JsonValue] = [
        {**file.as_json(), "path": mask_text(file.path), "real": mask_text(file.real)}
        for file in runs.files
    ]
    return {"runs": {**runs.as_json(), "files": files}}


def of_call(call: Call, server: Server | None) -> Fields:
    fields: Fields = {
        "server": _own(call) if server is None else server_fields(server),
        **call_fields(call.id, call.snapshot, call.request.effect),
    }
    if call.retry_of is not None:
        fields["retry_of"] = call.retry_of
    if call.although_invalid:
        fields["although_invalid"] = True
    return fields


def _own(call: Call) -> Fields:
    return {"identity": identity_digest(call.snapshot.server_identity)}


def call_fields(call_id: int, snapshot: Snapshot, effect: Effect) -> Fields:
    fields: Fields = {
        "tool": snapshot.tool,
        "call": call_id,
        "effect": effect.value,
        "definition": snapshot.definition_digest,
    }
    if snapshot.method != CALL_METHOD:
        fields["method"] = snapshot.method
    if snapshot.task is not None:
        fields["task"] = snapshot.task
    return fields


def raw_verdict(verdict: Verdict) -> Fields:
    return {
        "answer": verdict.answer.value,
        "strong": verdict.strong,
        "policy": verdict.policy,
        "rule": verdict.rule,
        "source": verdict.source,
        "reviews_result": verdict.reviews_result,
        "reasons": list(verdict.reasons),
    }


def verdict_fields(verdict: Verdict, look: Arguments) -> Fields:
    reasons: list[JsonValue] = [masked_words(reason, look) for reason in verdict.reasons[:LIST_MAX]]
    return {**raw_verdict(verdict), "reasons": reasons}


def decision_fields(call: Call, decision: Decision, look: Arguments) -> Fields:
    shown: Fields = {
        "answer": decision.answer.value,
        "by": decision.by,
        "basis": _basis(call, decision),
    }
    if decision.reason:
        shown["reason"] = masked_words(decision.reason, look)
    if decision.remember != Remember():
        shown["remembered"] = {
            "scope": decision.remember.scope.value,
            "days": decision.remember.days,
        }
    if decision.for_session:
        shown["for_session"] = True
    if decision.seconds is not None:
        shown["seconds"] = round(decision.seconds, 3)
    return shown


def _basis(call: Call, decision: Decision) -> str:
    """Basis of the decision: a person's answer, a rule, a remembered approval."""
    verdict = call.verdict
    if decision.by == "you":
        return "asked"
    if verdict.grant_id is not None and verdict.answer is VerdictAnswer.ALLOW:
        return f"remembered approval {verdict.grant_id}"
    if decision.by == "policy":
        return f"policy {verdict.policy}" + (f", {verdict.rule}" if verdict.rule else "")
    return decision.by


def ended_severity(call: Call) -> Severity:
    if not call.sent:
        is_denied = call.outcome not in (Outcome.NOT_SENT, Outcome.FAULT)
        return Severity.NOTE if is_denied else Severity.WARNING
    severity = by_effect(call.request.effect)
    bad = (Outcome.PROTOCOL_ERROR, Outcome.UNREADABLE, Outcome.NOT_TAKEN)
    unfinished = (Outcome.INPUT_REQUIRED, Outcome.TASK_STARTED)
    if call.outcome in (*UNKNOWN_OUTCOMES, *bad, *unfinished):
        return at_least(severity, Severity.WARNING)
    return severity


def definition_diff(diff: DefinitionDiff) -> Fields:
    places: list[JsonValue] = [
        {"code": change.code, "class": change.weight.words, "path": cut(change.path, 300).text}
        for change in diff.changes[:LIST_MAX]
    ]
    return {
        "tool": diff.tool,
        "class": diff.weight.words,
        "old": diff.old_digest,
        "new": diff.new_digest,
        "changes": places,
    }


def whole_diff(diff: DefinitionDiff) -> JsonValue:
    return [diff.old_digest, diff.new_digest, [change.as_json() for change in diff.changes]]


def answer_value(answer: Answer) -> JsonValue:
    """An answer as JSON: its parts in order, and its structured content."""
    parts: list[JsonValue] = [[type(part).__name__, asdict(part)] for part in answer.parts]
    return {
        "parts": parts,
        "structured": answer.structured,
        "has_structured": answer.has_structured,
        "is_error": answer.is_error,
        "more_parts": answer.more_parts,
    }


def digest_and_size(value: JsonValue) -> Fields:
    try:
        sha256, size = jsonio.digest_and_size(value)
    except JsonError as problem:
        return {"not_digested": problem.reason}
    return {"sha256": sha256, "size": size}


def masked_words(text: str, look: Arguments) -> str:
    masked = _masked_again(text) if len(text) <= TEXT_MAX else mask_text(text)
    return cut(look.conceal(masked), TEXT_MAX).text


@lru_cache(maxsize=64)
def _masked_again(text: str) -> str:
    """Most calls are decided on for the same few reasons."""
    return mask_text(text)


def some_of(names: Sequence[str]) -> list[JsonValue]:
    shown: list[JsonValue] = [cut(name, 300).text for name in names[:LIST_MAX]]
    return [*shown, f"[and {len(names) - LIST_MAX:,} more]"] if len(names) > LIST_MAX else shown


def at_least(severity: Severity, floor: Severity) -> Severity:
    return max(severity, floor, key=rank)
