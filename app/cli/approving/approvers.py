"""Approvers without a screen: the policy alone, a script, and a line on a terminal.

Before the prompt a short form of the request is repeated.

`--answer FILE`: answers to the server's requests while a call runs, written down beforehand.

A JSON object with lists under the names of the capabilities. A request takes the next entry of its
kind:

    {
      "elicitation": [{"action": "accept", "content": {"sure": true}}, "decline", "cancel"],
      "sampling": ["the model's response", {"text": "...", "model": "..."}, "decline"]
    }

An elicitation that is answered with `accept` alone gets the server's own suggestions, or consent.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final, Protocol, runtime_checkable

from ...approval.approval import (
    BY_NO_APPROVER,
    DECISION_SECONDS,
    NO_LIMIT,
    PUT_BACK,
    TAKEN_BACK,
    Decision,
    DecisionAnswer,
    approve,
    deny,
    withdrawn,
)
from ...approval.questions.question_words import closed_words, exact_name
from ...approval.questions.questions import (
    AboutAnswer,
    AboutCall,
    OwnQuestion,
    Question,
    QuestionName,
)
from ...approval.questions.sheet import THEIRS, plain_spans
from ...approval.server_questions import (
    AboutElicitation,
    AboutSampling,
    AskName,
    ServerQuestion,
    filled,
)
from ...approval.sign_in import SIGN_IN, AboutSignIn
from ...cli.targets.given_files import given_data
from ...content.files.tree import JSON, NOWHERE, Problems
from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, pretty_spans, read_members
from ...content.suggest import did_you_mean
from ...content.text import sentence, shortened, visible
from ...engine.calls.context import Approver
from ...engine.sign_in import show_page
from ...platforms.output import GONE
from ...protocol.server_requests.capabilities import ELICITATION, SAMPLING
from ...schemas.form.entries import Origin, read_json
from ...storage.state_dir import StoreError, shown, state_folder
from ...transport.sign_in.asking import SignInVisit
from ..output.printing import prompt, tell, tell_whole
from ..targets.targets import UsageError
from .elsewhere import HostsElsewhere
from .keyboard import IGNORED, SEVERAL_LINES, Interrupted, Keyboard
from .question_text import (
    BLANK,
    CANCEL,
    CONSENT,
    DENY_SESSION,
    EDIT,
    FILL,
    LATER,
    LINE_WORDS,
    SEND,
    USE,
    offered,
    question_lines,
    remember_lines,
)

REGISTER: Final = "register"
NO_BROWSER: Final = "a script opens no browser"
REPLIES_FROM_FILE = "--approve is for calls; --answer FILE replies to requests of the server"


@runtime_checkable
class AsksForWord(Protocol):
    """An approver that takes a typed word for an approval of something else than a request."""

    async def word(self, about: Iterable[str], prompt: str) -> str:
        """Show lines and return what a person types after them; empty for nothing in time."""


class PolicyAlone:
    """Denies calls that the policy wants asked: no person is there to ask."""

    def __init__(self, reason: str, requests: str = "") -> None:
        """`requests` is the reason for denying requests of the server, if it is another."""
        self._reason = reason
        self._requests = requests or reason

    async def ask(self, question: Question) -> Decision:
        if isinstance(question, AboutElicitation | AboutSampling):
            return deny(BY_NO_APPROVER, self._requests)
        if isinstance(question, AboutSignIn):
            return deny(BY_NO_APPROVER, NO_BROWSER)
        return deny(BY_NO_APPROVER, self._reason)


class ScriptApproves:
    """`--approve always`: the author of the script has approved every request beforehand."""

    async def ask(self, question: Question) -> Decision:
        if isinstance(question, AboutElicitation | AboutSampling):
            # An approval covers the call, but no data that the server requests during it.
            return deny("script", REPLIES_FROM_FILE)
        if isinstance(question, AboutSignIn):
            return deny(BY_NO_APPROVER, NO_BROWSER)
        return approve("script", "--approve always")


class LineApprover:
    """Asks on a terminal, line by line; only the typed words approve, anything else denies.

    It takes an answer only after the keyboard was quiet for half a second, so text typed ahead or
    pasted is ignored. `seconds` None or NO_LIMIT sets no time limit. `today` gives seconds since
    the epoch, `say` writes a line, `say_whole` one to be copied, `prompt` the text before the typed
    answer, and `typed` is called after that. With `can_edit` the word `edit` goes back to the
    arguments, with `can_put_back` the word `later` leaves the question open. `elsewhere` has what
    hosts do before they run the tool.
    """

    def __init__(
        self,
        seconds: float | None = DECISION_SECONDS,
        today: Callable[[], float] = time.time,
        *,
        keyboard: Keyboard | None = None,
        say: Callable[[str], None] = tell,
        say_whole: Callable[[str], None] = tell_whole,
        prompt: Callable[[str], None] = prompt,
        typed: Callable[[str | None], None] = lambda line: None,
        can_edit: bool = False,
        can_put_back: bool = False,
        elsewhere: HostsElsewhere | None = None,
    ) -> None:
        self._seconds = None if seconds == NO_LIMIT else seconds
        self._today = today
        self._keyboard = keyboard or Keyboard()
        self._say = say
        self._say_whole = say_whole
        self._prompt = prompt
        self._typed = typed
        self._can_edit = can_edit
        self._can_put_back = can_put_back
        self._elsewhere = elsewhere
        self._turn = asyncio.Lock()
        self._asking: QuestionName | None = None
        self._void: dict[QuestionName, str] = {}
        self._is_cancelled = False
        """True once the person closed the open request without a choice."""
        self._is_prompted = False
        """True while the prompt is the last text on the line, without typed text after it."""
        self._deadline = math.inf

    async def ask(self, question: Question) -> Decision:
        try:
            async with self._turn:
                self._asking = question.call
                self._is_cancelled = self._is_prompted = False
                try:
                    if isinstance(question, AboutCall) and self._elsewhere is not None:
                        groups = await self._elsewhere.groups(question)
                        question = replace(question, elsewhere=groups)
                    async with self._keyboard.turn(of_question=True):
                        return await self._ask(question)
                finally:
                    self._asking = None
        except OSError as problem:
            if problem.errno not in GONE:
                raise
            return deny("signoff", "the terminal is gone")
        finally:
            self._void.pop(question.call, None)

    async def visit(self, visit: SignInVisit) -> None:
        """Show the address of a sign-in page, and take the one at which the browser ended."""
        async with self._turn, self._keyboard.turn(of_question=True):
            self._say("")
            self._say("Open this address in a browser, and sign in there:")
            self._say_whole(visible(visit.url))
            self._say(visit_words(visit))
            with contextlib.suppress(asyncio.CancelledError):
                return await self._pasted(visit)
            self._say("(No address is needed any more.)")
            raise asyncio.CancelledError

    async def word(self, about: Iterable[str], prompt: str) -> str:
        """Show lines and return what a person types after them; empty for nothing in time.

        Input that was typed ahead is ignored, and so are several lines at once.
        """
        async with self._turn, self._keyboard.turn(of_question=True):
            for line in about:
                self._say(line)
            limit = None if self._seconds is None else time.monotonic() + self._seconds
            while True:
                with contextlib.suppress(Interrupted, TimeoutError):
                    left = None if limit is None else max(limit - time.monotonic(), 0)
                    async with asyncio.timeout(left):
                        if await self._keyboard.quiet():
                            self._say(IGNORED)
                        self._prompt(f"{prompt}: ")
                        typed = await self._keyboard.line()
                    self._typed(typed)
                    if typed is None:
                        self._say("")
                    elif await self._keyboard.is_more_coming():
                        await self._keyboard.quiet()
                        self._say(SEVERAL_LINES)
                        return ""
                    return (typed or "").strip()
                if limit is not None and time.monotonic() >= limit:
                    self._say("")
                    return ""

    async def _pasted(self, visit: SignInVisit) -> None:
        """Take lines, until one is an address that counts, or the visit is given up."""
        while True:
            more = f", {REGISTER} if it does not know the client" if visit.can_register else ""
            self._prompt(f"Paste the address{more}, or type {CANCEL}: ")
            with contextlib.suppress(Interrupted):
                typed = await self._keyboard.line()
                if typed is None or typed.strip() == CANCEL:
                    visit.cancel()
                    return
                if typed.strip() == REGISTER and visit.can_register:
                    visit.register_again()
                    return
                if problem := visit.paste(typed):
                    self._say(sentence(problem))

    def void(self, call: QuestionName, reason: str) -> None:
        """A question can no longer be approved, whether it is open or still waits."""
        self._void[call] = reason
        if self._asking == call:
            self._keyboard.interrupt()

    def cancel(self) -> bool:
        """Handle Ctrl+C: close a server's request, as `cancel` does; False if there is none.

        An approval request of a call is closed with the call.
        """
        if not isinstance(self._asking, AskName):
            return False
        self._is_cancelled = True
        self._keyboard.interrupt()
        return True

    def resumed_after(self, seconds: float) -> None:
        """Extend the time limit after a suspension, and ignore input again."""
        self._deadline += seconds
        if self._asking is not None:
            self._keyboard.interrupt()

    async def _ask(self, question: Question) -> Decision:
        for line in question_lines(question):
            self._say(line)
        for line in remember_lines(question, now=self._today(), folder=_folder()):
            self._say(line)
        if self._can_edit and question.can_edit:
            self._say(f"{'':<11}{EDIT:<17}  Denies this call and goes back to its arguments.")
        if self._can_put_back:
            self._say(f"{'':<11}{LATER:<17}  The call stays held; the next question comes first.")
        for line in again_lines(question):
            self._say(line)
        self._say("")
        shown_at = time.monotonic()
        self._deadline = math.inf if self._seconds is None else shown_at + self._seconds
        try:
            decision = await self._decision(question)
        except asyncio.CancelledError:
            # The request is gone, so the line that is typed now would be a command.
            self._say_closed(self._void.get(question.call, TAKEN_BACK))
            raise
        return replace(decision, seconds=time.monotonic() - shown_at)

    async def _decision(self, question: Question) -> Decision:
        while True:
            if question.call in self._void:
                reason = self._void[question.call]
                self._say_closed(reason)
                return withdrawn(reason)
            if self._is_cancelled:
                return Decision(DecisionAnswer.CANCEL, "you")
            with contextlib.suppress(Interrupted):
                answered = await self._answer(question)
                if isinstance(answered, Decision):
                    return answered
                question = answered
                for line in question_lines(question):
                    self._say(line)

    def _say_closed(self, reason: str) -> None:
        if self._is_prompted:
            self._say("")
        self._say(closed_words(reason))

    async def _answer(self, question: Question) -> Decision | ServerQuestion:
        """Return a decision, or the request with the written answer."""
        try:
            async with asyncio.timeout_at(self._until()):
                if await self._keyboard.quiet():
                    self._say(IGNORED)
                self._prompt(f"{self._words(question)}: ")
                self._is_prompted = True
                typed = await self._keyboard.line()
                self._is_prompted = False
                self._typed(typed)
        except TimeoutError:
            if time.monotonic() < self._deadline:
                # The deadline was moved during the wait.
                raise Interrupted from None
            self._say("")
            return deny("time limit", f"no answer within {self._seconds:g} s")
        if typed is None:
            self._say("")
            return deny("you")
        if await self._keyboard.is_more_coming():
            await self._keyboard.quiet()
            self._say("(Several lines at once are not an answer: denied.)")
            return deny("you", "several lines came at once")
        if isinstance(question, AboutElicitation | AboutSampling):
            return server_decision(typed.strip(), question)
        if isinstance(question, AboutSignIn):
            return approve("you") if typed.strip() == SIGN_IN else deny("you")
        if self._can_put_back and typed.strip() == LATER:
            return withdrawn(PUT_BACK)
        return decision_by(typed.strip(), question, can_edit=self._can_edit)

    def _until(self) -> float | None:
        if self._deadline == math.inf:
            return None
        return asyncio.get_running_loop().time() + self._deadline - time.monotonic()

    def _words(self, question: Question) -> str:
        words, limit = LINE_WORDS.of(question), ""
        if self._seconds is not None:
            limit = f" ({words.by_itself} after {self._seconds:g} s)"
        return f"{words.prompt}{limit}"


def visit_words(visit: SignInVisit) -> str:
    """How a visit of a page ends."""
    minutes = round(visit.seconds_left / 60)
    return (
        f"Signoff goes on when the page comes back, within {minutes} min. If the browser is on "
        "another machine, paste the address at which it ended."
    )


def server_decision(typed: str, question: ServerQuestion) -> Decision | ServerQuestion:
    """Interpret a typed line for a server's request. Words that are not offered decline."""
    is_visit = isinstance(question, AboutElicitation) and question.elicitation.mode == "url"
    word, _, rest = typed.partition(" ")
    if typed == (CONSENT if is_visit else SEND):
        if is_visit or question.is_ready:
            return replace(approve("you"), answer_sent=question.snapshot)
        return question
    if typed == CANCEL:
        return Decision(DecisionAnswer.CANCEL, "you")
    if typed == DENY_SESSION:
        return replace(deny("you", "declined for this session"), for_session=True)
    if word == FILL and not is_visit:
        value, problem = read_json(rest.strip() or "{}")
        if isinstance(value, dict):
            return filled(question, value, dict.fromkeys(value, Origin.TYPED))
        return replace(question, problems=(problem or "not a JSON object",))
    return deny("you")


