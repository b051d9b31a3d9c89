"""Bars of one line: clickable words, tabs, the line for a filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive, reactive
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from ..app.content.frozen import frozen

GAP = 3
CUT = "…"
"""The sign in the place of verbs that do not fit."""


@frozen
class Verb:
    """`name` is carried by the message, `key` is shown before the label."""

    name: str
    label: str
    key: str = ""
    is_main: bool = False

    @property
    def words(self) -> str:
        shown = f"{self.key} {self.label}".lstrip()
        return f"[ {shown} ]" if self.is_main else shown


class VerbBar(Widget):
    """Draws verbs in one row and posts the one that was clicked.

    In a narrow place the gaps shrink; then verbs before the last one are left out, with a sign.
    """

    DEFAULT_CSS = """
    VerbBar { height: 1; color: $text-muted; }
    VerbBar > .verb-bar--main { color: $text-accent; text-style: bold; }
    VerbBar > .verb-bar--key { color: $footer-key-foreground; text-style: bold; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"verb-bar--main", "verb-bar--key"}

    class Picked(Message):
        """A verb was clicked."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(
        self, verbs: Sequence[Verb] = (), *, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._verbs = tuple(verbs)

    def show(self, verbs: Sequence[Verb]) -> None:
        if tuple(verbs) != self._verbs:
            self._verbs = tuple(verbs)
            self.refresh()

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return _cells(self._verbs, GAP)

    def render_line(self, y: int) -> Strip:
        plain = self.rich_style
        main = self.get_component_rich_style("verb-bar--main")
        key = self.get_component_rich_style("verb-bar--key")
        shown, gap = self._fitting()
        segments: list[Segment] = []
        for verb in shown:
            if verb.is_main:
                segments.append(Segment(verb.words, main))
            else:
                rest = verb.words.removeprefix(verb.key)
                segments += [Segment(verb.key, key), Segment(rest, plain)]
            segments.append(Segment(" " * gap, plain))
        return Strip(segments).adjust_cell_length(self.size.width, plain)

    def on_click(self, event: events.Click) -> None:
        left = 0
        shown, gap = self._fitting()
        for verb in shown:
            right = left + len(verb.words)
            if left <= event.x < right and verb.name:
                self.post_message(self.Picked(verb.name))
                return
            left = right + gap

    def _fitting(self) -> tuple[list[Verb], int]:
        """The verbs that fit, with the gap between them; a verb without a name is the sign."""
        shown, width = list(self._verbs), self.size.width
        if not shown:
            return [], GAP
        for gap in range(GAP, 0, -1):
            if _cells(shown, gap) <= width:
                return shown, gap
        first, last = shown[:-1], shown[-1]
        while first:
            first.pop()
            kept = [*first, Verb("", CUT), last]
            if _cells(kept, 1) <= width:
                return kept, 1
        return [last], 1


def _cells(verbs: Sequence[Verb], gap: int) -> int:
    return sum(len(verb.words) for verb in verbs) + gap * (len(verbs) - 1)


TAB_GAP = 2


MORE_LEFT, MORE_RIGHT = "‹", "›"
"""Signs that there are more tabs on that side."""


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
        width, whole = self.size.width, Strip(segments)
        shown = whole.crop_extend(hidden, hidden + width, plain)
        if width > 2 and whole.cell_length > hidden + width + gap + 1:
            shown = Strip([*shown.crop(0, width - 1), Segment(MORE_RIGHT, plain)], width)
        if width > 2 and hidden:
            shown = Strip([Segment(MORE_LEFT, plain), *shown.crop(1, width)], width)
        return shown

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
        gap = TAB_GAP if 1 + sum(cells) + TAB_GAP * (len(cells) - 1) <= self.size.width else 0
        end = 1 + sum(cells[: self._current + 1]) + gap * self._current
        return gap, max(0, end - self.size.width)


class FilterInput(Input):
    """An input as wide as its place, whatever is in it.

    A letter in it lays out nothing: the list below is painted as soon as it is narrowed.
    """

    virtual_size: Reactive[Size] = reactive(Size(0, 0))
