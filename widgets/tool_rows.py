"""The rows of a list of tools: headings and tools, what is folded, and where a row has gone."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.tools import Group, ToolDefinition

Row = Group | ToolDefinition


class ToolRows:
    """Groups laid out as rows: each heading, and under it the tools unless it is folded."""

    def __init__(self) -> None:
        self._groups: tuple[Group, ...] = ()
        self._rows: list[Row] = []
        self._folded: set[str] = set()

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Row:
        return self._rows[index]

    @property
    def groups(self) -> tuple[Group, ...]:
        return self._groups

    def lay_out(self, groups: Sequence[Group]) -> None:
        """Take other groups. A label that was folded stays folded."""
        self._groups = tuple(groups)
        self._rows = []
        for group in self._groups:
            self._rows.append(group)
            if group.label not in self._folded:
                self._rows.extend(group.tools)

    def is_folded(self, group: Group) -> bool:
        return group.label in self._folded

    def fold(self, group: Group, folded: bool) -> None:
        if folded:
            self._folded.add(group.label)
        else:
            self._folded.discard(group.label)
        self.lay_out(self._groups)

    def group_at(self, index: int) -> Group | None:
        """The group of the row at `index`."""
        for row in reversed(self._rows[: index + 1]):
            if isinstance(row, Group):
                return row
        return None

    def find(self, name: str) -> tuple[Group, ToolDefinition] | None:
        """The first tool of this exact name, folded away or not, and its group."""
        for group in self._groups:
            for tool in group.tools:
                if tool.name == name:
                    return group, tool
        return None

    def index_of(self, wanted: Row) -> int:
        """Where this very row is; 0 where it is not."""
        return next((index for index, row in enumerate(self._rows) if row is wanted), 0)

    def place(self, wanted: Row | None, nearby: int) -> int:
        """The row that stands for `wanted` now, which was at `nearby` before.

        A heading is known by its label. A tool is known by its name, and by its place in the
        server's list where names repeat or the name is gone. Failing that it is a row near by, a
        tool if possible.
        """
        found: int | None = None
        if isinstance(wanted, Group):
            found = self._place_heading(wanted.label)
        elif wanted is not None:
            found = self._place_tool(wanted)
        if found is not None:
            return found
        last = len(self._rows) - 1
        nearby = max(0, min(nearby, last)) if wanted is not None else 0
        for index in (nearby, nearby + 1, nearby - 1):
            if 0 <= index <= last and isinstance(self._rows[index], ToolDefinition):
                return index
        return nearby

    def _place_heading(self, label: str) -> int | None:
        for index, row in enumerate(self._rows):
            if isinstance(row, Group) and row.label == label:
                return index
        return None

    def _place_tool(self, wanted: ToolDefinition) -> int | None:
        same_name: int | None = None
        same_index: int | None = None
        for index, row in enumerate(self._rows):
            if isinstance(row, Group):
                continue
            if row.name == wanted.name:
                if row.index == wanted.index:
                    return index
                if same_name is None:
                    same_name = index
            elif row.index == wanted.index:
                same_index = index
        if same_name is not None:
            return same_name
        folded_away = self.find(wanted.name) if self._folded else None
        return self.index_of(folded_away[0]) if folded_away else same_index
