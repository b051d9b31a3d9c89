"""Puts a sign-in to the approver, and shows the page that a person has to visit."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final

from ..approval.approval import BY_NO_APPROVER, DecisionAnswer
from ..approval.policies.verdicts import Verdict, VerdictAnswer
from ..approval.server_questions import AskName
from ..approval.sign_in import SIGN_IN, AboutSignIn
from ..storage.auditing.server_events import server_answered, server_not_answered
from ..storage.fault_log import note_fault
from ..transport.events import SignInAsked, SignInClosed, SignInEvent, SignInOpened
from .calls.context import Approver, ShowsPages
from .calls.decide import Questions
from .events import SignInAnswered

if TYPE_CHECKING:
    from ..approval.approval import Decision
    from ..transport.sign_in.asking import SignInAsking, SignInVisit
    from .calls.context import EngineContext

ALWAYS_ASKS: Final = Verdict(VerdictAnswer.ASK, ("a sign-in always asks",), policy="every")
_BY_NOBODY: Final = (BY_NO_APPROVER, "signoff")


class SignInHandler:
    """The sign-ins of one server, one at a time. Time limits of calls wait for them."""

    def __init__(self, engine: EngineContext, publish: Callable[[SignInAnswered], None]) -> None:
        """`publish` gets each answer once it is in the log."""
        self._engine = engine
        self._publish = publish
        self._numbers = itertools.count(1)
        self._work: asyncio.Task[None] | None = None
        self._questions: Questions | None = None

    @property
    def is_open(self) -> bool:
        """True while a person is asked, or visits the page."""
        return self._work is not None and not self._work.done()

    def take(self, event: SignInEvent) -> None:
        """Take in a step of a sign-in."""
        match event:
            case SignInAsked(asking):
                self._begin(self._ask(asking))
            case SignInOpened(visit):
                self._begin(self._visit(visit))
            case SignInClosed(words):
                self.close(words or "the sign-in is over")

    def close(self, reason: str) -> None:
        """End the question and the visit, whichever is open."""
        if self._questions is not None:
            self._questions.void(reason)
        elif self.is_open and self._work is not None:
            self._work.cancel()

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        self._work = asyncio.create_task(self._paused(work), name="sign-in")

    async def _paused(self, work: Coroutine[Any, Any, None]) -> None:
        with self._engine.timers.paused(), self._engine.definitions.limits.paused():
            await work

    async def _ask(self, asking: SignInAsking) -> None:
        engine, server = self._engine, self._engine.server
        question = AboutSignIn(
            call=AskName(server.name, next(self._numbers), SIGN_IN),
            server_name=server.name,
            server_command=server.command,
            server_calls_itself=server.calls_itself,
            trust=server.trust,
            server_identity=server.identity,
            verdict=ALWAYS_ASKS,
            wanted=asking.request,
        )
        self._questions = Questions(engine, question.call)
        try:
            decision = await self._questions.ask(question)
        except asyncio.CancelledError:
            asking.refuse("Signoff is closing")
            engine.ledger.write(lambda: server_not_answered(question, "Signoff is closing"))
            raise
        except Exception as problem:
            asking.refuse(note_fault(problem, "while it put a sign-in to a person"))
            return
        finally:
            self._questions = None
        logged = await engine.ledger.write_through(server_answered(question, decision, None))
        self._publish(SignInAnswered(question, decision))
        if decision.answer is not DecisionAnswer.APPROVE:
            asking.refuse(_why(decision), is_by_nobody=decision.by in _BY_NOBODY)
        elif not logged:
            asking.refuse(f"the audit log failed: {engine.ledger.problem}")
        else:
            asking.allow()

    async def _visit(self, visit: SignInVisit) -> None:
        try:
            await show_page(self._engine.approver, visit)
        except Exception as problem:
            note_fault(problem, "while a person visited a sign-in page")
            visit.cancel()


async def show_page(approver: Approver, visit: SignInVisit) -> None:
    """Let an approver show the page; one that cannot gives it up."""
    if isinstance(approver, ShowsPages):
        await approver.visit(visit)
    else:
        visit.cancel()


def _why(decision: Decision) -> str:
    if decision.reason:
        return decision.reason
    return "refused by you" if decision.by == "you" else f"refused by {decision.by_words}"
