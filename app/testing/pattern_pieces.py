"""A pattern that was made of texts, read back, so that one more text can widen it."""

from __future__ import annotations

import re
from typing import Final

from .text_shapes import (
    ALPHANUMERIC,
    ANY,
    ANY_NUMBER,
    DAY,
    DECIMAL,
    FRACTION,
    HALF_OF_DAY,
    HEXADECIMAL,
    MONTH,
    NUMBER,
    SHAPE,
    UUID,
    WORD,
    Piece,
    common_of,
    pieces,
)

_FIXED: Final = "|".join(
    map(
        re.escape,
        (UUID, ANY_NUMBER, DECIMAL, NUMBER, DAY, HEXADECIMAL, ALPHANUMERIC, WORD, ANY),
    )
)
_OF_A_TIME: Final = (
    rf"(?:\\d{{\d(?:,\d)?}}|{'|'.join(map(re.escape, (FRACTION, MONTH, HALF_OF_DAY)))})"
)
_TIME: Final = rf"{_OF_A_TIME}(?:(?:[-:T /,]|\\\+){{0,2}}{_OF_A_TIME})+Z?"
_OF_A_PATTERN: Final = re.compile(
    rf"(?P<shape>{_FIXED}|{_TIME}|\(\?:{_TIME}\|{_TIME}\))"
    r"|\\(?P<white>[nrt])|\\(?P<special>[\\.^$*+?{}\[\]|()])|(?P<plain>[^\\.^$*+?{}\[\]|()])"
)
_WHITE: Final = {"n": "\n", "r": "\r", "t": "\t"}


def wider_pattern(pattern: str, text: str) -> str | None:
    """A pattern for a text that it does not match, and for all that it does; None for a pattern
    that somebody wrote in another way."""
    known = _pieces_of(pattern)
    if known is None:
        return None
    shapes = [re.compile(one.text) for one in known if one.kind == SHAPE and one.text != ANY]
    stable = {one for one in known if one.kind != SHAPE}
    return common_of(
        known, [one if one in stable else _shaped(one, shapes) for one in pieces(text)]
    )


def _pieces_of(pattern: str) -> list[Piece] | None:
    if not (pattern.startswith("^") and pattern.endswith("$")):
        return None
    found: list[Piece] = []
    plain, at, end = "", 1, len(pattern) - 1
    while at < end:
        one = _OF_A_PATTERN.match(pattern, at, end)
        if one is None:
            return None
        at = one.end()
        if shape := one["shape"]:
            found += [*pieces(plain), Piece(SHAPE, shape)]
            plain = ""
        else:
            plain += _WHITE.get(one["white"] or "", "") or one["special"] or one["plain"]
    return [*found, *pieces(plain)]


def _shaped(piece: Piece, shapes: list[re.Pattern[str]]) -> Piece:
    """A part of a text as the shape that it has, if that is among those."""
    for one in shapes:
        if one.fullmatch(piece.text):
            return Piece(SHAPE, one.pattern)
    return piece
