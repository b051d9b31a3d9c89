"""Questions for tests: a read, or an answer, asked about beside a call; what a server asks."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from signoff.app.approval.policies.verdicts import Verdict, VerdictAnswer
from signoff.app.approval.questions.questions import AboutAnswer, AboutCall, AboutRead
from signoff.app.approval.server_questions import AboutElicitation, AskName
from signoff.app.approval.snapshot import take_snapshot
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.answers.content import Answer
from signoff.app.protocol.requests import ResourceRead
from signoff.app.protocol.server import Trust
from signoff.app.protocol.server_requests.elicitation import Elicitation

SURE: JsonValue = {
    "type": "object",
    "properties": {"sure": {"type": "boolean"}, "why": {"type": "string"}},
    "required": ["why"],
}
"""The form of a question, with a field that has to be filled in."""


def of_answer(call: AboutCall | AboutRead, answer: Answer | None, **changes: Any) -> AboutAnswer:
    """Whether the answer to what `call` asks about may be used."""
    assert answer is not None
    given: dict[str, Any] = {one.name: getattr(call, one.name) for one in fields(call)}
    kept = {one.name for one in fields(AboutAnswer)}
    shared = {name: value for name, value in given.items() if name in kept}
    return AboutAnswer(**{**shared, "answer": answer, **changes})


def of_read(call: AboutCall, uri: str, **changes: Any) -> AboutRead:
    """Whether a resource may be read, of the server that `call` asks about."""
    kept = {one.name for one in fields(AboutRead)}
    given: dict[str, Any] = {
        one.name: getattr(call, one.name) for one in fields(call) if one.name in kept
    }
    read = ResourceRead(uri)
    snapshot = take_snapshot(call.snapshot.server_identity, read, {"uri": uri})
    snapshot = replace(snapshot, runs=call.snapshot.runs)
    return AboutRead(**{**given, "request": read, "snapshot": snapshot, **changes})


def of_server(
    message: str = "Are you sure?", schema: JsonValue = SURE, url: str = ""
) -> AboutElicitation:
    """What a server asks a person for, with nothing filled in; with a URL it is for a visit."""
    elicitation = (
        Elicitation(message, "url", url=url) if url else Elicitation(message, schema=schema)
    )
    return AboutElicitation(
        call=AskName("demo", 1),
        server_name="demo",
        server_command="python -m demo",
        server_calls_itself="Demo 0.1",
        trust=Trust.UNTRUSTED,
        verdict=Verdict(VerdictAnswer.ASK, ("a person answers",)),
        server_identity="stdio:demo",
        during=("call 1, asks",),
        elicitation=elicitation,
    )
