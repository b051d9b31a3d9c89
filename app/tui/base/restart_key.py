"""The key that restarts a server: at once, or at the second press while calls run on it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ....widgets.keys import RESTART_KEY
from ...content.text import count, sentence
from ...storage.fault_log import note_fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.notifications import SeverityLevel

    from ...engine.engine import Engine


class RestartKey:
    """Restarts a server, and shows obstacles in words.

    `say` shows words with a severity of Textual.
    """

    def __init__(self, say: Callable[[str, SeverityLevel], None]) -> None:
        self._say = say
        self._warned_of: set[int] = set()
        """The running calls that a second press ends."""

    async def press(self, engine: Engine, name: str = "") -> bool:
        """True if the restart began. `name`: the server, if the screen has several."""
        running = {call.id for call in engine.calls.values() if call.sent and not call.is_over}
        if running - self._warned_of:
            self._warned_of = running
            one = len(running) == 1
            self._say(
                f"Not restarted yet: {count(len(running), 'call')} {'runs' if one else 'run'}. "
                f"Press {RESTART_KEY} again to end {'it' if one else 'them'} and restart; "
                f"{'its' if one else 'their'} outcome will be unknown.",
                "warning",
            )
            return False
        self._warned_of = set()
        # The server is started even if the screen is left before.
        try:
            problem = await asyncio.shield(engine.restart())
        except Exception as fault:
            problem = note_fault(fault, "while it restarted a server")
        if problem:
            whose = f"{name} was not restarted" if name else "Not restarted"
            self._say(f"{whose}: {sentence(problem)}", "error")
        return not problem
