"""What came of comparing the answers to the same call, made twice: values to be shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...content.json.jsonio import JsonValue


class RepeatKind(StrEnum):
    """How the answers of the same call made twice stand to each other."""

    IDENTICAL = "identical"
    DUPLICATE = "duplicate"
    DIFFERENT = "different"
    NOT_COMPARABLE = "not comparable"


class Standing(StrEnum):
    """What two answers say about the claim on repeating."""

    UPHELD = "upheld"
    CONTRADICTED = "contradicted"
    OPEN = "cannot be told"


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where two answers differ, and both values, cut; all safe to show."""

    path: str
    first: str
    second: str

    @property
    def words(self) -> str:
        return f"{self.path}: first {self.first}, second {self.second}"


@dataclass(frozen=True, slots=True)
class Repeat:
    """The same call made twice, beside what the tool claims of repeating. Safe to show."""

    kind: RepeatKind
    standing: Standing
    claim: str
    """`idempotentHint true`, `idempotentHint not said, false by default`, `readOnlyHint true`."""
    why: str
    """Why the claim stands as it does."""
    key: str = ""
    """The parameter that held the same idempotency key both times; empty without one."""
    differences: tuple[Difference, ...] = ()
    second_failed: bool = False
    """The first answer was none, the second is an error."""

    @property
    def headline(self) -> str:
        """What came of the two calls."""
        with_key = f" (same {self.key})" if self.key else ""
        match self.kind:
            case RepeatKind.DUPLICATE:
                return f"first: sent, second: duplicate{with_key}"
            case RepeatKind.IDENTICAL:
                return f"first and second: identical{with_key}"
            case RepeatKind.DIFFERENT if self.second_failed:
                return f"first: answered, second: isError{with_key}"
            case RepeatKind.DIFFERENT:
                return f"first and second: different{with_key}"
        return "nothing to compare"

    @property
    def claim_words(self) -> str:
        """What that says of the claim."""
        return f"{self.claim}: {self.standing.value} - {self.why}"

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "kind": self.kind.value,
            "claim": self.claim,
            "standing": self.standing.value,
            "why": self.why,
            "key": self.key or None,
            "differences": [
                {"path": one.path, "first": one.first, "second": one.second}
                for one in self.differences
            ],
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """A call beside an earlier one with the same tool and arguments."""

    other: int
    """The id of the earlier call."""
    agrees: bool | None
    """None where one of the two has no answer that could be compared."""
    words: tuple[str, ...]
    """One sentence for the content and one for the structured part; safe to show."""
    repeat: Repeat | None = None
    """What the two say about repeating the call."""

    @property
    def headline(self) -> str:
        if self.agrees is None:
            return f"cannot be compared with call {self.other}"
        verb = "agrees with" if self.agrees else "differs from"
        return f"{verb} call {self.other}"
