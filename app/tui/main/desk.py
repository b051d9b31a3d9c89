"""Opens the approval screens over the main screen: policy, matrix, grants, log, changes.

`ChangesScreen` shows the changes of the tool list and follows new ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from textual.content import Content
from textual.screen import Screen

from ...approval.matrix import Overrides
from ...approval.policies.modes import host_of
from ...approval.policies.policy import Policy
from ...approval.policies.verdicts import Case
from ...engine.engine import Engine
from ...engine.policy_state import PolicyCatalog, read_rulebook
from ...protocol.tool import ToolDefinition
from ..text.pager import PagerScreen


class Desk:
    """Opens the screens and applies their results to the engine."""

    def __init__(self, screen: Screen[None], engine: Engine, tool: ToolDefinition | None) -> None:
        self._screen = screen
        self._engine = engine
        self._tool = tool
        self._open: tuple[Screen[Any], Callable[[], None]] | None = None
        """The screen, and the function that updates it."""

    @property
    def is_open(self) -> bool:
        """True if a screen is open whose content may change."""
        return self._open is not None and self._open[0].is_attached

    def follow(self) -> None:
        """Update the open screen after a change of the engine."""
        if self._open is not None and self.is_open:
            self._open[1]()

    def choose_policy(self) -> None:
        """Let the user choose the active policy."""
        from ...features.policies.screen import PolicyScreen

        rulebook, engine = self._rulebook(), self._engine

        def shown() -> tuple[Sequence[Policy], str, ToolDefinition | None, Case | None]:
            tool = self._tool_of_now
            case = engine.case(tool) if tool is not None else None
            return self._with_current(rulebook), engine.policy.name, tool, case

        screen = PolicyScreen(*shown())
        self._open = screen, lambda: screen.take(*shown())
        self._screen.app.push_screen(screen, lambda name: self._live_by(rulebook, name))

    def show_matrix(self, column: str = "") -> None:
        """Show every tool under every policy and host; hints can be flipped for a what-if.

        The cursor begins under the policy or host of that name, or under the active policy.
        """
        from ...features.matrix.screen import MatrixScreen

        rulebook, engine = self._rulebook(), self._engine
        is_mode = host_of(rulebook.hosts, engine.policy) is not None
        screen = MatrixScreen(
            engine.tools,
            rulebook.columns if is_mode else self._with_current(rulebook),
            engine.server.name,
            engine.server.trust,
            engine.consent.what_if,
            self._take_what_if,
            start=self._tool,
            current=column or engine.policy.name,
            has_sections=engine.server.is_bundled,
        )
        self._open = (
            screen,
            lambda: screen.take(engine.tools, engine.server.trust, engine.consent.what_if),
        )
        self._screen.app.push_screen(screen, lambda name: self._live_by(rulebook, name))

    def show_archetypes(self, go_to: Callable[[str], bool]) -> None:
        """Each tool beside the kind that its name tells; `go_to` takes the name of one chosen."""
        from ...features.matrix.archetypes_screen import ArchetypesScreen

        def chosen(name: str | None) -> None:
            if name is not None:
                go_to(name)

        hosts, engine = self._rulebook().hosts, self._engine
        screen = ArchetypesScreen(engine.tools, hosts, start=self._tool)
        self._open = screen, lambda: screen.take(engine.tools)
        self._screen.app.push_screen(screen, chosen)

    def show_grants(self) -> None:
        from ...features.policies.grants_screen import GrantsScreen

        self._screen.app.push_screen(GrantsScreen(self._engine))

    def show_log(self) -> None:
        from ...features.audit.screen import AuditScreen

        place = self._engine.ledger.place
        if place:
            self._screen.app.push_screen(AuditScreen(Path(place)))
        else:
            self._say("This run keeps no audit log.")

    def show_changes(self) -> None:
        from ..text.sections import change_sections

        title, engine = Content("Changes since the previous list of tools"), self._engine
        screen = ChangesScreen(title, change_sections(engine))
        self._open = screen, lambda: screen.take(change_sections(engine))
        self._screen.app.push_screen(screen)

    @property
    def _tool_of_now(self) -> ToolDefinition | None:
        """The tool that was chosen, as it is listed by now."""
        chosen = self._tool
        same = [one for one in self._engine.tools if chosen and one.name == chosen.name]
        in_place = [one for one in same if chosen and one.index == chosen.index]
        return next(iter(in_place or same), None)

    def _rulebook(self) -> PolicyCatalog:
        rulebook = read_rulebook()
        for problem in rulebook.problems:
            self._say(f"Left out: {problem}")
        return rulebook

    def _with_current(self, rulebook: PolicyCatalog) -> list[Policy]:
        """All columns; a policy from a file comes first, and the mode of a host after its host."""
        current, columns = self._engine.policy, list(rulebook.columns)
        if any(one.name == current.name for one in columns):
            return columns
        host = host_of(rulebook.hosts, current)
        columns.insert(0 if host is None else columns.index(host) + 1, current)
        return columns

    def _live_by(self, rulebook: PolicyCatalog, name: str | None) -> None:
        variants = (one for column in rulebook.columns for one in column.variants)
        chosen = [one for one in variants if one.name == name]
        if chosen and chosen[0] != self._engine.policy:
            self._engine.consent.set_policy(chosen[0])

    def _take_what_if(self, overrides: Mapping[str, Overrides]) -> None:
        for name in {*self._engine.consent.what_if, *overrides}:
            if self._engine.consent.what_if.get(name, {}) != overrides.get(name, {}):
                self._engine.consent.set_what_if(name, overrides.get(name, {}))

    def _say(self, words: str) -> None:
        self._screen.notify(words, timeout=8, markup=False)


class ChangesScreen(PagerScreen):
    """The changes of the tool list, redrawn when they differ."""
