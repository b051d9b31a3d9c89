"""Verdicts of hosts beside what was measured of them: what was measured counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ...approval.hosts.measured import Claims
from ...approval.policies.policy import Policy, PolicyKind
from ...approval.policies.verdicts import KnownBy, Verdict, VerdictAnswer
from ...protocol.hints import Claim
from ...protocol.tool import ToolDefinition

_VALUES: Final = {Claim.TRUE: True, Claim.FALSE: False, Claim.NOT_SET: None}
_WORDS: Final = {
    VerdictAnswer.ALLOW: "it ran without a question",
    VerdictAnswer.ASK: "it asked",
    VerdictAnswer.REFUSE: "it was refused",
    VerdictAnswer.HIDE: "it was hidden from the model",
}


def as_measured(column: Policy, tool: ToolDefinition, verdict: Verdict) -> Verdict:
    """Return the verdict with its evidence; another answer if another one was measured.

    Hints are compared as declared, all four. A tool that cannot be called, or with a malformed
    hint, was not measured.
    """
    if column.kind is not PolicyKind.HOST:
        return verdict
    claims = claims_of(tool)
    found = None
    if claims is not None and tool.callable and column.measured is not None:
        found = column.measured.find(column.name, claims)
    if found is None:
        return replace(verdict, known_by=KnownBy.READ)
    seen = f"{_WORDS[found.answer]} when {found.words}"
    if found.answer is verdict.answer:
        return replace(verdict, known_by=KnownBy.BOTH, measured=seen)
    if verdict.answer is VerdictAnswer.UNKNOWN:
        reasons: tuple[str, ...] = (seen,)
        known_by = KnownBy.MEASURED
    else:
        read = f"by its source: {verdict.words}: {'; '.join(verdict.reasons)}"
        reasons, known_by = (seen, read), KnownBy.CONFLICT
    return replace(
        verdict,
        answer=found.answer,
        strong=False,
        reasons=reasons,
        known_by=known_by,
        measured=seen,
    )


def claims_of(tool: ToolDefinition) -> Claims | None:
    """The declared hints; None if one is malformed."""
    values = [hint.claim for hint in tool.hints]
    if any(one not in _VALUES for one in values):
        return None
    first, second, third, fourth = (_VALUES[one] for one in values)
    return first, second, third, fourth
