"""What the audit log says of a question: that it was put, and a digest of all that it shows."""

from __future__ import annotations

from ...approval.grants import identity_digest
from ...content.json.jsonio import digest
from ...protocol.definitions.lists import Seen
from ...protocol.findings import Severity
from ...questions.questions import AboutAnswer, AboutCall, AboutRead, OwnQuestion
from ...schemas.secrets.commands import mask_command
from ...schemas.secrets.secrets import mask_text
from .audit_arguments import look_at
from .audit_events import Event
from .audit_fields import (
    Fields,
    answer_value,
    call_fields,
    digest_and_size,
    raw_verdict,
    runs_fields,
    verdict_fields,
    whole_diff,
)


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


def _seen(question: OwnQuestion) -> Seen:
    return Seen.UNKNOWN if isinstance(question, AboutRead) else question.seen
