"""The default policy: what turns hints and trust into a verdict, with its reasons in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.core.hints import Effect
from app.core.tools import ToolDefinition
from app.core.trust import Trust


class VerdictAnswer(StrEnum):
    ALLOW = "allow"
    ASK = "ask"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a policy says of one call. `strong`: ask in the form for what may destroy."""

    answer: VerdictAnswer
    reasons: tuple[str, ...]
    strong: bool = False
    policy: str = "cautious"

    @property
    def words(self) -> str:
        return "ask, strongly" if self.strong else self.answer.value

    def as_json(self) -> dict[str, object]:
        return {
            "answer": self.answer.value,
            "strong": self.strong,
            "policy": self.policy,
            "reasons": list(self.reasons),
        }


def cautious(tool: ToolDefinition, trust: Trust, argument_problems: Sequence[str] = ()) -> Verdict:
    """The verdict of the `cautious` policy.

    An untrusted server's tools always ask: its hints are shown and never obeyed. A trusted
    server's read-only tools run, everything else asks. What may destroy - destructive,
    undeclared, contradictory - asks in the strong form. `argument_problems` are the ways in which
    the arguments break the input schema; with any of them nothing runs unasked.
    """
    if not tool.callable:
        return Verdict(VerdictAnswer.REFUSE, ("this entry has no name, so it cannot be called",))
    effect = tool.effect
    doubts = [*_doubts(tool), *argument_problems]
    if trust is Trust.TRUSTED and effect is Effect.READ_ONLY and not doubts:
        return Verdict(VerdictAnswer.ALLOW, (f"{effect.meaning}, and this server is trusted",))
    trust_words = (
        "this server is trusted"
        if trust is Trust.TRUSTED
        else "this server is not trusted, so its hints are shown and not obeyed"
    )
    return Verdict(
        VerdictAnswer.ASK, (effect.meaning, trust_words, *doubts), strong=effect.may_destroy
    )


def _doubts(tool: ToolDefinition) -> list[str]:
    doubts = []
    if tool.has_duplicate_name:
        doubts.append("another tool has the same name")
    if any(finding.code == "malformed-schema" for finding in tool.findings):
        doubts.append("its schema is malformed")
    if any(finding.code == "malformed-hint" for finding in tool.findings):
        doubts.append("one of its hints is malformed")
    return doubts
