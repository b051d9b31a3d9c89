"""The person of a flow: gets the same requests as the dialog, and answers as written.

Also simulated people for a whole session.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING, Final

from ...approval.approval import (
    BY_NO_APPROVER,
    ONCE,
    Decision,
    DecisionAnswer,
    approve,
    deny,
    withdrawn,
)
from ...approval.grants import Remember, Scope
from ...approval.questions.questions import AboutAnswer, OwnQuestion, Question, QuestionName
from ...approval.server_questions import AboutElicitation, AboutSampling, ServerQuestion
from ...approval.sign_in import AboutSignIn
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.suggest import did_you_mean
from ...content.text import shortened, visible
from ...protocol.server_requests.capabilities import ELICITATION, SAMPLING
from ...protocol.server_requests.elicitation import format_problems
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.form.drafts import arguments_of, draft_from_arguments
from ...schemas.form.form import build_form
from ...schemas.sample_answers import accepting_values
from ...schemas.schema import SchemaAnswer
from ..targets.targets import UsageError
from .approvers import NO_BROWSER, WrittenAnswer, decided
from .people import AskedQuestion, Person, ServerReply, SignsIn
from .question_text import question_lines

if TYPE_CHECKING:
    from ...transport.sign_in.asking import SignInVisit

_SCOPES = {"once": Scope.ONCE, "arguments": Scope.ARGUMENTS, "session": Scope.SESSION}


class ScriptedPerson:
    """Answers the requests of one step, and remembers them.

    No surprise is possible, so it does not ignore input at first; the time limit decides for a slow
    person, as in the dialog. It answers one request after the other. In a flow, a decision is by
    `you`: it counts and is remembered as a person's, in a memory that lasts as long as the flow.
    """

    def __init__(
        self,
        person: Person,
        replies: Mapping[str, tuple[ServerReply, ...]],
        decision_seconds: float,
        *,
        people: Iterator[Person] | None = None,
        by: str = "you",
        reason: str = "",
        sign_ins: SignsIn | None = None,
    ) -> None:
        """`people`: simulated persons, another one for each question, in place of `person`; `by`
        and `reason` are the fields of their decisions. `sign_ins` answers sign-ins; without it they
        are denied.
        """
        self.asked: list[AskedQuestion] = []
        self.person = person
        self._replies = {kind: iter(several) for kind, several in replies.items()}
        self._limit = decision_seconds
        self._people = people
        self._by, self._reason = by, reason
        self._sign_ins = sign_ins
        self._turn = asyncio.Lock()
        self._open: dict[QuestionName, asyncio.Future[str]] = {}

    @property
    def waited(self) -> float:
        """Seconds that were spent on answering, in total."""
        return sum(one.seconds for one in self.asked)

    @property
    def is_asked(self) -> bool:
        """True if there is a question for them that has no answer yet."""
        return bool(self._open)

    def void(self, name: QuestionName, reason: str) -> None:
        """Void a request, which can no longer be approved."""
        waiting = self._open.get(name)
        if waiting is not None and not waiting.done():
            waiting.set_result(reason)

    async def ask(self, question: Question) -> Decision:
        """Answer as it is written."""
        began = time.monotonic()
        voided = self._open[question.call] = asyncio.get_running_loop().create_future()
        try:
            async with self._turn:
                if voided.done():
                    # Before it was its turn: the person is not asked.
                    return withdrawn(voided.result())
                if isinstance(question, AboutSignIn) and self._sign_ins is not None:
                    return await self._sign_ins.ask(question)
                return await self._answered(question, began)
        finally:
            self._open.pop(question.call, None)

    async def visit(self, visit: SignInVisit) -> None:
        """Visit the page of a sign-in."""
        if self._sign_ins is None:
            visit.cancel()
        else:
            await self._sign_ins.visit(visit)

    async def _answered(self, question: Question, began: float) -> Decision:
        if self._people is not None:
            self.person = next(self._people)
        decision: Decision | None
        if isinstance(question, AboutSignIn):
            decision, trouble = deny(BY_NO_APPROVER, NO_BROWSER), ""
        elif isinstance(question, AboutElicitation | AboutSampling):
            reply = self._reply(question)
            decision = await self._in_time(question, reply.after, reply.action == "absent")
            trouble = ""
            if decision is None and (refused := await self._refused(question, reply)):
                decision = deny("you", refused)
            elif decision is None:
                decision, trouble = await self._to_server(question, reply)
        else:
            person = self.person
            decision = await self._in_time(question, person.after, person.answer == "absent")
            decision, trouble = (decision, "") if decision else await self._to_own(question, person)
        took = time.monotonic() - began
        decision = replace(decision, seconds=took)
        if decision.by == "you":
            reason = decision.reason or self._reason
            decision = replace(decision, by=self._by, reason=reason)
        self.asked.append(AskedQuestion(question, decision, self._lines, took, trouble))
        return decision

    def _lines(self, question: Question) -> list[str]:
        """The question as it is shown, line by line."""
        return question_lines(question)

    async def _to_own(self, question: OwnQuestion, person: Person) -> tuple[Decision, str]:
        """Return the decision, and the parts of it that the dialog does not offer."""
        return own_decision(question, person)

    async def _to_server(
        self, question: ServerQuestion, reply: ServerReply
    ) -> tuple[Decision, str]:
        """Return the decision, and why it is not the written one."""
        return server_reply(question, reply)

    def _reply(self, question: ServerQuestion) -> ServerReply:
        """Return the written reply, or else the person's answer to any request."""
        kind = SAMPLING if isinstance(question, AboutSampling) else ELICITATION
        if question.problems and question.draft is not None:
            return ServerReply("decline")
        written = next(self._replies.get(kind, iter(())), None)
        if written is not None:
            return written
        actions = {"approve": "accept", "close": "cancel", "absent": "absent"}
        action = actions.get(self.person.answer, "decline")
        values = None
        if self._people is not None and action == "accept":
            # The flow has no values for a simulated person, so they are made from the schema.
            values = {**(question.draft or {}), **accepting_values(question.form_schema)}
        return ServerReply(action, values, self.person.after)

    async def _refused(self, question: ServerQuestion, reply: ServerReply) -> str:
        """The reason why a form would refuse a simulated person's values, or could not check them.

        Empty if the form would accept them.
        """
        if self._people is None or reply.action != "accept" or reply.values is None:
            return ""
        is_visit = isinstance(question, AboutElicitation) and question.elicitation.mode == "url"
        problem = "" if is_visit else await form_refusal(question, reply.values)
        return f"no value to fill in was found: {problem}" if problem else ""

    async def _in_time(self, question: Question, after: float, absent: bool) -> Decision | None:
        """Let the time pass; the decision of the time limit or of a closed dialog, or None."""
        late = absent or after >= self._limit
        if not late and after <= 0:
            return None
        try:
            limit = self._limit if late else after
            async with asyncio.timeout(None if limit == math.inf else limit):
                return withdrawn(await self._open[question.call])
        except TimeoutError:
            return deny("time limit", f"no answer within {self._limit:g} s") if late else None


