"""The reasons of a verdict, each said once: what a rule says, and what the hints add up to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from ...protocol.hints import Effect

_WEAKER: Final = frozenset({"it may destroy"})
"""What a rule says of every tool that may destroy; the meaning of the effect says who says so."""
_SAYS: Final[Mapping[Effect, re.Pattern[str]]] = {
    Effect.READ_ONLY: re.compile(r"\bit (?:says (?:that )?)?it is read-only\b|\bit is read-only\b"),
    Effect.ADDITIVE: re.compile(
        r"\bit does not destroy\b|\bit neither destroys\b|\bwithout destroying\b"
    ),
    Effect.DESTRUCTIVE: re.compile(
        r"\bit says (?:that )?it is destructive\b|\bit counts as destructive\b"
    ),
    Effect.UNDECLARED: re.compile(r"\bit counts as destructive\b"),
    Effect.CONTRADICTORY: re.compile(r"\bread-only and destructive at once\b"),
}
"""Words of rules that say what the meaning of an effect says, and more."""


def says_meaning(reasons: Sequence[str], effect: Effect) -> bool:
    """Whether one of the reasons says what the effect means."""
    return any(one == effect.meaning or _SAYS[effect].search(one) for one in reasons)


def with_meaning(reason: str, effect: Effect) -> tuple[str, ...]:
    """A rule's reason, and the meaning of the effect where the reason does not say it already.

    Of several sentences with semicolons between, the meaning takes the place of those that it says
    better.
    """
    if says_meaning((reason,), effect):
        return (reason,)
    clauses = [one.strip() for one in reason.split(";")]
    kept = [one for one in clauses if not (effect.may_destroy and one in _WEAKER)]
    if kept == clauses:
        return (reason, effect.meaning)
    return (effect.meaning, *(("; ".join(kept),) if kept else ()))
