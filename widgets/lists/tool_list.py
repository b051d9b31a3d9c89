"""The list of tools, grouped by the effect of their hints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType

from ...app.protocol.hints import Effect
from ...app.protocol.tool import ToolDefinition, ToolGroup
from ..bindings import bindings_of
from .row_list import RowList
from .tool_rows import HostCells, More, Row, ToolDrawing, ToolRows


class ListShape(NamedTuple):
    """How a list looks, to look so again."""

    groups: tuple[frozenset[str], frozenset[str]]
    cursor: int
    top: int


class ToolList(RowList[ToolDefinition]):
    """Groups of tools as `ToolGroup` values, drawn as given.

    A row is a heading (`○ read-only 9`, which folds) or a tool: title, exact name, then signs for
    world, idempotence (`=` or nothing) and findings (`*` a warning or an error, `·` notes only). A
    sign is dim if the specification's default replaces a missing hint. Before them, if any, a word
    for a change, or `task` and `app` for tools with another way of calling.
    """

    DEFAULT_CSS = """
    ToolList > .tool-list--default { text-style: dim; }
    ToolList > .tool-list--read-only { color: $text-success; text-style: bold; }
    ToolList > .tool-list--additive { color: $text-primary; text-style: bold; }
    ToolList > .tool-list--destructive { color: $text-error; text-style: bold; }
    ToolList > .tool-list--undeclared { color: $text-warning; text-style: bold; }
    ToolList > .tool-list--contradictory { color: $text-error; text-style: bold; }
    ToolList > .tool-list--heading { text-style: bold; }
    ToolList > .tool-list--finding { color: $text-warning; }
    ToolList {
        &> .tool-list--run { color: $foreground; background: $success-muted; }
        &> .tool-list--ask { color: $foreground; background: $warning-muted; }
        &> .tool-list--strong {
            color: $foreground; background: $warning-muted; text-style: bold;
        }
        &> .tool-list--refused { color: $foreground; background: $error-muted; }
        &> .tool-list--hidden { color: $foreground 70%; background: $panel; }
        &> .tool-list--unknown { color: $foreground 70%; }
        &:nocolor > .tool-list--run { background: $surface; }
    }
    """

    ENTER_HELP = "Go to the form of this tool, or unfold this group."
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "tool-list--default",
        "tool-list--heading",
        "tool-list--finding",
        *(f"tool-list--{role}" for role in ("run", "ask", "strong")),
        *(f"tool-list--{role}" for role in ("refused", "hidden", "unknown")),
        *(f"tool-list--{effect.value}" for effect in Effect),
    }

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("tools")

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
        disabled: bool = False,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes, disabled=disabled)
        self._rows = ToolRows()
        self._total = 0
        self._no_tools = ""
        self._drawing = ToolDrawing(self.get_component_rich_style)
        self._shortens = False
        self._announced: ToolDefinition | None = None
        self._kept: Row | None = None
        """Where the cursor was when there was last a row to be on."""
        self._last: ToolDefinition | None = None

    @property
    def last_highlighted(self) -> ToolDefinition | None:
        """The tool under the cursor, or the one that it was on last; None if it was on none."""
        return self._last

    def row_at(self, index: int) -> ToolDefinition | None:
        row = self._rows[index]
        return row if isinstance(row, ToolDefinition) else None

    def show(self, groups: Sequence[ToolGroup], *, total: int, shortens: bool = False) -> None:
        """Draw these groups; `total` counts the tools before filtering.

        With `shortens`, long groups end in a row that opens the rest, so that every heading is in
        sight.

        The cursor stays on the tool of the same name, else on the one of the same effect at the
        same place in the server's list, else nearby; and its row keeps its line on the screen.
        """
        before, line = self._cursor, self._cursor - self.scroll_offset.y
        in_sight = 0 <= line < self.page_height
        anchor = before if in_sight else min(self.scroll_offset.y, max(0, len(self._rows) - 1))
        anchored = self._rows[anchor] if self._rows else None
        anchor_line = anchor - self.scroll_offset.y
        self._shortens = shortens
        height = self.scrollable_content_region.height if shortens else 0
        self._rows.lay_out(groups, height, kept=self._kept)
        self._total = total
        self._drawing.measure(groups)
        cursor = self._rows.place(self._kept, before)
        new_anchor = cursor if in_sight else self._rows.place(anchored, anchor)
        self.set_rows(len(self._rows), cursor, new_anchor - anchor_line)
        if in_sight and self._rows:
            self.show_cursor()
        self._announce()

    @property
    def shape(self) -> ListShape:
        """Return the folds, the row of the cursor, and the first row in sight."""
        return ListShape(self._rows.shape, self._cursor, self.scroll_offset.y)

    def take_shape(self, shape: ListShape) -> None:
        """Look as before; the groups have to be those of then."""
        self._rows.shape = shape.groups
        cursor = min(shape.cursor, max(0, len(self._rows) - 1))
        self.set_rows(len(self._rows), cursor, shape.top)
        self._announce()

    def mark(self, marks: Mapping[str, str]) -> None:
        """Mark tools, by exact name, with words of up to three cells: new, changed, hidden."""
        if self._drawing.mark(marks):
            self.refresh()

    def fit_names(self, tools: Sequence[ToolDefinition]) -> None:
        """Leave the names of these tools their room beside columns of hosts: four in five."""
        lengths = sorted(len(tool.display_name) for tool in tools)
        self._drawing.name_cells = lengths[len(lengths) * 4 // 5] if lengths else 0

    def show_hosts(self, hosts: HostCells) -> None:
        """Draw columns of hosts in the place of the signs for world and repeating."""
        self._drawing.hosts = hosts
        self.refresh()

    @property
    def hosts_in_sight(self) -> int:
        """The number of columns of hosts in a row."""
        return self._drawing.host_count(self.scrollable_content_region.width)

    def select_name(self, name: str) -> bool:
        """Put the cursor on the first tool of this exact name; False if there is none."""
        found = self._rows.find(name)
        if found is not None:
            self.select_tool(found[1])
        return found is not None

    def select_tool(self, tool: ToolDefinition) -> None:
        """Put the cursor on one of the tools shown, and unfold its group."""
        for group in self._rows.groups:
            if any(one is tool for one in group.tools) and not self._rows.holds(tool):
                self._rows.open(group)
                self.set_rows(len(self._rows), self._cursor, self.scroll_offset.y)
        self.move_cursor(self._rows.index_of(tool))

    def leave_heading(self) -> None:
        """Move the cursor from a heading to the first tool below."""
        if self._rows and self.highlighted is None:
            for index in range(self._cursor, len(self._rows)):
                if isinstance(self._rows[index], ToolDefinition):
                    self.move_cursor(index)
                    return

    def empty_text(self) -> str:
        if self._total:
            return f"none of {self._total:,} tools matches"
        return self._no_tools or "this server lists no tools"

    def tell_empty(self, words: str) -> None:
        """Show these words if the server lists no tools; "" for the usual ones."""
        if words != self._no_tools:
            self._no_tools = words
            self.refresh()

    def cursor_moved(self) -> None:
        self._announce()

    def row_chosen(self, index: int) -> None:
        row = self._rows[index]
        if isinstance(row, ToolGroup):
            self._fold(row, not self._rows.is_folded(row))
        elif isinstance(row, More):
            self._open(row.group, index)
        else:
            super().row_chosen(index)

    def row_clicked(self, index: int, x: int, chain: int) -> None:
        if not isinstance(self._rows[index], ToolDefinition) or chain == 2:
            self.row_chosen(index)

    def action_fold(self, folded: bool | None = None) -> None:
        """Fold or unfold the group that the cursor is in; None for the other way round."""
        group = self._rows.group_at(self._cursor)
        row = self._rows[self._cursor] if self._rows else None
        if isinstance(row, More) and not folded:
            self._open(row.group, self._cursor)
        elif group is not None:
            self._fold(group, not self._rows.is_folded(group) if folded is None else folded)

    def draw_row(self, index: int, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        row = self._rows[index]
        is_folded = isinstance(row, ToolGroup) and self._rows.is_folded(row)
        return self._drawing.draw(row, width, base, under_cursor, is_folded=is_folded)

    def _fold(self, group: ToolGroup, folded: bool) -> None:
        if folded is self._rows.is_folded(group):
            return
        inside = self._rows.group_at(self._cursor) is group
        kept = group if inside else self._rows[self._cursor]
        top = self.scroll_offset.y
        self._rows.fold(group, folded)
        self.set_rows(len(self._rows), self._rows.index_of(kept), top)
        self.show_cursor()
        self._announce()

    def _open(self, group: ToolGroup, cursor: int) -> None:
        """Show all of a group; the cursor goes to `cursor`, the first tool that was left out."""
        top = self.scroll_offset.y
        self._rows.open(group)
        self.set_rows(len(self._rows), cursor, top)
        self.show_cursor()
        self._announce()

    def on_resize(self, event: events.Resize) -> None:
        if self._shortens:
            self.show(self._rows.groups, total=self._total, shortens=True)

    def _announce(self) -> None:
        if self._rows:
            self._kept = self._rows[self._cursor]
        tool = self.highlighted
        if tool is not None:
            self._last = tool
        if tool is not self._announced:
            self._announced = tool
            self.post_message(self.Highlighted(self, tool))
