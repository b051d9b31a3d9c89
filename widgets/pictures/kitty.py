"""Pictures as text: kitty's graphics protocol with Unicode placeholders.

The data goes to the terminal once, without a place on the screen. What is painted are ordinary
cells: U+10EEEE with two combining marks for row and column, and the number of the picture as their
colour. So the picture scrolls, is cut and is covered like any text, and nothing can be drawn over
what stands in front of it. Rules: https://sw.kovidgoyal.net/kitty/graphics-protocol/, "Unicode
placeholders", "Remote client", "Suppressing responses".
"""

from __future__ import annotations

import base64
import secrets

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

PLACEHOLDER = "\U0010eeee"

CHUNK = 4096
"""Base64 characters in one command, as many as the protocol allows; a multiple of 4."""

_MARKS = (
    "0305 030D-030E 0310 0312 033D-033F 0346 034A-034C 0350-0352 0357 035B 0363-036F 0483-0487 "
    "0592-0595 0597-0599 059C-05A1 05A8-05A9 05AB-05AC 05AF 05C4 0610-0617 0657-065B 065D-065E "
    "06D6-06DC 06DF-06E2 06E4 06E7-06E8 06EB-06EC 0730 0732-0733 0735-0736 073A 073D 073F-0741 "
    "0743 0745 0747 0749-074A 07EB-07F1 07F3 0816-0819 081B-0823 0825-0827 0829-082D 0951 "
    "0953-0954 0F82-0F83 0F86-0F87 135D-135F 17DD 193A 1A17 1A75-1A7C 1B6B 1B6D-1B73 1CD0-1CD2 "
    "1CDA-1CDB 1CE0 1DC0-1DC1 1DC3-1DC9 1DCB-1DCC 1DD1-1DE6 1DFE 20D0-20D1 20D4-20D7 20DB-20DC "
    "20E1 20E7 20E9 20F0 2CEF-2CF1 2DE0-2DFF A66F A67C-A67D A6F0-A6F1 A8E0-A8F1 AAB0 AAB2-AAB3 "
    "AAB7-AAB8 AABE-AABF AAC1 FE20-FE26 10A0F 10A38 1D185-1D189 1D1AA-1D1AD 1D242-1D244"
)


def _expanded(ranges: str) -> tuple[str, ...]:
    marks: list[str] = []
    for one in ranges.split():
        first, _, last = one.partition("-")
        marks += [chr(code) for code in range(int(first, 16), int(last or first, 16) + 1)]
    return tuple(marks)


MARKS = _expanded(_MARKS)
"""The combining marks that stand for 0, 1, 2, ...; the protocol's rowcolumn-diacritics.txt."""

MAX_SIDE = len(MARKS)
"""Cells that one picture can have in a row or a column."""


def new_id() -> int:
    """A number for a picture: 24 bits, so that a colour can hold it; no byte of it is 0.

    All programs in a terminal share the numbers, so it is drawn by lot.
    """
    return int.from_bytes(bytes(1 + secrets.randbelow(255) for _ in range(3)), "big")


def transmit(png: bytes, image_id: int, columns: int, rows: int, *, in_tmux: bool = False) -> str:
    """Everything that tells the terminal about a picture of so many cells; it answers nothing."""
    data = base64.standard_b64encode(png).decode("ascii")
    chunks = [data[at : at + CHUNK] for at in range(0, len(data), CHUNK)] or [""]
    keys = f"a=T,U=1,f=100,t=d,i={image_id},c={columns},r={rows},q=2,"
    commands = []
    for number, chunk in enumerate(chunks):
        more = int(number < len(chunks) - 1)
        commands.append(f"\x1b_G{keys if number == 0 else 'q=2,'}m={more};{chunk}\x1b\\")
    return "".join(_passed(command) if in_tmux else command for command in commands)


def forget(image_id: int, *, in_tmux: bool = False) -> str:
    """The terminal may free the picture."""
    command = f"\x1b_Ga=d,d=I,i={image_id},q=2\x1b\\"
    return _passed(command) if in_tmux else command


def placeholders(image_id: int, columns: int, rows: int) -> list[Strip]:
    """The cells that the terminal paints the picture onto.

    Each cell names its row and column: what stands to its left may be covered or cut off.
    """
    red, green, blue = image_id.to_bytes(3, "big")
    style = Style(color=Color.from_rgb(red, green, blue))
    columns, rows = min(columns, MAX_SIDE), min(rows, MAX_SIDE)
    return [
        Strip(
            [Segment("".join(PLACEHOLDER + MARKS[row] + mark for mark in MARKS[:columns]), style)],
            columns,
        )
        for row in range(rows)
    ]


def _passed(command: str) -> str:
    """For the terminal around tmux, which lets it through with `allow-passthrough` (tmux(1))."""
    return "\x1bPtmux;" + command.replace("\x1b", "\x1b\x1b") + "\x1b\\"
