"""All keys of what lies below, for screens and dialogs that leave no room for a panel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen, Screen

from signoff.app.core.texts.sheet_line import labelled
from signoff.app.screens.approving.guarded_dialog import SHEET_KEYS
from signoff.app.screens.fresh_sizes import FreshSizes
from signoff.widgets.sheet_view import SheetView

_AROUND = 4
"""Columns of border and padding, and rows of border with some air."""
_MOST = 84


class KeysScreen(FreshSizes, ModalScreen[None]):
    """What the keys of `below` do; nothing below hears anything while it is open."""

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
        self._keys = tuple(keys_of(below))
        self._sheet = SheetView()

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content("Keys")
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

    def _lay_out(self) -> None:
        width, height = self.app.size
        columns = max(min(width, _MOST) - _AROUND, 1)
        indent = max((cell_len(keys) for keys, _ in self._keys), default=0) + 2
        if indent > columns // 2:
            indent = 0
        lines = [labelled(keys, indent, (words, "")) for keys, words in self._keys]
        total = self._sheet.set_lines(lines, columns)
        self._sheet.styles.height = min(total, max(height - 2, 1))
        self.query_one(Vertical).styles.width = columns + _AROUND


def keys_of(screen: Screen[Any]) -> Iterator[tuple[str, str]]:
    """Keys as people read them, with what they do; keys that do the same stand together."""
    bindings = [one.binding for one in screen.active_bindings.values() if one.enabled]
    bindings += [one for one in Binding.make_bindings(screen.app.BINDINGS) if one.priority]
    found: dict[str, dict[str, None]] = {}
    for binding in bindings:
        if words := binding.tooltip or binding.description:
            found.setdefault(words, {})[screen.app.get_key_display(binding)] = None
    for words, keys in found.items():
        yield ", ".join(keys), words
