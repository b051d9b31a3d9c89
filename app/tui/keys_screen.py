"""What lies below, in a few words, and all its keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen, Screen

from ...widgets.sheet_view import SheetView
from ..content.texts.sheet_line import SheetLine, labelled
from .approving.guarded_dialog import SHEET_KEYS
from .fresh_sizes import FreshSizes
from .key_sections import about, key_sections

_AROUND = 4
"""Columns of border and padding, and rows of border with some air."""
_MOST = 84


class KeysScreen(FreshSizes, ModalScreen[None]):
    """What `below` is for and what its keys do; it hears nothing while this is open."""

    DEFAULT_CSS = """
    KeysScreen { align: center middle; background: $background 70%; }
    KeysScreen > Vertical {
        height: auto; max-height: 100%; border: round $primary; background: $surface; padding: 0 1;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "close", "Close", id="keys.close", tooltip="Back."),
        Binding("down,j", "scroll_sheet('down')", "Scroll down", show=False),
        Binding("up,k", "scroll_sheet('up')", "Scroll up", show=False),
        *SHEET_KEYS,
    ]

    def __init__(self, below: Screen[Any]) -> None:
        super().__init__()
        self._head, self._paragraphs = about(below)
        self._sections = tuple(key_sections(below))
        self._sheet = SheetView()

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content(self._head or "Keys")
            box.border_subtitle = Content("Esc goes back")
            yield self._sheet

    def on_mount(self) -> None:
        self._lay_out()

    def on_resize(self, event: events.Resize) -> None:
        self._lay_out()

    def action_close(self) -> None:
        self.dismiss()

    def action_scroll_sheet(self, where: str) -> None:
        getattr(self._sheet, f"scroll_{where}")(animate=False)

    @on(SheetView.Moved)
    def _moved(self, message: SheetView.Moved) -> None:
        message.stop()
        more = f"{message.below} more below · " if message.below else ""
        self.query_one(Vertical).border_subtitle = Content(f"{more}Esc goes back")

    def _lay_out(self) -> None:
        width, height = self.app.size
        columns = max(min(width, _MOST) - _AROUND, 1)
        total = self._sheet.set_lines(list(self._lines(columns)), columns, keep_seen=True)
        self._sheet.styles.height = min(total, max(height - 2, 1))
        self.query_one(Vertical).styles.width = columns + _AROUND

    def _lines(self, columns: int) -> Iterator[SheetLine]:
        for at, paragraph in enumerate(self._paragraphs):
            if at:
                yield SheetLine()
            pieces = enumerate(paragraph.split("`"))
            yield SheetLine(tuple((text, "strong" if at % 2 else "") for at, text in pieces))
        widths = (cell_len(keys) for section in self._sections for keys, _ in section.keys)
        indent = max(widths, default=0) + 2
        if indent > columns // 3:
            indent = 0
        for at, section in enumerate(self._sections):
            if at or self._paragraphs:
                yield SheetLine()
            yield SheetLine(((section.head, "primary"),))
            for keys, words in section.keys:
                yield labelled(keys, indent, (words, ""))