async def form_refusal(question: ServerQuestion, values: Mapping[str, JsonValue]) -> str:
    """The reason why the form of a request refuses these values, in words that are safe to show.

    No person looks at them, so values that cannot be checked are refused, too.
    """
    content = dict(values)
    schema = question.form_schema
    verdict = await judge_arguments_in_worker(schema, content)
    if verdict.answer is SchemaAnswer.INVALID:
        return verdict.errors[0].message if verdict.errors else "they are invalid"
    if verdict.answer is not SchemaAnswer.VALID:
        return f"the form cannot be checked: {visible(verdict.reason)}"
    form = build_form(schema)
    problems = arguments_of(form, draft_from_arguments(form, content)).problems
    if isinstance(question, AboutElicitation):
        formats = format_problems(question.elicitation, content)
        problems |= {(name,): note for name, note in formats}
    return next(iter(problems.values()), "")


def simulated_by(words: str) -> Simulated:
    """Return the simulated person of `--person`. Raises UsageError."""
    try:
        return read_simulated(words)
    except ValueError as problem:
        raise UsageError(f"--person: {problem}") from None


def server_reply(question: ServerQuestion, reply: ServerReply) -> tuple[Decision, str]:
    """The decision that is written, and why it is not exactly that."""
    values = None if reply.values is None else dict(reply.values)
    decision = decided(question, WrittenAnswer(reply.action, values))
    is_given = decision.answer is DecisionAnswer.APPROVE
    trouble = decision.reason if reply.action == "accept" and not is_given else ""
    decision = replace(decision, by="you", reason="", is_unchecked=reply.is_unchecked)
    return decision, trouble


