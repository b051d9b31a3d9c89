"""When a dialog hears: not before keyboard and mouse have been quiet."""

from __future__ import annotations

from collections.abc import Callable

from ...approval.approval import QUIET_SECONDS, QuietGuard

_LOOKS = 3


class Attention:
    """Deaf at first and after every restart; `clock` gives monotonic seconds."""

    def __init__(self, clock: Callable[[], float], quiet_seconds: float = QUIET_SECONDS) -> None:
        self._clock = clock
        self._guard = QuietGuard(quiet_seconds)
        self._quiet_looks = 0
        self.is_armed = False

    def restart(self) -> None:
        """Something else is on the screen now: deaf again."""
        self._guard.restart(self._clock())
        self._quiet_looks = 0
        self.is_armed = False

    def swallow(self) -> None:
        """A key or a click came. While deaf, the quiet time begins anew."""
        if not self.is_armed:
            self._guard.restart(self._clock())
            self._quiet_looks = 0

    def look(self, *, can_hear: bool) -> bool:
        """Look at the clock; True when it hears from now on.

        Armed only by the third look in a row: what was typed while the program was busy is still in
        the queue at the first one, the second may be late and follow at once, and what was typed is
        heard before the third.
        """
        self._quiet_looks = self._quiet_looks + 1 if self._guard.is_armed(self._clock()) else 0
        if self.is_armed or self._quiet_looks < _LOOKS or not can_hear:
            return False
        self.is_armed = True
        return True
