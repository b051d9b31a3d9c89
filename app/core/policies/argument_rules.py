"""What a rule may demand of one argument: a place in the arguments, and a test of what is there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import translate
from typing import Final, TypeAlias

from app.core.jsonio import JsonValue, canonical, same
from app.core.schema import Answer, brief, judge
from app.core.text import cut, visible

LONGEST_MATCHED = 10_000
"""Characters of a value that a regular expression is tried on; longer ones cannot be judged."""


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
    """Nothing stands at the place."""


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
_INDEX = re.compile(r"0|[1-9][0-9]*")
_BAD_ESCAPE = re.compile(r"~(?![01])")


def pointer_steps(text: str) -> tuple[str, ...]:
    """The steps of a JSON Pointer, unescaped (RFC 6901). Raises ValueError for what is not one."""
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
    """What stands at a place (RFC 6901, section 4), or `MISSING`."""
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


@dataclass(frozen=True, slots=True)
class ArgumentCondition:
    """One test of what stands at `at`, a JSON Pointer into the arguments.

    A comparison holds of a value of the right kind only: `at_most` of a number, `glob` and
    `matches` of a string. What is missing meets only `present = false`; whether it differs from
    something cannot be said, since the server decides what it takes instead.
    """

    at: str
    comparison: Comparison
    value: JsonValue = field(compare=False)
    steps: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _key: str = field(init=False, repr=False)
    """The value as JSON, which tells 1 and true apart."""
    _pattern: re.Pattern[str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        pattern: re.Pattern[str] | None = None
        if self.comparison is Comparison.GLOB:
            pattern = re.compile(translate(str(self.value)))
        elif self.comparison is Comparison.MATCHES:
            pattern = re.compile(str(self.value))
        object.__setattr__(self, "_key", canonical(self.value))
        object.__setattr__(self, "steps", pointer_steps(self.at))
        object.__setattr__(self, "_pattern", pattern)

    def holds(self, arguments: Mapping[str, JsonValue]) -> bool | None:
        """Whether it holds; None where that cannot be said."""
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
            case Comparison.GLOB | Comparison.MATCHES:
                return self._fits(found)
            case Comparison.SCHEMA:
                answer = judge(self.value, found).answer
                return None if answer is Answer.NOT_VALIDATED else answer is Answer.VALID
            case _:
                return self._compares(found)

    def why_not(self, arguments: Mapping[str, JsonValue]) -> str:
        """Why it does not hold, in words that are safe to show."""
        found = value_at(arguments, self.steps)
        place = self._place
        if isinstance(found, _Missing):
            return f"argument {place} is missing"
        if self.comparison is Comparison.PRESENT:
            return f"argument {place} is present"
        if self.comparison is Comparison.SCHEMA:
            verdict = judge(self.value, found)
            words = verdict.reason or next((one.message for one in verdict.errors), "")
            return f"argument {place} does not fit the rule's schema: {words}"
        if isinstance(found, str) and len(found) > LONGEST_MATCHED and self._pattern:
            return f"argument {place} has more than {LONGEST_MATCHED:,} characters"
        if self.comparison is Comparison.IS_NOT:
            return f"argument {place} is {brief(found)}"
        return f"argument {place} is {brief(found)}; it wants one that {self._wanted}"

    @property
    def words(self) -> str:
        """What is demanded, in words that are safe to show."""
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
        short = cut(self.at, 80)
        return (visible(short.text) + ("…" if short.is_cut else "")) or "(all of them)"

    def _fits(self, found: JsonValue) -> bool | None:
        if not isinstance(found, str):
            return False
        if len(found) > LONGEST_MATCHED:
            return None
        assert self._pattern is not None
        return self._pattern.fullmatch(found) is not None

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


def _written(value: JsonValue) -> str:
    """A value as one short line, safe to show."""
    if not isinstance(value, dict | list):
        return brief(value)
    short = cut(canonical(value), 80)
    return visible(short.text) + ("…" if short.is_cut else "")
