"""When a call may be made once more. Spec, schema `ToolAnnotations`: idempotentHint true means that
calling again with the same arguments has no additional effect; a hint of a server that is not
trusted does not count."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.core.calls import Call, Outcome
from app.core.policies.verdicts import Verdict, VerdictAnswer
from app.core.tools import ToolDefinition
from app.core.trust import Trust

_UNKNOWN = (
    Outcome.CONNECTION_LOST,
    Outcome.TIMEOUT,
    Outcome.CANCELLED,
    Outcome.UNREADABLE,
    Outcome.SERVER_FAILED,
)


@dataclass(frozen=True, slots=True)
class Advice:
    """Whether a retry is offered, and the reason in words."""

    is_offered: bool
    reason: str


def is_unknown(call: Call) -> bool:
    """Whether the call left and nobody knows if it did its work."""
    has_answer = call.late is not None or call.withheld
    return call.sent and call.outcome in _UNKNOWN and not has_answer


def is_repeatable(tool: ToolDefinition, trust: Trust) -> bool:
    """Whether repeating a call is claimed to change nothing more, by a server that is trusted."""
    return trust is Trust.TRUSTED and tool.hints.is_repeatable and not tool.has_duplicate_name


def advise(call: Call, tool: ToolDefinition, trust: Trust, verdict: Verdict) -> Advice:
    """Whether to offer a retry. `tool` and `verdict`: what is listed and said of it now."""
    if not call.is_over:
        return Advice(False, "the call has not ended yet")
    if verdict.answer in (VerdictAnswer.REFUSE, VerdictAnswer.HIDE):
        return Advice(False, f"the policy {verdict.policy} refuses it: {verdict.reasons[0]}")
    if not call.sent:
        return Advice(False, "it was never sent: call it again, nothing can happen twice")
    if call.outcome is Outcome.NOT_TAKEN:
        return Advice(False, "the server did not take it: call it again, as a new call")
    if not is_unknown(call):
        return Advice(False, "it was answered: calling again is a new call, not a retry")
    if is_repeatable(tool, trust):
        claim = "read-only" if tool.hints.read_only.effective else "idempotent"
        return Advice(True, f"lost in transit, and the trusted server says that it is {claim}")
    if tool.hints.is_repeatable:
        return Advice(
            False,
            "outcome unknown: it claims to be idempotent, but the server is not trusted; "
            "calling it again has to be approved anew",
        )
    return Advice(
        False,
        "outcome unknown: it may have done its work, and it does not claim to be idempotent; "
        "calling it again has to be approved anew",
    )


def repeated_unknown(verdict: Verdict, call_id: int) -> Verdict:
    """The verdict on the same call once more, when nobody knows what the first one did."""
    if verdict.answer in (VerdictAnswer.REFUSE, VerdictAnswer.HIDE):
        return verdict
    reason = f"the outcome of call {call_id} is unknown: this may do the same thing a second time"
    return replace(
        verdict,
        answer=VerdictAnswer.ASK,
        strong=True,
        grant_id=None,
        reasons=(reason, *verdict.reasons),
    )
