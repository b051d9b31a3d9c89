"""Audit events for a server's requests to the user."""

from __future__ import annotations

from ...approval.approval import Decision
from ...approval.grants import identity_digest
from ...approval.policies.verdicts import Verdict, VerdictAnswer
from ...approval.server_questions import AboutElicitation, ServerQuestion
from ...approval.sign_in import AboutSignIn
from ...content.json.jsonio import JsonValue, digest
from ...protocol.findings.findings import Severity
from ...protocol.server import Server
from ...protocol.server_requests.capabilities import LIST_ROOTS
from ...schemas.secrets.commands import mask_command
from ...schemas.secrets.masks import mask_text
from .events import Event
from .fields import Fields, digest_and_size, raw_verdict, runs_fields, server_fields


def server_asked(question: ServerQuestion | AboutSignIn) -> Event:
    """Event for a server's request shown to a person; `prompt` is the digest of its content."""
    fields: Fields = {
        "server": _server(question),
        "request": question.call.number,
        "method": question.method,
        "asks": digest_and_size(_wanted(question)),
        "verdict": raw_verdict(question.verdict),
        "prompt": prompt_digest(question),
    }
    if question.during:
        fields["during"] = [mask_text(one) for one in question.during]
    return "server-request", Severity.NOTE, fields


def server_answered(
    question: ServerQuestion | AboutSignIn, decision: Decision, answer: JsonValue
) -> Event:
    """Event for the reply to the server; digest and size of the user's data are kept."""
    decided: Fields = {"answer": decision.answer.value, "by": decision.by}
    if decision.reason:
        decided["reason"] = mask_text(decision.reason)
    if decision.for_session:
        decided["for_session"] = True
    if decision.seconds is not None:
        decided["seconds"] = round(decision.seconds, 3)
    fields: Fields = {
        "server": _server(question),
        "request": question.call.number,
        "method": question.method,
        "decision": decided,
        "result": digest_and_size(answer),
    }
    if question.verdict.answer is VerdictAnswer.REFUSE:
        # The person was not asked, so no other record has it.
        fields["verdict"] = raw_verdict(question.verdict)
    gives = decision.answer_sent is not None
    return "server-request-answered", Severity.WARNING if gives else Severity.NOTE, fields


def server_not_answered(question: ServerQuestion | AboutSignIn, reason: str) -> Event:
    """No answer went out: none that was logged before counts any more."""
    fields: Fields = {
        "server": _server(question),
        "request": question.call.number,
        "method": question.method,
        "reason": mask_text(reason),
    }
    return "server-request-unanswered", Severity.WARNING, fields


def roots_refused(server: Server, verdict: Verdict) -> Event:
    """Event of a request for the roots that a rule of the policy refused."""
    fields: Fields = {
        "server": server_fields(server),
        "method": LIST_ROOTS,
        "decision": {"answer": "deny", "by": "policy"},
        "verdict": raw_verdict(verdict),
    }
    return "server-request-answered", Severity.NOTE, fields


def prompt_digest(question: ServerQuestion | AboutSignIn) -> str:
    """SHA-256 over everything that a question shows."""
    snapshot = question.snapshot
    return digest(
        {
            "server": question.server_name,
            "command": question.server_command,
            "calls_itself": question.server_calls_itself,
            "trust": question.trust.value,
            "asks": _wanted(question),
            "during": list(question.during),
            "verdict": raw_verdict(question.verdict),
            "answer": snapshot.arguments() if question.draft is not None else None,
            "origins": {name: origin.value for name, origin in question.origins.items()},
            "problems": list(question.problems),
            "runs": snapshot.runs.as_json() if snapshot.runs is not None else None,
        }
    )


def _server(question: ServerQuestion | AboutSignIn) -> Fields:
    return {
        "name": mask_text(question.server_name),
        "identity": identity_digest(question.server_identity),
        "command": mask_command(question.server_command),
        **runs_fields(question.runs),
    }


def _wanted(question: ServerQuestion | AboutSignIn) -> JsonValue:
    """The content of the server's request, as JSON."""
    if isinstance(question, AboutElicitation):
        asked = question.elicitation
        return {
            "mode": asked.mode,
            "message": asked.message,
            "schema": asked.schema,
            "url": asked.url,
        }
    if isinstance(question, AboutSignIn):
        return question.wanted.as_json()
    sampling = question.sampling
    return {
        "messages": list(sampling.messages),
        "systemPrompt": sampling.system_prompt,
        "settings": sampling.settings,
        "tools": list(sampling.tools),
        "toolChoice": sampling.tool_choice,
    }
