"""The list of tools, grouped by what their hints claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.message import Message

from app.core.findings import Severity
from app.core.hints import Effect, Repeating
from app.core.tools import Group, ToolDefinition
from widgets.cells import fit, left, server_text
from widgets.row_list import RowList
from widgets.tool_rows import Row, ToolRows

INDENT = 4
BADGES = 6
"""Cells of ` ↗ 1 *`: world, retry safety, findings."""
LEAST_MARK = 3
NAME_ONLY_BELOW = 26
"""With fewer cells for title and name, the name stands alone."""
SHORTEST_TITLE = 6

_EFFECTS = {effect.value: effect for effect in Effect}


class ToolList(RowList):
    """Groups of tools as `Group` values, drawn as given.

    A row is a heading (`○ read-only 9`, which folds) or a tool: title, exact name, then signs for
    world, retry safety and findings (`*` a warning or an error, `·` notes only). A sign is dim
    where the specification's default stands in for a claim. Before them, where there is any, a word
    on what changed, or `task` and `app` for what is not called like other tools.
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
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "tool-list--default",
        "tool-list--heading",
        "tool-list--finding",
        *(f"tool-list--{effect.value}" for effect in Effect),
    }

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "space",
            "fold",
            "Fold",
            show=False,
            id="tools.fold",
            tooltip="Fold or unfold this group.",
        ),
        Binding(
            "left,h",
            "fold(True)",
            "Fold",
            show=False,
            id="tools.fold-in",
            tooltip="Fold this group away.",
        ),
        Binding(
            "right,l",
            "fold(False)",
            "Unfold",
            show=False,
            id="tools.fold-out",
            tooltip="Unfold this group.",
        ),
    ]

    class Highlighted(Message):
        """The cursor stands on another row; `tool` is None on a heading and in an empty list."""

        def __init__(self, tool: ToolDefinition | None) -> None:
            super().__init__()
            self.tool = tool

    class Chosen(Message):
        """A tool was opened: enter, or a double click."""

        def __init__(self, tool: ToolDefinition) -> None:
            super().__init__()
            self.tool = tool

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
        self._by_effect = True
        self._marks: Mapping[str, str] = {}
        self._mark_cells = 0
        """Cells of the column of marks, its gap included; 0 where nothing has one."""
        self._reaches: set[str] = set()
        self._announced: ToolDefinition | None = None
        self._kept: Row | None = None
        """Where the cursor was when there was last a row to be on."""

    @property
    def highlighted(self) -> ToolDefinition | None:
        """The tool under the cursor; None on a heading and in an empty list."""
        row = self._rows[self._cursor] if self._rows else None
        return row if isinstance(row, ToolDefinition) else None

    def show(self, groups: Sequence[Group], *, total: int) -> None:
        """Draw these groups; `total` counts the tools before filtering.

        The cursor stays on the tool of the same name, else on the one at the same place in the
        server's list, else nearby; and the row it is on keeps its line on the screen.
        """
        before, line = self._cursor, self._cursor - self.scroll_offset.y
        in_sight = 0 <= line < self.page_height
        anchor = before if in_sight else min(self.scroll_offset.y, max(0, len(self._rows) - 1))
        anchored = self._rows[anchor] if self._rows else None
        anchor_line = anchor - self.scroll_offset.y
        self._rows.lay_out(groups)
        self._total = total
        self._reaches = {tool.reach.mark for group in groups for tool in group.tools} - {""}
        self._measure_marks()
        self._by_effect = all(group.label in _EFFECTS for group in groups)
        cursor = self._rows.place(self._kept, before)
        new_anchor = cursor if in_sight else self._rows.place(anchored, anchor)
        self.set_rows(len(self._rows), cursor, new_anchor - anchor_line)
        if in_sight and self._rows:
            self.show_cursor()
        self._announce()

    def mark(self, marks: Mapping[str, str]) -> None:
        """Mark tools, by exact name, with words of up to three cells: new, changed, hidden."""
        shown = {name: mark for name, mark in marks.items() if mark}
        if shown != self._marks:
            self._marks = shown
            self._measure_marks()
            self.refresh()

    def _measure_marks(self) -> None:
        longest = max(map(len, (*self._marks.values(), *self._reaches)), default=0)
        self._mark_cells = max(longest, LEAST_MARK) + 1 if longest else 0

    def select_name(self, name: str) -> bool:
        """Put the cursor on the first tool of this exact name; False where there is none."""
        found = self._rows.find(name)
        if found is not None:
            self.select_tool(found[1])
        return found is not None

    def select_tool(self, tool: ToolDefinition) -> None:
        """Put the cursor on one of the tools shown, and unfold its group."""
        for group in self._rows.groups:
            if self._rows.is_folded(group) and any(one is tool for one in group.tools):
                self._fold(group, False)
        self.move_cursor(self._rows.index_of(tool))

    def leave_heading(self) -> None:
        """Put the cursor on the first tool below, where it is on a heading."""
        if self._rows and self.highlighted is None:
            for index in range(self._cursor, len(self._rows)):
                if isinstance(self._rows[index], ToolDefinition):
                    self.move_cursor(index)
                    return

    def empty_text(self) -> str:
        if self._total:
            return f"none of {self._total:,} tools matches"
        return "this server lists no tools"

    def cursor_moved(self) -> None:
        self._announce()

    def row_chosen(self, index: int) -> None:
        row = self._rows[index]
        if isinstance(row, Group):
            self._fold(row, not self._rows.is_folded(row))
        else:
            self.post_message(self.Chosen(row))

    def row_clicked(self, index: int, x: int, chain: int) -> None:
        if isinstance(self._rows[index], Group) or chain == 2:
            self.row_chosen(index)

    def action_fold(self, folded: bool | None = None) -> None:
        """Fold or unfold the group that the cursor is in; None for the other way round."""
        group = self._rows.group_at(self._cursor)
        if group is not None:
            self._fold(group, not self._rows.is_folded(group) if folded is None else folded)

    def draw_row(self, index: int, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        row = self._rows[index]
        if isinstance(row, Group):
            return self._draw_heading(row, width, base, under_cursor)
        return self._draw_tool(row, width, base, under_cursor)

    def _draw_heading(
        self, group: Group, width: int, base: Style, under_cursor: bool
    ) -> list[Segment]:
        cursor = "› " if under_cursor else "  "
        words = f"{group.sign} {group.label}"
        count = f" {len(group.tools):,}"
        if self._rows.is_folded(group):
            count += " ▸ folded"
        style = base
        if not under_cursor:
            effect = _EFFECTS.get(group.label)
            style = self.get_component_rich_style(
                f"tool-list--{effect.value}" if effect else "tool-list--heading"
            )
        words = fit(words, width - len(cursor))
        count = fit(count, width - len(cursor) - cell_len(words))
        return [
            Segment(cursor, base),
            Segment(words, style),
            Segment(count, self._part("row-list--muted", base, under_cursor)),
        ]

    def _draw_tool(
        self, tool: ToolDefinition, width: int, base: Style, under_cursor: bool
    ) -> list[Segment]:
        muted = self._part("row-list--muted", base, under_cursor)
        effect_cells = 0 if self._by_effect else 2
        room = max(1, width - INDENT - BADGES - self._mark_cells - effect_cells)
        name, title = tool.name_shown, tool.title_shown
        segments = [Segment("  › " if under_cursor else "    ", base)]
        title_cells = _title_cells(title, name, room)
        if title_cells:
            segments += server_text(tool.title, title_cells - 1, base)
            segments.append(Segment(" ", base))
        style = muted if title_cells or not tool.callable else base
        if tool.name:
            segments += server_text(tool.name, room - title_cells, style)
        else:
            segments.append(Segment(left(name, room - title_cells), style))
        if effect_cells:
            sign = self._part(f"tool-list--{tool.effect.value}", base, under_cursor)
            segments += [Segment(" ", base), Segment(tool.effect.sign, sign)]
        return segments + self._badges(tool, base, under_cursor)

    def _badges(self, tool: ToolDefinition, base: Style, under_cursor: bool) -> list[Segment]:
        hints = tool.hints
        default = self._part("tool-list--default", base, under_cursor)
        muted = self._part("row-list--muted", base, under_cursor)
        world_is_default = hints.open_world.is_default
        retry = muted if hints.repeating is Repeating.MOOT else base
        if hints.repeating_is_default:
            retry = default
        severities = {finding.severity for finding in tool.findings}
        if severities - {Severity.NOTE}:
            findings = Segment("*", self._part("tool-list--finding", base, under_cursor))
        else:
            findings = Segment("·" if severities else " ", muted)
        gap = Segment(" ", base)
        mark = self._marks.get(tool.name, "") or tool.reach.mark
        style = self._part("tool-list--finding", base, under_cursor)
        cells = self._mark_cells
        marked = [Segment(f" {mark:<{cells - 1}}", style)] if cells else []
        return [
            *marked,
            gap,
            Segment("↗" if hints.is_open_world else "◇", default if world_is_default else base),
            gap,
            Segment(hints.repeating.sign, retry),
            gap,
            findings,
        ]

    def _part(self, component: str, base: Style, under_cursor: bool) -> Style:
        return base if under_cursor else self.get_component_rich_style(component)

    def _fold(self, group: Group, folded: bool) -> None:
        if folded is self._rows.is_folded(group):
            return
        inside = self._rows.group_at(self._cursor) is group
        kept = group if inside else self._rows[self._cursor]
        top = self.scroll_offset.y
        self._rows.fold(group, folded)
        self.set_rows(len(self._rows), self._rows.index_of(kept), top)
        self.show_cursor()
        self._announce()

    def _announce(self) -> None:
        if self._rows:
            self._kept = self._rows[self._cursor]
        tool = self.highlighted
        if tool is not self._announced:
            self._announced = tool
            self.post_message(self.Highlighted(tool))


def _title_cells(title: str, name: str, room: int) -> int:
    """The cells that a title may take, its gap included; 0 where only the name is shown."""
    if title == name or room < NAME_ONLY_BELOW:
        return 0
    cells = min(room // 2, room - cell_len(name))
    return cells if cells > SHORTEST_TITLE else 0