def decision_by(typed: str, question: OwnQuestion, *, can_edit: bool = False) -> Decision:
    """Interpret a typed line. Words that are not offered deny, however close they come."""
    if isinstance(question, AboutAnswer):
        return approve("you") if typed == USE else deny("you")
    if typed == DENY_SESSION:
        return replace(deny("you", "denied for this session"), for_session=True)
    if typed == EDIT and can_edit and question.can_edit:
        return Decision(DecisionAnswer.EDIT, "you")
    remember = offered(question).get(typed)
    return deny("you") if remember is None else replace(approve("you"), remember=remember)


def _folder() -> str:
    try:
        return shown(state_folder())
    except StoreError:
        return "the state folder"


AGAIN_MAX = 1_000
"""Characters of the arguments that are repeated beside the prompt; all of them are above."""


def again_lines(question: Question) -> list[str]:
    """Repeat server, tool and all arguments as they will be sent, these on one line.

    A string has no line of its own in the JSON, so only layout is lost here.
    """
    snapshot, server = question.snapshot, visible(question.server_name)
    if isinstance(question, AboutAnswer | AboutElicitation | AboutSampling | AboutSignIn):
        return []
    request = question.request
    what = request.method if request.tool is None else exact_name(request.name)
    sha = f"sha256 {snapshot.arguments_digest[:8]}"
    if snapshot.task_ttl is not None:
        what += f" as a task (ttl {snapshot.task_ttl:,} ms)"
    arguments = snapshot.arguments()
    if not arguments:
        return [f"sends      {what} to {server}, no arguments, {sha}"]
    lines = (plain_spans(line).strip(" ") for line in pretty_spans(arguments))
    said = " ".join(lines)
    first = f"sends      {what} to {server}, {sha}:"
    if len(said) <= AGAIN_MAX:
        return [first, f"{THEIRS}{said}"]
    rest = f"the first {AGAIN_MAX:,} of {len(said):,} characters; all of them are above"
    return [first, f"{THEIRS}{said[:AGAIN_MAX]}…", f"{BLANK}{rest}"]


