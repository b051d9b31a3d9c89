"""Checks the size of JSON by its brackets before anything is built.

All of it goes through the data window by window: it takes linear time whatever the content, ends at
a broken limit, and lets other threads have their turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, islice

from ..frozen import frozen

STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_FIRST_WINDOW = 256
_LAST_WINDOW = 65_536
_OUTSIDE = re.compile(rb'(?:[^"]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.DOTALL)
"""Everything up to a string that is not closed yet."""
_BRACKET = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}]', re.DOTALL)
_BLANKS = b" \t\r\n"
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


@frozen
class Limits:
    """Accepted size: bytes, nesting, values, digits of one number."""

    size: int = 16_000_000
    depth: int = 100
    nodes: int = 1_000_000
    int_digits: int = 1_000


class JsonError(ValueError):
    """A text is not acceptable JSON.

    `reason` is in our own words and safe to show; `position` is an offset into the data, in
    characters, or in bytes if they are not UTF-8.
    """

    def __init__(self, reason: str, position: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.position = position


class JsonLimitError(JsonError):
    """JSON that is well formed as far as it was read, and breaks one of the limits."""


def check_shape(raw: bytes | bytearray, limits: Limits) -> int:
    """Check depth and number of values. Returns at least how many values there are.

    Counting separators is enough for nearly all data; only data that might pass a limit by that
    generous count is counted without its strings, which is exact. Raises JsonLimitError.
    """
    openers = raw.count(b"[") + raw.count(b"{")
    most = 1 + openers + raw.count(b",")
    if openers <= limits.depth and most <= limits.nodes:
        return most
    values, depth, last = 1, 0, b""
    for bare in _without_strings(raw):
        brackets = bare.translate(None, _NOT_BRACKETS)
        values += bare.count(b",") + bare.count(b"[") + bare.count(b"{")
        values -= bare.count(b"[]") + bare.count(b"{}") + (last + bare[:1] in (b"[]", b"{}"))
        last = bare[-1:] or last
        if values > limits.nodes:
            raise JsonLimitError(f"more than {limits.nodes:,} values")
        # Counting comes first here, too: most windows cannot reach the limit.
        closers = brackets.count(b"]") + brackets.count(b"}")
        if depth + len(brackets) - closers > limits.depth:
            levels = accumulate(map(_STEPS.__getitem__, brackets), initial=depth)
            if max(levels) > limits.depth:
                raise JsonLimitError(f"nested more than {limits.depth:,} levels deep")
        depth += len(brackets) - 2 * closers
    return values


def container_end(raw: bytes | bytearray, at: int, depth: int = 0) -> int:
    """The offset after the bracket that closes the one at `at`, or the `depth` ones before it.

    Raises JsonError if none does.
    """
    for start, end in _windows(raw, at):
        brackets = STRING.sub(b"", raw[start:end]).translate(None, _NOT_BRACKETS)
        closers = brackets.count(b"]") + brackets.count(b"}")
        if closers < depth:
            depth += len(brackets) - 2 * closers
            continue
        levels = list(accumulate(map(_STEPS.__getitem__, brackets), initial=depth))
        if 0 in levels[1:]:
            return _nth_bracket(raw, start, levels.index(0, 1))
        depth = levels[-1]
    raise JsonError(f"a bracket at offset {at:,} is not closed", at)


def _without_strings(raw: bytes | bytearray) -> Iterator[bytes]:
    for start, end in _windows(raw, 0):
        yield STRING.sub(b"s", raw[start:end]).translate(None, _BLANKS)


def _windows(raw: bytes | bytearray, at: int) -> Iterator[tuple[int, int]]:
    """Stretches that follow one another, with no string cut in two. `at` lies in no string."""
    window = _FIRST_WINDOW
    while at < len(raw):
        found = _OUTSIDE.match(raw, at, at + window)
        window = min(2 * window, _LAST_WINDOW)
        end = at if found is None else found.end()
        if end == at:
            string = STRING.match(raw, at)
            end = len(raw) if string is None else string.end()
        yield at, end
        at = end


def _nth_bracket(raw: bytes | bytearray, at: int, number: int) -> int:
    """The offset after the bracket of that number, from 1, outside of strings."""
    found = (one.end() for one in _BRACKET.finditer(raw, at) if raw[one.start()] != ord('"'))
    return next(islice(found, number - 1, None))
