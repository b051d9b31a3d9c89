"""All bytes of a part on the whole screen."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ....widgets.lines.hex_view import HexView
from ...content.media.base64_bytes import HexDump
from ...content.text import cut, size, visible
from ..fresh_sizes import FreshSizes
from .body import ShowsPart

ABOUT_LIMIT = 400


class HexScreen(FreshSizes, ModalScreen[None], ShowsPart):
    """A hex dump that is formatted as it is scrolled through."""

    # Opaque: what lies below is not drawn for each paint, only to be covered.
    DEFAULT_CSS = """
    HexScreen { align: center middle; background: $background; }
    HexScreen > Vertical {
        width: 100%; height: 100%; border: round $primary; background: $surface; padding: 0 1;
    }
    HexScreen Static { height: auto; max-height: 4; }
    HexScreen HexView { height: 1fr; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Close", id="hex.close", tooltip="Back."),
        Binding("s", "save", "Save", id="hex.save", tooltip="Save the bytes in a file."),
    ]

    def __init__(self, dump: HexDump, title: str, uri: str = "") -> None:
        """`title` is our own words; `uri` is raw."""
        super().__init__()
        self._dump = dump
        self._title = title
        self._uri = uri

    def compose(self) -> ComposeResult:
        dump = self._dump
        with Vertical() as box:
            box.border_title = Content(self._title)
            box.border_subtitle = Content("arrows and pages scroll · s save · esc close")
            shown = cut(self._uri, ABOUT_LIMIT)
            if self._uri:
                yield Static(Content(f"┃ {visible(shown.text)} {shown.notice}"), markup=False)
            words = f"{dump.size:,} bytes, {size(dump.size)}"
            if dump.fault:
                words += f"  ✗ {dump.fault}"
            yield Static(Content(words), markup=False)
            yield HexView(dump)

    def on_mount(self) -> None:
        self.query_one(HexView).focus()
