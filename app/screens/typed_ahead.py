"""What is typed while a server starts, for the tools that are still to come."""

from __future__ import annotations

from typing import Final

from textual import events
from textual.screen import Screen

from signoff.widgets.keys_in_order import KeysInOrder

TO_FILTER: Final = frozenset({"f3", "slash"})
ACTING: Final = frozenset({"f5", "ctrl+enter", "f12", "R", "shift+f5", "C", "ctrl+x"})
"""Keys that act on the chosen tool or call: without a filter typed before them, nobody has seen
what they would act on."""


class WaitsForTools(Screen[None]):
    """Keeps the keys that are for the tools until these are listed, and lets the others pass.

    Its app has to be one of `TakesTypedAhead`.
    """

    has_begun_filter = False

    @property
    def is_waiting(self) -> bool:
        """Whether the tools are still to come."""
        return False

    def is_for_tools(self, event: events.Key | events.Paste, *, has_waiting: bool) -> bool:
        """Whether a key does nothing yet, or is a letter of what was begun."""
        if isinstance(event, events.Paste) or (event.is_printable and has_waiting):
            return True
        active = self.active_bindings.get(event.key)
        return active is None or not active.enabled

    def is_too_early(self, event: events.Key | events.Paste) -> bool:
        """Whether a key is to do nothing, now or later."""
        key = event.key if isinstance(event, events.Key) else ""
        self.has_begun_filter |= key in TO_FILTER
        return key in ACTING and not self.has_begun_filter


class TakesTypedAhead(KeysInOrder):
    """Hands on what was typed ahead once the tools are there."""

    def has_to_wait(self, event: events.Key | events.Paste) -> bool:
        if not self.screen_stack:
            return True
        screen = self.screen
        if not isinstance(screen, WaitsForTools) or not screen.is_waiting:
            return False
        return event in self._held or screen.is_for_tools(event, has_waiting=bool(self._held))

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            screen = self.screen if self.screen_stack else None
            is_early = isinstance(screen, WaitsForTools) and screen.is_waiting
            if isinstance(screen, WaitsForTools) and is_early and screen.is_too_early(event):
                return
        await super().on_event(event)
