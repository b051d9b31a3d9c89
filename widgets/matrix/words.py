"""Verdicts as words short enough for a cell of the matrix, and what those words mean."""

from __future__ import annotations

from typing import Final, NamedTuple

from ...app.approval.policies.verdicts import Verdict, VerdictAnswer

WORD_CELLS: Final = 3
REVIEWS: Final = "*"
"""Stands after a word: what the tool answers is asked about, too."""


class Word(NamedTuple):
    """`text` has three cells, `role` names the colour that supports it."""

    text: str
    role: str
    reviews: bool = False

    @property
    def cells(self) -> int:
        return WORD_CELLS + self.reviews


class Meaning(NamedTuple):
    """One entry of the legend."""

    text: str
    role: str
    meaning: str


RUN: Final = Word("run", "run")
ASK: Final = Word("ask", "ask")
ASK_STRONGLY: Final = Word("ASK", "strong")
REFUSED: Final = Word("ref", "refused")
HIDDEN: Final = Word("hid", "hidden")
UNKNOWN: Final = Word(" ? ", "unknown")

LEGEND: Final = (
    Meaning("run", "run", "runs"),
    Meaning("ask", "ask", "asks"),
    Meaning("ASK", "strong", "asks strongly"),
    Meaning("ref", "refused", "refused"),
    Meaning("hid", "hidden", "hidden"),
    Meaning("?", "unknown", "not known"),
)
"""What every word means, but for the star, which is explained where one is to be seen."""


def word(verdict: Verdict) -> Word:
    """The word of a verdict: run, ask, ASK, ref, hid or a question mark, with or without a star."""
    match verdict.answer:
        case VerdictAnswer.ALLOW:
            found = RUN
        case VerdictAnswer.ASK:
            found = ASK_STRONGLY if verdict.strong else ASK
        case VerdictAnswer.REFUSE:
            found = REFUSED
        case VerdictAnswer.HIDE:
            found = HIDDEN
        case _:
            found = UNKNOWN
    return found._replace(reviews=True) if verdict.reviews_result else found


def in_words(verdict: Verdict) -> str:
    """A verdict as a clause: "runs, then asks about the result", "asks strongly"."""
    match verdict.answer:
        case VerdictAnswer.ALLOW:
            clause = "runs"
        case VerdictAnswer.ASK:
            clause = "asks strongly" if verdict.strong else "asks"
        case VerdictAnswer.REFUSE:
            clause = "refused"
        case VerdictAnswer.HIDE:
            clause = "hidden from the model"
        case _:
            clause = "not known"
    return f"{clause}, then asks about the result" if verdict.reviews_result else clause
