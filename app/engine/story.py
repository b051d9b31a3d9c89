"""One call from draft to verdict, told the same way whoever decides."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager

from ..approval.approval import Decision, DecisionAnswer
from ..approval.snapshot import Snapshot
from ..calls.call import Call, CallName, Outcome, State
from ..content.json.jsonio import JsonValue
from ..protocol.requests import Request
from ..schemas.form.entries import Origin
from ..storage.auditing.audit_events import ended
from ..storage.fault_log import note_fault
from .answering import Answering
from .deciding import NOT_JUDGED, Deciding
from .evidence import watched
from .judging import first_verdict
from .occasion import Occasion
from .questions import Questions
from .rounds import Rounds
from .surroundings import Surroundings
from .telling import Telling


class Story:
    """Tells one call: decided, sent, answered, each by a module of its own."""

    def __init__(
        self,
        around: Surroundings,
        name: CallName,
        request: Request,
        snapshot: Snapshot,
        origins: Mapping[str, Origin],
        occasion: Occasion,
    ) -> None:
        self.origins: Mapping[str, Origin] = dict(origins)
        """Who put each top-level argument there, as far as that is known."""
        self._around = around
        call = Call(
            name,
            request,
            snapshot,
            first_verdict(around, request),
            created=time.monotonic(),
            retry_of=occasion.retry_of,
            although_invalid=occasion.although_invalid,
            page=occasion.page,
        )
        self._telling = Telling(around, call)
        self._questions = Questions(around, name)
        self._deciding = Deciding(around, self._telling, self._questions, self.origins, occasion)
        self._rounds = Rounds(around, self._telling, self._deciding.remember_approval)
        self._answering = Answering(around, self._telling, self._questions, occasion)

    @property
    def call(self) -> Call:
        """Its newest state."""
        return self._telling.call

    @property
    def is_running(self) -> bool:
        """Whether it was sent and waits for its answer."""
        return self.call.state is State.RUNNING

    def void(self, reason: str) -> None:
        """Close the open question, if there is one: nothing is sent any more."""
        self._questions.void(reason)

    def cancel(self) -> None:
        """Request the cancellation of the call, wherever it stands."""
        if self.call.is_over:
            return
        self.void("cancelled")
        if not self.call.cancel_requested:
            self._telling.change(cancel_requested=True)
            self._deciding.cancel()
            self._rounds.cancel()

    def was_away(self, seconds: float) -> None:
        """The program stood still for so long; that counts for no time limit."""
        self._rounds.delay(seconds)
        self._telling.delay(seconds)

    def hear_request(self, method: str, params: JsonValue, told: str = "") -> None:
        """The server asked for something meanwhile; `told`: what it was told, in words, where
        somebody answers such things."""
        self._telling.hear_request(method, params, told)

    def hear_forbidden_request(self, method: str) -> None:
        """The server sent a request in a revision in which it must not."""
        self._telling.hear_forbidden_request(method)

    def hear_answered(self, words: str) -> None:
        """What the server asked for meanwhile was answered; `words` are Signoff's own."""
        self._telling.hear_answered(words)

    def waiting_for_person(self) -> AbstractContextManager[None]:
        """Its time limits stand still meanwhile: the server waits for a person."""
        return self._rounds.waiting_for_person()

    async def run(self) -> Call:
        """The whole story; returns the ended call. Never raises but for its own cancellation."""
        try:
            await self._tell()
        except asyncio.CancelledError:
            if not self.call.is_over:
                self._end_at_exit()
            raise
        except Exception as problem:
            # A fault of ours must not leave a call that never ends.
            words = note_fault(problem, "while it told the story of a call")
            if not self.call.is_over:
                self._telling.end(Outcome.FAULT, words)
        finally:
            self._around.ledger.write(lambda: ended(self.call, self._around.server))
            self._around.memory.arguments.note(self.call)
        return self.call

    async def _tell(self) -> None:
        decision = await self._deciding.decide()
        self._telling.change(decision=decision)
        is_logged = await self._deciding.log(decision)
        if decision.answer is not DecisionAnswer.APPROVE:
            self._deciding.remember_denial(decision)
            self._end_unsent(decision)
        elif not is_logged and self.call.request.effect.may_destroy:
            self._telling.refuse(f"it could not be logged: {self._around.ledger.problem}")
        elif self.call.cancel_requested:
            self._telling.end(Outcome.CANCELLED, "before it was sent")
        else:
            async with watched(self._around, self._telling):
                reply = await self._rounds.exchange(
                    was_asked=self._deciding.was_asked, still_holds=self._deciding.still_holds
                )
            if reply is not None:
                await self._around.turns.wait()
                await self._answering.take(reply)

    def _end_unsent(self, decision: Decision) -> None:
        if decision.reason == NOT_JUDGED:
            self._telling.end(Outcome.CANCELLED, "before it was sent")
        elif decision.answer is DecisionAnswer.WITHDRAWN:
            self._telling.end(Outcome.NOT_SENT, decision.reason)
        else:
            self._telling.end(Outcome.DENIED, decision.reason)

    def _end_at_exit(self) -> None:
        if self.call.decision is None:
            self._telling.refuse("Signoff is closing")
        else:
            self._telling.end(Outcome.CANCELLED, "Signoff is closing")
