"""A question as plain lines, and the words by which it can be answered.

Its lines are those of the dialog, for terminals without a screen and for screen readers. Text of
the server's stands behind a gutter or in quotes after words of Signoff's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from signoff.app.asking.plain_lines import LABEL, plain_lines
from signoff.app.asking.question_lines import question_parts
from signoff.app.core.approvals.approval import Question
from signoff.app.core.approvals.grants import Remember, Scope
from signoff.app.core.approvals.remembering import offers, scope_words
from signoff.app.core.text import count, visible

WORD: Final = "approve"
USE: Final = "use"
DENY_SESSION: Final = "deny session"
EDIT: Final = "edit"
BLANK: Final = " " * LABEL


def question_lines(question: Question) -> list[str]:
    """What is asked, then what the dialog says, in the same order."""
    strong = question.verdict.strong and question.result is None
    what = "read" if question.tool.is_read else "call"
    about = "Use this answer?" if question.result is not None else f"Approve this {what}?"
    if strong and not question.tool.is_read:
        about += " It may destroy something."
    return ["", about, *plain_lines(question_parts(question, has_keys=False))]


def offered(question: Question) -> dict[str, Remember]:
    """What can be typed to approve, and what is remembered by it."""
    choices = offers(question.tool)
    if not question.can_remember:
        choices = choices[:1]
    return {_typed(remember): remember for remember in choices}


def remember_lines(question: Question, *, now: float, folder: str) -> Iterator[str]:
    """Every word that can be typed, and exactly what would be remembered by it."""
    if question.result is not None:
        return
    if question.can_remember:
        said = {
            typed: scope_words(question, remember, now=now, folder=folder)
            for typed, remember in offered(question).items()
        }
        covers = ""
        for number, (typed, words) in enumerate(said.items()):
            label = BLANK if number else "remember   "
            yield f"{label}{typed:<17}  {'The same' if words.covers == covers else words.covers}"
            if words.lasts:
                yield f"{BLANK}{'':<17}  {words.lasts}"
            covers = words.covers
        yield f"{BLANK}{words.kept[:1].upper()}{words.kept[1:]}."
        if words.caution:
            yield f"{BLANK}With any arguments: {words.caution[:1].lower()}{words.caution[1:]}"
    elif question.why_not_remembered:
        yield f"remember   this call only: {visible(question.why_not_remembered)}"
    what = "read of a resource" if question.tool.is_read else "call of this tool"
    yield f"{BLANK}{DENY_SESSION:<17}  Denies every further {what} in this session."


def _typed(remember: Remember) -> str:
    match remember.scope:
        case Scope.ONCE:
            return WORD
        case Scope.ARGUMENTS:
            return f"{WORD} arguments"
        case Scope.SESSION:
            return f"{WORD} session"
    return f"{WORD} {count(remember.days, 'day')}"
