"""Labels for people: dates, ages, some names of many, command lines cut in the middle."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final, TypeVar

T = TypeVar("T")

_ENDS_KEPT: Final = (2, 1)
"""Last steps of a path that are kept, if there is room for them."""
_PATH: Final = re.compile(
    r"(?:~|\.{1,2}|[A-Za-z]:)?/[^;|&$<>(){}\"'`*?!\n]*|[^\s;|&$<>(){}\"'`*?!:]+"
)
"""What can only be a path: code in an argument is never cut, whatever slashes it has."""
_PLAIN_WORD: Final = re.compile(r"[\w@%+=:,./…-]+")
"""Words that need no quotes; a cut one has no further meaning to a shell."""


def fitted_command(command: str, room: int) -> str:
    """The command within `room` characters, as far as cutting paths in their middle gets it there.

    The longest path is cut first; nothing but paths is. A URL stays as it is.
    """
    if len(command) <= room or "://" in command.split(" ", 1)[0]:
        return command
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    for ends in _ENDS_KEPT:
        for index in sorted(range(len(words)), key=lambda at: -len(words[at])):
            words[index] = _cut_path(words[index], ends)
            shown = " ".join(_quoted(word) for word in words)
            if len(shown) <= room:
                return shown
    return " ".join(_quoted(word) for word in words)


def _cut_path(word: str, ends: int) -> str:
    """`/opt/tools/venv/bin/python` as `/opt/…/bin/python`."""
    if not _PATH.fullmatch(word):
        return word
    steps = word.split("/")
    first = 2 if steps[0] == "" else 1
    if len(steps) <= first + ends:
        return word
    cut = "/".join([*steps[:first], "…", *steps[-ends:]])
    return cut if len(cut) < len(word) else word


def _quoted(word: str) -> str:
    return word if _PLAIN_WORD.fullmatch(word) else shlex.quote(word)


def some_listed(
    items: Sequence[T], most: int, words: Callable[[T], str] = str, *, beyond: int = 0
) -> list[str]:
    """The words of the first `most` items; a last line counts the rest: "and 4 more".

    `beyond` more are known of by number alone. Only the shown ones are put into words.
    """
    rest = len(items) - len(items[:most]) + beyond
    return [*map(words, items[:most]), *filter(None, [and_more(rest)])]


def some_named(
    items: Sequence[T], most: int, words: Callable[[T], str] = str, *, beyond: int = 0
) -> str:
    """The first `most` items in a sentence: "a, b and 4 more"."""
    shown = ", ".join(map(words, items[:most]))
    rest = len(items) - len(items[:most]) + beyond
    return f"{shown} {and_more(rest)}".rstrip()


def and_more(rest: int) -> str:
    """The rest of a list that is not shown: "and 4 more"; empty for nothing."""
    return f"and {rest:,} more" if rest > 0 else ""


def all_named(names: Sequence[str]) -> str:
    """Every name in a sentence: "a, b and c"."""
    return " and ".join([*filter(None, [", ".join(names[:-1])]), *names[-1:]])


def stamp(at: float) -> str:
    """Seconds of the epoch as local date and time."""
    return datetime.fromtimestamp(at, UTC).astimezone().strftime("%Y-%m-%d %H:%M")


def iso(at: float) -> str:
    """Seconds of the epoch as JSON has them: date and time in UTC."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def ago(at: float, now: float) -> str:
    """The age of something: `just now`, `3 min ago`, `2 d ago`; a clock can go back a little."""
    if at > now + 1:
        return "in the future"
    return "just now" if now - at < 1 else f"{coarse(now - at)} ago"


def coarse(length: float) -> str:
    """A length of time in its largest unit: `5 s`, `41 min`, `3 h`, `2 d`."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if length >= size:
            return f"{int(length // size):,} {unit}"
    return f"{max(0, int(length))} s"
