"""What keeps somebody from doing a step, in words that say what to do about it."""

from __future__ import annotations

from ...approval.approval import (
    BY_REMEMBERED_APPROVAL,
    BY_REMEMBERED_DENIAL,
    DecisionAnswer,
)
from ...approval.policies.policy import BUILT_IN_NAMES
from ...calls.call import Outcome
from ...content.text import visible
from .scene import Scene
from .step import Step

STUCK_SECONDS = 45.0
"""After so long without a step forward the hint is shown unasked."""


def obstacle(step: Step, scene: Scene, connects: str = "R") -> str:
    """One sentence about the newest thing in the way; empty where nothing is.

    `connects`: what to press to connect again, from where the focus is.
    """
    if not scene.is_open:
        return f"The server is gone: {connects} connects again."
    missing = [name for name in step.tools if name not in scene.tools]
    if missing:
        return f"This server has no {missing[0]}: the tour runs on the bundled one (signoff tour)."
    calls = [call for call in scene.calls if call.is_over and call.request.name in step.tools]
    if calls:
        last = calls[-1]
        decision = last.decision
        if last.outcome is Outcome.TOOL_ERROR:
            return f"{last.request.name_shown} said isError: read the answer, mend the arguments."
        if last.outcome is Outcome.OK and step.id == "progress" and not last.cancel_requested:
            return "It ended by itself: press f5 again, approve, then ctrl+x while it runs."
        if last.outcome is Outcome.NOT_SENT:
            return f"It was not sent: {visible(last.reason)}. Call it once more."
        if decision is not None and decision.by == BY_REMEMBERED_APPROVAL:
            return "It ran by an approval that you gave earlier: f10 revokes it."
        if decision is not None and decision.for_session:
            return "You denied it for this session: f10 takes that back, then f5 asks again."
        if decision is not None and decision.by == BY_REMEMBERED_DENIAL:
            return "It was refused by your denial for this session: f10 takes it back."
        if decision is not None and decision.by == "policy":
            if decision.answer is DecisionAnswer.DENY:
                return f"It was refused: {visible(decision.reason)}. f10 and ctrl+o change that."
            if scene.policy.name != BUILT_IN_NAMES[0]:
                return _other_policy(scene)
    if scene.policy.name != BUILT_IN_NAMES[0] and not calls:
        return _other_policy(scene)
    return ""


def _other_policy(scene: Scene) -> str:
    name = visible(scene.policy.shown_name)
    return f"You live by {name}: the tour is written for cautious (ctrl+o)."
