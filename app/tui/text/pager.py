"""A screen of text in sections: definitions, raw messages, output of a server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content

from ....widgets.bars import PaneTabs, Verb, VerbBar
from ....widgets.bindings import bindings_of
from ....widgets.text_view.line_view import LineView
from ....widgets.text_view.search_bar import SearchBar
from ...content.frozen import frozen
from ...content.text import Span
from ..answers.body import Copied
from .reading_screen import ReadingScreen


@frozen
class PagerSection:
    """A label of our own and sanitised lines; a server's lines are behind a gutter.

    A `str` is raw text, which is sanitised as it is drawn.
    """

    label: str
    lines: Sequence[Sequence[Span]] | str
    is_ours: bool = False
    leads_to_wire: bool = False
    """Whether enter opens its subject."""
    styled: Sequence[Sequence[tuple[str, str]]] = ()
    """Safe lines of (text, style) in place of `lines`; styles as `LineView` has them."""


def plain_lines(text: str) -> list[list[Span]]:
    """Lines of our own words."""
    return [[Span(line, False)] for line in text.split("\n")]


class PagerScreen(ReadingScreen):
    """Shows one section at a time."""

    DEFAULT_CSS = """
    PagerScreen { align: center middle; }
    PagerScreen > Vertical {
        width: 95%; height: 95%; border: round $primary; background: $surface; padding: 0 1;
    }
    PagerScreen LineView { height: 1fr; }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("pager")

    def __init__(
        self,
        title: Content,
        sections: Sequence[PagerSection],
        start: int = 0,
        show_wire: Callable[[], None] | None = None,
    ) -> None:
        """`show_wire` opens the wire traffic of the subject; None if there is none."""
        super().__init__()
        self._show_wire = show_wire
        self._title = title
        self._sections = tuple(sections)
        self._current = start
        self._wraps = True
        self._waiting: tuple[PagerSection, ...] | None = None
        """Sections to show after the search, or once no text is selected."""

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = self._title
            yield PaneTabs()
            yield LineView(gutter=True, words=True, id="theirs")
            yield LineView(words=True, id="ours")
            yield SearchBar()
            yield VerbBar()

    def on_mount(self) -> None:
        self._show()

    @property
    def lines(self) -> LineView:
        section = self._sections[self._current]
        is_ours = section.is_ours or not section.lines or bool(section.styled)
        return self.query_one("#ours" if is_ours else "#theirs", LineView)

    def copied(self) -> Copied:
        return Copied(self.lines.plain, f"“{self._sections[self._current].label}” as shown")

    def verbs(self) -> list[Verb]:
        return [
            Verb("turn(1)", "Next section", "tab"),
            *([Verb("wire", "Wire", "W")] if self._show_wire is not None else []),
            Verb("wrap", "Unwrap" if self._wraps else "Wrap", "w"),
            Verb("search", "Search", "/"),
            Verb("copy", "Copy", "y"),
            Verb("back", "Close", "esc"),
        ]

    def on_pane_tabs_picked(self, message: PaneTabs.Picked) -> None:
        message.stop()
        self._go_to(message.index)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "wire":
            return self._show_wire is not None
        if action == "open":
            return self._show_wire is not None and self._sections[self._current].leads_to_wire
        return super().check_action(action, parameters)

    def action_wire(self) -> None:
        if self._show_wire is not None:
            self._show_wire()

    def action_open(self) -> None:
        self.action_wire()

    def action_turn(self, step: int) -> None:
        self._go_to((self._current + step) % len(self._sections))

    def end_search(self) -> None:
        super().end_search()
        if self._waiting is not None:
            self.take(self._waiting)

    def take(self, sections: Sequence[PagerSection]) -> None:
        """Show the subject as it is now; a search or selected text is finished first."""
        new = tuple(sections)
        if not self.is_mounted:
            self._replace(new)
        elif new == self._sections:
            self._waiting = None
        elif self._search is not None or self.get_selected_text():
            self._waiting = new
        else:
            top = self.lines.top_position
            self._replace(new)
            self._show()
            self.lines.go_to(top, at_top=True)

    def _replace(self, new: tuple[PagerSection, ...]) -> None:
        """Take other sections; the one that is shown stays if there is one of its name."""
        label = self._sections[self._current].label
        labels = [section.label for section in new]
        self._sections, self._waiting = new, None
        self._current = labels.index(label) if label in labels else 0

    def _go_to(self, index: int) -> None:
        label = self._sections[index].label
        if self._waiting is not None:
            self._replace(self._waiting)
        labels = [section.label for section in self._sections]
        self._current = labels.index(label) if label in labels else 0
        self._show()

    def action_wrap(self) -> None:
        super().action_wrap()
        self._wraps = self.lines.wraps

    def _show(self) -> None:
        labels = [section.label for section in self._sections]
        self.query_one(PaneTabs).show(labels, self._current)
        shown = self.lines
        for view in self.query(LineView):
            view.display = view is shown
        section = self._sections[self._current]
        if section.styled:
            shown.show_lines(section.styled, wrap=self._wraps)
        elif section.lines and isinstance(section.lines, str):
            shown.show_plain(section.lines, wrap=self._wraps)
        else:
            shown.show_spans(section.lines or plain_lines("nothing"), wrap=self._wraps)
        shown.scroll_home(animate=False)
        shown.focus()
        self.search_again()
        self.tell_verbs()
