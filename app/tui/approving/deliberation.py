"""Which key presses are an act of will: neither hurried, nor held, nor typed for something else."""

from __future__ import annotations

import math
from dataclasses import dataclass

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
class Deliberation:
    """Hears every key and says when an approving one counts. Times are seconds of one clock.

    A press counts only if it stands alone: some stillness before it, and some after it. A terminal
    reports a held key as many presses, first after a pause and then quickly. A press on a button
    waits for longer than that pause. In the chord the pause passes for stillness before the second
    press, but what follows never passes for stillness after it.
    """

    _last: float = -math.inf
    _before_last: float = -math.inf
    _first_of_chord: float | None = None
    _waiting_since: float | None = None
    _wait: float = STILL_AFTER
    is_chord_hurried: bool = False
    """Whether the last press of the chord came too soon after the one before it."""

    def reset(self) -> None:
        """Forget a chord that was begun and a press that was about to count."""
        self._first_of_chord = None
        self._waiting_since = None

    def hear(self, now: float) -> None:
        """Any key, before it is acted on. It undoes an approving press that still had to wait."""
        self._before_last, self._last = self._last, now
        self._waiting_since = None

    def is_repeat(self) -> bool:
        """Whether the key just heard came as quickly as those of a key held down."""
        return self._last - self._before_last < REPEAT_SECONDS

    def press(self, focused_since: float) -> bool:
        """The key just heard presses the button that has had the focus since then.

        False when it came too soon and will not count.
        """
        is_alone = self._last - max(self._before_last, focused_since) >= STILL_BEFORE
        self._first_of_chord = None
        self._waiting_since = self._last if is_alone else None
        self._wait = HELD_AFTER
        return is_alone

    def press_chord(self) -> bool:
        """The key just heard belongs to the chord. False when another press of it is needed."""
        first, now = self._first_of_chord, self._last
        self._first_of_chord = now
        self.is_chord_hurried = first is not None and now - first < STILL_BEFORE
        if first is None or not STILL_BEFORE <= now - first <= CHORD_SECONDS:
            return False
        # Any other key in between would have come after the first press.
        if self._before_last != first:
            return False
        self._waiting_since = now
        self._wait = STILL_AFTER
        return True

    def is_chord_open(self, now: float) -> bool:
        """Whether a second press would complete the chord."""
        return self._first_of_chord is not None and now - self._first_of_chord <= CHORD_SECONDS

    def is_waiting(self) -> bool:
        """Whether an approving press has been made and waits for the stillness after it."""
        return self._waiting_since is not None

    def is_settled(self, now: float) -> bool:
        """Whether an approving press has stood alone and counts."""
        return self._waiting_since is not None and now - self._waiting_since >= self._wait
