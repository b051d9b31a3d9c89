"""Calls to draw."""

from __future__ import annotations

from typing import Any

from signoff.app.approval.policies.policy_text import built_in
from signoff.app.approval.policies.verdicts import Case
from signoff.app.approval.snapshot import take_snapshot
from signoff.app.calls.call import Call, Outcome, State
from signoff.app.protocol.progress import Progress
from signoff.app.protocol.requests import CallName, ToolCall
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool_reading import read_tool
from tests.widgets.tool_samples import entry


def running(
    number: int,
    tool_name: str = "migrate_database",
    *,
    value: float | None = None,
    total: float | None = None,
    message: str = "",
    **changes: Any,
) -> Call:
    """A call that was sent at second `number`."""
    tool = read_tool(0, entry(tool_name))
    given: dict[str, Any] = {
        "name": CallName("demo", number),
        "request": ToolCall(tool),
        "snapshot": take_snapshot("server", ToolCall(tool), {}),
        "verdict": built_in("cautious").judge(Case(tool, Trust.UNTRUSTED)),
        "created": float(number),
        "sent_at": float(number),
        "state": State.RUNNING,
        "progress": Progress(value, total, message, 0 if value is None else 1),
    }
    return Call(**{**given, **changes})


def ended(number: int, outcome: Outcome = Outcome.OK, seconds: float = 0.1, **changes: Any) -> Call:
    """A call that ended after so many seconds."""
    given = {"state": State.ENDED, "outcome": outcome, "ended_at": number + seconds}
    return running(number, **{**given, **changes})
