"""Lines on standard output and standard error, whatever the terminal can show."""

from __future__ import annotations

import os
import sys
from typing import Any, Final

from .wrapping import wrapped

NARROWEST: Final = 20
"""Terminals that say they have fewer columns say nothing."""


def say(line: str) -> None:
    """One line on standard output, as several where the terminal has no room for it."""
    width = width_of(sys.stdout)
    for one in wrapped(line, None if width is None else width - 1):
        print(encodable(one, sys.stdout))


def complain(line: str) -> None:
    """What is wrong, on standard error after the name of the program."""
    for one in f"signoff: {line}".split("\n"):
        tell(one)


def tell(line: str) -> None:
    """One line on standard error, as several where the terminal has no room for it."""
    width = width_of(sys.stderr)
    for one in wrapped(line, None if width is None else width - 1):
        print(encodable(one.rstrip(" "), sys.stderr), file=sys.stderr)


def prompt(words: str) -> None:
    """What stands before what is typed, on standard error."""
    width = width_of(sys.stderr)
    *before, last = wrapped(words.rstrip(" "), None if width is None else width - 2)
    for one in before:
        print(encodable(one, sys.stderr), file=sys.stderr)
    print(f"{encodable(last, sys.stderr)} ", end="", file=sys.stderr, flush=True)


def width_of(stream: Any) -> int | None:
    """Columns of the stream's terminal now; None where lines may be of any length."""
    if stream is None or not stream.isatty():
        return None
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return columns if columns >= NARROWEST else 80


def encodable(text: str, stream: Any) -> str:
    """A terminal that is not UTF-8 gets escapes for the signs it has not."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
