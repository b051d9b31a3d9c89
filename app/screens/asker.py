"""The approver that asks in a dialog: one at a time, in the order of asking."""

from __future__ import annotations

import asyncio
from typing import Any

from textual.geometry import Offset
from textual.message import Message
from textual.screen import Screen

from app.core.approval import DECISION_SECONDS, Decision, Question, deny
from app.screens.approval import ApprovalDialog


class Asked(Message):
    """A question waits for its dialog; `answer` takes the decision."""

    def __init__(self, question: Question, answer: asyncio.Future[Decision]) -> None:
        super().__init__()
        self.question = question
        self.answer = answer


class DialogApprover:
    """Queues questions; the bench screen opens a dialog for each `Asked` that it gets.

    A dialog denies by itself after `decision_seconds`.
    """

    def __init__(self, screen: Screen[Any], decision_seconds: float = DECISION_SECONDS) -> None:
        self._screen = screen
        self._decision_seconds = decision_seconds
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._void: dict[int, str] = {}
        self._dialog: ApprovalDialog | None = None

    async def ask(self, question: Question) -> Decision:
        self._waiting += 1
        self._tell_waiting()
        try:
            await self._turn.acquire()
        finally:
            self._waiting -= 1
            self._tell_waiting()
        try:
            if question.call_id in self._void:
                return deny("signoff", self._void.pop(question.call_id))
            answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
            self._screen.post_message(Asked(question, answer))
            return await answer
        finally:
            self._turn.release()

    def open_dialog(self, asked: Asked, last_click: Offset | None) -> None:
        """Show the dialog of a question. Call it from a handler of the screen."""
        if asked.answer.done():
            return
        dialog = ApprovalDialog(
            asked.question,
            waiting=self._waiting,
            last_click=last_click,
            decision_seconds=self._decision_seconds,
        )
        self._dialog = dialog

        def take(decision: Decision | None) -> None:
            self._dialog = None
            if not asked.answer.done():
                asked.answer.set_result(decision or deny("you", "the dialog was closed"))

        self._screen.app.push_screen(dialog, take)
        reason = self._void.pop(asked.question.call_id, None)
        if reason is not None:
            dialog.void(reason)

    def void(self, call_id: int, reason: str) -> None:
        """A question can no longer be approved, whether its dialog is open or still waits."""
        dialog = self._dialog
        if dialog is not None and dialog.question.call_id == call_id:
            dialog.void(reason)
        else:
            self._void[call_id] = reason

    def _tell_waiting(self) -> None:
        if self._dialog is not None:
            self._dialog.set_waiting(self._waiting)
