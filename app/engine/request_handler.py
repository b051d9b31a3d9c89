"""Puts a server's requests to the approver, under the same rules as calls."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ..approval.approval import TAKEN_BACK, Decision, DecisionAnswer, deny, withdrawn
from ..approval.policies.policy import judge_request, refusal_words
from ..approval.policies.request_rules import case_of_request
from ..approval.policies.verdicts import Verdict, VerdictAnswer
from ..approval.server_questions import (
    AboutElicitation,
    AboutSampling,
    AskName,
    ServerQuestion,
    filled,
)
from ..calls.checks import PROBLEMS_SHOWN
from ..content.json.jsonio import JsonValue, pointer
from ..content.labels import some_listed
from ..content.text import count
from ..protocol.findings.findings import Finding, note, warning
from ..protocol.findings.model_texts import addressing_findings
from ..protocol.rpc import RpcError
from ..protocol.server import Phase
from ..protocol.server_requests.elicitation import (
    ELICIT,
    Elicitation,
    format_problems,
    read_elicitation,
    secrets_asked,
)
from ..protocol.server_requests.form_rules import fault_words, form_faults, form_findings
from ..protocol.server_requests.sampling import SAMPLE, Sampling, read_sampling
from ..sandbox.worker import judge_arguments_in_worker
from ..schemas.form.entries import Origin
from ..schemas.schema import SchemaAnswer
from ..storage.auditing.server_events import roots_refused, server_answered, server_not_answered
from .calls.context import NOT_CONNECTED
from .calls.decide import Questions
from .events import ServerAnswered

if TYPE_CHECKING:
    from ..transport import Link
    from .calls.call_task import CallTask
    from .calls.context import EngineContext

REJECTED: Final = -1
"""Spec 2025-11-25, client/sampling, "Error Handling": the user rejected the request."""
LOST: Final = "the connection was lost"
MUTED: Final = "all such requests, for this session (f10: revoke)"


class RequestHandler:
    """Asks one thing after the other; the queue is the approver's, as for calls."""

    def __init__(
        self,
        engine: EngineContext,
        notice: Callable[[Finding], None],
        publish: Callable[[ServerAnswered], None],
    ) -> None:
        self._engine = engine
        self._notice = notice
        self._publish = publish
        self._numbers = itertools.count(1)
        self._open: dict[AskName, Questions] = {}
        self._muted: set[str] = set()
        """Methods that are declined without a question for the rest of the session."""

    @property
    def muted(self) -> frozenset[str]:
        return frozenset(self._muted)

    def unmute(self, method: str) -> None:
        """Ask again."""
        self._muted.discard(method)

    def void_all(self, reason: str) -> None:
        """Close all questions."""
        for questions in self._open.values():
            questions.void(reason)

    async def question(
        self, method: str, params: JsonValue, running: Sequence[CallTask]
    ) -> ServerQuestion:
        """Build the approval request, unless the policy refuses. Raises MalformedRequest."""
        server = self._engine.server
        asked = read_sampling(params) if method == SAMPLE else read_elicitation(params)
        common: dict[str, Any] = {
            "call": AskName(server.name, next(self._numbers)),
            "server_name": server.name,
            "server_command": server.command,
            "server_calls_itself": server.calls_itself,
            "trust": server.trust,
            "server_identity": server.identity,
            "verdict": self._verdict(asked),
            "during": tuple(
                f"call {call_task.call.id}, {call_task.call.request.display_name}"
                for call_task in running
            ),
        }
        if isinstance(asked, Sampling):
            return AboutSampling(**common, sampling=asked)
        if secrets := secrets_asked(asked):
            words = "the server requests a probable secret in a form, which is not allowed"
            self._notice(warning("secret-asked", f"{words}: {', '.join(secrets[:5])}"))
        faults = form_faults(asked, server.version)
        told: dict[str, JsonValue] = {"message": asked.message, "requestedSchema": asked.schema}
        for finding in (*form_findings(faults), *addressing_findings(told)):
            self._notice(finding)
        question: ServerQuestion = AboutElicitation(
            **common, elicitation=asked, form_fault=fault_words(faults)
        )
        if asked.mode == "url":
            return question
        suggested = asked.suggestions
        if all(name in suggested for name in asked.required):
            origins = dict.fromkeys(suggested, Origin.DEFAULT)
            return await self._checked(filled(question, suggested, origins))
        return question

    async def asked(
        self, link: Link, question: ServerQuestion, running: Sequence[CallTask]
    ) -> dict[str, JsonValue] | RpcError:
        """Ask, log, and return the reply for the server. No time limit of a call runs.

        `link` is the connection of the request.
        """
        question = replace(question, runs=await self._engine.fingerprint())
        try:
            return await self._asked(link, question, running)
        except asyncio.CancelledError:
            # An answer may be in the log by now: a reader would take it for what the server knows.
            self._tell_unanswered(question, TAKEN_BACK)
            raise

    async def _asked(
        self, link: Link, question: ServerQuestion, running: Sequence[CallTask]
    ) -> dict[str, JsonValue] | RpcError:
        with contextlib.ExitStack() as stack:
            for call_task in running:
                stack.enter_context(call_task.waiting_for_person())
            decision = await self._decide(link, question)
        if decision.for_session:
            self._muted.add(question.method)
        if decision.answer is DecisionAnswer.WITHDRAWN and self._is_lost(link):
            # Even the cancellation cannot be sent.
            self._tell_unanswered(question, LOST)
        else:
            decision = await self._logged(link, question, decision)
        answer = result_of(question, decision)
        words = words_of(question, decision)
        for call_task in running:
            call_task.on_request_answered(words)
        if not running:
            self._notice(note("asked-by-server", words))
        self._publish(ServerAnswered(question, decision))
        return answer

    async def _logged(self, link: Link, question: ServerQuestion, decision: Decision) -> Decision:
        """Log the reply for the server; returns the decision that counts after it."""
        ledger, answer = self._engine.ledger, _json(result_of(question, decision))
        logged = await ledger.write_through(server_answered(question, decision, answer))
        if self._is_lost(link):
            # While it was logged.
            self._tell_unanswered(question, LOST)
            return withdrawn(LOST)
        if not logged and decision.answer is DecisionAnswer.APPROVE:
            return withdrawn(f"the audit log failed: {ledger.problem}")
        return decision

    def _is_lost(self, link: Link) -> bool:
        """True if the connection of the request can no longer carry a response."""
        engine = self._engine
        return engine.link is not link or engine.server.phase in (Phase.LOST, Phase.FAILED)

    def _tell_unanswered(self, question: ServerQuestion, why: str) -> None:
        self._engine.ledger.write(lambda: server_not_answered(question, why))

    def refuses_roots(self) -> str:
        """The reason why the policy hides the roots from the server; empty if it does not."""
        verdict = self._verdict(None)
        if verdict.answer is not VerdictAnswer.REFUSE:
            return ""
        engine = self._engine
        engine.ledger.write(roots_refused(engine.server, verdict))
        return refusal_words(verdict)

    def _verdict(self, asked: Elicitation | Sampling | None) -> Verdict:
        server = self._engine.server
        return judge_request(self._engine.policy, case_of_request(asked, server.name, server.trust))

    async def _decide(self, link: Link, question: ServerQuestion) -> Decision:
        if self._engine.link is not link:
            # A response cannot reach the old connection, even with a new one open.
            return withdrawn(LOST)
        if question.verdict.answer is VerdictAnswer.REFUSE:
            # Before any approver: neither a file nor a script can override it.
            return deny("policy", refusal_words(question.verdict))
        if question.method in self._muted:
            return deny("you", MUTED)
        if not self._engine.server.is_open:
            return withdrawn(NOT_CONNECTED)
        questions = self._open[question.call] = Questions(self._engine, question.call)
        try:
            while True:
                decision = await questions.ask(question)
                sent = decision.answer_sent
                if decision.answer is not DecisionAnswer.APPROVE or _is_visit(question):
                    return decision
                if sent is None:
                    return withdrawn("no field was filled in")
                if isinstance(question, AboutSampling) or decision.is_unchecked:
                    return decision
                # A form may accept values that the schema rejects: the dialog asks about the
                # errors.
                checked = await self._checked(filled(question, sent.arguments(), {}))
                if questions.closed_because:
                    # While it was checked, when no question was open that could be closed.
                    return withdrawn(questions.closed_because)
                if checked.is_ready:
                    return decision
                question = checked
        finally:
            self._open.pop(question.call, None)

    async def _checked(self, question: ServerQuestion) -> ServerQuestion:
        """Return the request with schema errors of its drafted answer."""
        draft = dict(question.draft or {})
        verdict = await judge_arguments_in_worker(question.form_schema, draft)
        is_broken = verdict.answer is SchemaAnswer.INVALID
        said = [f"{pointer(one.path)}: {one.message}" for one in verdict.errors if is_broken]
        if isinstance(question, AboutElicitation):
            formats = format_problems(question.elicitation, draft)
            said += [f"{pointer((name,))}: {note}" for name, note in formats]
        problems = some_listed(said, PROBLEMS_SHOWN, beyond=verdict.more if is_broken else 0)
        return replace(question, problems=tuple(problems))


