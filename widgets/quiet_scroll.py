"""Scrolling that moves at once, with the keys of vi beside the usual ones."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.scroll_view import ScrollView
from textual.widget import Widget

_KEYS = (
    ("k", "scroll_up", "Up", "up", "One row up."),
    ("j", "scroll_down", "Down", "down", "One row down."),
    ("h", "scroll_left", "Left", "left", "To the left."),
    ("l", "scroll_right", "Right", "right", "To the right."),
    ("g", "scroll_home", "Start", "start", "The first row."),
    ("G", "scroll_end", "End", "end", "The last row."),
    ("ctrl+u", "half_page(-1)", "Half a page up", "half-page-up", "Half a page up."),
    ("ctrl+d", "half_page(1)", "Half a page down", "half-page-down", "Half a page down."),
)


class ScrollsAtOnce(Widget):
    """Keys scroll without animation: a page that glides cannot be read until it stands.

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

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key, action, words, show=False, id=f"text.{name}", tooltip=tooltip)
        for key, action, words, name, tooltip in _KEYS
    ]

    def action_half_page(self, direction: int) -> None:
        self.scroll_relative(y=direction * max(self.size.height // 2, 1), animate=False)
