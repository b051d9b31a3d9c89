"""A choice of a few, in one line or in as many as a narrow form takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from .search_select import is_letter, starting_with

FEW: Final = 5
"""Fewer choices than this share one line, if they are short."""
LINE_WIDTH: Final = 40


def is_short(labels: Sequence[str]) -> bool:
    """True if choices are few and short enough for one line."""
    return len(labels) < FEW and sum(map(len, labels)) <= LINE_WIDTH


BETWEEN: Final = "  "
"""What parts two choices of a line."""


class ChoiceLine(Widget, can_focus=True):
    """A few choices in one line, one of them taken: `○ not sent  ● true  ○ false`.

    `labels` are drawn literally and have to be sanitised already.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    ChoiceLine {
        height: auto;
        padding: 0 1;
        color: $text-muted;
        background: $surface;
        &:focus { background: $surface-lighten-1; }
        &:focus .choice-line--taken { text-style: bold reverse; }
        .choice-line--taken { color: $foreground; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"choice-line--taken"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "left",
            "step(-1)",
            "Previous",
            show=False,
            id="choice.previous",
            tooltip="Take the choice to the left.",
        ),
        Binding(
            "right,space",
            "step(1)",
            "Next",
            show=False,
            id="choice.next",
            tooltip="Take the choice to the right.",
        ),
    ]

    taken: reactive[int] = reactive(0, layout=False)

    class Taken(Message):
        """The person took another choice."""

        def __init__(self, line: ChoiceLine, index: int) -> None:
            super().__init__()
            self.line = line
            self.index = index

        @property
        def control(self) -> ChoiceLine:
            return self.line

    def __init__(self, labels: tuple[str, ...], taken: int) -> None:
        super().__init__()
        self._labels = labels
        self.set_reactive(ChoiceLine.taken, taken)

    def render(self) -> Content:
        style = self.get_visual_style("choice-line--taken", partial=True)
        parts: list[Content] = []
        for index, label in enumerate(self._labels):
            part = Content(f"{'●' if index == self.taken else '○'} {label}")
            parts.append(part.stylize(style) if index == self.taken else part)
        rows = [[parts[index] for index in row] for row in self._rows(self.content_size.width)]
        return Content("\n").join(Content(BETWEEN).join(row) for row in rows)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """So many rows that no sign is parted from its word."""
        if any(cells > width for cells in self._cells()):
            return super().get_content_height(container, viewport, width)
        return len(self._rows(width))

    def _cells(self) -> list[int]:
        return [cell_len(label) + 2 for label in self._labels]

    def _rows(self, width: int) -> list[list[int]]:
        """The choices of each row; all in one where a choice alone is too wide, or none is laid
        out yet."""
        rows: list[list[int]] = [[]]
        used = 0
        cells = self._cells()
        if max(cells, default=0) > width:
            return [list(range(len(cells)))]
        for index, needed in enumerate(cells):
            if rows[-1] and used + len(BETWEEN) + needed > width:
                rows.append([])
                used = 0
            used += needed + len(BETWEEN) * bool(rows[-1])
            rows[-1].append(index)
        return rows

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        # In a form, letters are for typing: none of them is a key of the screen.
        return is_letter(character)

    def on_key(self, event: events.Key) -> None:
        if event.character is not None and is_letter(event.character):
            index = starting_with(self._labels, event.character, self.taken)
            if index is not None:
                event.stop()
                event.prevent_default()
                self._choose(index)

    def action_step(self, by: int) -> None:
        self._choose((self.taken + by) % len(self._labels))

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if place is None:
            return
        rows = self._rows(self.content_size.width)
        if self.content_size.height != len(rows):
            # A click on a choice of several lines takes the next one, whatever the line.
            self.action_step(1)
            return
        at = 0
        cells = self._cells()
        for index in rows[min(place.y, len(rows) - 1)]:
            if at <= place.x < at + cells[index]:
                self._choose(index)
            at += cells[index] + len(BETWEEN)

    def _choose(self, index: int) -> None:
        if index != self.taken:
            self.taken = index
            self.post_message(self.Taken(self, index))
