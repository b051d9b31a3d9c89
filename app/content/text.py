"""Text that a server wrote, made safe for every sink: terminal, log, report.

A terminal obeys control bytes, and people overlook characters without width. So nothing is dropped:
every character that is invisible, that changes the order of others, or that a terminal would act on
is replaced by a visible mark. Two texts that differ only in such characters stay different.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

from .frozen import frozen

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


MAX_COMBINING = 4
"""Combining marks one base character keeps; more of them paint over neighbouring lines."""

PRINTED_BLANKS = 60
"""Blanks in a row of what a program printed, which may be indented: all rows of it are shown."""

_COUNT_FROM = 4
"""From this many equal marks in a row, one mark and a count replace all of them."""

_FEW = 3
_BLANKS = re.compile(r"([ \t]+)")
_HIDDEN_MAX = 20
_HIDDEN_RUN = 40
_SHORT = 200
"""Characters of a text that are checked one by one as long as the table is not built."""
_LOOKBACK = 32
_DIGITS = frozenset("0123456789")


@frozen
class Span:
    """A piece of safe text.

    `mark`: `text` replaces an invisible or dangerous character and is to be drawn inverse, so that
    a mark and the same characters written out by a server do not look alike.
    """

    text: str
    mark: bool


@frozen
class Cut:
    """The beginning of a text; `total` counts the code points of the whole."""

    text: str
    total: int
    is_cut: bool

    @property
    def notice(self) -> str:
        """The omission, in words; empty if there is none."""
        return f"cut: {len(self.text):,} of {self.total:,} characters" if self.is_cut else ""


def spans(
    text: str, *, multiline: bool = False, max_blanks: int = 3, max_newlines: int = 3
) -> list[Span]:
    """Split `text` into safe pieces; see the module for the rule.

    Newline and tab stay only when `multiline`. More than `max_blanks` blanks or `max_newlines`
    (almost) empty lines in a row become counted marks, so that they cannot push anything out of
    sight. The result has at most ten times the characters of `text`.
    """
    if _is_clean(text, multiline, max_blanks, max_newlines):
        return [Span(text, False)] if text else []
    pieces = (pair for pair in _pieces(text, multiline, max_blanks, max_newlines) if pair[0])
    return [
        Span("".join(piece for piece, _ in group), is_mark)
        for is_mark, group in groupby(pieces, key=itemgetter(1))
    ]


def visible(
    text: str, *, multiline: bool = False, max_blanks: int = 3, max_newlines: int = 3
) -> str:
    """`spans` as one string: safe to print, log and encode. Applying it twice changes nothing."""
    if _is_clean(text, multiline, max_blanks, max_newlines):
        return text
    return "".join(piece for piece, _ in _pieces(text, multiline, max_blanks, max_newlines))


def hidden(text: str) -> tuple[str, ...]:
    """Characters that `visible` replaces in `text`, for a finding: "U+202E RIGHT-TO-LEFT OVERRIDE
    ×2".

    Distinct, in order of appearance, at most 20. Newlines, tabs and indentation are ordinary in
    descriptions and are left out; runs of more than 40 blanks or newlines are not.
    """
    counts: dict[str, int] = {}
    for match in _pattern(True, _FEW, _FEW, ascii_only=text.isascii()).finditer(text):
        region = match.group()
        if region[0] in " \t\n":
            for char, run in groupby(region):
                length = sum(1 for _ in run)
                if length > _HIDDEN_RUN:
                    counts[f"{describe(char)} ×{length:,} in a row"] = 1
            continue
        for char, shown in _judged(text, match.start(), match.end(), after_mark=False):
            if shown is not None:
                key = describe(char)
                counts[key] = counts.get(key, 0) + 1
    words = [key if count == 1 else f"{key} ×{count:,}" for key, count in counts.items()]
    return tuple(words[:_HIDDEN_MAX])


def cut(text: str, limit: int) -> Cut:
    """At most `limit` code points from the beginning, not ending between a base and its marks."""
    total = len(text)
    if total <= limit:
        return Cut(text, total, False)
    end = max(limit, 0)
    # A bounded step back: a text of nothing but combining marks must not be searched to its start.
    for candidate in range(end, max(end - _LOOKBACK, 0), -1):
        if not continues(text[candidate]):
            end = candidate
            break
    return Cut(text[:end], total, True)


def shortened(text: str, limit: int) -> str:
    """At most `limit` code points, safe to show on one line, and a sign if there is more."""
    short = cut(text, limit)
    return visible(short.text) + ("…" if short.is_cut else "")


def count(number: int, word: str) -> str:
    """Write a number with its noun: "1 key", "2,000 keys"."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def sentence(words: object, *, begins: bool = False) -> str:
    """The words, with a full stop if nothing ends them yet; with a capital letter if it `begins`
    a sentence.
    """
    text = str(words)
    if begins:
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."


def size(n: int) -> str:
    """A number of bytes in SI units: "512 B", "4.4 MB"."""
    if n < 1000:
        return f"{n} B"
    value = float(n)
    for unit in ("kB", "MB", "GB", "TB"):
        value /= 1000
        if round(value, 1) < 1000 or unit == "TB":
            return f"{value:.1f} {unit}"
    raise AssertionError("unreachable")


