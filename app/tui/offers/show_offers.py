"""From the bench to what the server has beside its tools, and back with what is wanted of it."""

from __future__ import annotations

from textual.screen import Screen

from ...engine.engine import Bench
from .offers_screen import OffersScreen, ReadWanted, Wanted


def show_offers(screen: Screen[None], bench: Bench) -> OffersScreen:
    """Open the lists over the bench; what is chosen there begins a story like any other."""

    def chosen(wanted: Wanted | None) -> None:
        if wanted is None:
            return
        if not bench.server.is_open:
            words = bench.server.ended_words or "not connected"
            screen.notify(f"Nothing was sent: {words}.", severity="error", markup=False)
        elif isinstance(wanted, ReadWanted):
            bench.read(wanted.uri)
        else:
            bench.get_prompt(wanted.name, wanted.arguments)

    opened = OffersScreen(bench)
    screen.app.push_screen(opened, chosen)
    return opened
