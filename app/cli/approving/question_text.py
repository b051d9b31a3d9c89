"""An approval request as plain lines, and the words that answer it.

Its lines are those of the dialog, for terminals without a screen and for screen readers. Text of
the server's is behind a gutter or in quotes after words of Signoff's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ...approval.grants import Remember, Scope
from ...approval.questions.question_lines import question_parts, scope_words
from ...approval.questions.questions import AboutAnswer, AboutCall, AboutRead, ByQuestion, Question
from ...approval.questions.sheet import LABEL, plain_lines
from ...approval.server_questions import AboutElicitation, AboutSampling
from ...approval.sign_in import SIGN_IN, AboutSignIn
from ...content.frozen import frozen
from ...content.text import count, visible

WORD: Final = "approve"
USE: Final = "use"
DENY_SESSION: Final = "deny session"
EDIT: Final = "edit"
LATER: Final = "later"
SEND: Final = "send"
FILL: Final = "fill"
CANCEL: Final = "cancel"
CONSENT: Final = "consent"
BLANK: Final = " " * LABEL


@frozen
class LineWords:
    """Words for one kind of request on a line."""

    about: str
    prompt: str
    by_itself: str = "denies by itself"
    """What the time limit does."""
    further: str = ""
    """What denying for the session denies."""


ABOUT_A_CALL: Final = LineWords(
    "Approve this call?",
    f"Type {WORD} and Enter to approve this call once; anything else denies",
    further="call of this tool",
)
ABOUT_A_READ: Final = LineWords(
    "Approve this read?",
    f"Type {WORD} and Enter to approve this read once; anything else denies",
    further="read of a resource",
)
ABOUT_A_PROMPT: Final = LineWords(
    "Ask for this prompt?",
    f"Type {WORD} and Enter that the model may call this prompt once; anything else denies",
    further="prompt",
)
ABOUT_AN_ANSWER: Final = LineWords(
    "Use this response?",
    f"Type {USE} and Enter to use this response; anything else withholds it",
    by_itself="by itself",
)


ABOUT_AN_ELICITATION: Final = LineWords(
    "The server asks you for data.",
    f"Type {SEND} and Enter to send this reply, {FILL} and a JSON object to write it, {CANCEL} to "
    "close it; anything else declines",
    by_itself="cancels by itself",
    further="such request of this server",
)
ABOUT_A_VISIT: Final = replace(
    ABOUT_AN_ELICITATION,
    about="The server asks you to open a page.",
    prompt=f"Type {CONSENT} and Enter to consent, and open it yourself; {CANCEL} to close it; "
    "anything else declines",
)
ABOUT_A_SAMPLING: Final = replace(ABOUT_AN_ELICITATION, about="The server wants a model to answer.")


ABOUT_A_SIGN_IN: Final = replace(
    ABOUT_AN_ELICITATION,
    about="The server requires a sign-in.",
    prompt=f"Type {SIGN_IN} and Enter to sign in; anything else does not",
    by_itself="not signed in",
)


LINE_WORDS: Final = ByQuestion(
    call=ABOUT_A_CALL,
    read=ABOUT_A_READ,
    prompt=ABOUT_A_PROMPT,
    answer=ABOUT_AN_ANSWER,
    elicitation=ABOUT_AN_ELICITATION,
    visit=ABOUT_A_VISIT,
    sampling=ABOUT_A_SAMPLING,
    sign_in=ABOUT_A_SIGN_IN,
)


def question_lines(question: Question) -> list[str]:
    """The subject, then the content of the dialog, in the same order."""
    about = LINE_WORDS.of(question).about
    if isinstance(question, AboutCall) and question.is_strong:
        about += " It may destroy something."
    return ["", about, *plain_lines(question_parts(question, has_keys=False))]


def offered(question: AboutCall | AboutRead) -> dict[str, Remember]:
    """Words that approve, each with its remembered scope."""
    choices = question.offers if question.can_remember else question.offers[:1]
    return {_typed(remember): remember for remember in choices}


def remember_lines(question: Question, *, now: float, folder: str) -> Iterator[str]:
    """List every word that can be typed, and exactly the approval it would remember."""
    if isinstance(question, AboutAnswer | AboutSignIn):
        return
    if isinstance(question, AboutElicitation | AboutSampling):
        yield f"{BLANK}{DENY_SESSION:<17}  Declines every further such request in this session."
        return
    if question.can_remember:
        said = {
            typed: scope_words(question, remember, now=now, folder=folder)
            for typed, remember in offered(question).items()
        }
        before = ""
        for number, (typed, words) in enumerate(said.items()):
            label = BLANK if number else "remember   "
            what = "The same" if words.what == before else words.what.rstrip(",")
            lasts = f", {words.lasts[:1].lower()}{words.lasts[1:]}" if words.lasts else ""
            yield f"{label}{typed:<17}  {what}{lasts}"
            before = words.what
        # Once for all: it would push the request itself off the screen.
        if words.where:
            yield f"{BLANK}Each holds for {words.where}."
        yield f"{BLANK}{words.kept[:1].upper()}{words.kept[1:]}."
        if words.caution:
            yield f"{BLANK}With any arguments: {words.caution[:1].lower()}{words.caution[1:]}"
    elif question.why_not_remembered:
        yield f"remember   cannot be remembered: {visible(question.why_not_remembered)}"
    further = LINE_WORDS.of(question).further
    yield f"{BLANK}{DENY_SESSION:<17}  Denies every further {further} in this session."


def _typed(remember: Remember) -> str:
    match remember.scope:
        case Scope.ONCE:
            return WORD
        case Scope.ARGUMENTS:
            return f"{WORD} arguments"
        case Scope.SESSION:
            return f"{WORD} session"
    return f"{WORD} {count(remember.days, 'day')}"
