"""Characters that need a mark before a person may read them, and their marks."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Printable or combining by category, and yet drawn as nothing: Unicode's default-ignorable code
# points, the Hangul and Khmer fillers, and the empty Braille pattern.
_BLANK_POINTS = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0x16FE4, 0x1D159}
    | set(range(0x180B, 0x1810))
    | set(range(0xFE00, 0xFE10))
)

# Code points that Unicode gives an emoji presentation by U+FE0E or U+FE0F (rounded to blocks).
_EMOJI_BASE = re.compile("[©®‼⁉™ℹ↔-↪⌀-⏿Ⓜ▪-◾☀-➿⤴⤵⬅-⭕〰〽㊗㊙\U0001f000-\U0001faff]")
_KEYCAP_BASE = frozenset("0123456789#*")
_KEYCAP = "\u20e3"

_CONTROL_WORDS = (
    "NULL,START OF HEADING,START OF TEXT,END OF TEXT,END OF TRANSMISSION,ENQUIRY,ACKNOWLEDGE,BELL,"
    "BACKSPACE,CHARACTER TABULATION,LINE FEED,LINE TABULATION,FORM FEED,CARRIAGE RETURN,SHIFT OUT,"
    "SHIFT IN,DATA LINK ESCAPE,DEVICE CONTROL ONE,DEVICE CONTROL TWO,DEVICE CONTROL THREE,"
    "DEVICE CONTROL FOUR,NEGATIVE ACKNOWLEDGE,SYNCHRONOUS IDLE,END OF TRANSMISSION BLOCK,CANCEL,"
    "END OF MEDIUM,SUBSTITUTE,ESCAPE,INFORMATION SEPARATOR FOUR,INFORMATION SEPARATOR THREE,"
    "INFORMATION SEPARATOR TWO,INFORMATION SEPARATOR ONE"
)
_CONTROL_NAMES = tuple(_CONTROL_WORDS.split(","))
_LATE_CONTROL_NAMES = {
    0x7F: "DELETE",
    0x85: "NEXT LINE",
    0x90: "DEVICE CONTROL STRING",
    0x9B: "CONTROL SEQUENCE INTRODUCER",
    0x9C: "STRING TERMINATOR",
    0x9D: "OPERATING SYSTEM COMMAND",
}
_CATEGORY_WORDS = {
    "Cc": "control character",
    "Cs": "lone surrogate",
    "Co": "private use",
    "Cn": "unassigned",
}


def takes_selector(base: str, following: str) -> bool:
    """True if U+FE0E or U+FE0F between these two only chooses how an emoji is drawn."""
    if base in _KEYCAP_BASE:
        return following == _KEYCAP
    return bool(base) and _EMOJI_BASE.match(base) is not None


def is_combining(char: str) -> bool:
    """Painted onto the character before it (Unicode category M)."""
    return unicodedata.category(char)[0] == "M"


def is_dangerous(char: str) -> bool:
    """Invisible, reordering, obeyed by a terminal, or without any meaning of its own."""
    # isprintable: no Cc, Cf, Cs, Co, Cn, Zl, Zp, and of Zs the blank only. Beyond U+E0000 Unicode
    # has tags, variation selectors and private use, which need no table to be recognised.
    return not char.isprintable() or ord(char) in _BLANK_POINTS or char >= "\U000e0000"


def continues(char: str) -> bool:
    """True if a text cut before `char` would tear one drawn character apart."""
    return (
        is_combining(char) or char in "\u200d\ufe0e\ufe0f" or "\U0001f3fb" <= char <= "\U0001f3ff"
    )


def mark(char: str) -> str:
    """Return the mark of `char`: a control picture, or its number."""
    point = ord(char)
    if char == "\n":
        return "⏎"
    if point <= 0x20:
        return chr(0x2400 + point)
    if point == 0x7F:
        return "␡"
    if 0xD800 <= point <= 0xDFFF:
        return f"\\u{point:04x}"
    return f"<U+{point:04X}>"


def describe(char: str) -> str:
    """Number and name: "U+202E RIGHT-TO-LEFT OVERRIDE"."""
    point = ord(char)
    category = unicodedata.category(char)
    if point < 0x20:
        name = _CONTROL_NAMES[point]
    elif point in _LATE_CONTROL_NAMES:
        name = _LATE_CONTROL_NAMES[point]
    elif (point & 0xFFFE) == 0xFFFE or 0xFDD0 <= point <= 0xFDEF:
        name = "noncharacter"
    else:
        name = unicodedata.name(char, _CATEGORY_WORDS.get(category, "no name"))
    return f"U+{point:04X} {name}"


def suspects(*, multiline: bool, ascii_only: bool) -> str:
    """Return characters that may need a mark, as the inside of a regular expression's class."""
    controls = r"\x00-\x08\x0b-\x1f\x7f" if multiline else r"\x00-\x1f\x7f"
    return controls if ascii_only else controls + _suspects_beyond_ascii()


def has_table() -> bool:
    """True once the characters beyond ASCII that may need a mark are known as a whole."""
    return _suspects_beyond_ascii.cache_info().currsize > 0


@lru_cache(maxsize=1)
def _suspects_beyond_ascii() -> str:
    """Built on first use (10 to 30 ms), from the Unicode tables of the running Python.

    Combining marks are in it since their number decides. Beyond the first plane everything is: the
    regex engine looks one plane up in a table, and tries further ranges one by one.
    """
    ranges: list[tuple[int, int]] = []
    for point in range(0x80, 0x10000):
        char = chr(point)
        if is_dangerous(char) or is_combining(char):
            start = ranges.pop()[0] if ranges and ranges[-1][1] == point - 1 else point
            ranges.append((start, point))
    ranges.append((0x10000, 0x10FFFF))
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)
