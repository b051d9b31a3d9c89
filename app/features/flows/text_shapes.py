"""Shapes of changing parts of a text, as patterns: a time, an id, a number, a word.

Comparing two texts of the same step finds the changing parts. A part is a whole time or id, not the
digits of it that happened to differ, and if a time of day changes the dates beside it will, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from difflib import SequenceMatcher
from typing import Final, NamedTuple

MOST_PIECES: Final = 4_000
"""Pieces of two texts that are held against each other."""
NEAR: Final = timedelta(hours=26)
"""How far a time of this moment can be from it, in any time zone."""
_DAYS: Final = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"
_MONTHS: Final = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_CLOCK: Final = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[AaPp][Mm](?![0-9A-Za-z]))?"
_PIECES: Final = re.compile(
    r"(?P<uuid>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![0-9A-Za-z]))"
    rf"|(?P<moment>\d{{4}}-\d\d-\d\d[T ]{_CLOCK}(?:Z|[+-]\d\d:?\d\d)?)"
    r"|(?P<date>\d{4}[-/]\d\d[-/]\d\d(?![0-9A-Za-z])"
    rf"|\d{{1,2}} (?:{_MONTHS})[a-z]*\.? \d{{4}}|(?:{_MONTHS})[a-z]*\.? \d{{1,2}},? \d{{4}})"
    rf"|(?P<clock>{_CLOCK})(?![0-9A-Za-z:])"
    rf"|(?P<day>(?:{_DAYS})[a-z]{{0,6}}(?![0-9A-Za-z]))"
    r"|(?P<number>\d+(?:\.\d+)?)(?![0-9A-Za-z])"
    r"|(?P<word>[^\W_]+)"
    r"|(?P<other>[\s\S])"
)
_OF_A_TIME: Final = re.compile(
    r"(?P<half>(?<![A-Za-z])[AaPp][Mm](?![A-Za-z]))|(?P<name>[A-Za-z]{3,}\.?)"
    r"|(?P<fraction>(?<=\d)[.,]\d+)|(?P<digits>\d+)|(?P<other>.)"
)
_NAME: Final = re.compile("[A-Za-z]{2}")
_OF_LETTERS: Final = frozenset(("word", "number", "day"))
_OF_A_DATE: Final = ("moment", "date", "clock", "day")
_TIMES: Final = ("moment", "clock")
_WRITTEN: Final = {ord("\n"): r"\n", ord("\r"): r"\r", ord("\t"): r"\t"}
_SPECIAL: Final = re.compile(r"[\\.^$*+?{}\[\]|()]")
UUID: Final = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
NUMBER, DECIMAL, ANY_NUMBER = r"\d+", r"\d+\.\d+", r"\d+(?:\.\d+)?"
DAY, HEXADECIMAL, ALPHANUMERIC, WORD = "[A-Z][a-z]+", "[0-9a-f]+", "[0-9A-Za-z]+", r"\w+"
ANY: Final = r"[\s\S]*"
MONTH, HALF_OF_DAY, FRACTION = r"[A-Za-z]+\.?", "[AaPp][Mm]", r"[.,]\d+"
"""The parts of times that are not digits of a number known."""


SHAPE: Final = "shape"
"""The kind of a part that is a pattern for a text."""


class TextPiece(NamedTuple):
    """A part of a text that changes as a whole, if it does."""

    kind: str
    text: str


def pieces(text: str) -> list[TextPiece]:
    """All of a text, part by part."""
    return [TextPiece(one.lastgroup or "other", one.group()) for one in _PIECES.finditer(text)]


def common_pattern(first: str, second: str, *, dates_change: bool = False) -> str | None:
    """Return a pattern that both texts match, with their common parts literal.

    None if they are too long to be compared. `dates_change`: a time changed elsewhere in the same
    response.
    """
    return common_of(pieces(first), pieces(second), dates_change=dates_change)


def common_of(
    left: Sequence[TextPiece], right: Sequence[TextPiece], *, dates_change: bool = False
) -> str | None:
    """Return such a pattern for the parts of two texts; a part may already be a shape."""
    pairs = _pairs(left, right)
    if pairs is None:
        return None
    dates_change = dates_change or any(_is_other_time(*pair) for pair in pairs)
    return _whole(_shape(one, other, dates_change) for one, other in pairs)


def times_differ(first: str, second: str) -> bool:
    """True if a time of day is another one in the second text."""
    return any(_is_other_time(*pair) for pair in _pairs(pieces(first), pieces(second)) or ())


def has_dates(text: str) -> bool:
    """True if a text has a part that another day changes."""
    return any(piece.kind in _OF_A_DATE for piece in pieces(text))


def is_of_now(text: str, now: datetime) -> bool:
    """True if a text holds a time or date of about now."""
    return any(_is_near(piece, now) for piece in pieces(text))


def pattern_of_now(text: str, now: datetime, *, dates_change: bool = False) -> str | None:
    """A pattern for a text with a time close to now, or a UUID; None for any other.

    Those will differ the next time, so a pattern from the start spares a failed run.
    `dates_change`: a time close to now is elsewhere in the same answer.
    """
    found = pieces(text)
    is_now = dates_change or any(_is_near(piece, now) for piece in found)
    made = [
        _alike(one, one) if one.kind == "uuid" or (is_now and _may_be_near(one, now)) else None
        for one in found
    ]
    if not any(made):
        return None
    return _whole(shape or literal(one.text) for shape, one in zip(made, found, strict=True))


def literal(text: str) -> str:
    """A pattern for a text itself, as readable as it can be."""
    return _SPECIAL.sub(r"\\\g<0>", text).translate(_WRITTEN)


def _whole(parts: Iterable[str]) -> str:
    """`^...$`, with a row of wildcards joined into one."""
    several = list(parts)
    kept = [one for at, one in enumerate(several) if one != ANY or several[at - 1 : at] != [ANY]]
    return f"^{''.join(kept)}$"


def _pairs(
    left: Sequence[TextPiece], right: Sequence[TextPiece]
) -> list[tuple[TextPiece | None, TextPiece | None]] | None:
    """The parts of two texts beside each other; None for a part without a counterpart."""
    if len(left) > MOST_PIECES or len(right) > MOST_PIECES:
        return None
    found: list[tuple[TextPiece | None, TextPiece | None]] = []
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    for _, begin, end, other_begin, other_end in matcher.get_opcodes():
        ours, theirs = left[begin:end], right[other_begin:other_end]
        if len(ours) == len(theirs):
            found += zip(ours, theirs, strict=True)
        else:
            found += [(one, None) for one in ours] or [(None, one) for one in theirs]
    return found


def _shape(left: TextPiece | None, right: TextPiece | None, dates_change: bool) -> str:
    if left is None or right is None:
        return ANY
    for one, other in ((left, right), (right, left)):
        if one.kind == SHAPE and (left == right or re.fullmatch(one.text, other.text)):
            return one.text
    if left != right:
        return _alike(left, right)
    is_dated = dates_change and left.kind in _OF_A_DATE
    return _alike(left, right) if is_dated else literal(left.text)


def _alike(left: TextPiece, right: TextPiece) -> str:
    """A pattern for two parts at the same place."""
    if left.kind == right.kind:
        match left.kind:
            case "uuid":
                return UUID
            case "moment" | "date" | "clock":
                masks = dict.fromkeys((_mask(left.text), _mask(right.text)))
                return masks.popitem()[0] if len(masks) == 1 else f"(?:{'|'.join(masks)})"
            case "day":
                return DAY
            case "number":
                points = ("." in left.text) + ("." in right.text)
                return (NUMBER, ANY_NUMBER, DECIMAL)[points]
    both = left.text + right.text
    if {left.kind, right.kind} <= _OF_LETTERS and re.fullmatch(WORD, both):
        return _letters(both)
    return ANY


def _letters(both: str) -> str:
    if re.fullmatch(r"[0-9a-f]*[a-f][0-9a-f]*", both) and any(map(str.isdigit, both)):
        return HEXADECIMAL
    return ALPHANUMERIC if both.isascii() and both.isalnum() else WORD


def _mask(text: str) -> str:
    """A time or date with any digits and names of months."""
    has_names = bool(_NAME.search(text))

    def digits(run: str) -> str:
        is_padded = len(run) > 1 and not has_names
        return f"\\d{{{len(run)}}}" if is_padded or len(run) > 2 else r"\d{1,2}"

    made = []
    for one in _OF_A_TIME.finditer(text):
        match one.lastgroup:
            case "half":
                made.append(HALF_OF_DAY)
            case "name":
                made.append(MONTH)
            case "fraction":
                made.append(FRACTION)
            case "digits":
                made.append(digits(one.group()))
            case _:
                made.append(literal(one.group()))
    return "".join(made)


def _is_other_time(left: TextPiece | None, right: TextPiece | None) -> bool:
    if left is None or right is None or left == right:
        return False
    return left.kind in _TIMES and right.kind in _TIMES


def _is_near(piece: TextPiece, now: datetime) -> bool:
    """True if it is known to be a time or date of about now."""
    return _distance(piece, now) is not None and _may_be_near(piece, now)


def _may_be_near(piece: TextPiece, now: datetime) -> bool:
    """True if it is a time or date that may mean this day."""
    distance = _distance(piece, now)
    return piece.kind in _OF_A_DATE and (distance is None or distance <= NEAR)


def _distance(piece: TextPiece, now: datetime) -> timedelta | None:
    """Return the distance of a time or date from now; None if unknown."""
    try:
        if piece.kind == "date":
            return abs(date.fromisoformat(piece.text) - now.date())
        if piece.kind != "moment":
            return None
        when = datetime.fromisoformat(piece.text)
        return abs((when if when.tzinfo else when.replace(tzinfo=UTC)) - now)
    except (ValueError, OverflowError):
        return None
