"""A row of words that can be clicked, for what the keys do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

GAP = 3


@dataclass(frozen=True, slots=True)
class Verb:
    """`name` is what the message carries, `key` is shown beside the label."""

    name: str
    label: str
    key: str = ""
    is_main: bool = False

    @property
    def words(self) -> str:
        shown = f"{self.label} {self.key}".rstrip()
        return f"[ {shown} ]" if self.is_main else shown


class VerbBar(Widget):
    """Draws verbs in one row and posts the one that was clicked."""

    DEFAULT_CSS = """
    VerbBar { height: 1; color: $text-muted; }
    VerbBar > .verb-bar--main { color: $text-accent; text-style: bold; }
    """
    COMPONENT_CLASSES = {"verb-bar--main"}  # noqa: RUF012 - Textual reads the class attribute

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
        return sum(len(verb.words) + GAP for verb in self._verbs) - GAP

    def render_line(self, y: int) -> Strip:
        plain = self.rich_style
        main = self.get_component_rich_style("verb-bar--main")
        segments: list[Segment] = []
        for verb in self._verbs:
            segments += [
                Segment(verb.words, main if verb.is_main else plain),
                Segment(" " * GAP, plain),
            ]
        return Strip(segments).adjust_cell_length(self.size.width, plain)

    def on_click(self, event: events.Click) -> None:
        left = 0
        for verb in self._verbs:
            right = left + len(verb.words)
            if left <= event.x < right:
                self.post_message(self.Picked(verb.name))
                return
            left = right + GAP
