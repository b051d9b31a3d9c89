"""A list that paints only the rows in sight, for any number of rows."""

from __future__ import annotations

from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ..bindings import bindings_of
from ..cells import ELLIPSIS, fit

FIRST_ROW: Final = "Go to the first row."
LAST_ROW: Final = "Go to the last row."

WHOLE_LINES = 3
WHOLE_CELLS = 1_000
"""Width of a row without cuts; a longer text can be opened."""


class PaintedList(ScrollView, can_focus=True):
    """Rows of one line each, a cursor, and the keys and clicks that move it.

    A subclass keeps the rows, sets their number by `set_rows`, and draws one at a time. Moving the
    cursor repaints two lines; the wheel scrolls and leaves the cursor in place. With `tells_whole`,
    the row under the cursor is repeated whole on the last lines, if it is cut and the list has the
    focus.
    """

    tells_whole = False

    ALLOW_SELECT = False

    DEFAULT_CSS = """
    PaintedList {
        background: $surface;
        color: $foreground;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
    }
    PaintedList > .row-list--cursor {
        color: $block-cursor-blurred-foreground;
        background: $block-cursor-blurred-background;
    }
    PaintedList:focus > .row-list--cursor {
        color: $block-cursor-foreground;
        background: $block-cursor-background;
        text-style: $block-cursor-text-style;
    }
    PaintedList > .row-list--muted { color: $text-muted; }
    PaintedList > .row-list--whole { color: $foreground; background: $panel; }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "row-list--cursor",
        "row-list--muted",
        "row-list--whole",
    }

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("list")

    class NoneChosen(Message):
        """Enter was pressed in a list without rows."""

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
        disabled: bool = False,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes, disabled=disabled)
        self._count = 0
        self._cursor = 0
        self._last_height = 0
        self._base: Style | None = None
        """The style of a row without the cursor, while rows are drawn."""
        self._whole: list[str] = []
        """The row under the cursor on lines of its own, if it is cut."""

    def draw_row(self, index: int, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        """The segments of one row, at most `width` cells; `base` is the style of the whole row."""
        raise NotImplementedError

    def empty_text(self) -> str:
        """Text of a list without rows, in words of our own."""
        return "nothing here"

    def cursor_moved(self) -> None:
        """The cursor is on another row than before."""

    def row_chosen(self, index: int) -> None:
        """Enter was pressed on a row."""

    def row_clicked(self, index: int, x: int, chain: int) -> None:
        """A row was clicked in cell `x`, for the `chain`th time in a row; a second click opens it.

        The cursor is on it, unless it passes over such rows.
        """
        if chain == 2 and index == self.cursor:
            self.row_chosen(index)

    @property
    def row_count(self) -> int:
        return self._count

    @property
    def cursor(self) -> int | None:
        """The row that the cursor is on; None in an empty list."""
        return self._cursor if self._count else None

    def set_rows(self, count: int, cursor: int, top: int) -> None:
        """Take note of other rows: how many, where the cursor is, and the first row in sight."""
        self._count = count
        self._cursor = max(0, min(cursor, count - 1))
        self._set_length(count)
        self.scroll_to(y=max(0, min(top, self.max_scroll_y)), animate=False)
        self._tell_whole()
        self.refresh()

    def _set_length(self, count: int) -> None:
        """Set the number of rows; the screen is laid out again only if something moves."""
        size, has_bar = Size(0, count), self.show_vertical_scrollbar
        if self.virtual_size == size:
            return
        if has_bar and count > self.container_size.height and self._has_given_height:
            self.set_reactive(PaintedList.virtual_size, size)
            self.vertical_scrollbar.window_virtual_size = count
        else:
            self.virtual_size = size

    @property
    def _has_given_height(self) -> bool:
        """True if the list is as high as it is, however many rows it has."""
        height = self.styles.height
        return height is not None and not height.is_auto

    def move_cursor(self, index: int) -> None:
        """Put the cursor on a row, clamped to the list, and bring it into sight."""
        if not self._count:
            return
        index = max(0, min(index, self._count - 1))
        moved, before = index != self._cursor, self._cursor
        self._cursor = index
        self.show_cursor()
        if moved:
            self.refresh_line(before)
            self.refresh_line(index)
            self._tell_whole()
            self.cursor_moved()

    def show_cursor(self) -> None:
        """Scroll by as little as brings the cursor into sight, once there is any room."""
        if not self.scrollable_content_region.height:
            return
        top, height = self.scroll_offset.y, self.page_height
        # By force: rows that were just added have no scrollbar yet, which would prohibit it.
        if self._cursor < top:
            self.scroll_to(y=self._cursor, animate=False, force=True)
        elif self._cursor >= top + height:
            self.scroll_to(y=self._cursor - height + 1, animate=False, force=True)

    @property
    def page_height(self) -> int:
        return max(1, self.scrollable_content_region.height - len(self._whole))

    @property
    def rows_needed(self) -> int:
        """Lines of the rows, including the full text of one."""
        return self._count + len(self._whole)

    def watch_has_focus(self, value: bool) -> None:
        super().watch_has_focus(value)
        self._tell_whole()

    def _tell_whole(self) -> None:
        """Draw the cut row under the cursor whole on the last lines."""
        if not self.tells_whole:
            return
        before, self._whole = self._whole, self._whole_lines() if self.has_focus else []
        if len(before) != len(self._whole):
            # The last rows can still be scrolled to.
            self.virtual_size = Size(0, self._count + len(self._whole))
            self.show_cursor()
            self.refresh()
            self.whole_changed()
        elif before != self._whole:
            self.refresh()

    @property
    def whole_room(self) -> int:
        """Lines that may go to telling a row whole."""
        return self.scrollable_content_region.height // 2

    def whole_changed(self) -> None:
        """The full text of the row under the cursor takes more lines, or fewer."""

    def _whole_lines(self) -> list[str]:
        region = self.scrollable_content_region
        room = min(WHOLE_LINES, self.whole_room)
        if not self._count or region.width < 2 or room < 1:
            return []
        plain = Style()
        shown, whole = (
            " ".join("".join(one.text for one in segments).split())
            for segments in (
                self.draw_row(self._cursor, region.width, plain, True),
                self.draw_row(self._cursor, WHOLE_CELLS, plain, True),
            )
        )
        if ELLIPSIS not in shown or shown == whole:
            return []
        # Without a label it would look like one more row.
        words = f"in full: {whole.removeprefix('› ')}"
        lines = [line.plain for line in Content(words).wrap(region.width - 2)]
        if len(lines) > room:
            lines = [*lines[: room - 1], fit(" ".join(lines[room - 1 :]), region.width - 2)]
        return lines

    def action_move(self, rows: int) -> None:
        self.move_cursor(self._cursor + rows)

    def action_first(self) -> None:
        self.move_cursor(0)

    def action_last(self) -> None:
        self.move_cursor(self._count - 1)

    def action_page(self, pages: float) -> None:
        rows = max(1, int(self.page_height * abs(pages)))
        self.move_cursor(self._cursor + (rows if pages > 0 else -rows))

    def action_choose(self) -> None:
        if self._count:
            self.row_chosen(self._cursor)
        else:
            self.post_message(self.NoneChosen())

    def on_resize(self, event: events.Resize) -> None:
        self._tell_whole()
        line = self._cursor - self.scroll_offset.y
        if self._count and (not self._last_height or 0 <= line < self._last_height):
            self.show_cursor()
        self._last_height = self.scrollable_content_region.height

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = offset.y + self.scroll_offset.y
        if 0 <= index < self._count:
            event.stop()
            self.move_cursor(index)
            self.row_clicked(index, offset.x, event.chain)

    def row_style(self, under_cursor: bool) -> Style:
        if under_cursor:
            return self.get_component_rich_style("row-list--cursor")
        return self._plain_style

    @property
    def _plain_style(self) -> Style:
        return self._base if self._base is not None else self.rich_style

    def render_lines(self, crop: Region) -> list[Strip]:
        # Looking it up takes longer than drawing a row.
        self._base = self.rich_style
        try:
            return super().render_lines(crop)
        finally:
            self._base = None

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index = self.scroll_offset.y + y
        base = self._plain_style
        segments: list[Segment] = []
        told = y - (self.scrollable_content_region.height - len(self._whole))
        if told >= 0 and self._whole:
            base = self.get_component_rich_style("row-list--whole")
            segments = [Segment(f"  {self._whole[told]}", base)]
        elif index < self._count:
            under_cursor = index == self._cursor
            base = self.row_style(under_cursor)
            segments = self.draw_row(index, width, base, under_cursor)
        elif y == 0 and not self._count:
            muted = self.get_component_rich_style("row-list--muted")
            segments = [Segment(" " + fit(self.empty_text(), width - 1), muted)]
        return Strip(segments).adjust_cell_length(width, base)