KINDS: Final = (ELICITATION, SAMPLING)
ACTIONS: Final = ("accept", "decline", "cancel")
FILE_MAX: Final = 2_000_000
BY: Final = "script"


@frozen
class WrittenAnswer:
    """One entry: the action, and its values."""

    action: str
    values: dict[str, JsonValue] | None = None


def read_answers(path: str) -> dict[str, list[WrittenAnswer]]:
    """The entries by kind. Raises UsageError with all mistakes and their places."""
    try:
        given = read_members(given_data(path, FILE_MAX, "--answer"))
    except JsonError as problem:
        raise UsageError(f"--answer {visible(path)}: {problem.reason}") from None
    if not isinstance(given, dict):
        raise UsageError(f"--answer {visible(path)}: it has to be an object, {{...}}")
    found: dict[str, list[WrittenAnswer]] = {kind: [] for kind in KINDS}
    problems = Problems(JSON)
    for kind, entries in given.items():
        if kind not in found:
            shown = f"“{shortened(kind, 40)}”"
            problems.add(NOWHERE, f"{shown} is not a known kind{did_you_mean(kind, KINDS)}")
        elif not isinstance(entries, list):
            problems.add(NOWHERE, f"{kind} must be a list")
        else:
            read = (_read(kind, one, f"{kind}[{at}]", problems) for at, one in enumerate(entries))
            found[kind] = [one for one in read if one is not None]
    if problems.found:
        raise UsageError("\n".join(f"--answer {path}: {one.message}" for one in problems.found))
    return found


