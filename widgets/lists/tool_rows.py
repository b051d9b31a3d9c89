"""Rows of a list of tools: headings, tools, folding, and drawing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from ...app.content.frozen import frozen
from ...app.protocol.findings.findings import Severity
from ...app.protocol.findings.model_texts import MODEL_SIGN, is_addressed
from ...app.protocol.hints import Effect
from ...app.protocol.tool import ToolDefinition, ToolGroup
from ...app.protocol.visibility import LIKE_ANY_OTHER
from ..cells import fit, left, server_name, server_text
from ..matrix.rows import CONFLICT, MEASURED, CellWord


@frozen
class More:
    """Last row of a group for the tools that a short list leaves out."""

    group: ToolGroup
    count: int


Row = ToolGroup | ToolDefinition | More


class ToolRows:
    """Groups laid out as rows: each heading, and under it the tools unless it is folded.

    To fit a height, the longest groups end in a `More` that opens the rest.
    """

    def __init__(self) -> None:
        self._groups: tuple[ToolGroup, ...] = ()
        self._rows: list[Row] = []
        self._height = 0
        self._shares: dict[str, int] = {}
        self._folded: set[str] = set()
        self._opened: set[str] = set()
        """Groups of which a person wanted all."""

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Row:
        return self._rows[index]

    @property
    def groups(self) -> tuple[ToolGroup, ...]:
        return self._groups

    def lay_out(
        self, groups: Sequence[ToolGroup], height: int = 0, *, kept: Row | None = None
    ) -> None:
        """Take other groups. A label that was folded stays folded.

        They are shortened to fit `height` rows, if that is not 0; a tool that is `kept` stays.
        """
        self._groups = tuple(groups)
        self._height = height
        self._shares = self._allot(kept) if height else {}
        if isinstance(kept, ToolDefinition) and (found := self.find(kept.name)):
            group, tool = found
            if self.is_folded(group) or not any(row is tool for row in self._shown(group)):
                self._opened.add(group.label)
        self._rows = []
        for group in self._groups:
            self._rows.append(group)
            if not self.is_folded(group):
                self._rows.extend(self._shown(group))

    @property
    def shape(self) -> tuple[frozenset[str], frozenset[str]]:
        """The labels of groups that are folded, and of those that are shown in full."""
        return frozenset(self._folded), frozenset(self._opened)

    @shape.setter
    def shape(self, shape: tuple[frozenset[str], frozenset[str]]) -> None:
        self._folded, self._opened = map(set, shape)
        self.lay_out(self._groups, self._height)

    def is_folded(self, group: ToolGroup) -> bool:
        if group.starts_folded and group.label not in self._opened:
            return True
        return group.label in self._folded

    def fold(self, group: ToolGroup, folded: bool) -> None:
        if folded:
            self._folded.add(group.label)
            self._opened.discard(group.label)
        else:
            self._folded.discard(group.label)
            if group.starts_folded:
                self._opened.add(group.label)
        self.lay_out(self._groups, self._height)

    def open(self, group: ToolGroup) -> None:
        """Show all tools of a group, however many."""
        self._folded.discard(group.label)
        self._opened.add(group.label)
        self.lay_out(self._groups, self._height)

    def _allot(self, kept: Row | None) -> dict[str, int]:
        """Number of tools of each group before its `More`, so that all groups fit.

        Each group has at least one, all as many as there is room for, the first ones one more. If
        only a few rows are missing, the last groups have none but their `More`; the group of the
        tool that is `kept` is not among these. A group opened by the user comes on top and shortens
        nothing else.
        """
        counts = {
            group.label: len(group.tools)
            for group in self._groups
            if not group.starts_folded and group.label not in self._folded
        }
        shares = dict.fromkeys(counts, 1)
        # A heading each; under it the rows, and a line about the rest, if there is any.
        left = self._height - len(self._groups)
        left -= sum(min(count, 2) for count in counts.values())
        holding = self.find(kept.name) if isinstance(kept, ToolDefinition) else None
        spare = [
            label
            for label, count in counts.items()
            if count > 1 and not (holding and holding[0].label == label)
        ]
        if 0 < -left <= len(spare):
            shares.update(dict.fromkeys(spare[left:], 0))
        while left > 0 and any(shares[label] + 1 < count for label, count in counts.items()):
            for label, count in counts.items():
                if left > 0 and shares[label] + 1 < count:
                    shares[label] += 1
                    left -= 1
        return shares

    def _shown(self, group: ToolGroup) -> Sequence[Row]:
        share = self._shares.get(group.label)
        # One row is as well filled with the last tool as with a word about it.
        if share is None or group.label in self._opened or len(group.tools) <= share + 1:
            return group.tools
        return [*group.tools[:share], More(group, len(group.tools) - share)]

    def group_at(self, index: int) -> ToolGroup | None:
        """The group of the row at `index`."""
        for row in reversed(self._rows[: index + 1]):
            if isinstance(row, ToolGroup):
                return row
        return None

    def find(self, name: str) -> tuple[ToolGroup, ToolDefinition] | None:
        """The first tool of this exact name, folded away or not, and its group."""
        for group in self._groups:
            for tool in group.tools:
                if tool.name == name:
                    return group, tool
        return None

    def holds(self, wanted: Row) -> bool:
        """True if this very row is in the list as it is shown."""
        return any(row is wanted for row in self._rows)

    def index_of(self, wanted: Row) -> int:
        """Index of this very row; 0 if it is not there."""
        return next((index for index, row in enumerate(self._rows) if row is wanted), 0)

    def place(self, wanted: Row | None, nearby: int) -> int:
        """The current row of `wanted`, which was at `nearby` before.

        A heading is known by its label. A tool is known by its name, and by its place in the
        server's list if names repeat; if the name is gone, by that place and its effect. Failing
        that it is a row near by, a tool if possible, and rather the one above than the first of
        another group.
        """
        found: int | None = None
        if isinstance(wanted, ToolGroup):
            found = self._place_heading(wanted.label)
        elif isinstance(wanted, More):
            found = self._place_more(wanted.group.label)
        elif wanted is not None:
            found = self._place_tool(wanted)
        if found is not None:
            return found
        last = len(self._rows) - 1
        nearby = max(0, min(nearby, last)) if wanted is not None else 0
        for index in (nearby, nearby - 1, nearby + 1):
            if 0 <= index <= last and isinstance(self._rows[index], ToolDefinition):
                return index
        return nearby

    def _place_heading(self, label: str) -> int | None:
        for index, row in enumerate(self._rows):
            if isinstance(row, ToolGroup) and row.label == label:
                return index
        return None

    def _place_more(self, label: str) -> int | None:
        for index, row in enumerate(self._rows):
            if isinstance(row, More) and row.group.label == label:
                return index
        return None

    def _place_tool(self, wanted: ToolDefinition) -> int | None:
        same_name: int | None = None
        same_index: int | None = None
        for index, row in enumerate(self._rows):
            if not isinstance(row, ToolDefinition):
                continue
            if row.name == wanted.name:
                if row.index == wanted.index:
                    return index
                if same_name is None:
                    same_name = index
            elif row.index == wanted.index and row.effect is wanted.effect:
                same_index = index
        if same_name is not None:
            return same_name
        folded_away = self.find(wanted.name)
        return self.index_of(folded_away[0]) if folded_away else same_index


INDENT = 4
BADGES = 6
"""Cells of ` ↗ 1 *`: world, retry safety, findings."""
LEAST_MARK = 3
LEAST_HOSTS = 2
"""Columns of hosts that stay, however long the names are."""
NAME_ONLY_BELOW = 26
"""With fewer cells for title and name, only the name is shown."""
HOST_CELLS = 4
"""Cells of a column of a host: a word and its mark."""
SHORTEST_TITLE = 12
"""Cells of a title that is cut."""

_EFFECTS = {effect.value: effect for effect in Effect}


class HostCells(NamedTuple):
    """Columns of hosts: their heads, and the word of each on a tool.

    `words` is None while they are being read: the columns are blank.
    """

    heads: Sequence[str]
    words: Callable[[ToolDefinition], Sequence[CellWord]] | None = None


class ToolDrawing:
    """Draws rows, with the columns that the tools of a list need.

    `style_of` gives the style of a component of the list; a row under the cursor has one for all.
    """

    def __init__(self, style_of: Callable[[str], Style]) -> None:
        self._style_of = style_of
        self._signed: set[int] = set()
        """Tools, by their place in the server's list, whose heading does not name their effect."""
        self._marks: Mapping[str, str] = {}
        self._mark_cells = 0
        """Cells that a mark takes where a tool has one, its gap included."""
        self._reaches: set[str] = set()
        self.name_cells = 0
        """Cells that most names need: columns of hosts go before they are cut."""
        self.hosts: HostCells | None = None
        """Columns of hosts, in the place of the signs for world and repeating."""

    def host_count(self, width: int) -> int:
        """The columns of hosts in a row of so many cells: they go before a name is cut."""
        if self.hosts is None:
            return 0
        room = width - INDENT - 2 - self._mark_cells - self.name_cells
        return min(len(self.hosts.heads), max(LEAST_HOSTS, room // HOST_CELLS))

    def measure(self, groups: Sequence[ToolGroup]) -> None:
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
        if isinstance(row, ToolGroup):
            return self._heading(row, width, base, under_cursor, is_folded)
        if isinstance(row, More):
            words = f"{'  › ' if under_cursor else '    '}… {row.count:,} more ▸"
            style = self._part("row-list--muted", base, under_cursor)
            return [Segment(fit(words, width), style)]
        return self._tool(row, width, base, under_cursor)

    def _heading(
        self, group: ToolGroup, width: int, base: Style, under_cursor: bool, is_folded: bool
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
        hosts = self.host_count(width)
        badges = hosts * HOST_CELLS + 2 if hosts else BADGES
        most = max(1, width - INDENT - badges - effect_cells)
        room = max(1, most - (self._mark_cells if self._mark_of(tool) else 0))
        segments = [Segment("  › " if under_cursor else "    ", base)]
        name = tool.display_name
        title_at = _title_at(tool, room, most)
        name_cells = title_at - 1 if title_at else room
        style = base if tool.callable else muted
        if tool.name:
            segments += server_name(tool.name, name_cells, style)
        else:
            segments.append(Segment(left(name, name_cells), style))
        if title_at:
            segments.append(Segment(" ", base))
            segments += server_text(tool.title, room - title_at, muted)
        if effect_cells:
            sign = self._part(f"tool-list--{tool.effect.value}", base, under_cursor)
            segments += [Segment(" ", base), Segment(tool.effect.sign, sign)]
        return segments + self._badges(tool, hosts, base, under_cursor)

    def _badges(
        self, tool: ToolDefinition, hosts: int, base: Style, under_cursor: bool
    ) -> list[Segment]:
        hints = tool.hints
        default = self._part("tool-list--default", base, under_cursor)
        muted = self._part("row-list--muted", base, under_cursor)
        world_is_default = hints.open_world.is_default
        severities = {finding.severity for finding in tool.findings}
        if severities - {Severity.NOTE}:
            sign = MODEL_SIGN if is_addressed(tool.findings) else "*"
            findings = Segment(sign, self._part("tool-list--finding", base, under_cursor))
        else:
            findings = Segment("·" if severities else " ", muted)
        gap = Segment(" ", base)
        mark = self._mark_of(tool)
        style = self._part("tool-list--finding", base, under_cursor)
        marked = [Segment(f" {mark:<{self._mark_cells - 1}}", style)] if mark else []
        if hosts:
            return [*marked, gap, *self._host_cells(tool, hosts, base, under_cursor), findings]
        return [
            *marked,
            gap,
            Segment("↗" if hints.is_open_world else "◇", default if world_is_default else base),
            gap,
            Segment(hints.repeating.sign or " ", base),
            gap,
            findings,
        ]

    def _host_cells(
        self, tool: ToolDefinition, count: int, base: Style, under_cursor: bool
    ) -> Iterator[Segment]:
        words = self.hosts.words if self.hosts is not None else None
        if words is None:
            yield Segment(" " * HOST_CELLS * count, base)
            return
        for word in words(tool)[:count]:
            style = self._part(f"tool-list--{word.role}", base, under_cursor)
            yield Segment(word.text, style)
            mark = word.mark[-1:] if word.mark[-1:] in (MEASURED, CONFLICT) else " "
            yield Segment(mark, self._part("row-list--muted", base, under_cursor))

    def _part(self, component: str, base: Style, under_cursor: bool) -> Style:
        return base if under_cursor else self._style_of(component)


def _title_at(tool: ToolDefinition, room: int, most: int) -> int:
    """The cell after the name at which the title begins; 0 if only the name is shown.

    The name is never cut for it.
    `most` is the room of a tool without a mark: all titles begin in its middle if they can.
    """
    if not tool.has_own_title or room < NAME_ONLY_BELOW:
        return 0
    at = max(most // 2, cell_len(tool.display_name) + 1)
    least = min(cell_len(tool.title_shown), SHORTEST_TITLE)
    return at if room - at >= least else 0
