"""By whose rules calls are judged, and what is remembered and logged of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..analysis.matrix.matrix import Overrides
from ..approval.grants import Grant
from ..approval.policies.policy import Policy
from ..approval.policies.policy_text import built_in
from ..approval.what_runs import WhatRuns
from ..protocol.definitions.changes import ListDiff
from ..protocol.findings import Finding, note
from ..protocol.server import Server
from ..protocol.tool import ToolDefinition
from ..storage.auditing.audit_events import (
    closed,
    definitions_changed,
    listed,
    lost,
    opened,
    opened_outside,
    policy_changed,
    reopened,
    trust_changed,
    what_if,
)
from ..storage.auditing.audit_events import grant as grant_event
from .ledger import Ledger
from .memory import Memory


@dataclass(frozen=True, slots=True)
class Surface:
    """What consent needs of its bench. The callbacks may come from any thread."""

    server: Callable[[], Server]
    changed: Callable[[], None]
    """The rules are others: verdicts may be, too."""
    notice: Callable[[Finding], None]


class Consent:
    """Policy, what-if, memory and ledger of one bench; every change of them is logged."""

    def __init__(
        self,
        memory: Memory,
        ledger: Ledger | None = None,
        policy: Policy | None = None,
    ) -> None:
        self.memory = memory
        self.ledger = ledger or Ledger()
        self.policy = policy or built_in("cautious")
        self.what_if: dict[str, Overrides] = {}
        """Hints that the person set, by exact tool name; they are not the server's."""
        self._surface: Surface | None = None

    def attach(self, surface: Surface) -> None:
        """Begin: from now on what happens is logged and told."""
        self._surface = surface
        self.memory.on_problem = self.ledger.on_problem = surface.notice
        self.memory.on_voided = self._note_voided
        self.ledger.write(opened(surface.server(), self.policy))

    def lost(self) -> None:
        """The connection of the server is gone."""
        self.ledger.write(lost(self._server))

    def reopened(self, runs: WhatRuns | None) -> None:
        """The server is connected again; None where nobody could look at what runs."""
        self.ledger.write(lambda: reopened(self._server, self.policy, runs))

    def close(self, calls: int) -> None:
        """End: `calls` were made."""
        if self._surface is not None:
            self.ledger.write(closed(self._surface.server(), calls))
        self.ledger.close()
        self.memory.close()

    def compare(self, tools: Sequence[ToolDefinition]) -> ListDiff:
        """Compare a list with the one before it and keep it; takes a while for a long one."""
        diff = self.memory.take_list(tools)
        self.ledger.write(listed(self._server, tools))
        if not diff.is_empty:
            self.ledger.write(definitions_changed(self._server, diff))
        return diff

    def set_policy(self, policy: Policy) -> None:
        """Another policy, for what is asked about or sent unasked from now on."""
        self.policy = policy
        self.ledger.write(policy_changed(self._server, policy))
        self._tell_changed()

    def trust_changed(self) -> None:
        """The server of the bench is trusted now, or not any more."""
        self.ledger.write(trust_changed(self._server))

    def set_what_if(self, tool: str, overrides: Overrides) -> None:
        """Flip hints of a tool locally; empty takes it back. It never makes a verdict milder."""
        if overrides:
            self.what_if[tool] = dict(overrides)
        else:
            self.what_if.pop(tool, None)
        self.ledger.write(what_if(self._server, tool, overrides))
        self._tell_changed()

    def overrides(self, tool: ToolDefinition) -> Overrides:
        """The hints that the person has set for a what-if, by hint name."""
        return self.what_if.get(tool.name, {})

    def log_opened_outside(self, uri: str, program: str) -> bool:
        """An address is about to be opened outside; False where that could not be logged."""
        return self.ledger.write(opened_outside(self._server, uri, program))

    def revoke(self, grant: Grant) -> bool:
        """Take a remembered approval back; False where it was gone already."""
        is_revoked = self.memory.revoke(grant.id)
        if is_revoked:
            self.ledger.write(grant_event("grant-revoked", grant))
        self._tell_changed()
        return is_revoked

    def revoke_all(self) -> int:
        """Take back all remembered approvals, of every server, and the denials of this session."""
        for grant in self.memory.grants():
            self.ledger.write(grant_event("grant-revoked", grant))
        count = self.memory.revoke_all()
        self._tell_changed()
        return count

    def allow_again(self, name: str) -> None:
        """Take back the denial of a tool for this session."""
        self.memory.allow_again(name)
        self._tell_changed()

    @property
    def _server(self) -> Server:
        assert self._surface is not None
        return self._surface.server()

    def _tell_changed(self) -> None:
        if self._surface is not None:
            self._surface.changed()

    def _note_voided(self, grants: Sequence[Grant], why: str) -> None:
        for grant in grants:
            self.ledger.write(grant_event("grant-voided", grant))
        count = f"{len(grants)} remembered approval{'' if len(grants) == 1 else 's'}"
        words = f"{count} ended: {why}"
        if self._surface is not None:
            self._surface.notice(note("approvals-voided", words))
