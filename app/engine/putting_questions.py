"""The questions about a call, a read or an answer, put together with all that a person needs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypedDict

from ..approval.policies.verdicts import Verdict, grant_obstacle
from ..approval.snapshot import Snapshot
from ..calls.call import Call, CallName
from ..content.text import visible
from ..protocol.answers.content import Answer
from ..protocol.definitions.lists import Seen
from ..protocol.requests import PromptGet, ResourceRead, ToolCall
from ..protocol.server import Trust
from ..questions.questions import AboutAnswer, AboutCall, AboutRead, Question
from ..schemas.form.entries import Origin
from .judging import case_of, seen_of
from .surroundings import Surroundings


async def question(
    around: Surroundings,
    call: Call,
    verdict: Verdict,
    origins: Mapping[str, Origin],
    problems: Sequence[str] = (),
    although_invalid: str = "",
) -> Question:
    """Everything that a person needs to decide on a request.

    `problems`: how the arguments break the input schema; `although_invalid`: the sentence about
    them where a person chose to send them so.
    """
    memory = around.memory
    why_not = memory.problem
    if not why_not and not around.policy.honours_grants:
        why_not = f"the policy {around.policy.shown_name} does not go by remembered approvals"
    if not why_not and call.snapshot.runs is not None:
        why_not = call.snapshot.runs.problem
    if not why_not:
        # What is approved now is not changed any more.
        case = case_of(around, call.request, call.snapshot.arguments(), problems)
        why_not = grant_obstacle(replace(case, seen=Seen.SAME))
    match call.request:
        case ResourceRead() | PromptGet() as unclaimed:
            return AboutRead(
                **_asked(around, call, verdict),
                request=unclaimed,
                can_remember=not why_not,
                why_not_remembered=why_not,
            )
        case ToolCall(tool) as calling:
            diff, since = None, ""
            if memory.knows_earlier(tool):
                # Off the loop: both definitions can be large.
                diff, since = await asyncio.to_thread(memory.diff, tool)
            return AboutCall(
                **_asked(around, call, verdict),
                request=calling,
                origins=origins,
                diff=diff,
                diff_since=since,
                seen=memory.seen(tool),
                can_remember=not why_not,
                why_not_remembered=why_not,
                overrides=around.overrides(tool),
                although_invalid=although_invalid,
                argument_problems=tuple(visible(one) for one in problems),
            )


def question_of_answer(around: Surroundings, call: Call, answer: Answer) -> AboutAnswer:
    """Everything that a person needs to decide on an answer."""
    request = call.request
    return AboutAnswer(
        **_asked(around, call, call.verdict),
        request=request,
        answer=answer,
        seen=seen_of(around, request),
        overrides={} if request.tool is None else around.overrides(request.tool),
    )


class _Asked(TypedDict):
    """What every question has, under the names of its fields."""

    call: CallName
    server_name: str
    server_command: str
    server_calls_itself: str
    trust: Trust
    snapshot: Snapshot
    verdict: Verdict


def _asked(around: Surroundings, call: Call, verdict: Verdict) -> _Asked:
    server = around.server
    return {
        "call": call.name,
        "server_name": server.name,
        "server_command": server.command,
        "server_calls_itself": server.calls_itself,
        "trust": server.trust,
        "snapshot": call.snapshot,
        "verdict": verdict,
    }
