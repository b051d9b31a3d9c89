"""Labels: prose, few lines, a line of words, the frame of a widget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual import events
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Static

from ..app.content.text import spans

MOST: Final = 3
"""Lines of words beside something else."""


def component_style(widget: Widget, name: str) -> Style:
    """The style of a component class, with `reverse`: Textual's own function leaves it out."""
    style = widget.get_visual_style(name, partial=True)
    return style + Style(reverse=widget.get_component_styles(name).text_style.reverse or None)


class ClampedText(Static):
    """As high as its words, up to a few lines; `more`, after the sign of a cut, names the place of
    the whole.
    """

    DEFAULT_CSS = "ClampedText { height: auto; }"

    def __init__(
        self, *, more: str = "", id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(id=id, classes=classes, markup=False)
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
        """Take no more lines than the words need."""
        (width, kept), self._most = self._most, (0, 0)
        if kept > len(self.lines_at(width)):
            self.refresh(layout=True)

    def lines_at(self, width: int) -> list[Content]:
        """Lines in so many cells."""
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


PROSE_LIMIT = 8_000
"""Characters up to which text may be laid out by words; `LineView` takes the rest."""


class Paragraph(Static):
    """Up to a few thousand characters; hidden ones are drawn inverse."""

    DEFAULT_CSS = """
    Paragraph { height: auto; border-left: heavy $foreground-muted; padding-left: 1; }
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
        """Number of lines in so many cells."""
        return len(self._pieces.wrap(max(1, width - 2)))


def prose(text: str) -> Content:
    """Raw text as content, sanitised, with ordinary indentation kept."""
    found = spans(text, multiline=True, max_blanks=40, max_newlines=4)
    return Content.assemble(*((span.text, "reverse") if span.mark else span.text for span in found))


class AutoHeight(Vertical):
    """As high as its content."""

    DEFAULT_CSS = "AutoHeight { height: auto; }"

    class Grew(Message):
        """It takes another number of lines than before."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._lines = 0

    @property
    def lines(self) -> int:
        """Number of lines at the last layout."""
        return self._lines

    def on_resize(self, event: events.Resize) -> None:
        if event.size.height != self._lines:
            self._lines = event.size.height
            self.post_message(self.Grew())


def say(line: Static, words: Content) -> None:
    """Show these words, unless they are there already: each update lays out the whole screen."""
    said = line.content
    if not (isinstance(said, Content) and said.is_same(words)):
        line.update(words)


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

    Words are Signoff's own. Of each side the first variant that fits is drawn, so the longest comes
    first. The right side is the first to give way, unless it is `urgent`.
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
        self._is_urgent = False

    def set_words(
        self, left: Sequence[Content], right: Sequence[Content] = (), *, urgent: bool = False
    ) -> None:
        """Variants of the words on both sides, the longest first."""
        words = (tuple(left) or (Content(""),), tuple(right) or (Content(""),))
        if (*words, urgent) != (self._left, self._right, self._is_urgent):
            self._left, self._right = words
            self._is_urgent = urgent
            self.refresh()

    def render(self) -> Content:
        first, line, last = CORNERS[self._place, self._is_heavy]
        room = self.size.width - 4
        sides = [self._left, self._right]
        if self._is_urgent:
            sides.reverse()
        one = _fitting(sides[0], room)
        other = _fitting(sides[1], room - one.cell_length - 1)
        left, right = (other, one) if self._is_urgent else (one, other)
        fill = max(room - left.cell_length - right.cell_length, 0)
        return Content.assemble(first + line, left, line * fill, right, line + last)


def _fitting(wordings: Sequence[Content], room: int) -> Content:
    """The first of the wordings that fits; else nothing."""
    return next((one for one in wordings if one.cell_length <= room), Content(""))


_FRAME = 6
"""Cells of the frame beside its words: corners, a bit of line, a blank."""


def that_fits(box: Widget, wordings: Sequence[Content]) -> Content:
    """The first of the wordings that fits on a side of the box, which is laid out; else the last.

    The longest comes first.
    """
    room = box.outer_size.width - _FRAME
    return next((one for one in wordings if one.cell_length <= room), wordings[-1])
