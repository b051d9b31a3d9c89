"""The quiet line of the first screen that says what to do first; gone after the first call."""

from __future__ import annotations

from collections.abc import Mapping

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from ...widgets.saying import say
from ..content.text import visible
from ..engine.engine import Bench
from .first_steps import lesson_words, server_words

KEYS: Mapping[str, str] = {
    "call": "bench.call",
    "filter": "bench.filter",
    "tour": "bench.tour",
}
"""What the line names, and the ids of their bindings: it says the key that there really is."""
MOST_JUDGED = 2_000
"""Of longer lists it is not said how many ask: judging all of them would hold up the screen."""


class FirstLine(Static):
    """One line; it hides itself where there is nothing to say."""

    DEFAULT_CSS = """
    FirstLine { height: 1; padding: 0 1; color: $foreground-muted; display: none; }
    FirstLine.-said { display: block; }
    """

    def __init__(self, *, is_bundled: bool) -> None:
        super().__init__(markup=False, id="first")
        self._is_bundled = is_bundled
        self._wordings: tuple[str, ...] = ()

    def show(self, bench: Bench) -> None:
        """Say what holds now, by trust and policy; nothing once there was a call."""
        self._wordings = () if bench.calls else self._words(bench)
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        self._draw()

    def _words(self, bench: Bench) -> tuple[str, ...]:
        tools, keys = bench.tools[:MOST_JUDGED], keys_of(self.screen)
        if not tools or len(bench.tools) > MOST_JUDGED:
            return ()
        if self._is_bundled:
            says = {one.name: bench.verdict(one).answer for one in tools}
            return lesson_words(tools, keys, says)
        return server_words((bench.verdict(one).answer for one in tools), keys)

    def _draw(self) -> None:
        width = self.app.size.width - 2
        fitting = [one for one in self._wordings if cell_len(one) <= width]
        words = fitting[0] if fitting else ""
        self.set_class(bool(words), "-said")
        say(self, Content(visible(words)))


def keys_of(screen: Screen[object]) -> dict[str, str]:
    """The key of each verb that the line names, as the footer shows it; without those that are
    bound to nothing."""
    ids = {identity: verb for verb, identity in KEYS.items()}
    found: dict[str, str] = {}
    for key in screen._bindings.key_to_bindings.values():
        for binding in key:
            verb = ids.get(binding.id or "")
            if verb is not None and verb not in found:
                found[verb] = screen.app.get_key_display(binding)
    return found
