"""Words of Signoff in a few lines: what does not fit into them is marked as cut."""

from __future__ import annotations

from typing import Final

from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

MOST: Final = 3
"""Lines of words that stand beside something else."""


class FewLines(Static):
    """As high as its words, up to a few lines; `more`, after the sign of a cut, says where all of
    it stands."""

    DEFAULT_CSS = "FewLines { height: auto; }"

    def __init__(self, *, more: str = "", classes: str | None = None) -> None:
        super().__init__(classes=classes, markup=False)
        self._more = more
        self._is_whole = False
        self._is_kept = False
        self._most = (0, 0)
        """For which width, and how many lines were taken in it since they are kept."""

    def show_whole(self, is_whole: bool) -> None:
        """Take as many lines as the words need, or few again."""
        if is_whole is not self._is_whole:
            self._is_whole = is_whole
            self.refresh(layout=True)

    def keep_lines(self, is_kept: bool) -> None:
        """From now on take no fewer lines than before, or as few as the words need again."""
        if is_kept is not self._is_kept:
            self._is_kept = is_kept
            self._most = (0, 0)
            self.refresh(layout=True)

    def let_go(self) -> None:
        """Other words are to follow: what is kept is counted from them."""
        self._most = (0, 0)

    def lines_at(self, width: int) -> list[Content]:
        """What is drawn in so many cells."""
        words = self.content
        said = words if isinstance(words, Content) else Content(str(words))
        lines = list(said.wrap(max(2, width)))
        if self._is_whole or len(lines) <= MOST:
            return lines
        last = lines[MOST - 1]
        mark = Content(f" … {self._more}".rstrip())
        last = last.truncate(max(1, width - mark.cell_length)).rstrip()
        return [*lines[: MOST - 1], Content.assemble(last, mark)]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        if not width:
            return 0
        lines = len(self.lines_at(width))
        if not self._is_kept:
            return lines
        before = self._most[1] if self._most[0] == width else 0
        self._most = (width, max(before, lines))
        return self._most[1]

    def render(self) -> Content:
        return Content("\n").join(self.lines_at(self.content_size.width))
