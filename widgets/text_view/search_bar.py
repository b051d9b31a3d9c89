"""A one-line search bar with the number of matches.

`ScrollsAtOnce` scrolls without animation, with the keys of vi beside the usual ones.
"""

from __future__ import annotations

from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.widget import Widget
from textual.widgets import Input, Static

from ..bindings import bindings_of

NEXT_MATCH: Final = "Go to the next match."
PREVIOUS_MATCH: Final = "Go to the previous match."


class SearchBar(Horizontal):
    """Posts every change of the words; its owner searches."""

    DEFAULT_CSS = """
    SearchBar { height: 1; background: $panel; display: none; }
    SearchBar.-open { display: block; }
    SearchBar > .sign { width: 2; color: $text-accent; }
    SearchBar > Input { width: 1fr; background: $panel; }
    SearchBar > .count { width: auto; padding: 0 1; color: $text-muted; }
    SearchBar > .count.-nothing { color: $text-warning; }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("search")

    class Changed(Message):
        """Other words are to be found; "" for none."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    class Stepped(Message):
        """To the next place, or to the one before."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    class Left(Message):
        """Enter was pressed: back to the text, with the matches."""

    def compose(self) -> ComposeResult:
        yield Static("/ ", classes="sign", markup=False)
        yield Input(placeholder="search", select_on_focus=True, compact=True)
        yield Static("", classes="count", markup=False)

    @property
    def is_open(self) -> bool:
        return self.has_class("-open")

    @property
    def words(self) -> str:
        return self.query_one(Input).value

    @property
    def is_typed_in(self) -> bool:
        return self.query_one(Input).has_focus

    def open(self) -> None:
        """Show the line, with the words that were typed last, and wait for others."""
        self.add_class("-open")
        self.query_one(Input).focus()

    def close(self) -> None:
        self.remove_class("-open")

    def tell(self, words: str, *, is_nothing: bool = False) -> None:
        """Show the number of matches, in words of our own."""
        count = self.query_one(".count", Static)
        count.set_class(is_nothing, "-nothing")
        count.update(Content(words))

    def action_step(self, by: int) -> None:
        self.post_message(self.Stepped(by))

    @on(Input.Changed)
    def _changed(self, message: Input.Changed) -> None:
        message.stop()
        self.post_message(self.Changed(message.value))

    @on(Input.Submitted)
    def _submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self.post_message(self.Left())


class ScrollsAtOnce(Widget):
    """Keys scroll without animation: a gliding page cannot be read.

    To be named after the scrolling widget, whose style sheet is that of the first base.
    """

    def action_scroll_home(self) -> None:
        self.scroll_home(animate=False, x_axis=False)

    def action_scroll_end(self) -> None:
        self.scroll_end(animate=False, x_axis=False)

    def action_page_up(self) -> None:
        self.scroll_page_up(animate=False)

    def action_page_down(self) -> None:
        self.scroll_page_down(animate=False)

    def action_scroll_up(self) -> None:
        self.scroll_up(animate=False)

    def action_scroll_down(self) -> None:
        self.scroll_down(animate=False)

    def action_scroll_left(self) -> None:
        self.scroll_left(animate=False)

    def action_scroll_right(self) -> None:
        self.scroll_right(animate=False)


class QuietScroll(ScrollView, ScrollsAtOnce, can_focus=True):
    """A scroll view that moves at once."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("text")

    def action_half_page(self, direction: int) -> None:
        self.scroll_relative(y=direction * max(self.size.height // 2, 1), animate=False)
