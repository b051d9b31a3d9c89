"""A verdict on a read or a prompt: policies are written for tools, and here is no tool."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ...protocol.hints import Effect
from ...protocol.rpc import PROMPT_METHOD, READ_METHOD
from .verdicts import Verdict, VerdictAnswer

NOTHING_SAID: Final = "nothing says what else a server does when it is read from"
ONLY_READS: Final = (
    "a read should change nothing, but no hint says so, and what is asked for can tell something"
)
NOTHING_SAID_OF_PROMPTS: Final = "nothing says what else a server does when a prompt is asked for"
ONLY_FILLS_IN: Final = (
    "a prompt should change nothing, but no hint says so, and what is filled in is sent"
)
_WORDS: Final = {
    READ_METHOD: (NOTHING_SAID, ONLY_READS),
    PROMPT_METHOD: (NOTHING_SAID_OF_PROMPTS, ONLY_FILLS_IN),
}
_OF_HINTS: Final = ", so its hints are shown and not obeyed"


def nothing_said(method: str) -> str:
    """That nothing is known of what such a request does."""
    return _WORDS[method][0]


def about_reading(
    verdict: Verdict, supposed: Verdict | None = None, method: str = READ_METHOD
) -> Verdict:
    """A verdict on a read in words that fit: there is no definition that could say anything.

    `supposed` is what would be said of a tool that is read-only, given where the server is trusted:
    its read is asked about as such, and never strongly for want of a hint. It never runs for that:
    nothing claims that it changes nothing, and reading can give something away.
    """
    silence = Effect.UNDECLARED.meaning
    mild = (VerdictAnswer.ASK, VerdictAnswer.ALLOW)
    if verdict.answer is not VerdictAnswer.ASK or supposed is None or supposed.answer not in mild:
        reasons = [nothing_said(method) if one == silence else one for one in verdict.reasons]
        # There are no hints that could be shown.
        return replace(verdict, reasons=tuple(one.removesuffix(_OF_HINTS) for one in reasons))
    is_asked = supposed.answer is VerdictAnswer.ASK
    # Why it would run is no reason to ask.
    rest = supposed.reasons if is_asked else supposed.reasons[1:]
    kept = [one.removesuffix(_OF_HINTS) for one in rest if one != Effect.READ_ONLY.meaning]
    return replace(
        supposed,
        answer=VerdictAnswer.ASK,
        strong=supposed.strong and is_asked,
        reasons=(*(kept if is_asked else ()), _WORDS[method][1], *(() if is_asked else kept)),
        reviews_result=verdict.reviews_result or supposed.reviews_result,
        depends=verdict.depends or supposed.depends,
        unjudged=verdict.unjudged,
    )
