"""Text measured in terminal cells, and text of a server as segments."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from ..app.content.text import continues, cut, spans

ELLIPSIS = "…"

LEAST_NAME = 16
"""Cells of a name of which the end is shown beside the beginning."""
LONGEST_NAME = 500
"""Longest name, in characters, whose end is looked for."""

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


def fit_name(text: str, width: int) -> str:
    """A name in at most `width` cells, without its middle if it is longer.

    Names of one server often have the same beginning: their ends distinguish them.
    """
    start, end = _without_middle(text, width)
    if start == end:
        return fit(text, width)
    return text[:start] + ELLIPSIS + text[end:]


def _without_middle(text: str, width: int) -> tuple[int, int]:
    """Return the range to cut out; empty if all fits, or too little would remain."""
    if width < LEAST_NAME or len(text) > LONGEST_NAME or cell_len(text) <= width:
        return 0, 0
    before = width * 2 // 5
    after = width - before - 1
    start, end = before, max(len(text) - after, 0)
    while cell_len(text[:start]) > before:
        start -= 1
    while cell_len(text[end:]) > after or continues(text[end]):
        end += 1
    return start, end


def left(text: str, width: int) -> str:
    """`text` cut or padded on the right to exactly `width` cells."""
    shown = fit(text, width)
    return shown + " " * (width - cell_len(shown))


def right(text: str, width: int) -> str:
    """`text` cut or padded on the left to exactly `width` cells."""
    shown = fit(text, width)
    return " " * (width - cell_len(shown)) + shown


def server_text(text: str, width: int, style: Style) -> list[Segment]:
    """Draw raw text of a server as exactly `width` cells: sanitised, hidden characters inverse."""
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


def server_name(name: str, width: int, style: Style) -> list[Segment]:
    """A raw name of a server as exactly `width` cells, sanitised, without its middle if it is
    longer."""
    if len(name) > LONGEST_NAME:
        return server_text(name, width, style)
    pieces = [(span.text, span.mark) for span in spans(name)]
    start, end = _without_middle("".join(piece for piece, _ in pieces), width)
    if start == end:
        return server_text(name, width, style)
    segments: list[Segment] = []
    place = 0
    for piece, mark in pieces:
        before, after = piece[: max(start - place, 0)], piece[max(end - place, 0) :]
        has_gap = place <= start < place + len(piece)
        shown = before + ELLIPSIS * has_gap + after
        if shown:
            segments.append(Segment(shown, style + _INVERSE if mark else style))
        place += len(piece)
    room = width - sum(cell_len(segment.text) for segment in segments)
    return [*segments, Segment(" " * room, style)] if room > 0 else segments


_INVERSE = Style(reverse=True)
