"""What an open server gains and loses with the drafts that are turned on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..approval.draft_effects import DraftEffects, effects_of
from ..approval.draft_tools import DraftSubject
from ..protocol.server import URL_BEGINNINGS, Trust
from .policy_state import read_rulebook

if TYPE_CHECKING:
    from ..approval.policies.policy import Policy
    from .engine import Engine


def effects_on(
    engine: Engine, columns: Sequence[Policy] = (), trust: Trust = Trust.TRUSTED
) -> tuple[DraftEffects, ...]:
    """The effects of each draft that is turned on, by the decisions of policies and hosts.

    `columns` are the hosts, and further policies; all known hosts without any.
    """
    drafts = engine.link.capabilities.experimental
    if not drafts:
        return ()
    server = engine.server
    return effects_of(
        DraftSubject(
            engine.tools,
            drafts,
            server.capabilities,
            server.command.startswith(URL_BEGINNINGS),
            known_columns(columns),
            trust,
            server.name,
        )
    )


def known_columns(hosts: Sequence[Policy] = ()) -> tuple[Policy, ...]:
    """These hosts, or all known ones without any; then every policy. Each is there once."""
    rulebook = read_rulebook()
    chosen = {one.name: one for one in (*(hosts or rulebook.hosts), *rulebook.policies)}
    return tuple(chosen.values())
