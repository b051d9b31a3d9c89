"""How a policy came to a verdict, rule by rule."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from .verdicts import Verdict

if TYPE_CHECKING:
    from .request_rules import RequestRule
    from .rules import Rule


class Outcome(StrEnum):
    """What became of one rule in one case."""

    FIRED = "fired"
    PASSED_OVER = "passed over"
    SKIPPED = "depends on the arguments"
    NOT_REACHED = "not reached"


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """One rule in one case. `why`: each condition that kept it from firing, in words."""

    rule: Rule | RequestRule
    outcome: Outcome
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """A verdict, and what became of every rule on the way to it."""

    verdict: Verdict
    outcomes: tuple[RuleOutcome, ...]
    """In the order of the rules; empty where none was asked."""

    @property
    def fired(self) -> RuleOutcome | None:
        return next((one for one in self.outcomes if one.outcome is Outcome.FIRED), None)
