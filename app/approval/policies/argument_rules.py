"""Conditions of a rule on one argument: a place in the arguments, and a test of its value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from fnmatch import translate
from typing import Final, TypeAlias

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, canonical, same
from ...content.text import shortened
from ...schemas.messages import brief
from .patterns import NOT_TRIED, NOTHING_TRIED, Trial, TrialOf, Tried

LONGEST_MATCHED = 10_000
"""Characters of a value or a name that a glob or a regular expression is tried on; longer ones
cannot be judged."""


class Comparison(StrEnum):
    """The comparisons; the value is the key in a file."""

    IS = "is"
    IS_NOT = "is_not"
    ONE_OF = "one_of"
    LESS = "less"
    AT_MOST = "at_most"
    MORE = "more"
    AT_LEAST = "at_least"
    GLOB = "glob"
    MATCHES = "matches"
    PRESENT = "present"
    SCHEMA = "schema"


class _Missing:
    """The value at a place that does not exist."""


MISSING: Final = _Missing()
Found: TypeAlias = JsonValue | _Missing

_WORDS = {
    Comparison.IS: "is",
    Comparison.IS_NOT: "is not",
    Comparison.ONE_OF: "is one of",
    Comparison.LESS: "is less than",
    Comparison.AT_MOST: "is at most",
    Comparison.MORE: "is more than",
    Comparison.AT_LEAST: "is at least",
    Comparison.GLOB: "fits the glob",
    Comparison.MATCHES: "matches the pattern",
}
_TRIALS = {Comparison.MATCHES: TrialOf.PATTERN, Comparison.SCHEMA: TrialOf.SCHEMA}
_CANNOT_TRY = Tried(None, "cannot be tested: the value is not JSON")
_INDEX = re.compile(r"0|[1-9][0-9]*")
_BAD_ESCAPE = re.compile(r"~(?![01])")


def pointer_steps(text: str) -> tuple[str, ...]:
    """Split a JSON Pointer into unescaped steps (RFC 6901). Raises ValueError for an invalid
    one.
    """
    if not text:
        return ()
    if not text.startswith("/"):
        raise ValueError('a JSON Pointer begins with "/", as in "/path" (RFC 6901)')
    if _BAD_ESCAPE.search(text):
        raise ValueError('in a JSON Pointer "~" is written "~0", and "/" in a name "~1" (RFC 6901)')
    return tuple(
        step.replace("~1", "/").replace("~0", "~") for step in text.removeprefix("/").split("/")
    )


def value_at(value: JsonValue | Mapping[str, JsonValue], steps: tuple[str, ...]) -> Found:
    """Return the value at a place (RFC 6901, section 4), or `MISSING`."""
    found: JsonValue | Mapping[str, JsonValue] = value
    for step in steps:
        if isinstance(found, Mapping):
            if step not in found:
                return MISSING
            found = found[step]
        elif isinstance(found, list):
            if not _INDEX.fullmatch(step) or len(step) > 9 or int(step) >= len(found):
                return MISSING
            found = found[int(step)]
        else:
            return MISSING
    return dict(found) if isinstance(found, Mapping) else found


@frozen
class ArgumentCondition:
    """One test of the value at `at`, a JSON Pointer into the arguments.

    A comparison only holds for a value of the right kind: `at_most` for a number, `glob` and
    `matches` for a string. A missing value meets only `present = false`; whether it differs from
    something is unknown, since the server chooses its default.

    A pattern or a schema is never tried here: its result is read from `tried`, the results of the
    trials so far by their keys, and is unknown without it.
    """

    at: str
    comparison: Comparison
    value: JsonValue = field(compare=False)
    steps: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _key: str = field(init=False, repr=False)
    """The value as JSON, with 1 and true kept distinct."""
    _glob: re.Pattern[str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        is_glob = self.comparison is Comparison.GLOB
        # A glob becomes an expression that never goes back over what it has matched.
        glob = re.compile(translate(str(self.value))) if is_glob else None
        object.__setattr__(self, "_key", canonical(self.value))
        object.__setattr__(self, "steps", pointer_steps(self.at))
        object.__setattr__(self, "_glob", glob)

    def trial(self, arguments: Mapping[str, JsonValue]) -> Trial | None:
        """Return the trial that has to be run elsewhere first, if any."""
        kind = _TRIALS.get(self.comparison)
        found = value_at(arguments, self.steps)
        if kind is None or isinstance(found, _Missing):
            return None
        if kind is TrialOf.PATTERN and (not isinstance(found, str) or _is_long(found)):
            return None
        try:
            return Trial(kind, self.value, found)
        except JsonError:
            return None

    def matches(
        self, arguments: Mapping[str, JsonValue], tried: Mapping[str, Tried] = NOTHING_TRIED
    ) -> bool | None:
        """Evaluate the condition; None if unknown."""
        found = value_at(arguments, self.steps)
        if self.comparison is Comparison.PRESENT:
            return (not isinstance(found, _Missing)) is self.value
        if isinstance(found, _Missing):
            return None if self.comparison is Comparison.IS_NOT else False
        match self.comparison:
            case Comparison.IS:
                return same(found, self.value)
            case Comparison.IS_NOT:
                return not same(found, self.value)
            case Comparison.ONE_OF:
                assert isinstance(self.value, list)
                return any(same(found, one) for one in self.value)
            case Comparison.GLOB:
                return self.fits(found)
            case Comparison.MATCHES | Comparison.SCHEMA:
                if self.comparison is Comparison.MATCHES and not isinstance(found, str):
                    return False
                return self._came_of(arguments, tried).held
            case _:
                return self._compares(found)

    def why_not(
        self, arguments: Mapping[str, JsonValue], tried: Mapping[str, Tried] = NOTHING_TRIED
    ) -> str:
        """The reason why it does not hold, or cannot be judged, in words that are safe to show."""
        if self.matches(arguments, tried) is None:
            return self.why_unknown(arguments, tried)
        found = value_at(arguments, self.steps)
        place = self._place
        if isinstance(found, _Missing):
            return f"argument {place} is missing"
        if self.comparison is Comparison.PRESENT:
            return f"argument {place} is present"
        if self.comparison is Comparison.SCHEMA:
            words = self._came_of(arguments, tried).why
            return f"argument {place} does not fit the rule's schema: {words}"
        if self.comparison is Comparison.IS_NOT:
            return f"argument {place} is {brief(found)}"
        return f"argument {place} is {brief(found)}; it needs one that {self._wanted}"

    def why_unknown(
        self, arguments: Mapping[str, JsonValue], tried: Mapping[str, Tried] = NOTHING_TRIED
    ) -> str:
        """The reason why it cannot be judged, in words that are safe to show."""
        found = value_at(arguments, self.steps)
        place = self._place
        if isinstance(found, _Missing):
            return f"argument {place} is missing"
        if self.comparison is not Comparison.SCHEMA and isinstance(found, str) and _is_long(found):
            return f"argument {place} has more than {LONGEST_MATCHED:,} characters"
        is_schema = self.comparison is Comparison.SCHEMA
        what = "its schema" if is_schema else f"its pattern {_written(self.value)}"
        return f"{what} for argument {place} {self._came_of(arguments, tried).why}"

    @property
    def words(self) -> str:
        """Describe the condition, in words that are safe to show."""
        if self.comparison is Comparison.PRESENT:
            return f"argument {self._place} is {'present' if self.value else 'missing'}"
        return f"argument {self._place} {self._wanted}"

    @property
    def _wanted(self) -> str:
        if self.comparison is Comparison.SCHEMA:
            return "fits a schema"
        return f"{_WORDS[self.comparison]} {_written(self.value)}"

    @property
    def _place(self) -> str:
        return shortened(self.at, 80) or "(all of them)"

    def fits(self, found: JsonValue) -> bool | None:
        """Match a value with the glob; None if it is too long for that."""
        if not isinstance(found, str):
            return False
        if _is_long(found):
            return None
        assert self._glob is not None
        return self._glob.fullmatch(found) is not None

    def _came_of(self, arguments: Mapping[str, JsonValue], tried: Mapping[str, Tried]) -> Tried:
        trial = self.trial(arguments)
        return _CANNOT_TRY if trial is None else tried.get(trial.key, NOT_TRIED)

    def _compares(self, found: JsonValue) -> bool:
        limit = self.value
        assert isinstance(limit, int | float)
        if isinstance(found, bool) or not isinstance(found, int | float):
            return False
        match self.comparison:
            case Comparison.LESS:
                return found < limit
            case Comparison.AT_MOST:
                return found <= limit
            case Comparison.MORE:
                return found > limit
            case _:
                return found >= limit


def _is_long(text: str) -> bool:
    return len(text) > LONGEST_MATCHED


def _written(value: JsonValue) -> str:
    """A value as one short line, safe to show."""
    if not isinstance(value, dict | list):
        return brief(value)
    return shortened(canonical(value), 80)
