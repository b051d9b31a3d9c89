"""Suggests existing names for an unknown one; safe to show."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from .text import visible

LONGEST: Final = 128
"""Characters of a name that is compared; a longer one is neither suggested nor corrected."""
MAX_KNOWN: Final = 5_000
"""Names that are looked at."""
MAX_COMPARED: Final = 1_000
MAX_LETTERS: Final = 64
"""Comparing letter by letter takes a while: so many names, and so many letters of a name."""
_SHORT: Final = 6
_LIKENESS, _LIKENESS_OF_SHORT = 0.6, 0.65
"""The least ratio of difflib, and that of a name with fewer letters than `_SHORT`.

Two swapped letters of three have 0.67, kimicode and codex 0.62, deletenote and removenote 0.6.
"""
_BETWEEN: Final = re.compile(r"[\s_.\-/]+")


def near(given: str, known: Iterable[str], most: int = 1) -> tuple[str, ...]:
    """Those of `known` that look like `given`, the nearest first, at most so many; exact names.

    The same letters in another case or with other signs between them, then names that it is the
    beginning or a part of, then those that a few other letters make of it.
    """
    if not 0 < len(given) <= LONGEST:
        return ()
    names: dict[str, list[str]] = {}
    for name in list(dict.fromkeys(known))[:MAX_KNOWN]:
        if 0 < len(name) <= LONGEST and name != given:
            names.setdefault(_plain(name), []).append(name)
    wanted = _plain(given)
    found = [wanted] if wanted in names else []
    if len(wanted) > 2:
        found += sorted((name for name in names if name.startswith(wanted)), key=len)
        found += [name for name in names if wanted in name]
    if not found and len(wanted) <= MAX_LETTERS:
        short = [name for name in names if len(name) <= MAX_LETTERS]
        found += _spelt_alike(wanted, short[:MAX_COMPARED], most)
    exact = [one for name in dict.fromkeys(found) for one in names[name]]
    return tuple(exact[:most])


def _spelt_alike(wanted: str, names: list[str], most: int) -> list[str]:
    from difflib import get_close_matches

    short = [name for name in names if min(len(name), len(wanted)) < _SHORT]
    longer = [name for name in names if min(len(name), len(wanted)) >= _SHORT]
    return [
        *get_close_matches(wanted, longer, most, _LIKENESS),
        *get_close_matches(wanted, short, most, _LIKENESS_OF_SHORT),
    ]


def did_you_mean(given: str, known: Iterable[str], most: int = 1) -> str:
    """`; did you mean a or b?`, or nothing; safe to show."""
    found = [shown_name(name) for name in near(given, known, most)]
    if not found:
        return ""
    listed = found[0] if len(found) == 1 else f"{', '.join(found[:-1])} or {found[-1]}"
    return f"; did you mean {listed}?"


def shown_name(name: str) -> str:
    """A name as it can be typed; in quotes if it has anything that is not shown as it is."""
    shown = visible(name)
    return shown if shown == name and " " not in name else f"“{shown}”"


def _plain(name: str) -> str:
    return _BETWEEN.sub("", name).casefold()
