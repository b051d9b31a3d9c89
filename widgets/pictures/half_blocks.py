"""A picture in characters: two pixels a cell, in any terminal, over ssh and in tmux."""

from __future__ import annotations

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from ...app.content.media.images import RGB, Pixels

RAMP = " .:-=+*#%@"
"""From dark to light on a dark ground; it keeps a picture recognisable without colour."""


def fit(pixels: Pixels, width: int, max_rows: int) -> tuple[int, int]:
    """The size, in pixels, at which the picture keeps its shape in the box; never enlarged."""
    scale = min(1.0, width / pixels.width, 2 * max_rows / pixels.height)
    return max(1, int(pixels.width * scale)), max(1, int(pixels.height * scale))


def sample(pixels: Pixels, width: int, height: int) -> list[list[RGB]]:
    """The nearest pixels; the decoder does the good shrinking when it is told the right size."""
    rgb, rows = pixels.rgb, []
    columns = [3 * (x * pixels.width // width) for x in range(width)]
    for y in range(height):
        start = 3 * pixels.width * (y * pixels.height // height)
        rows.append([(rgb[start + c], rgb[start + c + 1], rgb[start + c + 2]) for c in columns])
    return rows


def half_blocks(rows: list[list[RGB]]) -> list[Strip]:
    """Two rows of pixels a line: the foreground paints the upper half, the background the lower."""
    styles: dict[tuple[RGB, RGB | None], Style] = {}
    strips = []
    for y in range(0, len(rows), 2):
        below: list[RGB] | list[None] = rows[y + 1] if y + 1 < len(rows) else [None] * len(rows[y])
        segments: list[Segment] = []
        run, last = 0, None
        for pair in [*zip(rows[y], below, strict=True), None]:
            if pair != last and last is not None:
                segments.append(Segment("▀" * run, styles[last]))
                run = 0
            if pair is not None and pair not in styles:
                upper, lower = pair
                styles[pair] = Style(
                    color=Color.from_rgb(*upper), bgcolor=Color.from_rgb(*lower) if lower else None
                )
            run, last = run + 1, pair
        strips.append(Strip(segments, len(rows[y])))
    return strips


def ramp(rows: list[list[RGB]], dark: bool) -> list[Strip]:
    """One character a cell, chosen by the brightness of its two pixels."""
    shades = RAMP if dark else RAMP[::-1]
    strips = []
    for y in range(0, len(rows), 2):
        below = rows[min(y + 1, len(rows) - 1)]
        line = "".join(
            shades[(_luminance(upper) + _luminance(lower)) * len(shades) // 512]
            for upper, lower in zip(rows[y], below, strict=True)
        )
        strips.append(Strip([Segment(line)], len(line)))
    return strips


def _luminance(pixel: RGB) -> int:
    """0 to 255, by the weights of ITU-R BT.601."""
    red, green, blue = pixel
    return (299 * red + 587 * green + 114 * blue) // 1000
