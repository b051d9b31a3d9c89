"""Text of a server, word-wrapped behind a gutter that only Signoff draws."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from ..app.content.text import spans

PROSE_LIMIT = 8_000
"""Characters up to which text may be laid out by words; `LineView` takes the rest."""


class Prose(Static):
    """Up to a few thousand characters; what was hidden in them is drawn inverse."""

    DEFAULT_CSS = """
    Prose { height: auto; border-left: heavy $foreground-muted; padding-left: 1; }
    """

    def __init__(self, text: str = "", *, classes: str | None = None) -> None:
        self._pieces = prose(text)
        super().__init__(self._pieces, classes=classes, markup=False)

    def show(self, text: str, notice: str = "") -> None:
        """Draw raw text; `notice` is a last line of our own."""
        pieces = prose(text)
        if notice:
            pieces = Content.assemble(pieces, "\n", (notice, "italic $foreground-muted"))
        self._pieces = pieces
        self.update(pieces)

    def lines_at(self, width: int) -> int:
        """How many lines it takes in so many cells."""
        return len(self._pieces.wrap(max(1, width - 2)))


def prose(text: str) -> Content:
    """Raw text as content, sanitised, with ordinary indentation kept."""
    found = spans(text, multiline=True, max_blanks=40, max_newlines=4)
    return Content.assemble(*((span.text, "reverse") if span.mark else span.text for span in found))
