"""Findings on a task as a server reports it: what cannot be read, and times that make no sense.

Spec 2025-11-25, schema `Task`: `taskId`, `status` and `ttl` are required, and `pollInterval` is a
number of milliseconds; the extension of 2026-07-28 has `ttlMs` and `pollIntervalMs`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from ...content.json.jsonio import JsonValue
from ...content.json.quoting import quoted
from ..findings.findings import Finding, error, note, warning
from .task_states import LATEST_MS, STATUSES, TaskState


def task_fault(value: JsonValue, identity: str | None = None) -> str:
    """The reason why a task cannot be read, safe to show; empty if it can.

    `identity` is the raw id of the task that was asked for, if one was.
    """
    if not isinstance(value, dict):
        return f"{quoted(value)} is not an object"
    if "taskId" not in value:
        if isinstance(value.get("task"), dict):
            return "`taskId` is missing: the fields are inside `task`, where they are not allowed"
        return "`taskId` is missing"
    found, status = value["taskId"], value.get("status")
    if not isinstance(found, str):
        return f"`taskId` is {quoted(found)}, not a string"
    if identity is not None and found != identity:
        return f"`taskId` is {quoted(found)}, the task is {quoted(identity)}"
    if "status" not in value:
        return "`status` is missing"
    return "" if status in STATUSES else f"`status` is {quoted(status)}, which is unknown"


def unreadable_task(fault: str, path: str = "$") -> Finding:
    """The finding on a task that has this fault."""
    return error("malformed-task", f"a task cannot be read: {fault}", path)


def time_findings(task: TaskState, *, is_modern: bool) -> tuple[Finding, ...]:
    """List unusable times of a task that can be read."""
    raw = task.raw if isinstance(task.raw, dict) else {}
    poll_key, ttl_key = ("pollIntervalMs", "ttlMs") if is_modern else ("pollInterval", "ttl")
    found = [_about_poll(raw, poll_key, task.ttl), _about_ttl(raw, ttl_key)]
    return tuple(one for one in found if one is not None)


def _about_poll(raw: Mapping[str, JsonValue], key: str, ttl: int | None) -> Finding | None:
    if key not in raw:
        return None
    value, path = raw[key], f"$.{key}"
    if not _is_time(value):
        words = f"`{key}` is {quoted(value)}, not a number of milliseconds"
        return warning("malformed-task", words, path)
    assert isinstance(value, int | float)
    if value <= LATEST_MS:
        return None
    words = f"`{key}` is {quoted(value)}: Signoff polls after {LATEST_MS:,} ms at the latest"
    if ttl is not None and value > ttl:
        words = f"{words}, since the server keeps the task for {ttl:,} ms only"
        return warning("malformed-task", words, path)
    return note("malformed-task", words, path)


def _about_ttl(raw: Mapping[str, JsonValue], key: str) -> Finding | None:
    path = f"$.{key}"
    if key not in raw:
        return warning("malformed-task", f"`{key}` is missing; null means without a limit", path)
    value = raw[key]
    if value is None or _is_time(value):
        return None
    words = f"`{key}` is {quoted(value)}, neither a number of milliseconds nor null"
    return warning("malformed-task", words, path)


def _is_time(value: JsonValue) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    # A float may be NaN or infinite; an integer may be too large to become a float.
    is_finite = not isinstance(value, float) or math.isfinite(value)
    return is_number and is_finite and value >= 0  # type: ignore[operator]