def seconds(s: float) -> str:
    """A duration given in seconds: "0.1 s", "12.3 s", "2 min 05 s", "1 h 02 min"."""
    if not math.isfinite(s):
        return "?"
    value = max(s, 0.0)
    if round(value, 1) < 60:
        return f"{value:.1f} s"
    whole = round(value)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def _is_clean(text: str, multiline: bool, max_blanks: int, max_newlines: int) -> bool:
    """A few scans in C; the full pattern costs ten times as much per character."""
    if max_blanks < 0 or max_newlines < 0:
        raise ValueError("limits are not negative")
    if " " * (max_blanks + 1) in text:
        return False
    is_ascii = text.isascii()
    if not multiline and is_ascii:
        # All that the pattern would look for is what cannot be printed.
        return text.isprintable()
    if not is_ascii and len(text) <= _SHORT and not has_table():
        # The first screen has few such texts, and does not wait for a table of all characters.
        if any(_is_suspect(char, multiline) for char in text):
            return False
    elif _suspects(multiline, is_ascii).search(text):
        return False
    if not multiline:
        return True
    if "\t" in text and any(
        len(match.group()) > max_blanks for match in _runs(r"[ \t]", max_blanks).finditer(text)
    ):
        return False
    lines = _runs(r"\n[ \t]*+", max_newlines)
    return not any(match.group().count("\n") > max_newlines for match in lines.finditer(text))


def _is_suspect(char: str, multiline: bool) -> bool:
    if multiline and char in "\t\n":
        return False
    return is_dangerous(char) or is_combining(char)


def _pieces(
    text: str, multiline: bool, max_blanks: int, max_newlines: int
) -> Iterator[tuple[str, bool]]:
    """(text, is a mark) in order."""
    pattern = _pattern(
        multiline, min(max_blanks, _FEW), min(max_newlines, _FEW), ascii_only=text.isascii()
    )
    done = 0
    marked_up_to = -1
    for match in pattern.finditer(text):
        start, end = match.span()
        if start > done:
            yield text[done:start], False
        done = end
        digit_follows = text[end : end + 1] in _DIGITS
        if match.lastgroup == "lines" and match.group().count("\n") <= max_newlines:
            for part in _BLANKS.split(match.group()):
                over = len(part) > max_blanks and part[0] in " \t"
                yield (_counted_run(part, digit_follows=False), True) if over else (part, False)
        elif match.lastgroup == "lines":
            yield _counted_run(match.group(), digit_follows=False), True
            # The line break itself stays, so that what follows begins on a line of its own.
            yield "\n", False
        elif match.lastgroup == "blanks" and end - start <= max_blanks:
            yield match.group(), False
        elif match.lastgroup == "blanks":
            yield _counted_run(match.group(), digit_follows), True
            marked_up_to = end
        else:
            judged = _judged(text, start, end, after_mark=marked_up_to == start)
            left = end - start
            for shown, run in groupby(judged, key=itemgetter(1)):
                chars = "".join(char for char, _ in run)
                left -= len(chars)
                if shown is None:
                    yield chars, False
                else:
                    yield _counted(shown, len(chars), digit_follows and not left), True
    yield text[done:], False


def _counted_run(run: str, digit_follows: bool) -> str:
    groups = [(char, sum(1 for _ in same)) for char, same in groupby(run)]
    last = len(groups) - 1
    return "".join(
        _counted(mark(char), count, digit_follows and index == last)
        for index, (char, count) in enumerate(groups)
    )


def _counted(shown: str, count: int, digit_follows: bool) -> str:
    if count < _COUNT_FROM:
        return shown * count
    if digit_follows:
        # "␠×45" must not mean both 45 blanks, and 4 blanks before a 5.
        return f"{shown}×{count - 1}{shown}"
    return f"{shown}×{count}"


def _judged(
    text: str, start: int, end: int, *, after_mark: bool
) -> Iterator[tuple[str, str | None]]:
    """Each character of a suspect region with its mark, or None if it may stay."""
    previous = text[start - 1] if start and not after_mark else ""
    has_base = previous not in ("", "\n")
    combining = 0
    for index in range(start, end):
        char = text[index]
        shown: str | None = None
        if char in "\ufe0e\ufe0f" and takes_selector(previous, text[index + 1 : index + 2]):
            pass
        elif is_dangerous(char):
            shown = mark(char)
        elif is_combining(char):
            combining += 1
            # Without a base of its own it would be painted onto the character to the left.
            if combining > MAX_COMBINING or not has_base:
                shown = mark(char)
        else:
            combining = 0
        yield char, shown
        has_base = shown is None
        previous = char if has_base else ""


@lru_cache(maxsize=4)
def _suspects(multiline: bool, ascii_only: bool) -> re.Pattern[str]:
    return re.compile(f"[{suspects(multiline=multiline, ascii_only=ascii_only)}]")


@lru_cache(maxsize=32)
def _runs(unit: str, limit: int) -> re.Pattern[str]:
    """Pattern for more than a few of `unit`, as many as there are.

    Never more than a few are demanded, however high the limit: a near miss would be tried again
    from each of its characters. The caller counts.
    """
    # The first one is separate: a pattern that begins with one class is searched for quickly.
    return re.compile(f"{unit}(?:{unit}){{{min(limit, _FEW)},}}+")


@lru_cache(maxsize=32)
def _pattern(
    multiline: bool, max_blanks: int, max_newlines: int, ascii_only: bool
) -> re.Pattern[str]:
    body = suspects(multiline=multiline, ascii_only=ascii_only)
    blanks = "[ \\t]" if multiline else " "
    parts = [f"[{body}]+", f"(?P<blanks>{blanks}{{{max_blanks + 1},}})"]
    if multiline:
        parts.append(rf"(?P<lines>\n(?:[ \t]*\n){{{max_newlines},}})")
    return re.compile("|".join(parts))
