"""Decisions of hosts if they used hints that were resolved for one call (draft `tool-resolution`).

Hosts have the static hints today. A comparison takes the resolved ones in their place, all four.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ..content.labels import some_named
from ..protocol.extensions.tool_resolution import ResolvedHints, hints_to_judge
from ..protocol.tool import ToolDefinition
from .matrix import host_decisions, overridden
from .policies.policy import Policy

NO_HOST_RESOLVES: Final = "no known host resolves hints yet"
"""As of the rules and records in `hosts/known`, 2026-11."""
SENT_BEFORE: Final = "The arguments reach the server before the question."
"""What a host gives away that resolves hints before it asks."""
_NAMED: Final = 4


def tool_if_resolved(tool: ToolDefinition, hints: ResolvedHints) -> ToolDefinition:
    """The tool with resolved hints in place of the static ones, for judging."""
    return overridden(tool, hints_to_judge(tool.hints, hints, is_trusted=True))


def both_decisions(
    tool: ToolDefinition, hints: ResolvedHints, hosts: Sequence[Policy], server: str
) -> dict[str, tuple[str, str]]:
    """Decisions by title, by the static hints and by the resolved ones, on an untrusted server."""
    before = _by_title(tool, hosts, server)
    after = _by_title(tool_if_resolved(tool, hints), hosts, server)
    return {title: (word, after[title]) for title, word in before.items()}


def changed_decisions(
    tool: ToolDefinition, hints: ResolvedHints, hosts: Sequence[Policy], server: str
) -> dict[str, tuple[str, str]]:
    """`both_decisions` of hosts, as far as the two differ."""
    both = both_decisions(tool, hints, hosts, server)
    return {title: pair for title, pair in both.items() if pair[0] != pair[1]}


def _by_title(tool: ToolDefinition, hosts: Sequence[Policy], server: str) -> dict[str, str]:
    decisions = host_decisions(tool, hosts, server)
    return {title: word for word, titles in decisions.items() for title in titles}


def changes_words(changed: Mapping[str, tuple[str, str]]) -> str:
    """Changed decisions in one clause: “run instead of ask: Cursor, Goose”."""
    groups: dict[tuple[str, str], list[str]] = {}
    for title, words in changed.items():
        groups.setdefault(words, []).append(title)
    return "; ".join(
        f"{after} instead of {before}: {some_named(titles, _NAMED, str)}"
        for (before, after), titles in groups.items()
    )
