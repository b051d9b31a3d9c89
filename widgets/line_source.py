"""Lines of text and of styled text behind one face, converted only when a row is drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TypeAlias

from app.core.text import Span

Piece: TypeAlias = tuple[str, str]
"""Text and its style: a rich style string, or a name that the drawing widget knows."""

MARK = "mark"
TAB = 4


class Source(ABC):
    """Lines without line breaks or tabs; `texts` holds their characters."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self._recent: tuple[int, Sequence[Piece], list[int]] = (-1, (), [])

    @abstractmethod
    def pieces(self, line: int) -> Sequence[Piece]:
        """A line in pieces of one style each."""

    def between(self, line: int, start: int, end: int) -> list[Piece]:
        """The characters from `start` to `end` of a line.

        The neighbouring rows of one line are asked for in turn, and the line may have a million
        pieces: where they begin is worked out once.
        """
        if self._recent[0] != line:
            pieces = self.pieces(line)
            self._recent = (line, pieces, list(accumulate(len(text) for text, _ in pieces)))
        _, pieces, ends = self._recent
        found: list[Piece] = []
        for index in range(bisect_right(ends, start), len(pieces)):
            text, style = pieces[index]
            begin = ends[index] - len(text)
            if begin >= end:
                break
            found.append((text[max(start - begin, 0) : end - begin], style))
        return found


class PlainSource(Source):
    """Lines of one style."""

    def __init__(self, text: str) -> None:
        lines = text.expandtabs(TAB).split("\n") if text else []
        if lines and not lines[-1]:
            lines.pop()
        super().__init__(lines)

    def pieces(self, line: int) -> Sequence[Piece]:
        return ((self.texts[line], ""),)


class StyledSource(Source):
    """Lines of pieces that carry their styles."""

    def __init__(self, lines: Sequence[Sequence[Piece]]) -> None:
        super().__init__([_flat("".join(piece[0] for piece in line)) for line in lines])
        self._lines = lines

    def pieces(self, line: int) -> Sequence[Piece]:
        return [(_flat(text), style) for text, style in self._lines[line]]


class SpanSource(Source):
    """Lines of sanitised spans."""

    def __init__(self, lines: Sequence[Sequence[Span]]) -> None:
        super().__init__([_flat("".join(span.text for span in line)) for line in lines])
        self._lines = lines

    def pieces(self, line: int) -> Sequence[Piece]:
        return [(_flat(span.text), MARK if span.mark else "") for span in self._lines[line]]


def split_lines(spans: Iterable[Span]) -> list[list[Span]]:
    """Spans of a text as spans of its lines; a line break at the very end begins no line."""
    lines: list[list[Span]] = [[]]
    for span in spans:
        first, *others = span.text.split("\n")
        if first:
            lines[-1].append(Span(first, span.mark))
        lines.extend([Span(text, span.mark)] if text else [] for text in others)
    if not lines[-1]:
        lines.pop()
    return lines


def _flat(text: str) -> str:
    return text.replace("\t", " " * TAB).replace("\n", "⏎")
