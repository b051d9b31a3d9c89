"""When a Textual program under test has done all it can do without waiting.

It uses names of Textual that are private; `private_names.py` lists them.
"""

from __future__ import annotations

import asyncio
import time

from textual._context import active_app
from textual.app import ScreenStackError


async def wait_for_idle(min_sleep: float = 0.0, max_sleep: float = 5.0) -> None:
    """Return once the loop has nothing to run, and the screen is laid out and drawn.

    Takes the place of Textual's function of that name, which waits until the process needs little
    processor time: always a while, and on a busy machine now too short and now too long. What
    needs time or another process (a timer, a server's answer) is not waited for.

    Args:
        min_sleep: not used.
        max_sleep: seconds after which a program that never rests is left to itself.
    """
    end = time.monotonic() + max_sleep
    while time.monotonic() < end:
        await asyncio.sleep(0)
        if _has_work():
            continue
        try:
            app = active_app.get()
            app.screen._on_timer_update()
        except (LookupError, ScreenStackError):
            return
        if _has_work():
            continue
        if app._resize_timer is None:
            return
        app._check_resize()


def _has_work() -> bool:
    """Whether anything is ready to run; known of the loops of the standard library only."""
    return bool(getattr(asyncio.get_running_loop(), "_ready", ()))
