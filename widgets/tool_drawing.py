"""How a row of the list of tools is drawn: a heading, a tool with its marks and signs, the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from ..app.protocol.findings import Severity
from ..app.protocol.hints import Effect
from ..app.protocol.tool import ToolDefinition
from ..app.protocol.tool_groups import Group
from ..app.protocol.visibility import LIKE_ANY_OTHER
from .cells import fit, left, server_name, server_text
from .tool_rows import More, Row

INDENT = 4
BADGES = 6
"""Cells of ` ↗ 1 *`: world, retry safety, findings."""
LEAST_MARK = 3
NAME_ONLY_BELOW = 26
"""With fewer cells for title and name, the name stands alone."""
SHORTEST_TITLE = 6

_EFFECTS = {effect.value: effect for effect in Effect}


class ToolDrawing:
    """Draws rows, with the columns that the tools of a list need.

    `style_of` gives the style of a component of the list; a row under the cursor has one for all.
    """

    def __init__(self, style_of: Callable[[str], Style]) -> None:
        self._style_of = style_of
        self._signed: set[int] = set()
        """Tools, by their place in the server's list, whose heading does not tell their effect."""
        self._marks: Mapping[str, str] = {}
        self._mark_cells = 0
        """Cells that a mark takes where a tool has one, its gap included."""
        self._reaches: set[str] = set()

    def measure(self, groups: Sequence[Group]) -> None:
        """Other tools are listed."""
        self._reaches = {
            tool.mark
            for group in groups
            for tool in group.tools
            if tool.deprecation is not None or tool.reach is not LIKE_ANY_OTHER
        } - {""}
        self._measure_marks()
        self._signed = {
            tool.index for group in groups if group.label not in _EFFECTS for tool in group.tools
        }

    def mark(self, marks: Mapping[str, str]) -> bool:
        """Mark tools, by exact name; whether that is any news."""
        shown = {name: mark for name, mark in marks.items() if mark}
        is_news = shown != self._marks
        if is_news:
            self._marks = shown
            self._measure_marks()
        return is_news

    def _mark_of(self, tool: ToolDefinition) -> str:
        return self._marks.get(tool.name, "") or tool.mark

    def _measure_marks(self) -> None:
        longest = max(map(len, (*self._marks.values(), *self._reaches)), default=0)
        self._mark_cells = max(longest, LEAST_MARK) + 1 if longest else 0

    def draw(
        self, row: Row, width: int, base: Style, under_cursor: bool, *, is_folded: bool
    ) -> list[Segment]:
        """One row; `is_folded`: of a heading, whether its tools are hidden."""
        if isinstance(row, Group):
            return self._heading(row, width, base, under_cursor, is_folded)
        if isinstance(row, More):
            words = f"{'  › ' if under_cursor else '    '}… {row.count:,} more ▸"
            style = self._part("row-list--muted", base, under_cursor)
            return [Segment(fit(words, width), style)]
        return self._tool(row, width, base, under_cursor)

    def _heading(
        self, group: Group, width: int, base: Style, under_cursor: bool, is_folded: bool
    ) -> list[Segment]:
        cursor = "› " if under_cursor else "  "
        words = f"{group.sign} {group.label}".strip()
        count = f" {len(group.tools):,}"
        if is_folded:
            count += " ▸" if group.starts_folded else " ▸ folded"
        effect = _EFFECTS.get(group.label)
        component = f"tool-list--{effect.value}" if effect else "tool-list--heading"
        style = self._part(component, base, under_cursor)
        words = fit(words, width - len(cursor))
        count = fit(count, width - len(cursor) - cell_len(words))
        return [
            Segment(cursor, base),
            Segment(words, style),
            Segment(count, self._part("row-list--muted", base, under_cursor)),
        ]

    def _tool(
        self, tool: ToolDefinition, width: int, base: Style, under_cursor: bool
    ) -> list[Segment]:
        muted = self._part("row-list--muted", base, under_cursor)
        effect_cells = 2 if tool.index in self._signed else 0
        most = max(1, width - INDENT - BADGES - effect_cells)
        room = max(1, most - (self._mark_cells if self._mark_of(tool) else 0))
        name, title = tool.name_shown, tool.title_shown
        segments = [Segment("  › " if under_cursor else "    ", base)]
        title_cells = _title_cells(title, name, room, most)
        if title_cells:
            segments += server_text(tool.title, title_cells - 1, base)
            segments.append(Segment(" ", base))
        style = muted if title_cells or not tool.callable else base
        if tool.name:
            segments += server_name(tool.name, room - title_cells, style)
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
        severities = {finding.severity for finding in tool.findings}
        if severities - {Severity.NOTE}:
            findings = Segment("*", self._part("tool-list--finding", base, under_cursor))
        else:
            findings = Segment("·" if severities else " ", muted)
        gap = Segment(" ", base)
        mark = self._mark_of(tool)
        style = self._part("tool-list--finding", base, under_cursor)
        marked = [Segment(f" {mark:<{self._mark_cells - 1}}", style)] if mark else []
        return [
            *marked,
            gap,
            Segment("↗" if hints.is_open_world else "◇", default if world_is_default else base),
            gap,
            Segment(hints.repeating.sign or " ", base),
            gap,
            findings,
        ]

    def _part(self, component: str, base: Style, under_cursor: bool) -> Style:
        return base if under_cursor else self._style_of(component)


def _title_cells(title: str, name: str, room: int, most: int) -> int:
    """The cells that a title may take, its gap included; 0 where only the name is shown.

    `most` is the room of a tool without a mark: all names begin in its middle where they can.
    """
    if title == name or room < NAME_ONLY_BELOW:
        return 0
    cells = min(most // 2, room - cell_len(name))
    return cells if cells > SHORTEST_TITLE else 0
