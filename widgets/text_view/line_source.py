"""Lines of plain and styled text behind one interface, converted only when a row is drawn."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TypeAlias

from ...app.content.text import Span, spans, suspects

Piece: TypeAlias = tuple[str, str]
"""Text and its style: a rich style string, or a name that the drawing widget knows."""

Dress: TypeAlias = Callable[[str], Sequence[Piece]]
"""What makes safe pieces of a raw line."""

MARK = "mark"
TAB = 4

_CLEAN_ASCII = bytes(range(32, 127)) + b"\n"
_LITERAL_ASCII = bytes(set(_CLEAN_ASCII) - set(b'"\\'))


class Source(ABC):
    """A text that a view shows; `plain` is searched."""

    @property
    @abstractmethod
    def plain(self) -> str:
        """The text, with line breaks."""


class TextSource(Source):
    """A raw text, and how its lines are drawn.

    Args:
        dress: Colours for one line, in safe pieces; None for none.
        max_blanks: Longer runs of blanks become a counted mark; None keeps them.
        literal: `dress` gets each line with its line break, and draws unchanged only characters
            without an escape in JSON.
    """

    def __init__(
        self,
        text: str,
        dress: Dress | None = None,
        *,
        max_blanks: int | None = None,
        literal: bool = False,
    ) -> None:
        self._text = text
        self.dress = dress
        self.literal = literal
        self._max_blanks = max_blanks

    @property
    def plain(self) -> str:
        return self._text

    def is_clean(self, text: str) -> bool:
        """True if the lines of `text` are drawn character by character as they are."""
        if self._max_blanks is not None and " " * (self._max_blanks + 1) in text:
            return False
        if text.isascii():
            kept = _LITERAL_ASCII if self.literal else _CLEAN_ASCII
            return not text.encode().translate(None, kept)
        if self.literal and ('"' in text or "\\" in text):
            return False
        return "\t" not in text and _hidden().search(text) is None

    def pieces(self, line: str, *, is_clean: bool) -> Sequence[Piece]:
        """A line, or a piece of a long one, safe to draw."""
        if self.dress is not None:
            return [(_flat(text), style) for text, style in self.dress(line)]
        if is_clean:
            return ((line, ""),)
        if line.isascii() and self._max_blanks is None:
            # Tabs and carriage returns are in every line, or in none.
            body = line.removesuffix("\r").replace("\t", " ")
            if body.isprintable():
                text = line[: len(body)].expandtabs(TAB)
                return ((text, ""), ("␍", MARK)) if len(body) < len(line) else ((text, ""),)
        limit = len(line) if self._max_blanks is None else self._max_blanks
        found = spans(line, multiline=True, max_blanks=limit, max_newlines=len(line))
        if len(found) == 1 and not found[0].mark:
            return ((found[0].text.expandtabs(TAB), ""),)
        return [(_flat(span.text), MARK if span.mark else "") for span in found]

    def drawn(self, line: str) -> str:
        """The characters that are drawn for a line."""
        return "".join(text for text, _ in self.pieces(line, is_clean=False))


class ListSource(Source):
    """Lines without line breaks or tabs; `texts` holds their characters."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self._plain: str | None = None
        self._recent: tuple[int, Sequence[Piece], list[int]] = (-1, (), [])

    @property
    def plain(self) -> str:
        if self._plain is None:
            self._plain = "\n".join(self.texts)
        return self._plain

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
        return between(self._recent[1], self._recent[2], start, end)


def between(pieces: Sequence[Piece], ends: Sequence[int], start: int, end: int) -> list[Piece]:
    """The characters from `start` to `end`; `ends` holds the end of each piece."""
    found: list[Piece] = []
    for index in range(bisect_right(ends, start), len(pieces)):
        text, style = pieces[index]
        begin = ends[index] - len(text)
        if begin >= end:
            break
        found.append((text[max(start - begin, 0) : end - begin], style))
    return found


class PlainSource(ListSource):
    """Lines of one style."""

    def __init__(self, text: str) -> None:
        lines = text.expandtabs(TAB).split("\n") if text else []
        if lines and not lines[-1]:
            lines.pop()
        super().__init__(lines)

    def pieces(self, line: int) -> Sequence[Piece]:
        return ((self.texts[line], ""),)


class StyledSource(ListSource):
    """Lines of pieces that carry their styles."""

    def __init__(self, lines: Sequence[Sequence[Piece]]) -> None:
        super().__init__([_flat("".join(piece[0] for piece in line)) for line in lines])
        self._lines = lines

    def pieces(self, line: int) -> Sequence[Piece]:
        return [(_flat(text), style) for text, style in self._lines[line]]


class SpanSource(ListSource):
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


@lru_cache(maxsize=1)
def _hidden() -> re.Pattern[str]:
    return re.compile(f"[{suspects(multiline=True, ascii_only=False)}]")


def _flat(text: str) -> str:
    return text.replace("\t", " " * TAB).replace("\n", "⏎")
