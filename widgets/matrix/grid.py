"""Every tool against every policy: a grid of verdicts that paints only the cells in sight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ...app.protocol.tool import ToolDefinition
from ..bindings import bindings_of
from ..cells import fit
from .paint import ColumnLayout, Painter
from .rows import (
    GridColumn,
    GridRow,
    Line,
    Sides,
    lines_of,
    widest_words,
)

_ROLES = (
    *("run", "ask", "strong", "refused", "hidden", "unknown"),
    *("muted", "head", "name", "current", "accent", "cursor", "divider", "faded", "what-if"),
    *("effect-read_only", "effect-additive", "effect-destructive"),
    *("effect-undeclared", "effect-contradictory"),
)


FEW_COLUMNS: Final = 4
"""So many hosts beside the policies are enough to begin with."""


class MatrixGrid(ScrollView, can_focus=True):
    """Rows of tools, columns of policies and hosts, and a cursor on one cell.

    The heads and the names of the tools stay in sight. Columns scroll one by one, so that none is
    ever cut. A row with a what-if takes a second line under the server's own.
    """

    ALLOW_SELECT = False

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"matrix--{role}" for role in _ROLES}

    DEFAULT_CSS = """
    MatrixGrid {
        background: $background;
        color: $foreground;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
        &> .matrix--run { color: $foreground; background: $success-muted; }
        &> .matrix--ask { color: $foreground; background: $warning-muted; }
        &> .matrix--strong {
            color: $foreground; background: $warning 45%; text-style: bold;
        }
        &:nocolor > .matrix--run { background: $background; }
        &> .matrix--refused { color: $foreground; background: $error-muted; }
        &> .matrix--hidden { color: $foreground 70%; background: $panel; }
        &> .matrix--unknown { color: $foreground 70%; }
        &> .matrix--muted { color: $foreground 60%; }
        &> .matrix--head { color: $foreground 80%; }
        &> .matrix--name { color: $foreground; }
        &> .matrix--current { color: $text-accent; text-style: bold; }
        &> .matrix--accent { color: $text-accent; text-style: bold; }
        &> .matrix--divider { color: $foreground 50%; }
        &> .matrix--faded { color: $foreground 50%; }
        &> .matrix--what-if { color: $text-accent; text-style: italic; }
        &> .matrix--cursor {
            color: $block-cursor-blurred-foreground; background: $block-cursor-blurred-background;
        }
        &> .matrix--effect-read_only { color: $text-success; }
        &> .matrix--effect-additive { color: $text-primary; }
        &> .matrix--effect-destructive { color: $text-error; }
        &> .matrix--effect-undeclared { color: $text-warning; }
        &> .matrix--effect-contradictory { color: $text-error; }
    }
    MatrixGrid:focus > .matrix--cursor {
        color: $block-cursor-foreground;
        background: $block-cursor-background;
        text-style: $block-cursor-text-style;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("matrix: grid")

    class Moved(Message):
        """The cursor is on another cell, or the cell under it shows something else."""

    class Chosen(Message):
        """Enter was pressed on a cell of this column."""

        def __init__(self, column: int) -> None:
            super().__init__()
            self.column = column

    class NoneChosen(Message):
        """Enter was pressed in a grid without rows."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._layout = ColumnLayout()
        self._sides = Sides.BOTH
        self._columns: tuple[GridColumn, ...] = ()
        self._rows: tuple[GridRow, ...] = ()
        self._lines: list[Line] = []
        self._line_of: list[int] = []
        self._widest: list[int] = []
        self._longest_name = 0
        self._roles: dict[str, Style] = {}
        self._row = 0
        self._column = 0
        self._empty = "no tools"
        self._painter = Painter(self._layout, self._role, self._sides)

    # Display

    def show(
        self,
        columns: Sequence[GridColumn],
        rows: Sequence[GridRow],
        sides: Sides,
        empty: str = "no tools",
    ) -> None:
        """Draw these rows; `empty` is the text without any.

        The cursor stays on its tool, else at its place.
        """
        kept = self.row.tool if self.row else None
        same_columns = [c.title for c in columns] == [c.title for c in self._columns]
        widest = widest_words(rows, len(columns), sides)
        if same_columns and sides is self._sides and self._widest:
            # Columns do not get narrower while one looks on: what moves is to be the verdicts.
            widest = [max(pair) for pair in zip(widest, self._widest, strict=True)]
        self._columns, self._rows, self._sides = tuple(columns), tuple(rows), sides
        self._widest, self._empty = widest, empty
        self._longest_name = max((len(row.tool.name) + 1 for row in rows), default=0)
        self._lines = lines_of(self._rows)
        self._line_of = [at for at, line in enumerate(self._lines) if line.is_own]
        self._row = self._place(kept)
        self._column = max(0, min(self._column, len(self._columns) - 1))
        self._arrange()
        self._show_cursor()
        self.post_message(self.Moved())

    @property
    def all_rows(self) -> int:
        """Rows of the terminal for all of it, with the heads."""
        return self._top + max(len(self._lines), 1)

    @property
    def row(self) -> GridRow | None:
        """The row of the cursor; None without rows."""
        return self._rows[self._row] if self._rows else None

    @property
    def column(self) -> int:
        """The column that the cursor is on."""
        return self._column

    def move_to(self, row: int, column: int) -> None:
        """Put the cursor on a cell, clamped to the grid, and bring it into sight."""
        if not self._rows or not self._columns:
            return
        row = max(0, min(row, len(self._rows) - 1))
        column = max(0, min(column, len(self._columns) - 1))
        moved = (row, column) != (self._row, self._column)
        self._row, self._column = row, column
        self._show_cursor()
        if moved:
            self.refresh()
            self.post_message(self.Moved())

    def move_to_tool(self, tool: ToolDefinition | None, column: int) -> None:
        """Put the cursor on a tool, on the first one if it is not there."""
        at = next((at for at, row in enumerate(self._rows) if row.tool is tool), 0)
        self.move_to(at, column)

    def start_at(self, column: int) -> None:
        """Put the cursor on a column, as the first one in sight, if few after it are in sight."""
        in_sight = sum(place.column >= column for place in self._layout.places())
        if in_sight < min(FEW_COLUMNS, len(self._columns) - column):
            self._layout.first = min(column, self._layout.last_first)
            self.move_to(self._row, column)
            self.refresh()

    # Keys and mouse

    def action_rows(self, by: int) -> None:
        self.move_to(self._row + by, self._column)

    def action_columns(self, by: int) -> None:
        self.move_to(self._row, self._column + by)

    def action_to_column(self, at: int) -> None:
        self.move_to(self._row, at % max(len(self._columns), 1))

    def action_to_row(self, at: int) -> None:
        self.move_to(at % max(len(self._rows), 1), self._column)

    def action_pages(self, pages: float) -> None:
        lines = max(1, int(self._page * abs(pages)))
        self.action_rows(lines if pages > 0 else -lines)

    def action_choose(self) -> None:
        if not self._rows:
            self.post_message(self.NoneChosen())
        elif self._columns:
            self.post_message(self.Chosen(self._column))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        event.stop()
        column = self._layout.column_at(offset.x)
        line = offset.y - self._top + self.scroll_offset.y
        on_row = offset.y >= self._top and line < len(self._lines)
        self.move_to(
            self._lines[line].row if on_row else self._row,
            self._column if column is None else column,
        )

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        self._scroll_columns(event, 1)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        self._scroll_columns(event, -1)

    def on_resize(self) -> None:
        self._arrange()
        self._show_cursor()

    # Painting

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._roles.clear()

    def watch_has_focus(self, focused: bool) -> None:
        self._roles.clear()
        super().watch_has_focus(focused)

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        return (
            Strip(self._segments(y, width)).crop(0, width).adjust_cell_length(width, self._role(""))
        )

    def _segments(self, y: int, width: int) -> list[Segment]:
        if not self._columns or not self._rows:
            return [Segment(" " + fit(self._empty, width - 1), self._role("muted"))] * (y == 0)
        if y == 0:
            return self._painter.groups()
        if y < self._top:
            return self._painter.head(y - 1, self._top - 1, self._column)
        at = self.scroll_offset.y + y - self._top
        if at >= len(self._lines):
            return []
        line = self._lines[at]
        row = self._rows[line.row]
        if line.is_heading:
            return self._painter.heading(row)
        cursor = self._column if line.row == self._row else None
        return (
            self._painter.what_if(row, cursor)
            if line.is_what_if
            else (self._painter.own(row, cursor))
        )

    def _role(self, name: str) -> Style:
        style = self._roles.get(name)
        if style is None:
            style = self.get_component_rich_style(f"matrix--{name}") if name else self.rich_style
            if name == "divider":
                # It is between two words, on the background of one of them.
                style = Style(color=style.color)
            self._roles[name] = style
        return style

    # Inside

    @property
    def _top(self) -> int:
        """The lines that the heads take."""
        return 1 + self._painter.head_rows

    @property
    def _page(self) -> int:
        return max(1, self.scrollable_content_region.height - self._top)

    def _place(self, tool: ToolDefinition | None) -> int:
        """The row of this tool, or the nearest one after its old place."""
        if tool is None:
            return 0
        for at, row in enumerate(self._rows):
            if row.tool is tool:
                return at
        named = [at for at, row in enumerate(self._rows) if row.tool.name == tool.name]
        for at in named:
            if self._rows[at].tool.index == tool.index:
                return at
        if named:
            # Other tools have been listed before it since.
            return named[0]
        return max(0, min(self._row, len(self._rows) - 1))

    def _arrange(self) -> None:
        width = self.scrollable_content_region.width
        self._layout.arrange(self._columns, self._widest, self._longest_name, width)
        self._painter = Painter(self._layout, self._role, self._sides)
        size = Size(0, len(self._lines) + self._top)
        if size != self.virtual_size:
            self.virtual_size = size
        self.refresh()

    def _show_cursor(self) -> None:
        """Scroll by as little as shows the cursor's cell, its heading and its what-if."""
        if not self._rows or not self._columns:
            return
        if self._layout.bring_into_sight(self._column):
            self.refresh()
        first = self._line_of[self._row]
        last = first + bool(self._rows[self._row].what_if)
        top = self.scroll_offset.y
        if last >= top + self._page:
            top = last - self._page + 1
        top = min(top, first - bool(self._rows[self._row].heading))
        if top != self.scroll_offset.y:
            self.scroll_to(y=top, animate=False)

    def _scroll_columns(self, event: events.MouseEvent, by: int) -> None:
        event.stop()
        event.prevent_default()
        first = max(0, min(self._layout.first + by, self._layout.last_first))
        if first != self._layout.first:
            self._layout.first = first
            self.refresh()
