"""One rule of a policy: its conditions, except those on arguments, and its decision.

A condition holds, does not hold, or cannot be judged. One that cannot be judged counts against the
call: a rule that allows does not apply, every other rule does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import field
from enum import StrEnum
from fnmatch import translate
from typing import Final, Protocol

from ...content.files.tree import TOML
from ...content.frozen import frozen
from ...protocol.hints import Claim, Hint, Hints
from ...protocol.rpc import CALL_METHOD, PROMPT_METHOD, READ_METHOD
from .argument_rules import LONGEST_MATCHED, ArgumentCondition
from .patterns import Trial
from .verdicts import Case, doubts_of

quoted = TOML.quoted
LONGEST_GLOB = 500
"""Characters of a glob: trying one costs them times those of the name."""
_WILD = re.compile(r"[*?\[]")
_SET = re.compile(r"\[!?\]?[^\]]*\]")
_RANGE = re.compile(r"([^\]])-([^\]])")


@frozen
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
        """True if one of them fits; None if the name is too long to test."""
        if name in self._exact or self._pattern is None:
            return name in self._exact
        if len(name) > LONGEST_MATCHED:
            return None
        return self._pattern.match(name) is not None


def exact_glob(name: str) -> str:
    """The glob that fits this name alone."""
    return _WILD.sub(lambda sign: f"[{sign.group()}]", name)


def glob_fault(glob: str) -> str:
    """Describe the mistake in a glob; empty if there is none."""
    if not glob:
        return "it is empty, so it never matches"
    if len(glob) > LONGEST_GLOB:
        return f"it has {len(glob):,} characters; the limit is {LONGEST_GLOB}"
    rest = _SET.sub("", glob)
    if "[" in rest:
        return 'a "[" is not closed; "[[]" matches the character itself'
    for found in _SET.finditer(glob):
        for low, high in _RANGE.findall(found.group()[1:-1]):
            if low > high:
                return f"the range is empty: {quoted(low)} and {quoted(high)}"
    return ""


class Condition(Protocol):
    """One thing that a rule demands of a case, other than of its arguments."""

    def matches(self, case: Case) -> bool | None:
        """None if the case has too few facts to decide."""
        ...

    def why_not(self, case: Case) -> str:
        """The reason why it does not hold, in words that are safe to show."""
        ...

    @property
    def words(self) -> str:
        """Describe the condition, in words that are safe to show."""
        ...


class NameOf(StrEnum):
    """The name that a `NameCondition` tests."""

    SERVER = "server"
    TOOL = "tool"


@frozen
class NameCondition:
    """The configured name of the server, or the exact name of the tool, fits one of the globs."""

    of: NameOf
    globs: tuple[str, ...]
    is_other: bool = False
    """Whether the name has to fit none of them."""
    _fitting: NameGlobs = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_fitting", NameGlobs(self.globs))

    def matches(self, case: Case) -> bool | None:
        fits = self._fitting.fit(case.server if self.of is NameOf.SERVER else case.tool.name)
        return fits if fits is None else fits is not self.is_other

    def why_not(self, case: Case) -> str:
        name = case.server if self.of is NameOf.SERVER else case.tool.name
        if self.matches(case) is None:
            return f"the name of the {self.of} has more than {LONGEST_MATCHED:,} characters"
        listed = with_or(map(quoted, self.globs))
        if self.is_other:
            return f"the {self.of} {quoted(name)} is one of {listed}"
        return f"the {self.of} is {quoted(name)}, not {listed}"

    @property
    def words(self) -> str:
        other = " other than" if self.is_other else ""
        return f"{self.of}{other} {with_or(map(quoted, self.globs))}"


METHODS: Final = {"call": CALL_METHOD, "read": READ_METHOD, "prompt": PROMPT_METHOD}
"""What a rule can be on that is asked of a server, as its key `on` has it."""


@frozen
class MethodCondition:
    """It is a call, a read or a prompt."""

    on: frozenset[str]
    """Keys of METHODS."""

    def matches(self, case: Case) -> bool:
        return any(METHODS[one] == case.method for one in self.on)

    def why_not(self, case: Case) -> str:
        return f"the rule is on {self._named}"

    @property
    def words(self) -> str:
        return f"on {self._named}"

    @property
    def _named(self) -> str:
        return with_or(one for one in METHODS if one in self.on)


class FactOf(StrEnum):
    """The fact that a `FactCondition` tests; the value is its key in a file."""

    EFFECT = "effect"
    WORLD = "world"
    TRUST = "trust"
    DEFINITION = "definition"


_FACTS: Final = {
    FactOf.EFFECT: "the effect is {}",
    FactOf.WORLD: "the world is {}",
    FactOf.TRUST: "the server is {}",
    FactOf.DEFINITION: "the definition is {}",
}


@frozen
class FactCondition:
    """The effect, world, trust or history of the definition is one of `values`."""

    of: FactOf
    values: frozenset[str]

    def matches(self, case: Case) -> bool:
        return self._actual(case) in self.values

    def why_not(self, case: Case) -> str:
        return _FACTS[self.of].format(self._actual(case))

    @property
    def words(self) -> str:
        return f"{self.of} {with_or(sorted(self.values))}"

    def _actual(self, case: Case) -> str:
        match self.of:
            case FactOf.EFFECT:
                return case.tool.hints.effect.value
            case FactOf.WORLD:
                return "open" if case.tool.hints.is_open_world else "closed"
            case FactOf.TRUST:
                return case.trust.value
            case FactOf.DEFINITION:
                return case.seen.value


@frozen
class ApprovedCondition:
    """Tests whether the tool was approved in this session under this very definition."""

    wanted: bool

    def matches(self, case: Case) -> bool:
        return case.approved_before is self.wanted

    def why_not(self, case: Case) -> str:
        return (
            "not yet approved in this session with this definition"
            if self.wanted
            else "approved in this session with this definition"
        )

    @property
    def words(self) -> str:
        return "approved in this session" if self.wanted else "not approved in this session"


@frozen
class DoubtCondition:
    """Tests whether there is a doubt about the call."""

    wanted: bool

    def matches(self, case: Case) -> bool:
        return bool(doubts_of(case)) is self.wanted

    def why_not(self, case: Case) -> str:
        doubts = doubts_of(case)
        return f"there is a doubt: {doubts[0]}" if doubts else "no doubts"

    @property
    def words(self) -> str:
        return "a doubt" if self.wanted else "no doubt"


@frozen
class CarriedCondition:
    """Tests whether an earlier result of the session had one of `labels` (a draft)."""

    labels: frozenset[str]

    def matches(self, case: Case) -> bool:
        return any(not self.labels.isdisjoint(one.labels) for one in case.carried)

    def why_not(self, case: Case) -> str:
        return f"no earlier result was marked {with_or(sorted(self.labels))}"

    @property
    def words(self) -> str:
        return f"an earlier result marked {with_or(sorted(self.labels))}"


@frozen
class ClaimCondition:
    """Tests whether the declared value of one hint is among `claims`."""

    hint: str
    claims: frozenset[Claim]

    def matches(self, case: Case) -> bool:
        return hint_named(case.tool.hints, self.hint).claim in self.claims

    def why_not(self, case: Case) -> str:
        claim = hint_named(case.tool.hints, self.hint).claim
        return f"{self.hint}Hint is {claim.value}"

    @property
    def words(self) -> str:
        return f"{self.hint} hint {with_or(sorted(self.claims))}"


@frozen
class CountsCondition:
    """Tests the effective value of one hint: declared, or the specification's default."""

    hint: str
    wanted: bool

    def matches(self, case: Case) -> bool:
        return hint_named(case.tool.hints, self.hint).effective is self.wanted

    def why_not(self, case: Case) -> str:
        hint = hint_named(case.tool.hints, self.hint)
        by = " (the default)" if hint.is_default else ""
        return f"{self.hint}Hint counts as {_bool(hint.effective)}{by}"

    @property
    def words(self) -> str:
        return f"{self.hint} counts as {_bool(self.wanted)}"


