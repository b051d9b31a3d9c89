"""A value, or what is said of one, in the pieces of one row."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.cells import cell_len

from ...app.content.json.jsonio import JsonValue
from ...app.content.text import count, cut, spans
from ..cells import ELLIPSIS, fit
from ..lines.line_source import MARK, Piece
from .errors import NodeError


def absence(errors: Sequence[NodeError]) -> list[Piece]:
    """What is said of a property that is not there."""
    pieces: list[Piece] = []
    for index, error in enumerate(errors):
        words = in_line(error.message).removesuffix(", but missing").removeprefix("is ")
        pieces.append((f"{'; ' if index else 'missing, '}{words}", "error"))
    return [*pieces, (f"  schema {in_line(errors[0].schema_path)}", "muted")] if errors else pieces


def preview(value: JsonValue, room: int) -> list[Piece]:
    if isinstance(value, dict):
        return [("{}", "")] if not value else [(count(len(value), "member"), "muted")]
    if isinstance(value, list):
        return [("[]", "")] if not value else [(count(len(value), "item"), "muted")]
    shown = cut(value, max(room, 1)) if isinstance(value, str) else None
    text = json.dumps(shown.text if shown else value, ensure_ascii=False)
    pieces = [(span.text, MARK if span.mark else "") for span in spans(text)]
    if shown and shown.is_cut:
        pieces.append((f"{ELLIPSIS} {shown.total:,} characters", "muted"))
    return pieces


def in_line(text: str) -> str:
    return "".join(span.text for span in spans(cut(text, 500).text))


def cropped(pieces: list[Piece], room: int) -> list[Piece]:
    """At most `room` cells, ending in an ellipsis where something is left out."""
    found: list[Piece] = []
    used = 0
    for index, (text, style) in enumerate(pieces):
        left = room - used
        shown = fit(text, left)
        follows = any(rest for rest, _ in pieces[index + 1 :])
        if shown == text and cell_len(text) == left and follows:
            shown = fit(text + ELLIPSIS, left)
        if shown:
            found.append((shown, style))
        if shown != text:
            break
        used += cell_len(text)
    return found
