"""One horizontal line of a frame, with words set into it."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widget import Widget

CORNERS = {
    ("top", False): ("╭", "─", "╮"),
    ("middle", False): ("├", "─", "┤"),
    ("bottom", False): ("╰", "─", "╯"),
    ("top", True): ("┏", "━", "┓"),
    ("middle", True): ("┠", "─", "┨"),
    ("bottom", True): ("┗", "━", "┛"),
}


class FrameLine(Widget):
    """The top, a middle or the bottom of a frame.

    Words are Signoff's own. Of each side the first variant that fits is drawn, the right side first
    to give way, so the longest comes first.
    """

    DEFAULT_CSS = """
    FrameLine { height: 1; width: 1fr; }
    """

    ALLOW_SELECT = False

    def __init__(self, place: str, *, is_heavy: bool = False, id: str | None = None) -> None:
        super().__init__(id=id)
        self._place = place
        self._is_heavy = is_heavy
        self._left: tuple[Content, ...] = (Content(""),)
        self._right: tuple[Content, ...] = (Content(""),)

    def set_words(self, left: Sequence[Content], right: Sequence[Content] = ()) -> None:
        """Variants of the words on both sides, the longest first."""
        words = (tuple(left) or (Content(""),), tuple(right) or (Content(""),))
        if words != (self._left, self._right):
            self._left, self._right = words
            self.refresh()

    def render(self) -> Content:
        first, line, last = CORNERS[self._place, self._is_heavy]
        room = self.size.width - 4
        left = next((one for one in self._left if one.cell_length <= room), Content(""))
        rest = room - left.cell_length - 1
        right = next((one for one in self._right if one.cell_length <= rest), Content(""))
        fill = max(room - left.cell_length - right.cell_length, 0)
        return Content.assemble(first + line, left, line * fill, right, line + last)
