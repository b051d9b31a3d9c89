"""Tasks that a server keeps, in lines and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ...approval.questions.sheet import pieces_of
from ...content.text import cut, seconds, spans
from ...content.texts.sheet_line import SheetLine, labelled
from ...engine.task_list import KnownTask
from ...protocol.answers.task_states import TaskState

INDENT: Final = 12
_LINE_MAX: Final = 2_000


def task_lines(task: KnownTask, now: float) -> Iterator[SheetLine]:
    """Describe a task; `now` is in seconds of the epoch."""
    state = task.state
    yield labelled("task", INDENT, *pieces_of(spans(cut(state.id, _LINE_MAX).text)))
    yield labelled("begun by", INDENT, (task.about, ""))
    if task.call is not None:
        yield labelled("the call", INDENT, (task.call.status, ""))
    before = "last known: " if task.problem else ""
    yield labelled("status", INDENT, (f"{before}{state.words}", ""))
    if task.problem:
        yield labelled("", INDENT, ("▲ ", "warning"), (task.problem, "noticed"))
    if state.message:
        yield labelled("message", INDENT, *pieces_of(spans(state.message)))
    yield labelled("created", INDENT, (state.created or "not set", ""))
    if state.updated:
        yield labelled("updated", INDENT, (state.updated, ""))
    kept = "no time limit set"
    if state.ttl is not None:
        left = "" if task.problem else state.kept_words(now)
        kept = f"for {seconds(state.ttl / 1_000)}" + (f", {left}" if left else "")
    yield labelled("kept", INDENT, (kept, ""))


def task_json(task: TaskState, now: float) -> dict[str, Any]:
    """Return a task as JSON; `now` is in seconds of the epoch."""
    return {
        **task.as_json(),
        "created": task.created or None,
        "updated": task.updated or None,
        "ttl": task.ttl,
        "seconds_left": task.left(now),
        "entry": task.raw,
    }
