"""What a feature's screen over the main screen begins from, and what its choice leads to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from textual.screen import Screen

from ...approval.policies.modes import host_of
from ...approval.policies.policy import Policy
from ...engine.engine import Engine
from ...engine.policy_state import PolicyCatalog, read_rulebook
from ...protocol.tool import ToolDefinition

if TYPE_CHECKING:
    from ..main.workplace import Workplace
    from ..startup import AppConfig

Shown: TypeAlias = tuple[Screen[Any], Callable[[], None]]
"""A screen that is open, and what updates it after a change of the engine."""


class ScreenContext(NamedTuple):
    """The main screen, its engine and its chosen tool."""

    screen: Screen[Any]
    engine: Engine
    tool: ToolDefinition | None = None
    """The tool that is chosen."""
    workplace: Workplace | None = None
    opening: AppConfig | None = None

    def say(self, words: str) -> None:
        self.screen.notify(words, timeout=8, markup=False)

    def rulebook(self) -> PolicyCatalog:
        """All policies and hosts; a notification names those that were left out."""
        rulebook = read_rulebook()
        for problem in rulebook.problems:
            self.say(f"Left out: {problem}")
        return rulebook

    def with_current(self, rulebook: PolicyCatalog) -> list[Policy]:
        """All columns; a policy from a file comes first, and the mode of a host after its host."""
        current, columns = self.engine.policy, list(rulebook.columns)
        if any(one.name == current.name for one in columns):
            return columns
        host = host_of(rulebook.hosts, current)
        columns.insert(0 if host is None else columns.index(host) + 1, current)
        return columns

    def live_by(self, rulebook: PolicyCatalog, name: str | None) -> None:
        """Make the policy of that name the active one."""
        variants = (one for column in rulebook.columns for one in column.variants)
        chosen = [one for one in variants if one.name == name]
        if chosen and chosen[0] != self.engine.policy:
            self.engine.consent.set_policy(chosen[0])
