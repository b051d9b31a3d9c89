"""A dialog that ignores keys and clicks until keyboard and mouse have been quiet.

Only deliberate key presses approve: not hurried, held, or typed for something else. `esc` leaves at
any moment: a denial by accident does no harm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from textual import events
from textual.content import Content
from textual.errors import NoWidget
from textual.geometry import Offset
from textual.screen import ModalScreen
from textual.widget import Widget

from ....widgets.buttons import ChoiceRow, GuardedButton
from ...approval.approval import QUIET_SECONDS, QuietGuard
from ..base.screen_mixin import ScreenMixin
from .clock import REAL, Clock

_LOOKS = 3


class InputSettle:
    """Disarmed at first and after every restart; `clock` gives monotonic seconds."""

    def __init__(self, clock: Callable[[], float], quiet_seconds: float = QUIET_SECONDS) -> None:
        self._clock = clock
        self._guard = QuietGuard(quiet_seconds)
        self._quiet_looks = 0
        self.is_armed = False

    def restart(self) -> None:
        """Disarm after a change of the screen."""
        self._guard.restart(self._clock())
        self._quiet_looks = 0
        self.is_armed = False

    def swallow(self) -> None:
        """Take a key or a click. While disarmed, it restarts the quiet time."""
        if not self.is_armed:
            self._guard.restart(self._clock())
            self._quiet_looks = 0

    @property
    def share(self) -> float:
        """How much of the quiet time has passed, from 0 to 1."""
        return self._guard.share(self._clock())

    def look(self, *, can_hear: bool) -> bool:
        """Check the clock; True when input counts from now on.

        Armed only by the third look in a row: keys typed while the program was busy are still in
        the queue at the first one, the second may be late and follow at once, and those keys are
        handled before the third.
        """
        self._quiet_looks = self._quiet_looks + 1 if self._guard.is_armed(self._clock()) else 0
        if self.is_armed or self._quiet_looks < _LOOKS or not can_hear:
            return False
        self.is_armed = True
        return True


STILL_BEFORE = 0.3
"""Seconds without any key before one that approves; also between the two of the chord."""
STILL_AFTER = 0.25
"""Seconds without any key after the chord: a key held since its first press repeats sooner."""
HELD_AFTER = 0.75
"""Seconds without any key after a press on a button: a held key begins to repeat sooner than that
as keyboards are usually set (after 250 to 660 ms)."""
CHORD_SECONDS = 3.0
"""Seconds within which the chord's second press must follow the first."""
REPEAT_SECONDS = 0.1
"""A key sooner after another is one held down: it repeats faster than people press on purpose."""


@dataclass(slots=True)
class KeypressGuard:
    """Takes every key and decides when an approving one counts. Times are seconds of one clock.

    A press counts only if it is alone: some stillness before it, and some after it. A terminal
    reports a held key as many presses, first after a pause and then quickly. A press on a button
    waits for longer than that pause. In the chord the pause passes for stillness before the second
    press, but following keys never pass for stillness after it.
    """

    _last: float = -math.inf
    _before_last: float = -math.inf
    _first_of_chord: float | None = None
    _keys_since_first: int = 0
    _waiting_since: float | None = None
    _wait: float = STILL_AFTER
    is_chord_hurried: bool = False
    """Whether the last press of the chord came too soon after the one before it."""
    lapse: str = ""
    """Why the last press of the chord counts as its first, in words; empty for a plain first one.
    """

    def reset(self) -> None:
        """Forget a chord that was begun and a press that was about to count."""
        self._first_of_chord = None
        self._waiting_since = None

    def hear(self, now: float) -> None:
        """Any key, before it is acted on. It undoes an approving press that still had to wait."""
        self._before_last, self._last = self._last, now
        self._keys_since_first += 1
        self._waiting_since = None

    def is_repeat(self) -> bool:
        """True if the newest key came as quickly as those of a key held down."""
        return self._last - self._before_last < REPEAT_SECONDS

    def press(self, focused_since: float) -> bool:
        """Let the newest key press the button that has had the focus since then.

        False if it came too soon and will not count.
        """
        is_alone = self._last - max(self._before_last, focused_since) >= STILL_BEFORE
        self._first_of_chord = None
        self._waiting_since = self._last if is_alone else None
        self._wait = HELD_AFTER
        return is_alone

    def press_chord(self) -> bool:
        """Let the newest key be part of the chord. False if another press of it is needed."""
        first, now = self._first_of_chord, self._last
        keys, self._keys_since_first = self._keys_since_first, 0
        self._first_of_chord = now
        self.is_chord_hurried = first is not None and now - first < STILL_BEFORE
        self.lapse = self._lapse(first, now, keys)
        if first is None or not STILL_BEFORE <= now - first <= CHORD_SECONDS:
            return False
        # Counted, since two keys may come at one time of a coarse clock.
        if keys != 1:
            return False
        self._waiting_since = now
        self._wait = STILL_AFTER
        return True

    @staticmethod
    def _lapse(first: float | None, now: float, keys: int) -> str:
        if first is None or now - first < STILL_BEFORE:
            return ""
        if now - first > CHORD_SECONDS:
            return f"the first was over {CHORD_SECONDS:.0f} s ago"
        return "another key came between" if keys != 1 else ""

    @property
    def newest(self) -> float:
        """Time of the newest key."""
        return self._last

    def chord_left(self, now: float) -> int:
        """Whole seconds, rounded up, in which a second press completes the chord."""
        begun = self._first_of_chord
        return 0 if begun is None else max(math.ceil(begun + CHORD_SECONDS - now), 1)

    def press_once(self) -> bool:
        """Let the newest key approve by itself, or as the second of the chord.

        Like a press on a button it waits for longer than a held key does before it repeats. False
        if it came too soon after another key.
        """
        if self.press_chord():
            return True
        is_alone = self._last - self._before_last >= STILL_BEFORE
        self._waiting_since = self._last if is_alone else None
        self._wait = HELD_AFTER
        return is_alone

    def share(self, now: float) -> float | None:
        """How much of the stillness after a press has passed, from 0 to 1; None: no press waits."""
        if self._waiting_since is None:
            return None
        return min(max((now - self._waiting_since) / self._wait, 0.0), 1.0)

    def is_chord_open(self, now: float) -> bool:
        """True if a second press would complete the chord."""
        return self._first_of_chord is not None and now - self._first_of_chord <= CHORD_SECONDS

    def is_waiting(self) -> bool:
        """True if an approving press has been made and waits for the stillness after it."""
        return self._waiting_since is not None

    def is_settled(self, now: float) -> bool:
        """True if an approving press has stood alone and counts."""
        return self._waiting_since is not None and now - self._waiting_since >= self._wait


