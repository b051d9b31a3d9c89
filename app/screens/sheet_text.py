"""Text of others on a sheet: in quotes on one line, or on as many lines as it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.core.text import Span, cut, spans
from widgets.sheet_lines import Piece

TITLE_LIMIT = 128


def pieces_of(parts: Sequence[Span], role: str = "") -> tuple[Piece, ...]:
    return tuple((part.text, "mark" if part.mark else role) for part in parts)


def quoted(text: str, limit: int = TITLE_LIMIT) -> tuple[Piece, ...]:
    """Text on one line, in quotes that it cannot close."""
    short = cut(text, limit)
    inner = (
        short.text.replace("\\", "\\\\").replace('"', '\\"') if '"' in short.text else short.text
    )
    end = f'…" ({short.notice})' if short.is_cut else '"'
    return (('"', ""), *pieces_of(spans(inner)), (end, ""))


def text_lines(text: str) -> Iterator[tuple[Piece, ...]]:
    """Text on as many lines as it has."""
    line: list[Piece] = []
    for part in spans(text, multiline=True):
        role = "mark" if part.mark else ""
        first, *others = part.text.expandtabs(4).split("\n")
        line.append((first, role))
        for other in others:
            yield tuple(line)
            line = [(other, role)]
    yield tuple(line)
