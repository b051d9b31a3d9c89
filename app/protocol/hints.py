"""A tool's annotations, and the effect they add up to.

Spec 2025-11-25 and 2026-07-28, schema `ToolAnnotations`: readOnlyHint defaults to false,
destructiveHint to true, idempotentHint to false, openWorldHint to true; destructiveHint and
idempotentHint are meaningful only when readOnlyHint is false. Annotations of a server that is not
trusted never count (server/tools, "Security Considerations").
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from typing import Final

from ..content.frozen import frozen
from ..content.json.jsonio import JsonError, JsonValue, canonical
from ..content.text import cut, visible
from .server import Trust


class Claim(StrEnum):
    """A server's declaration of one hint. Only a JSON boolean is a claim."""

    TRUE = "true"
    FALSE = "false"
    NOT_SET = "not set"
    MALFORMED = "malformed"

    def as_json(self) -> JsonValue:
        """True or false; null for a hint that is not set; "malformed" for any other value."""
        values: dict[str, JsonValue] = {"true": True, "false": False, "malformed": "malformed"}
        return values.get(self.value)


@frozen
class Hint:
    """One hint: the declared value, the specification's default, and whether it is meaningful."""

    name: str
    claim: Claim
    default: bool
    meaningful: bool
    malformed_as: str = ""
    """The malformed claim as JSON, shortened and safe to show; empty for the other claims."""

    @property
    def effective(self) -> bool:
        """The claim, or the specification's default if no usable claim is set."""
        if self.claim is Claim.TRUE:
            return True
        if self.claim is Claim.FALSE:
            return False
        return self.default

    @property
    def is_default(self) -> bool:
        return self.claim in (Claim.NOT_SET, Claim.MALFORMED)

    def as_json(self) -> dict[str, JsonValue]:
        shown: dict[str, JsonValue] = {
            "claimed": self.claim.as_json(),
            "default": self.default,
            "effective": self.effective,
            "meaningful": self.meaningful,
        }
        if self.malformed_as:
            shown["malformed_as"] = self.malformed_as
        return shown


class Effect(StrEnum):
    """The effect that the hints add up to: the default grouping of tools, mildest first."""

    READ_ONLY = "read-only"
    ADDITIVE = "additive"
    DESTRUCTIVE = "destructive"
    UNDECLARED = "undeclared"
    CONTRADICTORY = "contradictory"

    @property
    def sign(self) -> str:
        return EFFECT_SIGNS[self]

    @property
    def meaning(self) -> str:
        return EFFECT_MEANINGS[self]

    @property
    def may_destroy(self) -> bool:
        """True if a call must be approved in the dialog with the warning."""
        return self in (Effect.DESTRUCTIVE, Effect.UNDECLARED, Effect.CONTRADICTORY)


EFFECT_SIGNS = {
    Effect.READ_ONLY: "○",
    Effect.ADDITIVE: "+",
    Effect.DESTRUCTIVE: "!",
    Effect.UNDECLARED: "?",
    Effect.CONTRADICTORY: "≠",
}

EFFECT_MEANINGS = {
    Effect.READ_ONLY: "the server declares it read-only",
    Effect.ADDITIVE: "the server declares it not destructive",
    Effect.DESTRUCTIVE: "the server declares it destructive",
    Effect.UNDECLARED: "effect not declared: treated as destructive (the default)",
    Effect.CONTRADICTORY: "declared both read-only and destructive",
}


USED_WORDS: Final[Mapping[Trust, str]] = {
    Trust.TRUSTED: "used",
    Trust.UNTRUSTED: "if trusted",
}
"""The head of the column of used values: an untrusted server's hints let no call run."""


def used_words(hint: Hint, effect: Effect) -> tuple[str, str]:
    """The value of a hint that is used, with its origin, and a role: "", "dim" or "contradiction".

    If a tool is declared read-only and destructive, the stricter values are used.
    """
    if effect is Effect.CONTRADICTORY:
        if hint.name == "readOnly":
            return "contradicts", "contradiction"
        if hint.name == "destructive":
            return "true (stricter)", ""
        if hint.name == "idempotent":
            return ("false (default)", "dim") if hint.is_default else ("false", "")
    if not hint.meaningful:
        return "n/a (read-only)", "dim"
    value = "true" if hint.effective else "false"
    return (f"{value} (default)", "dim") if hint.is_default else (value, "")


class Repeating(StrEnum):
    """Effect of a second call with the same arguments: the grouping by retry safety.

    A tool that is read-only changes nothing the first time either, so its idempotentHint means
    nothing, and it is not called idempotent.
    """

    HARMLESS = "read-only, safe to repeat"
    IDEMPOTENT = "idempotent"
    COUNTS = "not idempotent"

    @property
    def sign(self) -> str:
        return REPEATING_SIGNS[self]

    @property
    def beside_effect(self) -> str:
        """For a line that has the effect, too."""
        return self.value.removeprefix("read-only, ")

    @property
    def words(self) -> str:
        """For one line of hints, with the sign if there is one."""
        return f"{self.sign} {self.beside_effect}".strip()


