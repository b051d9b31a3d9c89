"""The approver that asks in a dialog: one at a time, in the order of asking."""

from __future__ import annotations

import asyncio
from typing import Any

from textual.geometry import Offset
from textual.message import Message
from textual.screen import Screen

from signoff.app.core.approvals.approval import Decision, deny, withdrawn
from signoff.app.core.approvals.questions import Question
from signoff.app.core.approvals.time_limit import DECISION_SECONDS
from signoff.app.core.calls import CallName
from signoff.app.screens.approving.approval import ApprovalDialog


class Asked(Message):
    """A question waits for its dialog; `answer` takes the decision."""

    def __init__(self, question: Question, answer: asyncio.Future[Decision]) -> None:
        super().__init__()
        self.question = question
        self.answer = answer


class DialogApprover:
    """Queues questions; the bench screen opens a dialog for each `Asked` that it gets.

    A dialog denies by itself after `decision_seconds`; NO_LIMIT for never. What is denied for the
    session is denied in the questions that wait, too.
    """

    def __init__(self, screen: Screen[Any], decision_seconds: float = DECISION_SECONDS) -> None:
        self._screen = screen
        self._decision_seconds = decision_seconds
        self._turn = asyncio.Lock()
        self._waiting: list[Question] = []
        self._void: dict[CallName, str] = {}
        self._denied: set[CallName] = set()
        """Calls whose tool was denied for the session while they waited."""
        self._dialog: ApprovalDialog | None = None

    @property
    def decision_seconds(self) -> float:
        """The limit of every dialog, the one that is open now included."""
        return self._decision_seconds

    @decision_seconds.setter
    def decision_seconds(self, seconds: float) -> None:
        self._decision_seconds = seconds
        if self._dialog is not None:
            self._dialog.limit(seconds)

    async def ask(self, question: Question) -> Decision:
        self._waiting.append(question)
        self._tell_waiting()
        try:
            await self._turn.acquire()
        finally:
            self._waiting = [one for one in self._waiting if one is not question]
            self._tell_waiting()
        try:
            if question.call in self._void:
                return withdrawn(self._void.pop(question.call))
            if question.call in self._denied:
                self._denied.discard(question.call)
                return deny("you", "the tool was denied for this session")
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
            waiting=self._still_waiting,
            last_click=last_click,
            decision_seconds=self._decision_seconds,
        )
        self._dialog = dialog

        def take(decision: Decision | None) -> None:
            self._dialog = None
            if decision is not None and decision.for_session:
                self._deny_waiting(asked.question)
            if not asked.answer.done():
                asked.answer.set_result(decision or deny("you", "the dialog was closed"))

        self._screen.app.push_screen(dialog, take)
        reason = self._void.pop(asked.question.call, None)
        if reason is not None:
            dialog.void(reason)

    def void(self, call: CallName, reason: str) -> None:
        """A question can no longer be approved, whether its dialog is open or still waits."""
        dialog = self._dialog
        if dialog is not None and dialog.question.call == call:
            dialog.void(reason)
        else:
            self._void[call] = reason

    @property
    def _still_waiting(self) -> int:
        """How many questions will be asked after this one."""
        return sum(one.call not in self._denied for one in self._waiting)

    def _deny_waiting(self, denied: Question) -> None:
        """Whoever has denied a tool for the session is not asked about it again."""
        self._denied.update(
            one.call
            for one in self._waiting
            if one.can_deny_session
            and one.snapshot.server_identity == denied.snapshot.server_identity
            and one.snapshot.tool == denied.snapshot.tool
            and one.snapshot.method == denied.snapshot.method
        )

    def _tell_waiting(self) -> None:
        if self._dialog is not None:
            self._dialog.set_waiting(self._still_waiting)
