"""Trials: a policy's own pattern or schema on a value, which may cost any amount of time.

A rule only says which trial it depends on. Whoever wants a verdict has the open ones carried out
where they can be stopped, and hands over what came of them with the case.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from ...content.json.jsonio import JsonValue, canonical
from ...content.text import visible
from ...schemas.schema import Answer, judge


class TrialOf(StrEnum):
    """What is tried on a value."""

    PATTERN = "pattern"
    SCHEMA = "schema"


@dataclass(frozen=True, slots=True)
class Trial:
    """A regular expression that has to match all of a string, or a JSON Schema on any value."""

    of: TrialOf
    wanted: JsonValue
    """The pattern, or the schema."""
    found: JsonValue
    """The value on which it is tried."""
    key: str = field(init=False)
    """The digest of all three: equal trials come to the same."""

    def __post_init__(self) -> None:
        written = canonical([self.of.value, self.wanted, self.found])
        digest = hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()
        object.__setattr__(self, "key", digest)


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a trial. `held` is None where it could not be carried out to its end.

    `why`, safe to show: why that could not be, or in which way the value breaks the schema.
    """

    held: bool | None
    why: str = ""


NOT_TRIED: Final = Tried(None, "was not tried yet")
NOTHING_TRIED: Final[Mapping[str, Tried]] = MappingProxyType({})


def carry_out(trial: Trial) -> Tried:
    """Do it here and now, however long it takes; it belongs into a worker that can be killed."""
    if trial.of is TrialOf.SCHEMA:
        verdict = judge(trial.wanted, trial.found)
        if verdict.answer is Answer.NOT_VALIDATED:
            return Tried(None, f"could not be judged: {verdict.reason}")
        words = next((one.message for one in verdict.errors), "")
        return Tried(verdict.answer is Answer.VALID, words)
    try:
        return Tried(re.fullmatch(str(trial.wanted), str(trial.found)) is not None)
    except (re.error, OverflowError, RecursionError) as error:
        return Tried(None, f"is not a regular expression: {visible(str(error))}")


def carry_out_all(trials: tuple[Trial, ...]) -> tuple[Tried, ...]:
    """`carry_out` of each, in their order."""
    return tuple(carry_out(trial) for trial in trials)
