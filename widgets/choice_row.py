"""Choices of which one holds, side by side on one line, for whoever must not be hurried.

A choice is made by a whole click of the left button, and only while armed. The keyboard is not its
business: whoever owns it decides what a key changes, and nothing here answers to Enter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

_MARKS = ("( ) ", "(•) ")


class ChoiceRow(Widget, can_focus=True):
    """The words are Signoff's own. Focus shows as arrows and inverse, so without colour too."""

    DEFAULT_CSS = """
    ChoiceRow {
        height: 1;
        pointer: pointer;
        color: $foreground;
        &.-idle { color: $foreground 40%; pointer: default; }
    }
    """

    ALLOW_SELECT = False

    is_armed: reactive[bool] = reactive(False)
    """Whether a click chooses."""

    class Picked(Message):
        """A choice was clicked, the chosen one too."""

        def __init__(self, row: ChoiceRow, index: int) -> None:
            super().__init__()
            self.row = row
            self.index = index

        @property
        def control(self) -> ChoiceRow:
            return self.row

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._label = ""
        self._indent = 0
        self._labels: tuple[str, ...] = ()
        self._chosen = 0
        self._gap = 1
        self._down: int | None = None

    def show(self, label: str, indent: int, labels: Sequence[str], chosen: int, gap: int) -> None:
        """`label` stands in the first `indent` columns; there are `gap` blanks between choices."""
        shown = (label, indent, tuple(labels), chosen, gap)
        if shown != (self._label, self._indent, self._labels, self._chosen, self._gap):
            self._label, self._indent, self._labels, self._chosen, self._gap = shown
            self.refresh()

    def on_mount(self) -> None:
        self.set_class(not self.is_armed, "-idle")

    def watch_is_armed(self, is_armed: bool) -> None:
        self._down = None
        self.set_class(not is_armed, "-idle")

    def render(self) -> Content:
        shown = [(self._label[: self._indent], "$foreground 60%")]
        used, was_focused = len(shown[0][0]), False
        other = "$foreground 75%" if self.is_armed else ""
        for index, (start, words) in enumerate(self._placed()):
            is_chosen = index == self._chosen
            is_focused = is_chosen and self.has_focus
            space = [" "] * (start - used)
            if was_focused:
                space[0] = "◂"
            if is_focused and space:
                space[-1] = "▸"
            style = "bold reverse" if is_focused else "bold" if is_chosen else other
            shown += [("".join(space), ""), (words, style)]
            used, was_focused = start + len(words), is_focused
        return Content.assemble(*shown, "◂" if was_focused else "")

    def focus_on_click(self) -> bool:
        """A click chooses or does nothing; it never prepares the next key."""
        return False

    def on_mouse_down(self, event: events.MouseDown) -> None:
        is_heard = self.is_armed and event.button == 1
        self._down = self._at(event.x) if is_heard else None

    def on_leave(self) -> None:
        self._down = None

    def on_mouse_up(self, event: events.MouseUp) -> None:
        down, self._down = self._down, None
        if down is not None and self.is_armed and event.button == 1 and self._at(event.x) == down:
            self.post_message(self.Picked(self, down))

    def _placed(self) -> Iterator[tuple[int, str]]:
        """The words of each choice, after the column of its first cell."""
        start = self._indent
        for index, label in enumerate(self._labels):
            words = _MARKS[index == self._chosen] + label
            yield start, words
            start += len(words) + self._gap

    def _at(self, x: int) -> int | None:
        """The choice at a column."""
        for index, (start, words) in enumerate(self._placed()):
            if start <= x < start + len(words):
                return index
        return None
