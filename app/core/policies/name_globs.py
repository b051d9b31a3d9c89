"""Globs on one name: exact where they have no wildcard, and nothing on what is too long to try."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import translate

from signoff.app.core.policies.argument_rules import LONGEST_MATCHED

_WILD = re.compile(r"[*?\[]")


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
