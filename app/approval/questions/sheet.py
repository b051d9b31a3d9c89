"""Sheets of requests: their parts, quoted texts on them, and plain lines of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from ...content.frozen import frozen
from ...content.text import Span, cut, spans
from ...content.texts.sheet_line import GLUE, GUTTER, Piece, SheetLine


@frozen
class Parts:
    """The lines of a request, by purpose."""

    first: Sequence[SheetLine]
    """The server and the tool."""
    noticed: Sequence[SheetLine]
    """Warnings about them, or the server's words in its own request."""
    changes: Sequence[SheetLine]
    """What changed in the definition, if it did."""
    subject: Sequence[SheetLine]
    """The subject of the decision: the arguments, or the response."""
    rest: Sequence[SheetLine]
    """The reasons for asking, the hints and the descriptions."""
    is_last: bool = False
    """True if the subject comes after the rest, however long that is."""
    noticed_below: str = ""
    """A note above the subject if `noticed` has to come below it."""


ABOUT_ROWS: Final = 4
"""Rows of a description, unless there is room for fewer."""


@frozen
class Room:
    """Room on the sheet: columns, blank lines, the whole of long texts, and keys to press."""

    columns: int
    is_roomy: bool = True
    in_full: bool = False
    has_keys: bool = True
    about_rows: int = ABOUT_ROWS
    """Rows of a description, at most."""

    @property
    def indent(self) -> int:
        """Columns that the labels take."""
        return indent_of(self.columns)


def indent_of(columns: int) -> int:
    """Columns that the labels take."""
    return 11 if columns >= 66 else 9 if columns >= 40 else 0


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


def text_lines(text: str, max_blanks: int = 3) -> Iterator[tuple[Piece, ...]]:
    """Text on as many lines as it has; more blanks than `max_blanks` in a row are a mark."""
    line: list[Piece] = []
    for part in spans(text, multiline=True, max_blanks=max_blanks):
        role = "mark" if part.mark else ""
        first, *others = part.text.expandtabs(4).split("\n")
        line.append((first, role))
        for other in others:
            yield tuple(line)
            line = [(other, role)]
    yield tuple(line)


def has_gaps(*texts: str) -> bool:
    """True if blanks are side by side: at the end of a row of words they would be invisible."""
    return any("  " in text for text in texts)


def excerpt(text: str, limit: int) -> str:
    """At most `limit` code points from the beginning, to the end of a word if one is near."""
    short = cut(text, limit)
    kept = short.text
    if not short.is_cut or kept[-1:].isspace() or text[len(kept)].isspace():
        return kept
    end = max(kept.rfind(" "), kept.rfind("\n"))
    return kept[:end] if end > limit // 2 else kept


LABEL: Final = 11
"""Cells of the column of labels."""
THEIRS: Final = f"{'':<{LABEL - len(GUTTER)}}{GUTTER}"
"""The beginning of a line that a server wrote."""


def plain_lines(parts: Parts) -> Iterator[str]:
    """All lines from top to bottom; the subject is at the same place as in the dialog."""
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
