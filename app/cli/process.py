"""The process itself: early signals, its fast end, terminals that cannot be drawn on."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from typing import Final, NoReturn

from ..platforms.output import close_stdio
from ..platforms.signals import ENDING


class EarlySignal:
    """Ends the program on a signal, and remembers it.

    Python swallows exceptions raised while it cleans up after an import or an object; the app looks
    here once it handles signals itself.
    """

    def __init__(self) -> None:
        self.number: int | None = None

    def __call__(self, number: int, frame: object) -> None:
        # Once: a second one must not interrupt the ending of the server.
        if self.number is None:
            self.number = number
            sys.exit(128 + number)

    @classmethod
    def listening(cls) -> EarlySignal:
        """Return one that handles all signals that end a program."""
        early = cls()
        for number in ENDING:
            signal.signal(number, early)
        return early


def end_process(status: int) -> NoReturn:
    """Exit with this status, once threads, exit handlers and output are done.

    The interpreter's further clean-up takes a quarter of a second and frees memory, which the
    system does at once.
    """
    try:
        finish = (threading._shutdown, atexit._run_exitfuncs)  # type: ignore[attr-defined]
    except AttributeError:
        sys.exit(status)
    for step in finish:
        step()
    close_stdio()
    os._exit(status)


DUMB: Final = frozenset(("dumb", "unknown"))


def why_plain(term: str) -> str:
    """Return why a terminal of this name (`TERM`) gets plain lines; empty if it gets the screen.

    One that terminfo does not know gets the screen: names of terminals are newer than databases.
    """
    if sys.platform == "win32":
        # Consoles have no names there.
        return ""
    if not term:
        return "TERM is not set"
    if term in DUMB:
        return f"TERM is {term}"
    try:
        import curses

        curses.setupterm(term, fd=1)
        addresses = curses.tigetstr("cup")
    except Exception:
        # No such module, no database, or no such entry: curses has its own error for that.
        return ""
    return "" if addresses else "this terminal cannot place a cursor"
