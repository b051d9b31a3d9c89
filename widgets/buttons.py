"""Buttons: a guarded one, and a row of choices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

_BAR: Final = 5
FILL_CELLS: Final = _BAR + 1
"""Cells that a bar takes beside the label of a button."""


def bar(share: float) -> str:
    """`▰▰▰▱▱`: how much has passed."""
    full = round(share * _BAR)
    return "▰" * full + "▱" * (_BAR - full)


class GuardedButton(Widget, can_focus=True):
    """One line of text; focus shows as a pair of arrows and inverse, so without colour too."""

    DEFAULT_CSS = """
    GuardedButton {
        width: auto;
        height: 1;
        content-align-horizontal: center;
        pointer: pointer;
        color: $foreground;
        background: $foreground 10%;
        &:hover { background: $foreground 20%; }
        &:focus { text-style: bold reverse; }
        &.-idle { color: $foreground 40%; pointer: default; }
        &.-idle:hover { background: $foreground 10%; }
    }
    """

    ALLOW_SELECT = False

    label: reactive[str] = reactive("", layout=True)
    is_armed: reactive[bool] = reactive(False)
    """Whether it can be pressed now."""
    filled: reactive[float | None] = reactive(None)
    """A share from 0 to 1 that is drawn as a bar beside the label, if it has room for one."""
    room: reactive[int] = reactive(3, layout=True)
    """Cells on either side of the label; without any, focus is inverse only."""

    class Pressed(Message):
        def __init__(self, button: GuardedButton) -> None:
            super().__init__()
            self.button = button

        @property
        def control(self) -> GuardedButton:
            return self.button

    def __init__(self, label: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.set_reactive(GuardedButton.label, label)
        self._is_down = False

    def on_mount(self) -> None:
        self.set_class(not self.is_armed, "-idle")

    def render(self) -> Content:
        left, right = "▸◂" if self.has_focus else "  "
        label = self.label
        if self.filled is not None and self._has_room_for_bar:
            label = f"{label} {bar(self.filled)}"
        return Content(f"{left:^{self.room}}{label}{right:^{self.room}}" if self.room else label)

    @property
    def _has_room_for_bar(self) -> bool:
        # By the reserved width: the drawing must not change its own room.
        least = self.styles.min_width
        needed = len(self.label) + FILL_CELLS + 2 * self.room
        return least is not None and least.value >= needed

    def validate_filled(self, filled: float | None) -> float | None:
        """Only whole cells are drawn: nothing is drawn again in between."""
        return None if filled is None else int(filled * _BAR) / _BAR

    def focus_on_click(self) -> bool:
        """A click presses or does nothing; it never prepares the next key."""
        return False

    def watch_is_armed(self, is_armed: bool) -> None:
        self._is_down = False
        self.set_class(not is_armed, "-idle")

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._is_down = self.is_armed and event.button == 1

    def on_leave(self) -> None:
        self._is_down = False

    def on_mouse_up(self, event: events.MouseUp) -> None:
        was_down, self._is_down = self._is_down, False
        if was_down and self.is_armed and event.button == 1:
            self.post_message(self.Pressed(self))


def reserve_bar(buttons: Sequence[GuardedButton], columns: int) -> None:
    """Give the last button room for its bar, if so many columns have it beside the others."""
    *others, last = buttons
    wanted = len(last.label) + FILL_CELLS + 2 * last.room
    used = sum(len(one.label) + 2 * one.room + 1 for one in others)
    last.styles.min_width = wanted if used + wanted <= columns else 0


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
        """`label` is in the first `indent` columns; `gap` blanks separate the choices."""
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