Result = TypeVar("Result")

APPROVES: Final = "ctrl+y"
"""The key that approves without moving to the button."""
LEAVES: Final = "escape"
"""The key that denies or leaves before a dialog listens, too."""

_DEAF = ("buttons unlock in a moment", "one moment", "wait")
_IGNORED = (
    "buttons unlock in a moment: half a second without keys",
    *_DEAF,
)
TOO_SOON = ("that key came too soon: press it again", "too soon: press it again", "again")
"""The status after a key that did not count, the longest wording first."""

_WHEEL = (
    *(events.MouseScrollDown, events.MouseScrollUp),
    *(events.MouseScrollLeft, events.MouseScrollRight),
)


def status_words(status: Sequence[str]) -> list[Content]:
    """Draw the conditions that buttons wait for, so that they are seen beside them."""
    return [Content.styled(f" {words} ", "bold $text on $warning") for words in status]


class GuardedDialog(ScreenMixin, ModalScreen[Result], inherit_bindings=False):
    """Ignores input at first, after every change of its content, and after a paste, a turn of the
    wheel or a click that hits nothing.

    `clock`: a clock of its own instead of that of the program. `last_click` is the last mouse
    position pressed, in cells of the screen. A subclass draws in `draw`, leaves in `leave_at_once`,
    returns the first focus in `first_stop`, and in `tick` calls `look` and takes a press that has
    settled.
    """

    DEFAULT_CSS = "GuardedDialog Toast { display: none; }"
    AUTO_FOCUS = ""
    ALLOW_SELECT = False
    ESCAPE_TO_MINIMIZE = False
    _is_answered = False

    def __init__(
        self, clock: Clock | None, quiet_seconds: float, last_click: Offset | None
    ) -> None:
        super().__init__()
        self._own_clock = clock
        self.keys = KeypressGuard()
        self.last_click = last_click
        self.focused_since = -math.inf
        self.was_too_soon = False
        """Whether the last press on a button came too soon to count."""
        self.last_sign = -math.inf
        """Time of the last sign of a person: a key, the wheel, a mouse button, a paste.

        Not a mouse move, another size or focus of the window: these come by themselves.
        """
        self.was_ignored = False
        """Whether the last key came too early and was ignored."""
        self.was_typed_into = False
        """Whether anything was typed or pasted that it ignored: that may go on."""
        self._attention = InputSettle(self.now, quiet_seconds)
        self._may_scroll = False
        self._pressed: Widget | None = None
        """What the left button of the mouse went down on, where a click does something."""

    @property
    def clock(self) -> Clock:
        """Its own clock, else the one of the program."""
        if self._own_clock is not None:
            return self._own_clock
        clock: Clock = getattr(self.app, "dialog_clock", REAL)
        return clock

    def now(self) -> float:
        """Monotonic seconds."""
        return self.clock.now()

    @property
    def is_armed(self) -> bool:
        """True if keys and clicks count."""
        return self._attention.is_armed

    @property
    def filled(self) -> float | None:
        """How much of a wait has passed, from 0 to 1: the quiet time, or that after a press.

        None if nothing is waited for. It is drawn in the button that acts.
        """
        return self.keys.share(self.now()) if self.is_armed else self._attention.share

    @property
    def may_scroll(self) -> bool:
        """True if the wheel scrolls: it was armed once since it was laid out.

        A disarming by the wheel itself does not stop its scrolling.
        """
        return self._may_scroll

    @property
    def is_answered(self) -> bool:
        """True if it is about to go, and must not be covered until it has gone."""
        return self._is_answered

    @property
    def first_stop(self) -> Widget:
        """Widget that has the focus at first, and gets it back."""
        raise NotImplementedError

    def leave_at_once(self) -> None:
        """Deny, or leave: the answer of the first stop, or a closing without any."""
        raise NotImplementedError

    def takes(self, event: events.Key | events.Paste) -> bool:
        """True if this input is the dialog's own, and is for nothing inside it."""
        return True

    def draw(self) -> None:
        """Something that is shown may be different now."""
        raise NotImplementedError

    def tick(self) -> None:
        """Look at the clock, again and again while it is open."""
        raise NotImplementedError

    @property
    def hearing_words(self) -> tuple[str, ...]:
        """Words if input is ignored, or the last key was; the longest wording first."""
        if not self.is_armed:
            return _IGNORED if self.was_ignored else _DEAF
        return TOO_SOON if self.was_ignored else ()

    def restart(self) -> None:
        """Disarm after painting or layout, and move the focus back to the first stop."""
        self._may_scroll = False
        self._pressed = None
        self.was_ignored = False
        self.disturb()
        self.set_focus(self.first_stop, scroll_visible=False)

    def interrupt(self) -> None:
        """Handle a key that is not the dialog's own."""
        self.last_sign = self.now()
        self.disturb()

    def disturb(self) -> None:
        """Ignore input until it is quiet again; the focus stays."""
        self._attention.restart()
        self.keys.reset()
        self.draw()

    def look(self) -> None:
        """Check the clock: input may count from now on."""
        self._attention.look(can_hear=self.is_active)
        self._may_scroll = self._may_scroll or self.is_armed

    def step_focus(self, stops: Sequence[Widget], step: int, *, goes_round: bool = False) -> None:
        """Move the focus along `stops`, the one that denies first.

        Never backwards from the first to the last, which acts: a key that moves a cursor in a text
        must not lead there. `goes_round`: on from the last to the first.
        """
        if not stops:
            # A key that came while all of it is being taken away.
            return
        at = stops.index(self.focused) if self.focused in stops else 0
        to = at + step
        if goes_round and to == len(stops):
            to = 0
        self.set_focus(stops[min(max(to, 0), len(stops) - 1)], scroll_visible=False)

    def on_mount(self) -> None:
        self.watch(self.app, "app_focus", self.restart, init=False)
        for signal in (self.app.app_suspend_signal, self.app.app_resume_signal):
            signal.subscribe(self, lambda _: self.restart(), immediate=True)

    def on_screen_resume(self, _event: events.ScreenResume) -> None:
        self.restart()

    async def on_key(self, event: events.Key) -> None:
        """Consume every key: bound ones act if the dialog is armed, others are lost."""
        if not self.takes(event):
            return
        event.stop()
        event.prevent_default()
        self.last_sign = self.now()
        if event.key == LEAVES and not self.is_armed:
            self.leave_at_once()
            return
        if not self.is_armed:
            self._attention.swallow()
            self.was_ignored = self.was_typed_into = True
            self.draw()
            return
        self.keys.hear(self.now())
        self.was_ignored = False
        self.was_too_soon = False
        active = self.active_bindings.get(event.key)
        if active is not None and active.node is self:
            await self.run_action(active.binding.action)
        self.draw()

    def on_paste(self, event: events.Paste) -> None:
        if not self.takes(event):
            return
        event.stop()
        self.last_sign = self.now()
        self.was_typed_into = True
        self.disturb()

    def on_descendant_focus(self) -> None:
        self.focused_since = self.now()

    def _forward_event(self, event: events.Event) -> None:
        # Not in a handler: the next event, perhaps a click that is queued already, must find
        # the dialog unarmed, and a widget that scrolls stops the event.
        if not event.is_forwarded:
            self._notice(event)
        super()._forward_event(event)

    def _notice(self, event: events.Event) -> None:
        """Take wheel and mouse buttons as signs of being busy, but for a whole click."""
        if isinstance(event, (events.MouseDown, events.MouseUp, *_WHEEL)):
            self.last_sign = self.now()
        match event:
            case events.MouseDown():
                self.last_click = event.screen_offset
                self.keys.reset()
                self._pressed = self._clickable_at(event)
                if self._pressed is None:
                    self.disturb()
            case events.MouseUp():
                pressed, self._pressed = self._pressed, None
                if pressed is None or self._clickable_at(event) is not pressed:
                    self.disturb()
            case _ if isinstance(event, _WHEEL):
                self.disturb()

    def _clickable_at(self, event: events.MouseEvent) -> Widget | None:
        """Return the widget that the left button would press there."""
        if event.button != 1:
            return None
        try:
            widget, _ = self.get_widget_at(event.x, event.y)
        except NoWidget:
            return None
        is_clickable = isinstance(widget, GuardedButton | ChoiceRow) and widget.is_armed
        return widget if is_clickable else None