def own_decision(question: OwnQuestion, person: Person) -> tuple[Decision, str]:
    """The decision of a person, and the parts of it that the dialog does not offer."""
    if isinstance(question, AboutAnswer):
        uses = person.uses and person.answer in ("approve", "edit")
        return (approve("you") if uses else deny("you")), ""
    match person.answer:
        case "approve":
            remember = remembered(person.remember)
            if remember == ONCE:
                return approve("you"), ""
            if question.can_remember and remember in question.offers:
                return replace(approve("you"), remember=remember), ""
            why = question.why_not_remembered or "only narrower choices are offered"
            return deny("you"), f"nothing can be remembered here: {why}"
        case "never":
            return replace(deny("you", "denied for this session"), for_session=True), ""
        case "edit":
            if question.can_edit:
                return Decision(DecisionAnswer.EDIT, "you"), ""
            return deny("you"), "this request cannot be edited"
    return deny("you"), ""


def remembered(said: str | int) -> Remember:
    """The scope of an approval, from a word of a flow file or a number of days."""
    return Remember(Scope.UNTIL, said) if isinstance(said, int) else Remember(_SCOPES[said])


KINDS: Final = ("absent", "denies", "approves", "slow", "erratic")
SHOWN: Final = "absent|denies|approves|slow:SECONDS|erratic:SEED"
LATEST: Final = 86_400.0
_ANSWERS: Final = ("approve", "deny", "close", "never", "absent")
_WEIGHTS: Final = (45, 25, 12, 8, 10)
_DELAYS: Final = (0.0, 0.1, 0.5, 2.0)


@frozen
class Simulated:
    """A person who answers every request of a session."""

    words: str
    """As it was given: `slow:30`."""
    kind: str
    number: float = 0.0
    """The seconds of one who is slow, the seed of one who is erratic."""

    def people(self) -> Iterator[Person]:
        """Yield the behaviour for each request; the same again for the same seed."""
        match self.kind:
            case "slow":
                return repeat(Person("approve", after=self.number))
            case "erratic":
                return _moods(int(self.number))
        return repeat(Person({"approves": "approve", "denies": "deny"}.get(self.kind, "absent")))


def _moods(seed: int) -> Iterator[Person]:
    luck = random.Random(seed)
    while True:
        (answer,) = luck.choices(_ANSWERS, _WEIGHTS)
        yield Person(answer, after=luck.choice(_DELAYS))


def read_simulated(text: str) -> Simulated:
    """Parse a simulated person from an option. Raises ValueError, in words of our own."""
    kind, colon, rest = text.partition(":")
    if kind not in KINDS:
        hint = did_you_mean(kind, KINDS)
        raise ValueError(f"“{shortened(text, 60)}” is not a known person: {SHOWN}{hint}")
    if kind in ("slow", "erratic") and rest:
        return Simulated(text, kind, _number(kind, rest))
    if kind in ("slow", "erratic") or colon:
        what = {"slow": "seconds, as in slow:30", "erratic": "a seed, as in erratic:7"}.get(kind)
        raise ValueError(f"{kind} needs {what}" if what else f"{kind} takes nothing after it")
    return Simulated(text, kind)


def _number(kind: str, text: str) -> float:
    if kind == "erratic":
        if text.isascii() and text.isdecimal() and len(text) < 10:
            return int(text)
        raise ValueError("the seed of erratic is a whole number, as in erratic:7")
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= LATEST:
        raise ValueError(f"slow needs seconds from 0 to {LATEST:,.0f}, as in slow:30")
    return seconds
