"""Which terminals cannot be drawn on."""

from __future__ import annotations

import sys
from typing import Final

DUMB: Final = frozenset(("dumb", "unknown"))


def why_plain(term: str) -> str:
    """Why a terminal of this name (`TERM`) gets plain lines; empty where it gets the screen.

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
