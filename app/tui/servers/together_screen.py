"""Screen of what the servers of a session could do together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from ....widgets.key_footer import KeyFooter
from ....widgets.sheets import SheetView
from ...content.texts.sheet_line import SheetLine
from ..browse.browser_screen import DetailScreen

LOOK_SECONDS: Final = 1.0


class TogetherScreen(DetailScreen[None]):
    """Shows what the servers could do together, as they are now."""

    HELP = """
# Together

A model that reads private data and text from strangers in one session can be made to send the data
away, although each tool alone is harmless. The list names the tools with each of the three parts,
and the reason. Below it: which tools would ask once a response has brought text from outside
(a what-if: SEP-1913 proposes such a mark on responses).
"""
    DEFAULT_CSS = """
    TogetherScreen { background: $background; }
    TogetherScreen #head { height: 1; padding: 0 1; background: $panel; }
    TogetherScreen #detail {
        height: 1fr; border: round $primary; padding: 0 1; background: $surface;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,shift+down", "scroll_detail(1)", "Down", show=False),
        Binding("up,shift+up", "scroll_detail(-1)", "Up", show=False),
        Binding("pagedown,space", "scroll_detail(10)", "Page down", id="together.down"),
        Binding("pageup", "scroll_detail(-10)", "Page up", id="together.up", show=False),
        Binding("escape,q", "close", "Back", id="together.back"),
    ]

    def __init__(self, lines: Callable[[], Sequence[SheetLine]]) -> None:
        """`lines` gives the lines as the servers are now."""
        super().__init__()
        self._make = lines
        self._lines: Sequence[SheetLine] = ()

    def compose(self) -> ComposeResult:
        yield Static(Content("What these servers could do together"), id="head", markup=False)
        with Vertical(id="detail"):
            yield SheetView()
        yield KeyFooter(show_command_palette=False)

    def on_mount(self) -> None:
        self._lines = self._make()
        self.set_interval(LOOK_SECONDS, self._look)

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self.show_detail, self._lines, about="together")

    def _look(self) -> None:
        lines = self._make()
        if lines != self._lines:
            self._lines = lines
            self.show_detail(lines, about="together")

    def draw_detail_frame(self) -> None:
        frame = self.query_one("#detail")
        frame.border_title = Content(f"together{self.more_lines}")
