"""When a call may be made once more. Spec, schema `ToolAnnotations`: idempotentHint true means that
calling again with the same arguments has no additional effect; a hint of a server that is not
trusted does not count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from ..approval.policies.verdicts import Verdict, VerdictAnswer
from ..protocol.tools import ToolDefinition
from ..protocol.trust import Trust
from .calls import Call, Outcome

_HOW: Final[Mapping[Outcome, str]] = {
    Outcome.CONNECTION_LOST: "lost in transit, outcome unknown",
    Outcome.CANCELLED: "cancelled, and may have done its work anyway",
    Outcome.TIMEOUT: "no answer in time, outcome unknown",
}


@dataclass(frozen=True, slots=True)
class Advice:
    """Whether a retry is offered, and the reason in words."""

    is_offered: bool
    reason: str


def is_unknown(call: Call) -> bool:
    """Whether the call left and nobody knows if it did its work."""
    return call.is_unknown


def is_harmless(call: Call) -> bool:
    """Whether nothing was sent although nobody denied it: trying again repeats nothing."""
    return not call.sent and call.outcome in (Outcome.NOT_SENT, Outcome.FAULT)


def is_repeatable(tool: ToolDefinition, trust: Trust) -> bool:
    """Whether repeating a call is claimed to change nothing more, by a server that is trusted."""
    return trust is Trust.TRUSTED and tool.hints.is_repeatable and not tool.has_duplicate_name


def advise(call: Call, tool: ToolDefinition, trust: Trust, verdict: Verdict) -> Advice:
    """Whether to offer a retry. `tool` and `verdict`: what is listed and said of it now."""
    if not call.is_over:
        return Advice(False, "the call has not ended yet")
    if verdict.denied_before:
        return Advice(False, f"{verdict.reasons[0]} (f10 takes that back)")
    if verdict.answer in (VerdictAnswer.REFUSE, VerdictAnswer.HIDE):
        return Advice(False, f"the policy {verdict.policy} refuses it: {verdict.reasons[0]}")
    if is_harmless(call):
        return Advice(True, "nothing was sent, so nothing can happen twice")
    if not call.sent:
        return Advice(False, "it was never sent: call it again, nothing can happen twice")
    if call.outcome is Outcome.NOT_TAKEN:
        return Advice(False, "the server did not take it: call it again, as a new call")
    if call.outcome is Outcome.INPUT_REQUIRED:
        words = "the server asked for input and did not finish it: calling again starts anew"
        return Advice(False, words)
    if not is_unknown(call):
        return Advice(False, "it was answered: calling again is a new call, not a retry")
    said = tool.hints.repeating_said
    how = _HOW.get(call.outcome, "outcome unknown") if call.outcome else "outcome unknown"
    if is_repeatable(tool, trust):
        return Advice(True, f"{how}, and by the word of a trusted server it {said}")
    if tool.hints.is_repeatable:
        trusted = trust is Trust.TRUSTED
        but = "several tools have its name" if trusted else "the server is not trusted"
        why = f"it {said}, but {but}"
    else:
        # Of a cancelled one that was said.
        done = "" if call.outcome is Outcome.CANCELLED else "it may have done its work, and "
        why = f"{done}it {said}"
    return Advice(False, f"{how}: {why}; calling it again has to be approved anew")


def repeated_unknown(verdict: Verdict, before: Call) -> Verdict:
    """The verdict on the same call once more, when nobody knows what the first one did."""
    what = f"the outcome of call {before.id} is unknown"
    if before.outcome is Outcome.CANCELLED:
        what = f"call {before.id} was cancelled, and may have done its work anyway"
    reason = f"{what}: this may do the same thing a second time"
    return _asked_about(verdict, reason)


def repeated_counting(verdict: Verdict, call_id: int, said: str) -> Verdict:
    """The verdict on the same call once more, when a second one counts by what is claimed."""
    reason = f"it repeats call {call_id} to compare the answers, and it {said}: this one counts"
    return _asked_about(verdict, reason)


def _asked_about(verdict: Verdict, reason: str) -> Verdict:
    """The verdict, where it does not keep the call from being made, as a strong question."""
    if verdict.answer in (VerdictAnswer.REFUSE, VerdictAnswer.HIDE):
        return verdict
    return replace(
        verdict,
        answer=VerdictAnswer.ASK,
        strong=True,
        grant_id=None,
        reasons=(reason, *verdict.reasons),
    )
