"""Doubts: what makes it unclear what a call would be, so that nothing runs on a rule alone."""

from __future__ import annotations

from ...content.text import visible
from ...protocol.definitions.history import Seen
from ...protocol.hints import EFFECT_MEANINGS, Effect
from .verdicts import Case

DUPLICATE = "another tool has the same name"
CONTRADICTORY = EFFECT_MEANINGS[Effect.CONTRADICTORY]

DOUBT_BY_FINDING = {
    "duplicate-name": DUPLICATE,
    "malformed-schema": "its schema is malformed",
    "malformed-hint": "one of its hints is malformed",
    "contradictory-hints": CONTRADICTORY,
}


def doubts_of(case: Case) -> list[str]:
    """The doubts about a call, in words that are safe to show.

    They are about the definition (a name that another tool has, a malformed schema or hint, hints
    that contradict each other) and about arguments that break the input schema.
    """
    doubts = list(definition_doubts(case))
    doubts += [visible(problem) for problem in case.argument_problems]
    return doubts


def definition_doubts(case: Case) -> tuple[str, ...]:
    """The doubts that do not depend on the arguments; each once, in a fixed order."""
    findings = case.tool.findings
    if not findings:
        return ()
    codes = {finding.code for finding in findings}
    return tuple(words for code, words in DOUBT_BY_FINDING.items() if code in codes)


def grant_obstacle(case: Case) -> str:
    """Why a remembered approval cannot count for this call, in words; empty where it can.

    Contradictory hints are no obstacle: they leave no doubt about which call was approved.
    """
    if case.seen is Seen.CHANGED:
        return "its definition has changed"
    return next((doubt for doubt in doubts_of(case) if doubt != CONTRADICTORY), "")
