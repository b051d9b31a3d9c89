"""Tasks: calls whose answer says that the work has begun, and whose result is asked for later.

Spec 2025-11-25, basic/utilities/tasks and schema `Task`; no other revision has it in its core.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from signoff.app.core.text import shortened

if TYPE_CHECKING:
    from signoff.app.core.jsonio import JsonValue

GET_TASK: Final = "tasks/get"
TASK_RESULT: Final = "tasks/result"
CANCEL_TASK: Final = "tasks/cancel"
ENDED: Final = ("completed", "failed", "cancelled")
STATUSES: Final = ("working", "input_required", *ENDED)
POLL_SECONDS: Final = 1.0
"""How often a task is asked about where the server names no time."""
_SOONEST, _LATEST = 200, 30_000
"""Milliseconds."""
_MESSAGE_MAX: Final = 500


@dataclass(frozen=True, slots=True)
class TaskState:
    """What a server says of one task. `id` is raw."""

    id: str
    status: str
    """One of STATUSES."""
    message: str = ""
    """What it is at, safe to show on one line."""
    poll_seconds: float = POLL_SECONDS
    """When to ask again, within reason."""
    raw: JsonValue = field(default=None, repr=False, compare=False)

    @property
    def words(self) -> str:
        return self.status.replace("_", " ")

    @property
    def is_ended(self) -> bool:
        return self.status in ENDED

    def as_json(self) -> dict[str, JsonValue]:
        return {"id": self.id, "status": self.status, "message": self.message}


def read_created(result: JsonValue) -> TaskState | None:
    """The task that the answer to a call says was begun; None where it says something else."""
    return read_task(result.get("task")) if isinstance(result, dict) else None


def read_task(value: JsonValue) -> TaskState | None:
    """A task as it came; None where it has no id, or a status that nobody knows."""
    if not isinstance(value, dict):
        return None
    identity, status = value.get("taskId"), value.get("status")
    if not isinstance(identity, str) or not isinstance(status, str) or status not in STATUSES:
        return None
    message = value.get("statusMessage")
    shown = shortened(message, _MESSAGE_MAX) if isinstance(message, str) else ""
    return TaskState(identity, status, shown, _poll(value.get("pollInterval")), value)


def _poll(milliseconds: JsonValue) -> float:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return POLL_SECONDS
    # In this order, so that what is too large to be divided, or no number at all, is never so.
    return min(_LATEST, max(_SOONEST, milliseconds)) / 1_000
