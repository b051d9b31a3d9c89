"""Text of others on a sheet: in quotes on one line, or on as many lines as it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..content.text import Span, cut, spans
from ..content.texts.sheet_line import Piece

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


def has_gaps(*texts: str) -> bool:
    """Whether blanks stand side by side: at the end of a row of words nobody would see them."""
    return any("  " in text for text in texts)


def excerpt(text: str, limit: int) -> str:
    """At most `limit` code points from the beginning, to the end of a word if one is near."""
    short = cut(text, limit)
    kept = short.text
    if not short.is_cut or kept[-1:].isspace() or text[len(kept)].isspace():
        return kept
    end = max(kept.rfind(" "), kept.rfind("\n"))
    return kept[:end] if end > limit // 2 else kept
