"""Who answers during one run: the person for the server's questions, and another one for all else.

The tester's own approver decides whether the tool is called at all, as with `signoff evidence`.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from ...approval.approval import Decision, DecisionAnswer, deny
from ...approval.questions.questions import Question
from ...approval.server_questions import AboutElicitation
from ...cli.approving.people import Person, ServerReply
from ...cli.approving.person import ScriptedPerson
from ...content.json.jsonio import JsonValue
from ...engine.events import QuestionVoided
from ...protocol.server_requests.capabilities import ELICITATION
from ...schemas.sample_answers import accepting_values, misfitting_values, refusing_values
from .people import Who

if TYPE_CHECKING:
    from ...engine.calls.context import Approver
    from ...engine.engine import Engine
    from ...engine.events import EngineEvent

ACTIONS: Final[Mapping[Who, str]] = {
    Who.ACCEPTS: "accept",
    Who.AGAIN: "accept",
    Who.MISFITS: "accept",
    Who.SAYS_NO: "accept",
    Who.CALLS_AGAIN: "accept",
    Who.CANCELS: "cancel",
    Who.SILENT: "absent",
    Who.CHANGED: "absent",
}
NO_MISFIT: Final = "the question has no field whose values are limited"
NO_REFUSAL: Final = "the question has no field whose value can mean no"


class PersonAnswers:
    """Answers the server's questions as a person of `signoff consent`."""

    def __init__(
        self,
        who: Who,
        inner: Approver,
        values: Mapping[str, JsonValue],
        on_first: Callable[[], Awaitable[None]],
    ) -> None:
        """`inner` decides on calls. `values` replace those that are made for a form. `on_first`
        is awaited at the first question, before it is answered.
        """
        self.who = who
        self.is_asked = asyncio.Event()
        self.waited = 0.0
        """Seconds in which the server had to wait for an answer."""
        self.not_possible = ""
        self._inner = inner
        self._values = values
        self._on_first = on_first
        self._scripted: ScriptedPerson | None = None
        self._waits_since: float | None = None

    @property
    def is_waiting(self) -> bool:
        """True while a question, of the server or of the policy, has no answer."""
        return self._waits_since is not None

    async def ask(self, question: Question) -> Decision:
        """Answer one question."""
        with self._waiting():
            if not isinstance(question, AboutElicitation):
                return await self._inner.ask(question)
            if not self.is_asked.is_set():
                await self._on_first()
                self.is_asked.set()
            return await self._answer(question)

    @contextlib.contextmanager
    def _waiting(self) -> Iterator[None]:
        began = self._waits_since = time.monotonic()
        try:
            yield
        finally:
            self._waits_since = None
            self.waited += time.monotonic() - began

    async def _answer(self, question: AboutElicitation) -> Decision:
        reason = f"consent: {self.who.value}"
        action = ACTIONS.get(self.who, "decline")
        values: dict[str, JsonValue] | None = None
        if self.who is Who.MISFITS:
            values = misfitting_values(question.form_schema)
            if values is None:
                self.not_possible = NO_MISFIT
                return deny("script", reason)
        elif self.who is Who.SAYS_NO:
            values = refusing_values(question.form_schema, self._values)
            if values is None:
                self.not_possible = NO_REFUSAL
                return deny("script", reason)
        elif action == "accept" and question.elicitation.mode == "form":
            values = accepting_values(question.form_schema, self._values)
        reply = ServerReply(action, values, is_unchecked=self.who is Who.MISFITS)
        person = self._scripted = ScriptedPerson(
            Person(), {ELICITATION: (reply,)}, math.inf, by="script", reason=reason
        )
        decision = await person.ask(question)
        if person.asked and person.asked[-1].trouble:
            self.not_possible = person.asked[-1].trouble
        elif action == "accept" and decision.answer is not DecisionAnswer.APPROVE:
            self.not_possible = decision.reason
        return decision

    def hear(self, event: EngineEvent) -> None:
        """Close the person's question, if it can no longer be answered."""
        if isinstance(event, QuestionVoided) and self._scripted is not None:
            self._scripted.void(event.call, event.reason)


@contextlib.contextmanager
def answered_by(engine: Engine, person: PersonAnswers) -> Iterator[None]:
    """Let a person answer in an engine."""
    engine.approver = person
    unsubscribe = engine.subscribe(person.hear)
    try:
        yield
    finally:
        unsubscribe()
