"""What came for a call: read, asked about where the verdict says so, checked, put into words."""

from __future__ import annotations

import time
from dataclasses import replace

from ..approval.approval import DecisionAnswer
from ..calls.call import Call, Outcome, State
from ..calls.checks import as_due, explain, outcome_of, schema_findings, verdict_without_checking
from ..calls.repeats import compare_answers
from ..calls.retries import Unfinished, read_unfinished
from ..content.json.jsonio import JsonValue
from ..protocol.answers.blocks import MALFORMED_BLOCK
from ..protocol.answers.content import Answer, read_answer, read_contents, read_messages
from ..protocol.answers.copies import Comparison
from ..protocol.clients.findings import answer_findings
from ..protocol.requests import PromptGet, ResourceRead, ToolCall
from ..protocol.server_requests.elicitation import visits_in
from ..sandbox.worker import judge_in_worker
from ..storage.auditing.audit_events import decided
from ..transport.events import Reply
from ..transport.greeting import describe
from .occasion import Occasion
from .putting_questions import question_of_answer
from .questions import Questions
from .rounds import MAYBE_DONE
from .surroundings import Surroundings
from .telling import Telling


class Answering:
    """Ends one call by the reply that came for it."""

    def __init__(
        self, around: Surroundings, telling: Telling, questions: Questions, occasion: Occasion
    ) -> None:
        self._around = around
        self._telling = telling
        self._questions = questions
        self._occasion = occasion

    async def take(self, reply: Reply) -> None:
        """Take in the reply; the call is over afterwards."""
        telling = self._telling
        call = telling.call
        if reply.lost and call.cancel_requested:
            # Whoever cancelled waits for no answer: that none can come any more changes nothing.
            why = f": {reply.problem}" if reply.problem else ""
            told = f"the connection broke after that{why}; {MAYBE_DONE}"
            telling.end(Outcome.CANCELLED, told if call.sent else "before it was sent")
        elif reply.lost:
            what = "what the call did is not known" if call.sent else "nothing was sent"
            why = f"{reply.problem}; " if reply.problem else ""
            telling.end(Outcome.CONNECTION_LOST, f"{why}{what}")
        elif reply.error is not None:
            needs_task = call.request.definition.reach.needs_task
            is_plain = call.task is None and not self._around.server.runs_tasks
            meaning = explain(reply.error, needs_task=needs_task and is_plain)
            said = describe(reply.error)
            telling.change(error=reply.error)
            telling.end(Outcome.PROTOCOL_ERROR, f"{meaning}: {said}" if meaning else said)
            if visits := visits_in(reply.error):
                self._around.offer_visits(visits, telling.call)
        elif not reply.has_result and not call.sent:
            telling.refuse(f"it could not be sent: {reply.problem}")
        elif reply.ending == "not-taken":
            telling.end(Outcome.NOT_TAKEN, reply.problem)
        elif reply.ending == "server-failed":
            what = "what the call did is not known"
            telling.end(Outcome.SERVER_FAILED, f"{reply.problem}; {what}")
        elif not reply.has_result:
            if not call.verdict.reviews_result:
                telling.change(oversized=reply.oversized)
            telling.end(Outcome.UNREADABLE, reply.problem)
        else:
            await self._check_result(reply)

    async def _check_result(self, reply: Reply) -> None:
        telling, raw = self._telling, reply.result
        if (unfinished := read_unfinished(raw)) is not None:
            if why := reply.why_unfinished:
                # It asked for what it may ask for; what is odd about that was said at the question.
                unfinished = replace(unfinished, reason=why, summary=why, findings=())
            self._end_unfinished(unfinished, raw)
            return
        answer = self._read(raw)
        if answer is None:
            telling.change(raw=raw)
            telling.end(Outcome.UNREADABLE, "the result is not an object")
            return
        answered_at = time.monotonic()
        if telling.call.verdict.reviews_result and not await self._may_use(answer):
            telling.change(withheld=True)
            telling.end(outcome_of(answer)[0], "the answer was withheld", answered_at)
            return
        telling.find(*answer.findings)
        outcome, reason = outcome_of(answer)
        telling.change(raw=raw, answer=answer, outcome=outcome, reason=reason, ended_at=answered_at)
        definition = telling.call.request.definition
        verdict = verdict_without_checking(definition, answer)
        if verdict is None:
            verdict = await judge_in_worker(definition.output_schema, answer.structured)
        telling.find(*schema_findings(definition, answer, verdict))
        if isinstance(telling.call.request, ToolCall) and not answer.is_of_unknown_kind:
            said = {one.path for one in answer.findings if one.code == MALFORMED_BLOCK}
            telling.find(*answer_findings(raw, said))
        verdict = as_due(answer, verdict)
        comparison = self._comparison(telling.call.later(schema=verdict))
        telling.change(schema=verdict, comparison=comparison, state=State.ENDED)

    def _end_unfinished(self, unfinished: Unfinished, raw: JsonValue) -> None:
        """No answer came, so there is nothing in it to judge, or to ask about."""
        telling = self._telling
        telling.find(*unfinished.findings)
        is_held_back = telling.call.verdict.reviews_result
        telling.change(
            # Nobody is asked about it, so nothing of the server's own words is let through.
            raw=None if is_held_back else raw,
            comparison=self._comparison(telling.call.later(outcome=unfinished.outcome)),
        )
        telling.end(unfinished.outcome, unfinished.summary if is_held_back else unfinished.reason)

    def _comparison(self, done: Call) -> Comparison | None:
        again = self._occasion.again
        return compare_answers(again, done) if again is not None else None

    def _read(self, raw: JsonValue) -> Answer | None:
        match self._telling.call.request:
            case ResourceRead():
                return read_contents(raw, str(self._telling.call.snapshot.arguments()["uri"]))
            case PromptGet():
                return read_messages(raw)
            case ToolCall():
                return read_answer(raw)

    async def _may_use(self, answer: Answer) -> bool:
        """Ask about the answer, as hosts do that do not trust what comes from an open world."""
        around, telling = self._around, self._telling
        telling.change(state=State.REVIEWING)
        decision = await self._questions.ask(question_of_answer(around, telling.call, answer))
        telling.change(result_decision=decision)
        around.ledger.write(lambda: decided(telling.call, decision, around.server))
        return decision.answer is DecisionAnswer.APPROVE
