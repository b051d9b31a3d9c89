"""The order of the command palette before anything is typed."""

from __future__ import annotations

from textual.binding import Binding
from textual.command import DiscoveryHit, Hits
from textual.dom import DOMNode
from textual.system_commands import SystemCommandsProvider

FIRST = ("bench.call", "bench.tour", "bench.matrix", "bench.trust", "bench.policy")
"""Ids of the bindings that come first."""


def palette_place(verb: tuple[Binding, DOMNode]) -> int:
    """Return the place of a verb: the most wanted come first, the others keep their order."""
    identity = verb[0].id
    return FIRST.index(identity) if identity in FIRST else len(FIRST)


class CommandsInOrder(SystemCommandsProvider):
    """The app's commands in the order in which it gives them; Textual's own provider sorts them."""

    async def discover(self) -> Hits:
        for title, about, callback, is_discovered in self.app.get_system_commands(self.screen):
            if is_discovered:
                yield DiscoveryHit(title, callback, help=about)
