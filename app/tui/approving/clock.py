"""The clock of all guarded dialogs: their seconds, and the moments at which they look at them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from textual.screen import Screen

_TICK: Final = 0.05


class Clock:
    """Monotonic seconds. A dialog looks at them 20 times a second.

    Only code can give a program another clock (`dialog_clock` of the app, or `clock` of a dialog):
    no setting, no option and no variable leads to one that goes faster.
    """

    def now(self) -> float:
        return time.monotonic()

    def wake(self, dialog: Screen[Any], look: Callable[[], None]) -> None:
        """Call `look` at every tick, as long as the dialog is there."""
        dialog.set_interval(_TICK, look)


REAL: Final = Clock()
