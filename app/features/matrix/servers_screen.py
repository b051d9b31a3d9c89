"""The matrix of all servers of a session: the tools of each server below its name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import ClassVar

from textual.binding import BindingType

from ....widgets.bindings import bindings_of
from ....widgets.matrix.grid import MatrixGrid
from ....widgets.matrix.rows import GridRow
from ...approval.matrix import MatrixRow, build_matrix
from ...approval.policies.policy import Policy
from ...content.text import count, visible
from ...protocol.tool import ToolDefinition
from ...tui.servers.group import Lists
from .screen import MatrixScreen
from .screen_state import MatrixState


class ServersMatrixState(MatrixState):
    """The tools of several servers, those of each together, and without a what-if."""

    def __init__(self, lists: Lists, columns: Sequence[Policy]) -> None:
        self.lists = lists
        self._owners = {id(tool): name for name, tools in lists for tool in tools}
        super().__init__([tool for _, tools in lists for tool in tools], columns, "", {})

    def with_lists(self, lists: Lists) -> ServersMatrixState:
        """The same columns, modes and selection over other lists."""
        made = ServersMatrixState(lists, self.columns)
        made.take_columns(self)
        return made

    def server_of(self, tool: ToolDefinition) -> str:
        """The name of the server that listed a tool."""
        return self._owners[id(tool)]

    def in_order(self, tools: Sequence[ToolDefinition]) -> list[ToolDefinition]:
        found: list[ToolDefinition] = []
        for _, of_one in self.lists:
            found += super().in_order(of_one)
        return found

    def judged(
        self,
        tools: Sequence[ToolDefinition],
        columns: Sequence[Policy],
        overrides: Mapping[str, Mapping[str, bool | None]],
        compared: Sequence[int] | None = None,
    ) -> tuple[MatrixRow, ...]:
        found: list[MatrixRow] = []
        for name, of_one in groupby(tools, key=self.server_of):
            matrix = build_matrix(tuple(of_one), columns, server=name, compared=compared)
            found += matrix.rows
        return tuple(found)

    def rows(self, *, only_disagreeing: bool = False) -> list[GridRow]:
        rows = super().rows(only_disagreeing=only_disagreeing)
        counts = Counter(self.server_of(row.tool) for row in rows)
        named: set[str] = set()
        for at, row in enumerate(rows):
            name = self.server_of(row.tool)
            if name not in named:
                named.add(name)
                words = f"{visible(name)}: {count(counts[name], 'tool')}"
                rows[at] = replace(row, heading=words)
        return rows


class ServersMatrixGrid(MatrixGrid):
    """Opens the tool of a row in the place of choosing a policy."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("servers-matrix: grid")


class ServersMatrixScreen(MatrixScreen):
    """Shows the verdicts on the tools of all servers. Hints are tried in the matrix of one server.

    Args:
        lists: Gives the tools of each server, as they are now.
        columns: Policies first, then hosts.

    Attributes:
        opened: The server and the name of the tool that a person has chosen; None before.
    """

    HELP = """
# The matrix of all servers

The verdict of each policy and each host on the tools of every server, below the server's name. Two
words in a cell are for an untrusted and for a trusted server.

`enter` goes to the tool. `o` shows the next mode of a host. Hints are tried in the matrix of one
server: go to it, then `f2`.

For a report: `signoff matrix --all --html FILE`.
"""
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("servers-matrix")
    GRID = ServersMatrixGrid
    CSS_PATH = "screen.tcss"
    LOOK_SECONDS: ClassVar[float] = 1.0

    def __init__(self, lists: Callable[[], Lists], columns: Sequence[Policy]) -> None:
        super().__init__((), columns, "", None)
        self._lists = lists
        self.opened: tuple[str, str] | None = None
        self._whole = ServersMatrixState(lists(), columns)
        self._show(self._whole)

    def on_mount(self) -> None:
        super().on_mount()
        self.set_interval(self.LOOK_SECONDS, self._look)

    def _look(self) -> None:
        lists = self._lists()
        if lists != self._whole.lists:
            self._show(self._whole.with_lists(lists))
            self._draw()

    def _show(self, whole: ServersMatrixState) -> None:
        self._whole = self._state = whole
        self._server_name = count(len(whole.lists), "server")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("turn", "reset"):
            return False
        return super().check_action(action, parameters)

    def choose(self, column: int) -> None:
        row = self._grid.row
        if row is not None:
            self.opened = self._whole.server_of(row.tool), row.tool.name
            self.dismiss(None)

    def owner_of(self, tool: ToolDefinition) -> str:
        return self._whole.server_of(tool)