REPEATING_SIGNS = {Repeating.HARMLESS: "", Repeating.IDEMPOTENT: "=", Repeating.COUNTS: ""}
"""Only what can be repeated has a sign: others are many, and a sign for "not" is a riddle."""


@frozen
class Hints:
    """The four hints of one tool."""

    read_only: Hint
    destructive: Hint
    idempotent: Hint
    open_world: Hint

    def __iter__(self) -> Iterator[Hint]:
        return iter((self.read_only, self.destructive, self.idempotent, self.open_world))

    @property
    def effect(self) -> Effect:
        """The effect; a malformed claim never makes a tool look milder than silence would."""
        read_only, destructive = self.read_only.claim, self.destructive.claim
        if read_only is Claim.TRUE:
            return Effect.CONTRADICTORY if destructive is Claim.TRUE else Effect.READ_ONLY
        if destructive is Claim.TRUE:
            return Effect.DESTRUCTIVE
        if destructive is Claim.FALSE:
            return Effect.ADDITIVE
        return Effect.UNDECLARED

    @property
    def is_open_world(self) -> bool:
        return self.open_world.effective

    @property
    def repeating(self) -> Repeating:
        """Effect of a second call as declared; of contradictory hints the stricter one counts."""
        effect = self.effect
        if effect is Effect.READ_ONLY:
            return Repeating.HARMLESS
        if effect is not Effect.CONTRADICTORY and self.idempotent.effective:
            return Repeating.IDEMPOTENT
        return Repeating.COUNTS

    @property
    def is_repeatable(self) -> bool:
        """True if it is claimed, in one way or the other, that a second call changes nothing."""
        return self.repeating is not Repeating.COUNTS

    @property
    def repeating_is_default(self) -> bool:
        """True if the specification's default is used because no claim about repeating is set."""
        return self.idempotent.meaningful and self.idempotent.is_default

    @property
    def repeating_said(self) -> str:
        """Quote the declaration on repeating, after "it": never more than was declared."""
        match self.repeating, self.idempotent.claim:
            case Repeating.HARMLESS, _:
                return "is declared read-only"
            case Repeating.IDEMPOTENT, _:
                return "is declared idempotent"
            case _ if self.effect is Effect.CONTRADICTORY:
                return "is declared both read-only and destructive"
            case _, Claim.FALSE:
                return "is declared not idempotent"
            case _:
                return "is not declared idempotent"

    def as_json(self) -> dict[str, JsonValue]:
        return {hint.name: hint.as_json() for hint in self}


_DEFAULTS: Final = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}
"""By the schema of `ToolAnnotations`."""
HINT_KEYS = tuple(_DEFAULTS)


def read_hints(annotations: JsonValue, doubled: Collection[str] = ()) -> Hints:
    """Hints from the raw `annotations` of a definition; anything but an object has no hints.

    Hints in `doubled`, by their keys, were given more than once: their stricter value counts, as
    clients differ in which one they read.
    """
    given = annotations if isinstance(annotations, dict) else {}
    # The default of the specification is the stricter value of each hint.
    claims = {**given, **{key: _DEFAULTS[key] for key in doubled if key in given}}
    if "readOnlyHint" in doubled and "idempotentHint" in given:
        # In the reading that is both read-only and destructive it means nothing.
        claims["idempotentHint"] = False
    read_only = _hint(claims, "readOnlyHint", meaningful=True)
    writes = not read_only.effective
    return Hints(
        read_only=read_only,
        destructive=_hint(claims, "destructiveHint", meaningful=writes),
        idempotent=_hint(claims, "idempotentHint", meaningful=writes),
        open_world=_hint(claims, "openWorldHint", meaningful=True),
    )


def _hint(claims: dict[str, JsonValue], key: str, *, meaningful: bool) -> Hint:
    name, default = key.removesuffix("Hint"), _DEFAULTS[key]
    if key not in claims:
        return Hint(name, Claim.NOT_SET, default, meaningful)
    value = claims[key]
    if value is True:
        return Hint(name, Claim.TRUE, default, meaningful)
    if value is False:
        return Hint(name, Claim.FALSE, default, meaningful)
    return Hint(name, Claim.MALFORMED, default, meaningful, visible(cut(_written(value), 40).text))


def _written(value: JsonValue) -> str:
    try:
        return canonical(value)
    except JsonError:
        return f"an unwritable {type(value).__name__}"
