"""One rule of a policy: its conditions, and its decision.

A condition that cannot be judged counts against the call: a rule that allows does not apply, every
other rule does.
"""

from __future__ import annotations

from enum import StrEnum

from ...content.frozen import frozen
from .argument_rules import ArgumentCondition
from .conditions import (
    METHODS,
    ClaimCondition,
    Condition,
    CountsCondition,
    FactCondition,
    FactOf,
    MethodCondition,
)
from .patterns import Trial
from .verdicts import Case


class Then(StrEnum):
    """Decisions of a rule; the last two only in models of hosts."""

    ALLOW = "allow"
    ASK = "ask"
    ASK_WITH_WARNING = "ask with a warning"
    REFUSE = "refuse"
    HIDE = "hide"
    UNKNOWN = "not known"


class Match(StrEnum):
    """Ways in which a rule meets a case."""

    YES = "matches"
    NO = "does not match"
    ARGUMENTS_UNKNOWN = "depends on the arguments"
    """Everything else matches, and the arguments are not known yet."""


@frozen
class Rule:
    """One rule. It applies where every condition holds; without any it applies always."""

    number: int
    """Its place in the policy, from 1."""
    then: Then
    name: str = ""
    """As the author gave it, safe to show."""
    reason: str = ""
    """In the author's words, safe to show."""
    reviews_result: bool = False
    conditions: tuple[Condition, ...] = ()
    arguments: tuple[ArgumentCondition, ...] = ()
    line: int = 0
    """The line of its file on which it begins; 0 without a file."""
    place: str = ""
    """The source of this rule alone, as `file:line`; empty if it is that of the policy."""

    @property
    def label(self) -> str:
        """`rule 2: may destroy`."""
        return f"rule {self.number}: {self.name}" if self.name else f"rule {self.number}"

    @property
    def is_catch_all(self) -> bool:
        return not self.conditions and not self.arguments

    @property
    def on(self) -> frozenset[str]:
        """Kinds of request that the rule is on: keys of METHODS."""
        found = [one.on for one in self.conditions if isinstance(one, MethodCondition)]
        return found[0] if found else frozenset(METHODS)

    @property
    def is_unconditional(self) -> bool:
        """True if it applies to everything that it is on."""
        rest = [one for one in self.conditions if not isinstance(one, MethodCondition)]
        return not rest and not self.arguments

    @property
    def demands(self) -> tuple[object, ...]:
        """Equal for rules that apply to the same cases."""
        return (self.conditions, self.arguments)

    @property
    def looks_at_hints(self) -> bool:
        return any(
            isinstance(one, ClaimCondition | CountsCondition)
            or (isinstance(one, FactCondition) and one.of in (FactOf.EFFECT, FactOf.WORLD))
            for one in self.conditions
        )

    @property
    def words(self) -> str:
        """Describe its conditions, in words that are safe to show."""
        parts = [one.words for one in self.conditions]
        parts += [one.words for one in self.arguments]
        return "; ".join(parts) if parts else "always"

    def match(self, case: Case) -> Match:
        for condition in self.conditions:
            if self._fails(condition.matches(case)):
                return Match.NO
        if not self.arguments:
            return Match.YES
        arguments = case.arguments
        if arguments is None:
            return Match.ARGUMENTS_UNKNOWN
        for test in self.arguments:
            if self._fails(test.matches(arguments, case.tried)):
                return Match.NO
        return Match.YES

    def why_not(self, case: Case) -> tuple[str, ...]:
        """Every condition that keeps it from matching, in words; empty if it matches."""
        found = [one.why_not(case) for one in self.conditions if self._fails(one.matches(case))]
        if not self.arguments:
            return tuple(found)
        if case.arguments is None:
            wanted = " and ".join(test.words for test in self.arguments)
            return (*found, f"the arguments are not known; it needs {wanted}")
        unknown = []
        for test in self.arguments:
            held = test.matches(case.arguments, case.tried)
            if held is not None and self._fails(held):
                found.append(test.why_not(case.arguments, case.tried))
            elif self._fails(held):
                unknown.append(test.why_not(case.arguments, case.tried))
        # A test that was skipped because it makes no difference does not count.
        return tuple(found or unknown)

    def trials(self, case: Case) -> tuple[Trial, ...]:
        """List trials needed before the match is known; empty if none."""
        arguments = case.arguments
        if arguments is None or any(self._fails(one.matches(case)) for one in self.conditions):
            return ()
        wanted: list[Trial] = []
        for test in self.arguments:
            if (trial := test.trial(arguments)) is not None:
                wanted.append(trial)
            elif self._fails(test.matches(arguments)):
                return ()
        return tuple(wanted)

    def unjudged(self, case: Case) -> str:
        """Describe conditions that cannot be judged, and the effect; empty if there are none."""
        if self.match(case) is Match.ARGUMENTS_UNKNOWN:
            return ""
        held = [one.matches(case) for one in self.conditions]
        unknown = [
            one.why_not(case)
            for one, is_so in zip(self.conditions, held, strict=True)
            if is_so is None
        ]
        if case.arguments is not None:
            for test in self.arguments:
                held.append(test.matches(case.arguments, case.tried))
                if held[-1] is None:
                    unknown.append(test.why_unknown(case.arguments, case.tried))
        if False in held or not unknown:
            return ""
        counts = "does not count" if self.then is Then.ALLOW else "counts as matched"
        return f"{self.label} cannot be judged and {counts}: {'; '.join(unknown)}"

    def _fails(self, held: bool | None) -> bool:
        """True if a condition keeps the rule from matching; an unknown one keeps it from
        allowing.
        """
        return held is False or (held is None and self.then is Then.ALLOW)
