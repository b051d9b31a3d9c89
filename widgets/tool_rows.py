"""The rows of a list of tools: headings and tools, what is folded, and where a row has gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..app.protocol.tool import ToolDefinition
from ..app.protocol.tool_groups import Group


@dataclass(frozen=True, slots=True)
class More:
    """Stands at the end of a group for the tools that a short list leaves out."""

    group: Group
    count: int


Row = Group | ToolDefinition | More


class ToolRows:
    """Groups laid out as rows: each heading, and under it the tools unless it is folded.

    Where they shall fit a height, the longest groups end in a `More` that opens the rest.
    """

    def __init__(self) -> None:
        self._groups: tuple[Group, ...] = ()
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
    def groups(self) -> tuple[Group, ...]:
        return self._groups

    def lay_out(self, groups: Sequence[Group], height: int = 0, *, kept: Row | None = None) -> None:
        """Take other groups. A label that was folded stays folded.

        They are shortened to fit `height` rows, where that is not 0; a tool that is `kept` stays.
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

    def is_folded(self, group: Group) -> bool:
        if group.starts_folded and group.label not in self._opened:
            return True
        return group.label in self._folded

    def fold(self, group: Group, folded: bool) -> None:
        if folded:
            self._folded.add(group.label)
            self._opened.discard(group.label)
        else:
            self._folded.discard(group.label)
            if group.starts_folded:
                self._opened.add(group.label)
        self.lay_out(self._groups, self._height)

    def open(self, group: Group) -> None:
        """Show all tools of a group, however many."""
        self._folded.discard(group.label)
        self._opened.add(group.label)
        self.lay_out(self._groups, self._height)

    def _allot(self, kept: Row | None) -> dict[str, int]:
        """How many tools of each group may stand before its `More`, so that all groups fit.

        Each group has at least one, all as many as there is room for, the first ones one more.
        Where only a few rows are missing, the last groups have none, and the word about them alone;
        that of the tool that is `kept` is not among these.
        What a person opens comes on top and shortens nothing else.
        """
        counts = {
            group.label: len(group.tools)
            for group in self._groups
            if not group.starts_folded and group.label not in self._folded
        }
        shares = dict.fromkeys(counts, 1)
        # A heading each, and under it what is shown and the word about the rest, if there is any.
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

    def _shown(self, group: Group) -> Sequence[Row]:
        share = self._shares.get(group.label)
        # One row is as well filled with the last tool as with a word about it.
        if share is None or group.label in self._opened or len(group.tools) <= share + 1:
            return group.tools
        return [*group.tools[:share], More(group, len(group.tools) - share)]

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

    def holds(self, wanted: Row) -> bool:
        """Whether this very row is in the list as it is shown."""
        return any(row is wanted for row in self._rows)

    def index_of(self, wanted: Row) -> int:
        """Where this very row is; 0 where it is not."""
        return next((index for index, row in enumerate(self._rows) if row is wanted), 0)

    def place(self, wanted: Row | None, nearby: int) -> int:
        """The row that stands for `wanted` now, which was at `nearby` before.

        A heading is known by its label. A tool is known by its name, and by its place in the
        server's list where names repeat; where the name is gone, by that place and its effect.
        Failing that it is a row near by, a tool if possible, and rather the one above than the
        first of another group.
        """
        found: int | None = None
        if isinstance(wanted, Group):
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
            if isinstance(row, Group) and row.label == label:
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