def _is_visit(question: ServerQuestion) -> bool:
    return isinstance(question, AboutElicitation) and question.elicitation.mode == "url"


def result_of(question: ServerQuestion, decision: Decision) -> dict[str, JsonValue] | RpcError:
    """Return the result or error for the server. Accept, decline and cancel are three answers
    (client/elicitation, "Response Actions").
    """
    sent = decision.answer_sent
    is_given = decision.answer is DecisionAnswer.APPROVE
    if isinstance(question, AboutSampling):
        if is_given and sent is not None:
            return sent.arguments()
        return RpcError(REJECTED, "User rejected sampling request")
    if is_given:
        if sent is None or _is_visit(question):
            return {"action": "accept"}
        return {"action": "accept", "content": sent.arguments()}
    is_refused = decision.answer is DecisionAnswer.DENY and decision.by != "time limit"
    return {"action": "decline" if is_refused else "cancel"}


def declined(method: str) -> dict[str, JsonValue] | RpcError:
    """Return the reply to requests beyond the limit of open ones."""
    if method == ELICIT:
        return {"action": "decline"}
    return RpcError(REJECTED, "User rejected sampling request")


def words_of(question: ServerQuestion, decision: Decision) -> str:
    """Describe a request and its answer in Signoff's words alone."""
    if isinstance(question, AboutSampling):
        what = f"a model's response ({count(len(question.sampling.messages), 'message')})"
    elif question.elicitation.mode == "url":
        what = "a visit to a page"
    else:
        what = f"data ({count(len(question.elicitation.fields), 'field')})"
    told = {
        DecisionAnswer.APPROVE: "answered",
        DecisionAnswer.DENY: "declined",
    }.get(decision.answer, "cancelled")
    why = f": {decision.reason}" if decision.reason else ""
    return f"the server asked for {what}; this request was {told} by {decision.by_words}{why}"


def _json(answer: dict[str, JsonValue] | RpcError) -> JsonValue:
    return {"code": answer.code} if isinstance(answer, RpcError) else answer
