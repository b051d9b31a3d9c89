"""Globs on one name: exact where they have no wildcard, and nothing on what is too long to try."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import translate

from .argument_rules import LONGEST_MATCHED
from .policy_tables import shown

LONGEST_GLOB = 500
"""Characters of a glob: trying one costs them times those of the name."""
_WILD = re.compile(r"[*?\[]")
_SET = re.compile(r"\[!?\]?[^\]]*\]")
_RANGE = re.compile(r"([^\]])-([^\]])")


@dataclass(frozen=True, slots=True)
class NameGlobs:
    """Case counts; `*`, `?` and `[...]` are as in the shell, and `*` covers every character."""

    globs: tuple[str, ...]
    _exact: frozenset[str] = field(init=False, repr=False, compare=False)
    _pattern: re.Pattern[str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        wild = [glob for glob in self.globs if _WILD.search(glob)]
        exact = frozenset(self.globs).difference(wild)
        pattern = re.compile("|".join(map(translate, wild))) if wild else None
        object.__setattr__(self, "_exact", exact)
        object.__setattr__(self, "_pattern", pattern)

    def fit(self, name: str) -> bool | None:
        """Whether one of them fits; None where the name is too long to try it."""
        if name in self._exact or self._pattern is None:
            return name in self._exact
        if len(name) > LONGEST_MATCHED:
            return None
        return self._pattern.match(name) is not None


def glob_fault(glob: str) -> str:
    """What is wrong with a glob, in words; empty where nothing is."""
    if not glob:
        return "it is empty, which no name fits"
    if len(glob) > LONGEST_GLOB:
        return f"it has {len(glob):,} characters, and {LONGEST_GLOB} is the most"
    rest = _SET.sub("", glob)
    if "[" in rest:
        return 'a "[" is not closed; "[[]" stands for the sign itself'
    for found in _SET.finditer(glob):
        for low, high in _RANGE.findall(found.group()[1:-1]):
            if low > high:
                return f"nothing lies between {shown(low)} and {shown(high)}"
    return ""
