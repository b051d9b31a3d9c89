"""Handles keys in order, and separates letters of text from letters as keys."""

from __future__ import annotations

import time
from collections import deque
from typing import Final, TypeAlias

from textual import events, on
from textual.app import App
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

ROUNDS: Final = 3
"""A key becomes an action, the action asks the widgets around it, and they move the focus."""
PATIENCE: Final = 1.0
"""Seconds that a key waits for one that does not end."""
LOOK: Final = 0.05
"""Seconds between two looks whether it can end at all."""

EDITING: Final = ("enter", "backspace", "delete", "tab", "shift+tab")
"""Keys that go with typing, beside characters."""
QUIET: Final = 0.75
"""Seconds without a key after which typing for a vanished field has surely ended."""

RESTART_KEY: Final = "shift+f5"
"""Key of a restart, as in `keys.txt`, for the words that name it. It works in text fields, too."""

Press: TypeAlias = events.MouseDown | events.MouseUp
Input: TypeAlias = events.Key | events.Paste | Press


def _now() -> float:
    """Seconds of the clock that keys are stamped with."""
    return events.Idle().time


class KeysInOrder(App[None]):
    """Holds a key back until the action of the previous key is done.

    Textual hands a key to the widget that has the focus when it arrives. Keys typed quickly, or
    received in one piece from a slow line, would go to a widget that the previous key is about to
    leave. A press of the mouse waits for the keys before it, too: it may act on something that they
    have yet to change.

    Text typed on for a field that was taken away is dropped: elsewhere a letter is a key.
    """

    class _Passed(Message):
        """Follows a key on its way up from the widget that had the focus."""

        verbose = True

        def __init__(self, key: int, rounds: int) -> None:
            super().__init__()
            self.key = key
            self.rounds = rounds

    _held: deque[Input]
    _passing = 0
    """The number of the key that is on its way, 0 while there is none."""
    _count = 0
    _patience: Timer | None = None
    _patience_began = 0.0
    _target: Widget | None = None
    """Who passes on the key that is on its way: with it, that may go."""
    _expected: object = None
    """Who has yet to make the widget that the focus is for."""
    _is_stopped = False
    """Whether the key on its way has done all but that."""

    _astray_since: float | None = None
    """When what was typed in was taken away, or a key was last pressed after it."""

    def __init__(self) -> None:
        super().__init__()
        self._held = deque()

    def discard_typed_ahead(self) -> None:
        """Drop text until nothing is typed for a moment: the focused widget is being removed."""
        self._astray_since = _now()
        self.call_after_refresh(self._show_loss)

    def _show_loss(self) -> None:
        """Restart the wait once the loss is on the screen, so that the user can stop typing."""
        if self._astray_since is not None:
            self._astray_since = _now()

    def _is_astray(self, event: Input) -> bool:
        if self._astray_since is None or isinstance(event, Press):
            return False
        # Counted from the handling of the key before, however late: a person who types on has
        # not seen more than that.
        quiet, self._astray_since = event.time - self._astray_since, _now()
        if quiet >= QUIET:
            self._astray_since = None
            return False
        return isinstance(event, events.Paste) or event.is_printable or event.key in EDITING

    def has_to_wait(self, event: Input) -> bool:
        """True if the target of a key or a press is still to come; `let_go` has to be called
        then.
        """
        return False

    def forget_waiting(self) -> None:
        """Drop held keys: the widget that they were typed for will not come."""
        self._held.clear()

    async def let_go(self) -> None:
        """Release held keys, each in its turn."""
        if not self._passing:
            await self._go_on()

    def expect_focus(self, maker: object) -> None:
        """The focus is for a widget that is yet to be made: keys wait for it."""
        self._expected = maker

    def focus_came(self, maker: object) -> None:
        """Release held keys: the expected focus is there, or never will be."""
        if self._expected is maker:
            self._expected = None
            if self._is_stopped or not self._passing:
                self.call_later(self._go_on)

    async def on_event(self, event: events.Event) -> None:
        if not isinstance(event, Input) or event.is_forwarded:
            await super().on_event(event)
        elif self.has_to_wait(event):
            self._held.append(event)
        elif isinstance(event, Press):
            if self._passing or self._expected is not None:
                self._hold(event)
            else:
                await super().on_event(event)
        elif self._held and not self._passing and self._expected is None:
            # Those that waited were typed before.
            self._held.append(event)
            await self._go_on()
        elif self._passing or self._expected is not None:
            self._hold(event)
        elif not self._is_astray(event):
            await self._hand_on(event)

    def _hold(self, event: Input) -> None:
        self._held.append(event)
        if self._patience is None:
            self._begin_patience()

    def _begin_patience(self) -> None:
        self._patience_began = time.monotonic()
        self._patience = self.set_interval(LOOK, self._look)

    async def _hand_on(self, event: Input) -> None:
        self._count += 1
        self._passing = self._count
        self._is_stopped = False
        target = self.focused or self.screen
        await super().on_event(event)
        self._target = target
        if not target.post_message(self._Passed(self._count, 1)):
            await self._go_on()

    @on(_Passed)
    async def _has_passed(self, message: _Passed) -> None:
        message.stop()
        # When the app ends no widget is left for a key.
        if message.key != self._passing or not self.screen_stack:
            return
        target = self.focused or self.screen
        again = self._Passed(message.key, message.rounds + 1)
        self._target = target
        if message.rounds >= ROUNDS and self._expected is not None:
            self._is_stopped = True
        elif message.rounds >= ROUNDS or not target.post_message(again):
            await self._go_on()

    async def _look(self) -> None:
        # A key that closes a screen may remove the widget that should pass it on.
        is_there = self._target is None or self._target.is_attached
        is_lost = self._expected is None and not is_there
        if is_lost or time.monotonic() - self._patience_began >= PATIENCE:
            await self._go_on()

    async def _go_on(self) -> None:
        if not self.screen_stack:
            return
        if self._patience is not None:
            self._patience.stop()
            self._patience = None
        self._passing = 0
        event = self._next_held()
        while event is not None and self._is_astray(event):
            event = self._next_held()
        if event is not None:
            if self._held:
                self._begin_patience()
            await self._hand_on(event)

    def _next_held(self) -> Input | None:
        """Take the first that need not wait any longer."""
        event = next((one for one in self._held if not self.has_to_wait(one)), None)
        if event is not None:
            self._held.remove(event)
        return event


def is_text(letter: str, focused: Widget | None) -> bool:
    """True if this letter would be typed into the focused widget."""
    if focused is None:
        return False
    # A list that is filtered by typing takes characters, too.
    return getattr(focused, "takes_text", False) or focused.check_consume_key(letter, letter)


def way_to(letter: str, focused: Widget | None) -> str:
    """Describe how to press the key of this letter."""
    return f"esc, then {letter}" if is_text(letter, focused) else letter
