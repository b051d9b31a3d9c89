"""What changed definitions mean: the hosts that ask, or run a tool, otherwise than before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from ..content.frozen import frozen
from ..content.json.jsonio import JsonValue
from ..content.text import count
from ..protocol.definitions.change_values import ListDiff, quoted
from ..protocol.server import Trust
from ..protocol.tool import ToolDefinition
from ..protocol.tool_reading import read_tools

if TYPE_CHECKING:
    from ..approval.who_asks import HostMove, WhoAsks

_JUDGED: Final = 40
"""Tools whose hosts are compared, the weightiest changes first: each takes a while."""


@frozen
class Consequence:
    """What the change of one tool means. `name` is safe to show."""

    name: str
    moves: tuple[HostMove, ...]
    is_new: bool = False

    @property
    def words(self) -> str:
        """Name the tool with the first hosts that decide otherwise."""
        new = "new, " if self.is_new else ""
        moved = self.moves[0].words if self.moves else "no host decides otherwise"
        return f"{self.name}: {new}{moved}"

    @property
    def is_looser(self) -> bool:
        """True if a host asks less than before."""
        return any(one.is_looser for one in self.moves)


def consequences(
    diff: ListDiff,
    earlier: Callable[[str], JsonValue],
    tools: Sequence[ToolDefinition],
    hosts: WhoAsks,
    trust: Trust,
) -> list[Consequence]:
    """Compare the decisions of hosts on each changed, renamed and new tool, what asks less first.

    `earlier` returns the raw definition of a name before the change.
    """
    now = {tool.name: tool for tool in tools}
    changed = sorted(diff.changed, key=lambda one: -one.weight)
    before = {one.tool: one.tool for one in changed}
    before |= {one.new: one.old for one in diff.renamed}
    found = []
    for name in [*before, *(one for one in diff.added if one not in before)][:_JUDGED]:
        tool, old = now.get(name), before.get(name)
        if tool is None or not name:
            continue
        was = None if old is None else read_tools([earlier(old)])[0]
        moves = hosts.moves(was, tool, trust)
        # What a new tool does in most hosts is on its page.
        shown = moves if old is not None else moves[:1]
        found.append(Consequence(_name(name), tuple(shown), is_new=old is None))
    return sorted(found, key=lambda one: (not one.is_looser, one.is_new, not one.moves))


def _name(name: str) -> str:
    plain = quoted(name)
    return plain[1:-1] if plain == f'"{name}"' else plain


def summary(found: Sequence[Consequence], diff: ListDiff) -> str:
    """One line: the weightiest consequence, and how many changes there are beside it."""
    if not found or not found[0].moves:
        return f"{diff.summary}: no host decides otherwise" if found else diff.summary
    others = len(diff.changed) + len(diff.added) + len(diff.gone) - len(diff.renamed) - 1
    more = f" (and {count(others, 'other change')})" if others > 0 else ""
    return f"{found[0].words}{more}"
