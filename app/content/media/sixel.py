"""A picture as sixels: six rows of pixels a character, one colour register after another.

DEC, "VT330/VT340 Programmer Reference Manual", volume 2, chapter 14: `#n;2;r;g;b` sets a register
in per cent, `#n` chooses it, `!n` repeats, `$` returns to the left, `-` goes on to the next six.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

COLOURS = 128
"""Registers that are used; terminals have 256, but each one costs a pass over every band."""


def sixel_of(image: Image) -> bytes:
    """The whole device control string for an RGB picture."""
    from PIL.Image import Quantize

    few = image.quantize(COLOURS, method=Quantize.MEDIANCUT)
    width, height = few.size
    palette = few.getpalette() or []
    indexes = few.tobytes()
    out = [f'\x1bP0;1;0q"1;1;{width};{height}'.encode()]
    for index in sorted(set(indexes)):
        red, green, blue = (value * 100 // 255 for value in palette[3 * index : 3 * index + 3])
        out.append(f"#{index};2;{red};{green};{blue}".encode())
    for top in range(0, height, 6):
        rows = [indexes[y * width : (y + 1) * width] for y in range(top, min(top + 6, height))]
        out.append(b"$".join(_plane(rows, index) for index in sorted(set().union(*rows))) + b"-")
    return b"".join(out) + b"\x1b\\"


def _plane(rows: list[bytes], index: int) -> bytes:
    """The pixels of one colour in a band of at most six rows."""
    # Each row becomes a number with one bit a pixel at its place, so that adding them up is one
    # step in C; the sixel's character is that bit pattern plus 63.
    total = 0
    for bit, row in enumerate(rows):
        table = bytes(1 << bit if value == index else 0 for value in range(256))
        total |= int.from_bytes(row.translate(table), "big")
    bits = total.to_bytes(len(rows[0]), "big").translate(_TO_SIXEL).rstrip(b"?")
    return b"#%d" % index + _RUN.sub(lambda run: b"!%d%b" % (len(run[0]), run[1]), bits)


_RUN = re.compile(rb"(.)\1{3,}")
_TO_SIXEL = bytes(63 + min(value, 63) for value in range(256))
