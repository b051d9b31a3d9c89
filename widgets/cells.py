"""Text measured in terminal cells, and text of a server as segments."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from signoff.app.core.text import cut, spans

ELLIPSIS = "…"

_POINTS_A_CELL = 8
"""More code points than this never share one cell of sanitised text."""


def fit(text: str, width: int) -> str:
    """`text` in at most `width` cells, ending in an ellipsis where something is cut."""
    if width <= 0:
        return ""
    longest = width * _POINTS_A_CELL
    candidate = text[:longest]
    if len(candidate) == len(text) and cell_len(text) <= width:
        return text
    low, high = 0, len(candidate)
    while low < high:
        middle = (low + high + 1) // 2
        if cell_len(candidate[:middle]) < width:
            low = middle
        else:
            high = middle - 1
    return candidate[:low] + ELLIPSIS


def left(text: str, width: int) -> str:
    """`text` cut or padded on the right to exactly `width` cells."""
    shown = fit(text, width)
    return shown + " " * (width - cell_len(shown))


def right(text: str, width: int) -> str:
    """`text` cut or padded on the left to exactly `width` cells."""
    shown = fit(text, width)
    return " " * (width - cell_len(shown)) + shown


def server_text(text: str, width: int, style: Style) -> list[Segment]:
    """Raw text of a server as exactly `width` cells: sanitised, what was hidden drawn inverse."""
    shortened = cut(text, width * _POINTS_A_CELL)
    pieces = [(span.text, span.mark) for span in spans(shortened.text)]
    if shortened.is_cut:
        pieces.append((ELLIPSIS, False))
    whole = "".join(piece for piece, _ in pieces)
    is_cut = cell_len(whole) > width
    segments: list[Segment] = []
    room = width
    for piece, mark in pieces:
        # A cut piece ends in the ellipsis; one that ends just at the edge has to make room for it.
        shown = fit(piece, room)
        if is_cut and shown == piece and cell_len(piece) == room:
            shown = fit(piece + ELLIPSIS, room)
        segments.append(Segment(shown, style + _INVERSE if mark else style))
        room -= cell_len(shown)
        if shown != piece or room <= 0:
            break
    if room > 0:
        segments.append(Segment(" " * room, style))
    return segments


_INVERSE = Style(reverse=True)
