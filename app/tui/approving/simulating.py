"""A simulated person answers the dialogs, which open and close as they do for anybody."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ...approval.approval import deny
from ...approval.server_questions import AboutElicitation

if TYPE_CHECKING:
    from ...approval.approval import Decision
    from ...questions.questions import Question
    from .asker import Asked, DialogApprover

_answering: set[asyncio.Task[None]] = set()


def answer_in_time(
    person: Callable[[Question], Awaitable[Decision]], asked: Asked, approver: DialogApprover
) -> None:
    """Let the person answer the dialog of a question; whoever is there may be quicker."""

    async def answer() -> None:
        question = asked.question
        decision = await person(question)
        if isinstance(question, AboutElicitation) and question.elicitation.mode == "url":
            # It would open a page on the screen of somebody who never consented.
            decision = deny("script", "a simulated person opens no pages")
        approver.answer_simulated(question.call, decision)

    task = asyncio.create_task(answer())
    _answering.add(task)
    task.add_done_callback(_answering.discard)

    def stop(_: asyncio.Future[Decision]) -> None:
        with contextlib.suppress(RuntimeError):
            task.cancel()

    asked.answer.add_done_callback(stop)
