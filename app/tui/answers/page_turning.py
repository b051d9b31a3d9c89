"""Answers in pages: the line that says so, and the keys that turn them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

if TYPE_CHECKING:
    from ...calls.call import Call


class PageWanted(Message):
    """Somebody wants the page after a call's answer (1), or the one before (-1)."""

    def __init__(self, call: Call, step: int) -> None:
        super().__init__()
        self.call = call
        self.step = step


class TurnsPages(Widget):
    """A widget that shows a call, whose answer may be one page of several."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "greater_than_sign",
            "turn_page(1)",
            "Next page",
            show=False,
            id="answer.next-page",
            tooltip="Ask for the next page of this answer, with the cursor that came with it.",
        ),
        Binding(
            "less_than_sign",
            "turn_page(-1)",
            "Page before",
            show=False,
            id="answer.previous-page",
            tooltip="Back to the page before this one.",
        ),
    ]

    call: Call | None

    def action_turn_page(self, step: int) -> None:
        if self.call is not None:
            self.post_message(PageWanted(self.call, step))


def page_line(call: Call) -> Content | None:
    """That there is a next page, and the one before; None for an answer that is no page."""
    from ...calls.paging import page_after

    page = page_after(call)
    pieces: list[str | tuple[str, str]] = []
    if page is not None:
        pieces.append((page.words, "bold" if page.can_be_asked_for else "$text-warning"))
    if call.page is not None:
        is_last = page is None and call.answer is not None and not call.answer.is_error
        before = "   " if pieces else "the last page   " if is_last else ""
        pieces.append(f"{before}< goes back to call {call.page.before}")
    return Content.assemble(*pieces) if pieces else None
