"""What a story asks: each question once, answered or voided."""

from __future__ import annotations

import asyncio
from typing import Any

from ..approval.approval import TAKEN_BACK, Decision, deny, withdrawn
from ..approval.server_questions import AboutElicitation, AboutSampling
from ..questions.questions import Question, QuestionName
from ..storage.auditing.asked_events import asked
from ..storage.auditing.server_events import server_asked
from ..storage.fault_log import note_fault
from .surroundings import Approver, Surroundings


class Questions:
    """Those of one call, or of one request of the server; one is open at a time."""

    def __init__(self, around: Surroundings, name: QuestionName) -> None:
        self._around = around
        self._name = name
        self._voided: asyncio.Future[str] | None = None
        self.closed_because = ""
        """Why nothing was to be asked any more, whether a question was open just then or not."""

    def void(self, reason: str) -> None:
        """Close the open question, if there is one: nothing is sent any more."""
        self.closed_because = reason
        if self._voided is not None and not self._voided.done():
            self._voided.set_result(reason)

    async def ask(self, question: Question) -> Decision:
        """Ask once. The first of an answer and a voiding counts; what comes later is nothing."""
        if isinstance(question, AboutElicitation | AboutSampling):
            self._around.ledger.write(lambda: server_asked(question))
        else:
            self._around.ledger.write(lambda: asked(question))
        self._voided = asyncio.get_running_loop().create_future()
        asking = asyncio.create_task(_answer_of(self._around.approver, question))
        either: set[asyncio.Future[Any]] = {asking, self._voided}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            asking.cancel()
            reason = self._voided.result() if self._voided.done() else TAKEN_BACK
            self._around.question_voided(self._name, reason)
            raise
        if self._voided.done():
            reason = self._voided.result()
            self._around.question_voided(self._name, reason)
            return deny("you", reason) if reason == "cancelled" else withdrawn(reason)
        self._voided.cancel()
        return asking.result()


async def _answer_of(approver: Approver, question: Question) -> Decision:
    """The approver's decision; where it fails to decide, nothing is sent."""
    try:
        return await approver.ask(question)
    except Exception as problem:
        fault = note_fault(problem, "while it asked a question")
        return withdrawn(f"the question could not be asked: {fault}")
