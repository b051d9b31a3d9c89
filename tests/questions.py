"""Questions for tests: a read, or an answer, asked about beside a call."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from signoff.app.core.answers.content import Answer
from signoff.app.core.approvals.questions import AboutAnswer, AboutCall, AboutRead
from signoff.app.core.approvals.snapshot import take_snapshot
from signoff.app.core.requests import ResourceRead


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
