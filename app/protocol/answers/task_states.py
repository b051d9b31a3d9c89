"""Tasks and input requests: results that are not yet the final one.

Spec 2025-11-25, basic/utilities/tasks and schema `Task`: a call answers that the work has begun,
and its result is requested later. Since 2026-07-28 they are the extension
`io.modelcontextprotocol/tasks`: the server decides, `tasks/result` and the list are gone, and `ttl`
and `pollInterval` became `ttlMs` and `pollIntervalMs`.

Spec 2026-07-28, basic/patterns/mrtr: a result may ask for input first. The request is made again
with an entry of `inputResponses` for each of the `inputRequests`, and with `requestState` exactly
as received, if it was set.
"""

from __future__ import annotations

from dataclasses import field
from datetime import UTC, datetime
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import seconds, shortened
from ..server_requests.capabilities import LIST_ROOTS
from ..server_requests.elicitation import ELICIT
from ..server_requests.sampling import SAMPLE

GET_TASK: Final = "tasks/get"
TASK_RESULT: Final = "tasks/result"
CANCEL_TASK: Final = "tasks/cancel"
LIST_TASKS: Final = "tasks/list"
UPDATE_TASK: Final = "tasks/update"
TASK_NOTIFICATIONS: Final = frozenset({"notifications/tasks/status", "notifications/tasks"})
"""Of 2025-11-25, and of the extension: the params are the status."""
ENDED: Final = ("completed", "failed", "cancelled")
STATUSES: Final = ("working", "input_required", *ENDED)
POLL_SECONDS: Final = 1.0
"""Seconds between two polls of a task if the server names no interval."""
SOONEST_MS: Final = 200
LATEST_MS: Final = 30_000
"""The interval of polls is never longer, whatever the server names."""
AWAITS_APPROVAL: Final = "waiting for an approval on the server's side"
"""Of a task, and of a call that a host left while its task waited."""
_MESSAGE_MAX: Final = 500
_TIME_MAX: Final = 40
_TTL_MAX: Final = 10**15


@frozen
class TaskState:
    """A server's status of one task. `id` is raw."""

    id: str
    status: str
    """One of STATUSES."""
    message: str = ""
    """What it is at, safe to show on one line."""
    poll_seconds: float = POLL_SECONDS
    """When to ask again, within reason."""
    created: str = ""
    """As the server wrote it, safe to show."""
    updated: str = field(default="", compare=False)
    created_at: float | None = None
    """`created` in seconds of the epoch; None for an invalid date."""
    ttl: int | None = None
    """Milliseconds after creation for which the server keeps the task; None if not set."""
    is_out_of_reach: bool = False
    """True without a connection to poll on: the state is the last one received."""
    awaits_approval: bool = False
    """True if the server reports that a decision of its own is pending (SEP-2848)."""
    raw: JsonValue = field(default=None, repr=False, compare=False)

    @property
    def words(self) -> str:
        if self.is_out_of_reach:
            return "out of reach"
        return AWAITS_APPROVAL if self.awaits_approval else self.status.replace("_", " ")

    @property
    def is_ended(self) -> bool:
        return self.status in ENDED

    def left(self, now: float) -> float | None:
        """Seconds for which it will be kept, never below 0; None if unknown."""
        if self.ttl is None or self.created_at is None:
            return None
        return max(0.0, self.created_at + self.ttl / 1_000 - now)

    def kept_words(self, now: float) -> str:
        """The time for which the task will be kept, in words; empty if unknown."""
        left = self.left(now)
        if left is None:
            return ""
        return f"{seconds(left)} left" if left else "expired"

    def as_json(self) -> dict[str, JsonValue]:
        found: dict[str, JsonValue] = {
            "id": self.id,
            "status": self.status,
            "message": self.message,
        }
        return {**found, "awaits_approval": True} if self.awaits_approval else found


def created_in(result: JsonValue) -> JsonValue:
    """The raw task that the response to a call has created; None for any other response."""
    if not isinstance(result, dict) or result.get("resultType") == "task":
        return result if isinstance(result, dict) else None
    task = result.get("task")
    # Beside content it is a field that the specification does not know.
    is_task = read_task(task) is not None or (isinstance(task, dict) and "content" not in result)
    return task if is_task else None


def read_task(value: JsonValue) -> TaskState | None:
    """Parse a task; None if it has no id, or an unknown status."""
    if not isinstance(value, dict):
        return None
    identity, status = value.get("taskId"), value.get("status")
    if not isinstance(identity, str) or not isinstance(status, str) or status not in STATUSES:
        return None
    message = value.get("statusMessage")
    return TaskState(
        identity,
        status,
        shortened(message, _MESSAGE_MAX) if isinstance(message, str) else "",
        _poll(value.get("pollInterval", value.get("pollIntervalMs"))),
        _shown(value.get("createdAt")),
        _shown(value.get("lastUpdatedAt")),
        _moment(value.get("createdAt")),
        _ttl(value.get("ttl", value.get("ttlMs"))),
        raw=value,
    )


def _shown(value: JsonValue) -> str:
    return shortened(value, _TIME_MAX) if isinstance(value, str) else ""


def _moment(value: JsonValue) -> float | None:
    if not isinstance(value, str) or len(value) > _TIME_MAX:
        return None
    try:
        found = datetime.fromisoformat(value)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _ttl(value: JsonValue) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # Any other value, such as NaN, is never within these bounds.
    return int(value) if 0 <= value <= _TTL_MAX else None


def _poll(milliseconds: JsonValue) -> float:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return POLL_SECONDS
    # In this order, so that NaN or a number that is too large to be divided never gets that far.
    return min(LATEST_MS, max(SOONEST_MS, milliseconds)) / 1_000


ROUNDS_MAX: Final = 10
"""So often a call is made at most before it has to be answered."""
ALONE_MAX: Final = 3
"""So often a call is made at most without a reply of a person in between."""
INPUTS_MAX: Final = 20
"""Of one round."""
_KNOWN: Final = (ELICIT, SAMPLE, LIST_ROOTS)


@frozen
class InputRound:
    """Input requests of one round: params by key and method, in the order of the server."""

    requests: tuple[tuple[str, str, JsonValue], ...]
    state: str | None
    """`requestState`, opaque to the client; None if it is missing."""

    @property
    def asks_person(self) -> bool:
        """True unless it has a state alone, or requests only the roots, without a person."""
        return any(method != "roots/list" for _, method, _ in self.requests)

    def params(self, responses: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """Return the params to make the request again with."""
        found: dict[str, JsonValue] = {}
        if self.requests:
            found["inputResponses"] = responses
        if self.state is not None:
            found["requestState"] = self.state
        return found


def read_round(result: JsonValue) -> InputRound | None:
    """Read the input requests of a raw result; None if it has none, or unknown ones."""
    if not isinstance(result, dict) or result.get("resultType") != "input_required":
        return None
    asked, state = result.get("inputRequests", {}), result.get("requestState")
    if not isinstance(asked, dict) or not (state is None or isinstance(state, str)):
        return None
    if len(asked) > INPUTS_MAX or (not asked and state is None):
        return None
    requests = []
    for key, request in asked.items():
        method = request.get("method") if isinstance(request, dict) else None
        if not isinstance(request, dict) or method not in _KNOWN:
            return None
        requests.append((key, str(method), request.get("params")))
    return InputRound(tuple(requests), state)
