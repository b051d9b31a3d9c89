"""What stands in a row of a JSON tree behind its signs: the name, the value, what is wrong."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from ...app.content.text import spans
from ..cells import server_text
from ..lines.line_source import Piece
from .pieces import absence, cropped, in_line, preview
from .rows import Row

_LABEL_MIN = 14
_LABEL_MAX = 28
_VALUE_MIN = 20


def label_segments(row: Row, base: Style, style: Style) -> list[Segment]:
    """The name of a place, or its number in an array; nothing at the top."""
    if row.label is None:
        return []
    if isinstance(row.label, int):
        return [Segment(f"{row.label}  ", base)]
    longest = cell_len("".join(span.text for span in spans(row.label[:_LABEL_MAX])))
    wide = min(max(longest + (len(row.label) > _LABEL_MAX), _LABEL_MIN), _LABEL_MAX)
    return [*server_text(row.label, wide, style), Segment("  ", base)]


def value_pieces(row: Row, room: int) -> list[Piece]:
    """What stands after the name: value, or how much is folded, and the errors."""
    if row.missing:
        return cropped(absence(row.errors), room)
    value: list[Piece]
    if row.is_group:
        value = [(f"{row.key[1]:,} … {row.key[2] - 1:,}", "muted")]
    else:
        value = preview(row.value, room)
        if row.notice:
            value += [("  ", ""), (row.notice, "muted")]
    if row.errors:
        first, *others = row.errors
        notes: list[Piece] = [
            (in_line(first.message), "error"),
            (f"schema {in_line(first.schema_path)}", "muted"),
        ]
        if others:
            notes.append((f"and {len(others)} more", "error"))
    elif row.inside:
        words = "1 error inside" if row.inside == 1 else f"{row.inside:,} errors inside"
        notes = [(words, "error")]
    else:
        return cropped(value, room)
    # A long value makes room for what is wrong with it.
    value = cropped(value, max(_VALUE_MIN, room * 2 // 5))
    used = sum(cell_len(text) for text, _ in value)
    pieces: list[Piece] = [*value, (" " * max(_VALUE_MIN - used, 0), "")]
    for note in notes:
        pieces += [("  ", ""), note]
    return cropped(pieces, room)
