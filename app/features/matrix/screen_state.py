"""State of the matrix screen: verdicts of every column on the tools, and what-if hints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ....widgets.matrix.rows import GridRow, Pair, word
from ...approval.matrix import Cell, MatrixRow, build_matrix, can_disagree, overridden, turned
from ...approval.policies.modes import following_mode
from ...approval.policies.policy import Policy
from ...protocol.hints import Effect
from ...protocol.tool import ASIDE, ToolDefinition, ToolSection, section_of

Overrides = dict[str, dict[str, bool | None]]
"""Tool name to hint name to a value; None for not set."""


class MatrixState:
    """Rows in order of effect, mildest first; only tools of a what-if are judged again.

    `has_sections`: the bundled server's tools beside its lessons come last, under headings.
    """

    def __init__(
        self,
        tools: Sequence[ToolDefinition],
        columns: Sequence[Policy],
        server: str,
        overrides: Mapping[str, Mapping[str, bool | None]],
        *,
        has_sections: bool = False,
        current: str = "",
    ) -> None:
        """`current` is the name of a policy; a host that has it among its modes shows it."""
        self._has_sections = has_sections
        self.tools = self.in_order(tools)
        self._hosts = tuple(columns)
        self.columns = tuple(
            next((mode for mode in one.variants if mode.name == current), one) for one in columns
        )
        self.overrides: Overrides = {
            name: dict(hints) for name, hints in overrides.items() if hints
        }
        self.marked: list[int] = []
        """The columns that were picked for a comparison."""
        self._server = server
        self._shared: dict[int, tuple[tuple[Cell, ...], tuple[Pair, ...]]] = {}
        self._rows = self._judge(self.tools, self.columns)
        self._disagrees = self._compare()
        self._supposed: dict[int, MatrixRow] = {}
        for name in self.overrides:
            self._suppose(name)

    def in_order(self, tools: Sequence[ToolDefinition]) -> list[ToolDefinition]:
        """The tools in the order of the rows."""
        effects, sections = list(Effect), list(ToolSection)
        return sorted(
            tools,
            key=lambda tool: (sections.index(self._section(tool)), effects.index(tool.effect)),
        )

    def of_now(
        self,
        tools: Sequence[ToolDefinition],
        overrides: Mapping[str, Mapping[str, bool | None]],
    ) -> MatrixState:
        """The same columns, picked as they are, over other tools or another what-if."""
        made = MatrixState(
            tools, self.columns, self._server, overrides, has_sections=self._has_sections
        )
        made.take_columns(self)
        return made

    def take_columns(self, other: MatrixState) -> None:
        """Take the hosts with their modes, and the selected columns, of another matrix."""
        self._hosts = other._hosts
        self.marked = list(other.marked)
        self._disagrees = self._compare()

    @property
    def compared(self) -> tuple[Policy, ...]:
        """Columns compared for disagreement: two or more picked ones, or all that can disagree."""
        return tuple(self.columns[at] for at in self._subset())

    @property
    def picked(self) -> tuple[Policy, ...]:
        """The columns that were picked, whether they are enough for a comparison or not."""
        return tuple(self.columns[at] for at in sorted(self.marked))

    @property
    def disagreeing(self) -> int:
        """Number of tools the compared columns disagree on, by the server's own hints."""
        return sum(self._disagrees)

    @property
    def marks(self) -> frozenset[str]:
        """The marks after words that are there: `*`, `°` and `‡`."""
        rows = (*self._rows, *self._supposed.values())
        different = {id(row.cells): row.cells for row in rows}
        return frozenset(
            mark
            for cells in different.values()
            for cell in cells
            for mark in (*word(cell.untrusted).mark, *word(cell.trusted).mark)
        )

    @property
    def what_ifs(self) -> int:
        """Number of tools shown with other hints than the server's."""
        return sum(tool.name in self.overrides for tool in self.tools)

    def rows(self, *, only_disagreeing: bool = False) -> list[GridRow]:
        """Every tool, or those that are disagreed on; a what-if is never left out."""
        rows = [
            self._grid_row(at, tool)
            for at, tool in enumerate(self.tools)
            if not only_disagreeing or self._disagrees[at] or at in self._supposed
        ]
        for section, heading in ASIDE.items():
            aside = [at for at, row in enumerate(rows) if self._section(row.tool) is section]
            if aside:
                rows[aside[0]] = replace(rows[aside[0]], heading=f"{heading} {len(aside)}")
        return rows

    def supposed(self, tool: ToolDefinition) -> ToolDefinition | None:
        """The tool with the hints of its what-if; None if it has none."""
        hints = self.overrides.get(tool.name)
        return overridden(tool, hints) if hints else None

    def mark(self, column: int) -> None:
        """Pick a column for the comparison, or leave it out again."""
        if column in self.marked:
            self.marked.remove(column)
        else:
            self.marked.append(column)
        self._disagrees = self._compare()

    def has_modes(self, column: int) -> bool:
        """True if a column is a host with more than one mode."""
        return column < len(self._hosts) and bool(self._hosts[column].modes)

    def turn_mode(self, column: int) -> None:
        """Show the next mode of a host, and its default again after the last."""
        columns = list(self.columns)
        columns[column] = following_mode(self._hosts[column], columns[column])
        self.columns = tuple(columns)
        self._rows = self._judge(self.tools, self.columns)
        self._disagrees = self._compare()
        for name in list(self.overrides):
            self._suppose(name)

    def turn(self, tool: ToolDefinition, hint: str) -> None:
        """Cycle a hint: the server's own, true, false, not set."""
        self.overrides[tool.name] = turned(tool, self.overrides.get(tool.name, {}), hint)
        self._suppose(tool.name)

    def reset(self, tool: ToolDefinition) -> None:
        """Back to the server's own hints."""
        self.overrides.pop(tool.name, None)
        self._suppose(tool.name)

    def _section(self, tool: ToolDefinition) -> ToolSection:
        return section_of(tool) if self._has_sections else ToolSection.LESSONS

    def _suppose(self, name: str) -> None:
        """Judge the tools of this name by the hints of its what-if."""
        if not self.overrides.get(name):
            self.overrides.pop(name, None)
        named = [at for at, tool in enumerate(self.tools) if tool.name == name]
        for at in named:
            self._supposed.pop(at, None)
        if name in self.overrides:
            tools = [self.tools[at] for at in named]
            self._supposed.update(zip(named, self._judge(tools, self.columns, name), strict=True))

    def _judge(
        self, tools: Sequence[ToolDefinition], columns: Sequence[Policy], what_if: str = ""
    ) -> tuple[MatrixRow, ...]:
        overrides = {what_if: self.overrides[what_if]} if what_if in self.overrides else {}
        return self.judged(tools, columns, overrides)

    def judged(
        self,
        tools: Sequence[ToolDefinition],
        columns: Sequence[Policy],
        overrides: Mapping[str, Mapping[str, bool | None]],
        compared: Sequence[int] | None = None,
    ) -> tuple[MatrixRow, ...]:
        """A row for each tool, by the policies and the name of the server."""
        matrix = build_matrix(
            tools, columns, server=self._server, overrides=overrides, compared=compared
        )
        return matrix.rows

    def _subset(self) -> Sequence[int]:
        return sorted(self.marked) if len(self.marked) > 1 else can_disagree(self.columns)

    def _compare(self) -> list[bool]:
        if len(self.marked) < 2:
            return [row.disagrees for row in self._rows]
        every = range(len(self.compared))
        return [row.disagrees for row in self.judged(self.tools, self.compared, {}, every)]

    def _grid_row(self, at: int, tool: ToolDefinition) -> GridRow:
        supposed = self._supposed.get(at)
        pairs = self._pairs(self._rows[at])
        if supposed is None:
            return GridRow(tool, pairs)
        return GridRow(tool, pairs, self._pairs(supposed), supposed.tool.effect)

    def _pairs(self, row: MatrixRow) -> tuple[Pair, ...]:
        """Rows with the same cells share their pairs."""
        key = id(row.cells)
        if key not in self._shared:
            pairs = tuple(Pair(cell.untrusted, cell.trusted) for cell in row.cells)
            # The cells are kept, so that no others get their identity.
            self._shared[key] = row.cells, pairs
        return self._shared[key][1]
