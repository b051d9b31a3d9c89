"""What is typed while a server starts, for the tools that are still to come."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from textual import events
from textual.screen import Screen

from ...widgets.keys_in_order import Input, KeysInOrder, Press
from .fresh_sizes import FreshSizes

TO_FILTER: Final = frozenset({"f3", "slash"})
ACTING: Final = frozenset({"f5", "ctrl+enter", "f12", "R", "shift+f5", "C", "ctrl+x"})
"""Keys that act on the chosen tool or call: without a filter typed before them, nobody has seen
what they would act on."""


class WaitsForTools(FreshSizes, Screen[None]):
    """Keeps the keys that are for the tools until these are listed, and lets the others pass.

    Its app has to be one of `TakesTypedAhead`.
    """

    has_begun_filter = False

    @property
    def is_waiting(self) -> bool:
        """Whether the tools are still to come."""
        return False

    @property
    def is_half_made(self) -> bool:
        """Whether the tools are in sight, and what stands beside them is still to come."""
        return False

    def is_for_the_rest(self, event: events.Key | events.Paste) -> bool:
        """Whether a key is for more than the list of tools and its filter."""
        return True

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
    """Hands on what was typed ahead once the tools are there, or all that stands beside them."""

    leaving_keys: Collection[str] = ()
    """Keys that wait for nothing: whoever leaves does not care for what was typed before."""

    def has_to_wait(self, event: Input) -> bool:
        if not self.screen_stack:
            return not isinstance(event, Press)
        screen = self.screen
        if not isinstance(screen, WaitsForTools):
            return False
        if screen.is_half_made:
            return self._waits_for_the_rest(event, screen)
        if isinstance(event, Press) or not screen.is_waiting:
            return False
        return event in self._held or screen.is_for_tools(event, has_waiting=bool(self._held))

    def _waits_for_the_rest(self, event: Input, screen: WaitsForTools) -> bool:
        """In the order in which they came: only who leaves overtakes what waits."""
        if isinstance(event, Press):
            return True
        if isinstance(event, events.Key) and event.key in self.leaving_keys:
            return False
        has_others = bool(self._held) and self._held[0] is not event
        return has_others or screen.is_for_the_rest(event)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            screen = self.screen if self.screen_stack else None
            is_early = isinstance(screen, WaitsForTools) and screen.is_waiting
            if isinstance(screen, WaitsForTools) and is_early and screen.is_too_early(event):
                return
        await super().on_event(event)
