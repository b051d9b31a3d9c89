"""Words about a request that all approvers share, on a screen or on a line."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

from ...content.text import cut, sentence, visible
from ...protocol.definitions.change_values import Weight
from ...protocol.definitions.lists import DefinitionStatus
from ...protocol.hints import Effect
from ..matrix import overridden
from ..policies.verdicts import DOUBT_BY_FINDING, Verdict, says_meaning
from .questions import AboutAnswer, AboutCall, AboutRead, Question

PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_.\-]{1,128}\Z")
WHAT_IF: Final = "your what-if"
NOT_THE_SERVERS: Final = "set by you, not by the server; can only be stricter"
ANSWER_TOO: Final = "its response will need approval, too"
_NAME_SHOWN: Final = 80
_HOST: Final = "as "


def may_destroy(question: AboutCall | AboutRead) -> bool:
    """True if the request may destroy something, or does so since its definition changed."""
    diff = question.diff if isinstance(question, AboutCall) else None
    changes = diff.changes if diff is not None else ()
    is_weakened = any(change.weight is Weight.WEAKENED for change in changes)
    return question.is_strong or question.request.effect.may_destroy or is_weakened


def is_strongest(question: Question) -> bool:
    """True if a call may destroy by a definition that is not the one approved before."""
    if not isinstance(question, AboutCall):
        return False
    return question.diff is not None and may_destroy(question)


def takes_one_press(question: Question) -> bool:
    """True if a single press of the approving key is enough: a slip would do little harm.

    A call of a tool that declares itself neither destructive nor leaves that open, also with the
    hints that a person set for a what-if and with resolved ones, and whose definition and arguments
    raise no doubt.
    """
    if not isinstance(question, AboutCall):
        return False
    tool = question.tool
    is_changed = question.diff is not None or question.seen is DefinitionStatus.CHANGED
    is_odd = any(finding.code in DOUBT_BY_FINDING for finding in tool.findings)
    effects = [tool.effect, overridden(tool, question.overrides).effect]
    if question.resolution is not None and question.resolution.hints is not None:
        effects.append(question.resolution.hints.hints.effect)
    return not (
        is_changed
        or is_odd
        or may_destroy(question)
        or any(effect.may_destroy for effect in effects)
        or question.argument_problems
        or question.although_invalid
        or question.lets_later_calls_run
    )


def reasons_told(question: AboutCall, codes: Collection[str]) -> list[str]:
    """Reasons for the request, without those that it shows elsewhere, and better.

    `codes` are those of the findings shown in it; argument errors have a line of their own if a
    person chose to send them so.
    """
    found = {words for code, words in DOUBT_BY_FINDING.items() if code in codes}
    wrong = set(question.argument_problems) if question.although_invalid else set()
    resolution, given = question.resolution, question.verdict.reasons
    # It has a line of its own.
    own = set() if resolution is None else {resolution.as_reason(question.tool.hints)}
    reasons = [one for one in given if one not in found | wrong | own]
    # The remaining reasons alone could look like the cause.
    if any(one in wrong for one in given):
        reasons.insert(0, "because of the invalid arguments")
    if any(one in found for one in given) or not reasons:
        reasons.insert(0, "because of the warnings ▲")
    return reasons


def meaning_told(question: AboutCall, codes: Collection[str]) -> bool:
    """True if reasons and findings give the meaning of the effect."""
    effect = question.tool.effect
    is_found = effect is Effect.CONTRADICTORY and "contradictory-hints" in codes
    return is_found or says_meaning(question.verdict.reasons, effect)


def exact_name(name: str) -> str:
    """A tool's name as it is, or in quotes that it cannot close if it has unusual characters."""
    if PLAIN_NAME.match(name):
        return name
    short = cut(name, _NAME_SHOWN)
    inner = visible(short.text.replace("\\", "\\\\").replace('"', '\\"'))
    return f'"{inner}…"' if short.is_cut else f'"{inner}"'


def shortened(text: str, most: int) -> str:
    """A text without its middle if it is longer than `most` characters."""
    if len(text) <= most:
        return text
    end = most // 3
    return f"{text[: most - end - 1]}…{text[len(text) - end :]}"


def definition_words(question: AboutCall | AboutAnswer) -> str:
    """`definition 9f3c1a7b, unchanged`."""
    words = f"definition {question.request.definition.digest[:8]}"
    if question.seen is DefinitionStatus.UNKNOWN:
        return words
    is_first = question.seen is DefinitionStatus.FIRST
    return f"{words}, {'new this session' if is_first else question.seen.value}"


def changed_words(since: str) -> str:
    """`definition changed since it was approved on 2026-11-20`."""
    return f"definition changed since it was {visible(since)}" if since else "definition changed"


def policy_words(verdict: Verdict, *, is_short: bool = False) -> str:
    """Name the deciding policy: `cautious policy, rule 3: may destroy`, or `decided as VS Code
    would`.
    """
    name, rule = visible(verdict.policy), visible(verdict.rule)
    if name.startswith(_HOST):
        who = f"rules of {name.removeprefix(_HOST)}"
    else:
        who = name if is_short else f"{name} policy"
    return f"{who}, {rule}" if rule else who


def what_if_words(overrides: Mapping[str, bool | None]) -> str:
    """`readOnly true · openWorld not set`."""
    return " · ".join(f"{visible(name)} {claim_word(value)}" for name, value in overrides.items())


def claim_word(value: bool | None) -> str:
    return "not set" if value is None else "true" if value else "false"


def closed_words(reason: str) -> str:
    """The words for a request that was closed without an answer, and the reason."""
    return f"The question is closed: {sentence(visible(reason))} Nothing was sent."
