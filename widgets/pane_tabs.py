"""One line of tabs for the narrow layout."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

GAP = 2


class PaneTabs(Widget):
    """Labels in one row, the current one reversed; a click picks one."""

    DEFAULT_CSS = """
    PaneTabs { height: 1; background: $surface; color: $text-muted; }
    PaneTabs > .pane-tabs--current { color: $foreground; text-style: bold reverse; }
    """
    COMPONENT_CLASSES = {"pane-tabs--current"}  # noqa: RUF012 - Textual reads the class attribute

    class Picked(Message):
        """A tab was clicked; `index` counts from 0."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._labels: tuple[str, ...] = ()
        self._current = 0

    def show(self, labels: Sequence[str], current: int) -> None:
        if (tuple(labels), current) != (self._labels, self._current):
            self._labels, self._current = tuple(labels), current
            self.refresh()

    def render_line(self, y: int) -> Strip:
        plain = self.rich_style
        current = self.get_component_rich_style("pane-tabs--current")
        gap, hidden = self._squeeze()
        segments = [Segment(" ", plain)]
        for index, label in enumerate(self._labels):
            style = current if index == self._current else plain
            segments += [Segment(f" {label} ", style), Segment(" " * gap, plain)]
        width = self.size.width
        return Strip(segments).crop_extend(hidden, hidden + width, plain)

    def on_click(self, event: events.Click) -> None:
        gap, hidden = self._squeeze()
        left = 1 - hidden
        for index, label in enumerate(self._labels):
            right = left + len(label) + 2
            if left <= event.x < right:
                self.post_message(self.Picked(index))
                return
            left = right + gap

    def _squeeze(self) -> tuple[int, int]:
        """The gap between labels, and the cells hidden on the left so that the current is seen."""
        cells = [len(label) + 2 for label in self._labels]
        gap = GAP if 1 + sum(cells) + GAP * (len(cells) - 1) <= self.size.width else 0
        end = 1 + sum(cells[: self._current + 1]) + gap * self._current
        return gap, max(0, end - self.size.width)
