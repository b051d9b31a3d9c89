"""A screen of text in sections: definitions, raw messages, what a server wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from app.core.text import Span
from widgets.line_view import LineView
from widgets.pane_tabs import PaneTabs


@dataclass(frozen=True, slots=True)
class Section:
    """A label of our own and sanitised lines; those of a server stand behind a gutter."""

    label: str
    lines: Sequence[Sequence[Span]]
    is_ours: bool = False


def plain_lines(text: str) -> list[list[Span]]:
    """Lines of our own words."""
    return [[Span(line, False)] for line in text.split("\n")]


class PagerScreen(ModalScreen[None]):
    """Shows one section at a time."""

    DEFAULT_CSS = """
    PagerScreen { align: center middle; }
    PagerScreen > Vertical {
        width: 95%; height: 95%; border: round $primary; background: $surface; padding: 0 1;
    }
    PagerScreen LineView { height: 1fr; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f4,f8,f9", "dismiss", "Close", id="pager.close", tooltip="Back."),
        Binding("tab", "turn(1)", "Next section", id="pager.next", tooltip="Next section."),
        Binding(
            "shift+tab",
            "turn(-1)",
            "Previous section",
            id="pager.previous",
            tooltip="Previous section.",
        ),
    ]

    def __init__(self, title: Content, sections: Sequence[Section], start: int = 0) -> None:
        super().__init__()
        self._title = title
        self._sections = tuple(sections)
        self._current = start

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = self._title
            box.border_subtitle = Content("esc closes · tab next section · arrows scroll")
            yield PaneTabs()
            yield LineView(gutter=True, id="theirs")
            yield LineView(id="ours")

    def on_mount(self) -> None:
        self._show()

    def on_pane_tabs_picked(self, message: PaneTabs.Picked) -> None:
        message.stop()
        self._current = message.index
        self._show()

    def action_turn(self, step: int) -> None:
        self._current = (self._current + step) % len(self._sections)
        self._show()

    def _show(self) -> None:
        labels = [section.label for section in self._sections]
        self.query_one(PaneTabs).show(labels, self._current)
        section = self._sections[self._current]
        is_ours = section.is_ours or not section.lines
        for view in self.query(LineView):
            view.display = (view.id == "ours") is is_ours
        view = self.query_one("#ours" if is_ours else "#theirs", LineView)
        view.show_spans(section.lines or plain_lines("nothing"))
        view.scroll_home(animate=False)
        view.focus()
