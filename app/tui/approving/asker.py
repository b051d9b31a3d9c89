"""The approver that opens dialogs: one at a time over all servers, in order of arrival.

A simulated person answers the same dialogs.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Protocol

from textual.geometry import Offset
from textual.message import Message
from textual.screen import Screen

from ...approval.approval import (
    DECISION_SECONDS,
    TAKEN_BACK,
    Decision,
    DecisionAnswer,
    deny,
    withdrawn,
)
from ...approval.questions.question_words import closed_words
from ...approval.questions.questions import AboutCall, Question, QuestionName
from ...approval.server_questions import AboutElicitation, AboutSampling, ServerQuestion, filled
from ...approval.who_asks import HostGroup
from ...content.text import sentence
from ...transport.sign_in.asking import SignInVisit
from .answer_form import AnswerFormScreen, FormAnswer, TimeIsUp
from .approval import ApprovalDialog
from .form_dialog import FormQuestionDialog
from .visit_screen import VisitScreen


class Waits(Hashable, Protocol):
    """An approver with questions that wait for their dialog."""

    @property
    def own_waiting(self) -> int:
        """The number of its questions that will still be asked."""

    def show_waiting(self, number: int) -> None:
        """Show in its open dialog, if there is one, how many questions wait behind it."""


@dataclass(slots=True)
class _Place:
    """A place in the queue; the lowest `tag` is next, of equal ones the earliest."""

    tag: int
    number: int
    turn: asyncio.Future[None]


class DialogTurns:
    """Gives turns in order of arrival; a server that asks often lets the others go between.

    It is a fair queue: a question's tag is one above that of the server's question before it, and
    at least that of the question that is asked now. So the first question of a server waits for at
    most one of each other server, however many those have asked.
    """

    def __init__(self) -> None:
        self._owners: list[Waits] = []
        self._places: list[_Place] = []
        self._numbers = count()
        self._now = 0
        """The tag of the newest turn."""
        self._tags: dict[Waits, int] = {}
        """The tag of the newest question of each approver."""
        self._is_taken = False

    def add(self, owner: Waits) -> None:
        """Add an approver, whose questions are counted from now on."""
        self._owners.append(owner)

    @property
    def waiting(self) -> int:
        """The number of questions that will still be asked, of all servers."""
        return sum(one.own_waiting for one in self._owners)

    def tell_waiting(self) -> None:
        """Show the number in the open dialog, whichever server it is of."""
        number = self.waiting
        for one in self._owners:
            one.show_waiting(number)

    async def take(self, owner: Waits) -> None:
        """Wait for a turn; `give` ends it."""
        tag = max(self._now, self._tags.get(owner, 0) + 1)
        self._tags[owner] = tag
        if not self._is_taken:
            self._is_taken = True
            self._now = tag
            return
        place = _Place(tag, next(self._numbers), asyncio.get_running_loop().create_future())
        self._places.append(place)
        try:
            await place.turn
        except asyncio.CancelledError:
            if place in self._places:
                self._places.remove(place)
            else:
                # Its turn had come in the same moment.
                self.give()
            raise

    def give(self) -> None:
        """End a turn; the next one begins."""
        if not self._places:
            self._is_taken = False
            return
        place = min(self._places, key=lambda one: (one.tag, one.number))
        self._places.remove(place)
        self._now = place.tag
        place.turn.set_result(None)


DENIED = {
    False: "the tool was denied for this session",
    True: "all such requests were declined for this session",
}
"""Why a question that waited is answered without being asked; whether the server asks it."""


class Asked(Message):
    """A question waits for its dialog, which `approver` opens; `answer` takes the decision."""

    def __init__(
        self, question: Question, answer: asyncio.Future[Decision], approver: DialogApprover
    ) -> None:
        super().__init__()
        self.question = question
        self.answer = answer
        self.approver = approver


class DialogApprover:
    """Queues requests of one server; its screen opens a dialog for each `Asked` that it gets.

    A dialog denies by itself after `decision_seconds`; NO_LIMIT for never. A denial for the session
    also denies the waiting requests for the same tool. `turns` are shared with the approvers of
    other servers: there is one dialog at a time.
    """

    def __init__(
        self,
        screen: Screen[Any],
        decision_seconds: float = DECISION_SECONDS,
        turns: DialogTurns | None = None,
    ) -> None:
        self.screen = screen
        """Where dialogs are opened from."""
        self._decision_seconds = decision_seconds
        self.turns = turns or DialogTurns()
        self.turns.add(self)
        self._waiting: list[Question] = []
        self._void: dict[QuestionName, str] = {}
        self._denied: set[QuestionName] = set()
        """Calls whose tool was denied for the session while they waited."""
        self._dialog: ApprovalDialog | None = None
        self._form: AnswerFormScreen | None = None
        self._opened: asyncio.Future[Decision] | None = None
        """What the dialog that was opened last is to be answered with."""
        self.also_on: Callable[[str], tuple[str, ...]] = lambda name: ()
        """The other servers of the session that have a tool of this exact name."""
        self.elsewhere: Callable[[AboutCall], tuple[HostGroup, ...]] = lambda question: ()
        """What hosts do before they run the tool, as far as that is known."""

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
        self.turns.tell_waiting()
        try:
            await self.turns.take(self)
        finally:
            self._waiting = [one for one in self._waiting if one is not question]
            self.turns.tell_waiting()
        self._opened = None
        try:
            if question.call in self._void:
                return withdrawn(self._void.pop(question.call))
            if question.call in self._denied:
                self._denied.discard(question.call)
                return deny("you", DENIED[isinstance(question, AboutElicitation | AboutSampling)])
            if isinstance(question, AboutElicitation | AboutSampling):
                return await self._ask_for_server(question)
            if isinstance(question, AboutCall):
                question = replace(
                    question,
                    also_on=self.also_on(question.tool.name),
                    elsewhere=self.elsewhere(question),
                )
            return await self._open(question)
        finally:
            self._next_turn()

    def _next_turn(self) -> None:
        """The next question, after the dialog of this one is gone: it may first show that it is
        void."""
        opened = self._opened
        if opened is None or opened.done():
            self.turns.give()
        else:
            opened.add_done_callback(lambda _: self.turns.give())

    async def _open(self, question: Question) -> Decision:
        answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._opened = answer
        self.screen.post_message(Asked(question, answer, self))
        return await asyncio.shield(answer)

    async def _ask_for_server(self, question: ServerQuestion) -> Decision:
        """Show the dialog, then the form, then the dialog with the written answer; in turns."""
        while True:
            decision = await self._open(question)
            if question.call in self._void:
                # In the moment after the dialog was answered.
                return withdrawn(self._void.pop(question.call))
            if decision.answer is DecisionAnswer.APPROVE:
                await self._visit(question)
            if decision.answer is not DecisionAnswer.EDIT:
                return decision
            form = AnswerFormScreen(question, self._decision_seconds)
            self._form = form
            try:
                written = await self.screen.run_worker(
                    self._written(form), exit_on_error=False
                ).wait()
            except asyncio.CancelledError:
                self._close_form(form, TAKEN_BACK)
                raise
            finally:
                self._form = None
            if isinstance(written, TimeIsUp):
                return deny("time limit")
            if question.call in self._void:
                return withdrawn(self._void.pop(question.call))
            if written is not None:
                question = filled(question, written.values, written.origins)

    async def _written(self, form: AnswerFormScreen) -> FormAnswer | TimeIsUp | None:
        return await self.screen.app.push_screen_wait(form)

    async def _visit(self, question: ServerQuestion) -> None:
        """Open the page that a person has consented to, and that alone."""
        if not isinstance(question, AboutElicitation) or question.elicitation.mode != "url":
            return
        from ..base.external import find_program, open_outside

        url, app = question.elicitation.url, self.screen.app
        program = find_program()
        problem = await open_outside(url, program) if program else "no browser here"
        if problem:
            app.copy_to_clipboard(url)
            words = f"Not opened: {sentence(problem)} The address was copied; open it yourself."
            app.notify(words, severity="warning", timeout=12, markup=False)

    async def visit(self, visit: SignInVisit) -> None:
        """Show the page of a sign-in, until this is cancelled."""
        await self.turns.take(self)
        screen = VisitScreen(visit)
        # Screens are shown from a handler of the screen below.
        self.screen.call_later(self.screen.app.push_screen, screen)
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.screen.call_later(screen.close)
            self.turns.give()

    def dialog_for(self, question: Question) -> Callable[..., ApprovalDialog]:
        """The class of the dialog for a question."""
        has_form = isinstance(question, AboutElicitation) and question.can_edit
        return FormQuestionDialog if has_form else ApprovalDialog

    def open_dialog(self, asked: Asked, last_click: Offset | None) -> None:
        """Show the dialog of a question. Call it from a handler of the screen."""
        if asked.answer.done():
            return
        question = asked.question
        dialog = self.dialog_for(question)(
            question,
            waiting=self.turns.waiting,
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

        self.screen.app.push_screen(dialog, take)
        reason = self._void.pop(asked.question.call, None)
        if reason is not None:
            dialog.void(reason)

    def answer_simulated(self, call: QuestionName, decision: Decision) -> None:
        """A simulated person has decided; nothing if the dialog is not open any more."""
        dialog = self._dialog
        if dialog is not None and dialog.question.call == call:
            dialog.answer_simulated(decision)

    def void(self, call: QuestionName, reason: str) -> None:
        """A question can no longer be approved, whether its dialog is open or still waits."""
        dialog = self._dialog
        if dialog is not None and dialog.question.call == call:
            dialog.void(reason)
            return
        self._void[call] = reason
        form = self._form
        if form is not None and form.question.call == call:
            self._close_form(form, reason)

    def _close_form(self, form: AnswerFormScreen, reason: str) -> None:
        words = closed_words(reason)
        self.screen.app.notify(words, severity="warning", timeout=8, markup=False)
        form.close()

    @property
    def own_waiting(self) -> int:
        """The number of requests of this server that will still be asked."""
        return sum(one.call not in self._denied for one in self._waiting)

    def _deny_waiting(self, denied: Question) -> None:
        """Deny waiting requests for a tool that was denied for the session."""
        self._denied.update(
            one.call
            for one in self._waiting
            if one.can_deny_session
            and one.snapshot.server_identity == denied.snapshot.server_identity
            and one.snapshot.tool == denied.snapshot.tool
            and one.snapshot.method == denied.snapshot.method
        )

    def show_waiting(self, number: int) -> None:
        """Show how many requests wait, in the dialog that is open."""
        if self._dialog is not None:
            self._dialog.set_waiting(number)


_answering: set[asyncio.Task[None]] = set()


def answer_in_time(
    person: Callable[[Question], Awaitable[Decision]], asked: Asked, approver: DialogApprover
) -> None:
    """Let the simulated person answer the dialog; a real one may be quicker."""

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
