"""One task in full, as the lines of a sheet, and its row in the list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ....widgets.offer_list import OfferRow
from ...content.text import cut, seconds, spans
from ...content.texts.sheet_line import SheetLine, labelled
from ...engine.task_list import KnownTask
from ...questions.sheet import pieces_of

INDENT: Final = 12
_LINE_MAX: Final = 2_000


def row_of(task: KnownTask, now: float) -> OfferRow:
    """`now` is in seconds of the epoch."""
    state = task.state
    mark = "not known" if task.problem else state.words
    return OfferRow(state.id, task.about, state.message, state.kept_words(now), mark)


def detail_lines(task: KnownTask, now: float) -> Iterator[SheetLine]:
    """All that is known of it."""
    state = task.state
    yield labelled("task", INDENT, *pieces_of(spans(cut(state.id, _LINE_MAX).text)))
    yield labelled("begun by", INDENT, (task.about, ""))
    if task.call is not None:
        yield labelled("the call", INDENT, (task.call.status, ""))
    before = "it said last: " if task.problem else ""
    yield labelled("status", INDENT, (f"{before}{state.words}", ""))
    if task.problem:
        yield labelled("", INDENT, ("▲ ", "warning"), (task.problem, "noticed"))
    if state.message:
        yield labelled("says", INDENT, *pieces_of(spans(state.message)))
    yield labelled("created", INDENT, (state.created or "the server does not say", ""))
    if state.updated:
        yield labelled("updated", INDENT, (state.updated, ""))
    kept = "the server does not say for how long"
    if state.ttl is not None:
        left = state.kept_words(now)
        kept = f"for {seconds(state.ttl / 1_000)}" + (f", {left}" if left else "")
    yield labelled("kept", INDENT, (kept, ""))