def hint_named(hints: Hints, name: str) -> Hint:
    """One of the four by its name; raises KeyError."""
    for hint in hints:
        if hint.name == name:
            return hint
    raise KeyError(name)


def with_or(words: Iterable[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    listed = [str(word) for word in words]
    if len(listed) < 2:
        return "".join(listed)
    return f"{', '.join(listed[:-1])} or {listed[-1]}"


def _bool(value: bool) -> str:
    return "true" if value else "false"


class Then(StrEnum):
    """Decisions of a rule; the last three only in host rules."""

    ALLOW = "allow"
    ASK = "ask"
    ASK_WITH_WARNING = "ask with a warning"
    REFUSE = "refuse"
    HIDE = "hide"
    JUDGE = "judge"
    """The host's model decides."""
    UNKNOWN = "not known"


class RuleMatch(StrEnum):
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

    def match(self, case: Case) -> RuleMatch:
        for condition in self.conditions:
            if self._fails(condition.matches(case)):
                return RuleMatch.NO
        if not self.arguments:
            return RuleMatch.YES
        arguments = case.arguments
        if arguments is None:
            return RuleMatch.ARGUMENTS_UNKNOWN
        for test in self.arguments:
            if self._fails(test.matches(arguments, case.tried)):
                return RuleMatch.NO
        return RuleMatch.YES

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
        if self.match(case) is RuleMatch.ARGUMENTS_UNKNOWN:
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
