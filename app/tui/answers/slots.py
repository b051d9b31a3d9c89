"""What an answer is drawn from, slot by slot, from above."""

from __future__ import annotations

from collections.abc import Callable

from textual.widget import Widget
from textual.widgets import Static

from ....widgets.finding_list import FindingList
from ...calls.call import Call
from .page_turning import page_line
from .part_items import (
    Item,
    oversized_item,
    part_items,
    raw_item,
    structured_item,
)
from .part_view import PartView

TOLD_IN_PLACE = (
    *("schema-mismatch", "structured-missing", "text-copy-differs"),
    *("unknown-content", "unreadable-content"),
)
"""Findings that stand where they were found; f8 lists all."""


def marks_of(call: Call) -> dict[str, tuple[object, ...]]:
    """What each slot is drawn from: while that is the same, it is not drawn again."""
    return {
        "findings": (call.id, *_findings_words(call)),
        "structured": (call.id, call.answer, call.schema),
        "parts": (call.id, call.answer),
        "rest": (call.id, call.answer, call.error, call.late, call.oversized, _bare(call)),
    }


def _findings_words(call: Call) -> tuple[object, ...]:
    turning = page_line(call)
    shown = tuple(one for one in call.findings if one.code not in TOLD_IN_PLACE)
    return (shown, None if turning is None else turning.plain)


def _bare(call: Call) -> object:
    """The raw result, where it was no answer."""
    return call.raw if call.answer is None else None


def _findings(call: Call, view: Callable[[Item], PartView]) -> list[Widget]:
    widgets: list[Widget] = []
    shown = [one for one in call.findings if one.code not in TOLD_IN_PLACE]
    if shown:
        widgets.append(FindingList(shown))
    if (turning := page_line(call)) is not None:
        widgets.append(Static(turning, classes="pages", markup=False))
    return widgets


def _structured(call: Call, view: Callable[[Item], PartView]) -> list[Widget]:
    item = structured_item(call)
    return [] if item is None else [view(item)]


def _parts(call: Call, view: Callable[[Item], PartView]) -> list[Widget]:
    if call.answer is None:
        return []
    widgets: list[Widget] = [view(item) for item in part_items(call.answer)]
    if more := call.answer.more_parts:
        words = f"{more:,} more part{'' if more == 1 else 's'} not drawn; f8 shows the raw answer"
        widgets.append(Static(words, classes="label", markup=False))
    return widgets


def _rest(call: Call, view: Callable[[Item], PartView]) -> list[Widget]:
    items: list[Item] = []
    if call.oversized is not None:
        items.append(oversized_item(call.oversized))
    if call.answer is None and call.raw is not None:
        items.append(raw_item("the raw answer", "raw-answer", call.raw))
    if call.error is not None and call.error.data is not None:
        items.append(raw_item("data of the error", "error-data", call.error.data))
    if call.late is not None:
        words = "late answer, arrived after the call had ended here"
        items.append(raw_item(words, "late-answer", call.late))
    return [view(item) for item in items]


SLOTS: dict[str, Callable[[Call, Callable[[Item], PartView]], list[Widget]]] = {
    "findings": _findings,
    "structured": _structured,
    "parts": _parts,
    "rest": _rest,
}
"""Each is drawn anew only when it is another."""
