"""Detects terminals that draw real images, by the environment alone.

The terminal is not queried, so the start waits for nothing and no typed key is lost. kitty's
placeholders are text and serve everywhere. An image by iTerm2's or by sixel graphics lies over the
cells, so it is for a view that nothing scrolls and nothing covers; elsewhere half blocks remain.
"""

from __future__ import annotations

import base64
import os
import sys
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Literal

from textual.app import App

from ...app.content.frozen import frozen

Mode = Literal["auto", "on", "off", "kitty", "iterm2", "sixel"]

CELL = (10, 20)
"""Pixels of a cell if the terminal does not report them."""


class Protocol(StrEnum):
    KITTY = "kitty"
    ITERM2 = "iterm2"
    SIXEL = "sixel"


@frozen
class Graphics:
    """Way of drawing images on the terminal; `in_tmux`: through a tmux that passes them on."""

    protocol: Protocol
    in_tmux: bool = False


_TERMS = {
    "xterm-kitty": Protocol.KITTY,
    "xterm-ghostty": Protocol.KITTY,
    "foot": Protocol.SIXEL,
    "foot-extra": Protocol.SIXEL,
    "mlterm": Protocol.SIXEL,
    "contour": Protocol.SIXEL,
}
_PROGRAMS = {
    "ghostty": Protocol.KITTY,
    "WezTerm": Protocol.ITERM2,
    "iTerm.app": Protocol.ITERM2,
    "mintty": Protocol.ITERM2,
}
_KONSOLE_WITH_SIXEL = 220400

PixelSize = Callable[[int], tuple[int, int, int, int] | None]

_graphics: Graphics | None = None
_pixel_size: PixelSize = lambda descriptor: None  # noqa: E731


def known_graphics(mode: Mode, environ: Mapping[str, str], *, is_terminal: bool) -> Graphics | None:
    """Read the terminal's abilities from the environment; None: half blocks.

    "auto" and "on" use the known abilities of the terminal. "on" does so in tmux, too, where the
    terminal around it is assumed to be a kitty. The name of a protocol is trusted.
    """
    if mode == "off" or not is_terminal or environ.get("NO_COLOR"):
        return None
    in_tmux = bool(environ.get("TMUX"))
    if mode not in ("auto", "on"):
        return Graphics(Protocol(mode), in_tmux and mode == "kitty")
    if in_tmux:
        return Graphics(Protocol.KITTY, in_tmux=True) if mode == "on" else None
    if environ.get("STY") or environ.get("VTE_VERSION") or environ.get("XTERM_VERSION"):
        # Variables of the terminal that this one was started from may still be there.
        return None
    found = _TERMS.get(environ.get("TERM", "")) or _PROGRAMS.get(environ.get("TERM_PROGRAM", ""))
    if found is None and environ.get("LC_TERMINAL") == "iTerm2":
        found = Protocol.ITERM2
    version = environ.get("KONSOLE_VERSION", "")
    if found is None and version[:9].isdecimal() and int(version[:9]) >= _KONSOLE_WITH_SIXEL:
        found = Protocol.SIXEL
    return Graphics(found) if found is not None else None


def prepare_graphics(mode: Mode, pixel_size: PixelSize) -> bool:
    """Decide how pictures are drawn; whether that is better than half blocks.

    `pixel_size`: rows, columns, width and height in pixels of the terminal behind a descriptor.
    """
    global _graphics, _pixel_size
    _pixel_size = pixel_size
    is_terminal = all(
        stream is not None and stream.isatty() for stream in (sys.__stdin__, sys.__stdout__)
    )
    _graphics = known_graphics(mode, os.environ, is_terminal=is_terminal)
    return _graphics is not None


def graphics() -> Graphics | None:
    """Return the decision of `prepare_graphics`."""
    return _graphics


def terminal_writer(app: App[Any]) -> Callable[[str], None] | None:
    """Writes to the terminal, in order with Textual's output; None without a terminal.

    Textual has no public way to send a sequence of one's own.
    """
    driver = app._driver
    if driver is None or driver.is_headless or driver.is_inline or app.is_web:
        return None
    return driver.write


def cell_size() -> tuple[int, int] | None:
    """Width and height of a cell in pixels, if the terminal reports them to the system
    (tty_ioctl(4))."""
    try:
        found = _pixel_size(sys.__stdout__.fileno())  # type: ignore[union-attr]
    except (OSError, AttributeError, ValueError):
        return None
    if found is None:
        return None
    rows, columns, width, height = found
    if not (rows and columns):
        return None
    cell = width // columns, height // rows
    return cell if 4 <= cell[0] <= 100 and 4 <= cell[1] <= 200 else None


def at_cell(column: int, row: int, sequence: str) -> str:
    """Draw at a cell, counted from 0, and put the cursor back."""
    return f"\x1b7\x1b[{row + 1};{column + 1}H{sequence}\x1b8"


def iterm2(png: bytes, columns: int, rows: int) -> str:
    """An inline image of so many cells (https://iterm2.com/documentation-images.html)."""
    data = base64.standard_b64encode(png).decode("ascii")
    keys = f"inline=1;size={len(png)};width={columns};height={rows}"
    keys += ";preserveAspectRatio=0;doNotMoveCursor=1"
    return f"\x1b]1337;File={keys}:{data}\x07"