def _read(kind: str, entry: JsonValue, name: str, problems: Problems) -> WrittenAnswer | None:
    """One entry, or None with its problems noted."""
    if kind == SAMPLING:
        if isinstance(entry, str) and entry not in ACTIONS:
            return WrittenAnswer("accept", {"text": entry})
        if isinstance(entry, dict) and "action" not in entry:
            return WrittenAnswer("accept", entry)
    if isinstance(entry, str):
        entry = {"action": entry}
    if not isinstance(entry, dict):
        words = f"{name} must be one of {', '.join(ACTIONS)}, or an object"
        problems.add(NOWHERE, words)
        return None
    action, content = entry.get("action"), entry.get("content")
    if action not in ACTIONS:
        shown = f"“{shortened(action, 40)}”" if isinstance(action, str) else "nothing"
        hint = did_you_mean(action, ACTIONS) if isinstance(action, str) else ""
        words = f"{name}: the action is {shown}; give one of {', '.join(ACTIONS)}{hint}"
        problems.add(NOWHERE, words)
    if content is not None and not isinstance(content, dict):
        problems.add(NOWHERE, f"{name}: the content must be an object, {{...}}")
        return None
    return WrittenAnswer(str(action), content)


class AnswersFromFile:
    """Answers a server's requests with the next entry of their kind; `inner` answers the rest."""

    def __init__(self, answers: dict[str, list[WrittenAnswer]], inner: Approver) -> None:
        self.inner = inner
        self._answers: dict[str, Iterator[WrittenAnswer]] = {
            kind: iter(entries) for kind, entries in answers.items()
        }

    async def visit(self, visit: SignInVisit) -> None:
        """Leave the page of a sign-in to `inner`."""
        await show_page(self.inner, visit)

    async def ask(self, question: Question) -> Decision:
        if not isinstance(question, AboutElicitation | AboutSampling):
            return await self.inner.ask(question)
        kind = SAMPLING if isinstance(question, AboutSampling) else ELICITATION
        if question.problems and question.draft is not None:
            return deny(BY, f"--answer does not match the form: {'; '.join(question.problems)}")
        entry = next(self._answers.get(kind, iter(())), None)
        if entry is None:
            return await self.inner.ask(question)
        return decided(question, entry)


def decided(question: ServerQuestion, entry: WrittenAnswer) -> Decision:
    """Return the decision of an entry on a request."""
    if entry.action == "cancel":
        return Decision(DecisionAnswer.CANCEL, BY, "--answer")
    if entry.action == "decline":
        return deny(BY, "--answer")
    if entry.values is not None:
        question = filled(question, entry.values, {})
    is_visit = isinstance(question, AboutElicitation) and question.elicitation.mode == "url"
    if question.draft is None and not is_visit:
        return deny(BY, "--answer accepts without a content, and the server suggests none")
    return replace(approve(BY, "--answer"), answer_sent=question.snapshot)
