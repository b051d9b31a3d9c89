"""The meaning of an effect among the reasons of a verdict, without repeating it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from ...protocol.hints import Effect

_WEAKER: Final = frozenset({"may be destructive"})
"""Reasons of a rule on any tool that may destroy; the meaning of the effect has the basis, too."""
_SAID_OF_EFFECT: Final[Mapping[Effect, re.Pattern[str]]] = {
    Effect.READ_ONLY: re.compile(
        r"(?<!not )\bdeclare[ds] (?:it )?read-only\b|(?<!not a )\bread-only tool\b"
        r"|\bit is read-only\b"
    ),
    Effect.ADDITIVE: re.compile(r"\bnot destructive\b|\bwithout destroying\b"),
    Effect.DESTRUCTIVE: re.compile(
        r"(?<!not )\bdeclared destructive\b|\b(?:is|counts as) destructive\b"
    ),
    Effect.UNDECLARED: re.compile(r"\b(?:counts|treated) as destructive\b"),
    Effect.CONTRADICTORY: re.compile(r"\bread-only and destructive at once\b"),
}
"""Patterns of reasons that include the meaning of an effect, and more."""


def says_meaning(reasons: Sequence[str], effect: Effect) -> bool:
    """True if one of the reasons gives the meaning of the effect."""
    return any(one == effect.meaning or _SAID_OF_EFFECT[effect].search(one) for one in reasons)


def with_meaning(reason: str, effect: Effect) -> tuple[str, ...]:
    """A rule's reason, and the meaning of the effect unless the reason has it already.

    Of several sentences with semicolons between, the meaning replaces the weaker ones.
    """
    if says_meaning((reason,), effect):
        return (reason,)
    clauses = [one.strip() for one in reason.split(";")]
    kept = [one for one in clauses if not (effect.may_destroy and one in _WEAKER)]
    if kept == clauses:
        return (reason, effect.meaning)
    return (effect.meaning, *(("; ".join(kept),) if kept else ()))
