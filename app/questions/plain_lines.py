"""The lines of a question without a screen: for plain terminals, logs and screen readers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from ..content.text import Span
from ..content.texts.sheet_line import GLUE, GUTTER, Piece, SheetLine
from .parts import Parts

LABEL: Final = 11
"""Cells of the column of labels."""
THEIRS: Final = f"{'':<{LABEL - len(GUTTER)}}{GUTTER}"
"""What stands before a line that a server wrote."""


def plain_lines(parts: Parts) -> Iterator[str]:
    """All of it from top to bottom; what is decided on where the dialog has it."""
    lines: Sequence[Sequence[SheetLine]] = (
        *(parts.first, parts.noticed),
        *((parts.rest, parts.subject) if parts.is_last else ()),
        *(() if parts.is_last else (parts.changes, parts.subject, parts.rest)),
    )
    for line in chain.from_iterable(lines):
        yield from _plain(line)


def plain_spans(line: Sequence[Span]) -> str:
    """A line of JSON without the styles of its pieces."""
    return "".join(span.text for span in line)


def _plain(line: SheetLine) -> Iterator[str]:
    words, aside = _words(line.pieces), _words(line.aside)
    if line.gutter:
        yield f"{line.label:<{LABEL - len(GUTTER)}}{GUTTER}{words}"
    elif line.indent:
        yield f"{line.label:<{LABEL}}{words}".rstrip()
    else:
        yield words
    if aside:
        yield f"{'':<{LABEL}}{aside}"


def _words(pieces: Sequence[Piece]) -> str:
    return "".join(text for text, _ in pieces).replace(GLUE, " ")
