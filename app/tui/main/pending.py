"""The changes of definitions that the person has not accepted, and what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...presentation.consequences import Consequence, consequences

if TYPE_CHECKING:
    from ...approval.who_asks import WhoAsks
    from ...engine.engine import Engine


def pending_consequences(engine: Engine, hosts: WhoAsks | None) -> list[Consequence] | None:
    """What the changes mean, the weightiest first; None while the rules of hosts are read."""
    if hosts is None:
        return None
    memory = engine.memory
    return consequences(memory.pending, memory.earlier, engine.tools, hosts, engine.server.trust)
