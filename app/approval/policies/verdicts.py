"""Verdicts, their reasons, the facts of a call that lead to one, and doubts about the call.

A doubt leaves the effect of a call unclear, so that nothing runs on a rule alone. Policies are
written for tools: the reasons of verdicts on reads and prompts mention the missing definition.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import visible
from ...protocol.definitions.lists import DefinitionStatus
from ...protocol.extensions.action_metadata import REVIEW_ASKED
from ...protocol.hints import EFFECT_MEANINGS, Effect
from ...protocol.rpc import CALL_METHOD, PROMPT_METHOD, READ_METHOD
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from ..carried_labels import LabelledResult, carried_doubts
from ..grants import Grant
from .patterns import NOTHING_TRIED, Tried


class VerdictAnswer(StrEnum):
    """Answers of a policy; the last three only from host rules."""

    ALLOW = "allow"
    ASK = "ask"
    REFUSE = "refuse"
    HIDE = "hide"
    """The host does not show the tool at all."""
    JUDGE = "judge"
    """The host's model decides; no person has to be asked."""
    UNKNOWN = "not known"


class KnownBy(StrEnum):
    """How the decision of a host is known."""

    READ = "read"
    """From its source or its documents."""
    MEASURED = "measured"
    """In the running host; its source was not read, or leaves it open."""
    BOTH = "both"
    CONFLICT = "conflict"
    """It was measured, and its source was read otherwise: what was measured counts."""


@frozen
class Verdict:
    """A policy's verdict on one call. `strong`: ask in the form for destructive calls."""

    answer: VerdictAnswer
    reasons: tuple[str, ...]
    strong: bool = False
    policy: str = "cautious"
    rule: str = ""
    """The name of the rule that fired; empty where none did."""
    source: str = ""
    """The source of the rule: a file and line, or a URL with a date."""
    reviews_result: bool = False
    """True if the response needs an approval, too, before it counts as shown."""
    grant_id: int | None = None
    """The remembered approval by which it is allowed."""
    depends: bool = False
    """Whether another verdict may come of other arguments."""
    denied_before: bool = False
    """It is refused because the person denied all such calls for the session."""
    unjudged: tuple[str, ...] = ()
    """What could not be judged on the way and was held against the call; among the reasons, too."""
    known_by: KnownBy | None = None
    """Only of a host, in the matrix."""
    measured: str = ""
    """What was measured, in words: decision, version, surface, system and date."""

    @property
    def words(self) -> str:
        """The verdict as a clause, see `in_words`."""
        return in_words(self)

    def as_json(self) -> dict[str, object]:
        return {
            "answer": self.answer.value,
            "strong": self.strong,
            "policy": self.policy,
            "rule": self.rule,
            "reviews_result": self.reviews_result,
            "reasons": list(self.reasons),
            "unjudged": list(self.unjudged),
        }


@frozen
class Case:
    """Facts that a policy may know of one request. `arguments` is None while they are not known."""

    tool: ToolDefinition
    """The definition by which it is judged; of a read one that claims nothing."""
    trust: Trust
    server: str = ""
    """The configured name."""
    arguments: Mapping[str, JsonValue] | None = None
    argument_problems: tuple[str, ...] = ()
    """The ways in which the arguments break the input schema, in words."""
    seen: DefinitionStatus = DefinitionStatus.UNKNOWN
    approved_before: bool = False
    """Whether this tool was approved in this session under this very definition."""
    grant: Grant | None = None
    """A remembered approval that covers exactly this call."""
    denied_for_session: bool = False
    tried: Mapping[str, Tried] = field(
        default_factory=lambda: NOTHING_TRIED, compare=False, repr=False
    )
    """What came of the trials of patterns and schemas, by their keys."""
    resolved: Mapping[str, bool] = field(default_factory=dict)
    """Hints that replace the static ones for these arguments, by `Hint.name`."""
    unlogged: str = ""
    """Why the audit log cannot be written; empty if it can, or is not wanted."""
    method: str = CALL_METHOD
    """What would be sent."""
    carried: tuple[LabelledResult, ...] = ()
    """Earlier results of the session that their servers have labelled (a draft)."""


DUPLICATE = "another tool has the same name"
CONTRADICTORY = EFFECT_MEANINGS[Effect.CONTRADICTORY]

DOUBT_BY_FINDING = {
    "duplicate-name": DUPLICATE,
    "malformed-schema": "its schema is malformed",
    "malformed-hint": "one of its hints is malformed",
    "contradictory-hints": CONTRADICTORY,
    "requires-review": REVIEW_ASKED,
}


def doubts_of(case: Case) -> list[str]:
    """The doubts about a call, in words that are safe to show.

    They are about the definition (a name that another tool has, a malformed schema or hint, hints
    that contradict each other, a review that its server asks for), about labels of earlier results
    and about arguments that break the input schema.
    """
    doubts = list(definition_doubts(case))
    if case.carried and case.method == CALL_METHOD:
        doubts += carried_doubts(case.tool, case.carried, case.server)
    doubts += [visible(problem) for problem in case.argument_problems]
    return doubts


def definition_doubts(case: Case) -> tuple[str, ...]:
    """The doubts that do not depend on the arguments; each once, in a fixed order."""
    findings = case.tool.findings
    if not findings:
        return ()
    codes = {finding.code for finding in findings}
    return tuple(words for code, words in DOUBT_BY_FINDING.items() if code in codes)


def grant_obstacle(case: Case) -> str:
    """The reason why a remembered approval cannot count for this call; empty if it can.

    Contradictory hints do not prevent it: they leave no doubt about which call was approved.
    """
    if case.seen is DefinitionStatus.CHANGED:
        return "its definition has changed"
    return next((doubt for doubt in doubts_of(case) if doubt != CONTRADICTORY), "")


NOTHING_SAID: Final = "the effect of this read on the server is not declared"
ONLY_READS: Final = (
    "reading should be harmless, but nothing guarantees it, and the address itself can leak data"
)
NOTHING_SAID_OF_PROMPTS: Final = "the effect of getting a prompt on the server is not declared"
ONLY_FILLS_IN: Final = (
    "getting a prompt should be harmless, but nothing guarantees it, and its arguments are sent"
)
_WORDS: Final = {
    READ_METHOD: (NOTHING_SAID, ONLY_READS),
    PROMPT_METHOD: (NOTHING_SAID_OF_PROMPTS, ONLY_FILLS_IN),
}
_OF_CALLS: Final = ": every call asks"


def nothing_said(method: str) -> str:
    """The words for the unknown effect of such a request."""
    return _WORDS[method][0]


def about_reading(
    verdict: Verdict, supposed: Verdict | None = None, method: str = READ_METHOD
) -> Verdict:
    """Word a verdict for a read, which has no definition and so no hints.

    `supposed` is the verdict on a read-only tool, given if the server is trusted: its read asks as
    one would, and never with a warning just for a missing hint. It never runs without asking: no
    hint declares that it changes nothing, and reading can leak data.
    """
    silence = Effect.UNDECLARED.meaning
    mild = (VerdictAnswer.ASK, VerdictAnswer.ALLOW)
    if verdict.answer is not VerdictAnswer.ASK or supposed is None or supposed.answer not in mild:
        reasons = [nothing_said(method) if one == silence else one for one in verdict.reasons]
        # Those words are about calls of tools.
        return replace(verdict, reasons=tuple(one.removesuffix(_OF_CALLS) for one in reasons))
    is_asked = supposed.answer is VerdictAnswer.ASK
    # The reason for allowing it does not explain why it asks.
    rest = supposed.reasons if is_asked else supposed.reasons[1:]
    kept = [one.removesuffix(_OF_CALLS) for one in rest if one != Effect.READ_ONLY.meaning]
    return replace(
        supposed,
        answer=VerdictAnswer.ASK,
        strong=supposed.strong and is_asked,
        reasons=(*(kept if is_asked else ()), _WORDS[method][1], *(() if is_asked else kept)),
        # Nor is it the rule that makes it ask.
        rule=supposed.rule if is_asked else "",
        source=supposed.source if is_asked else "",
        reviews_result=verdict.reviews_result or supposed.reviews_result,
        depends=verdict.depends or supposed.depends,
        unjudged=verdict.unjudged,
    )


def in_words(verdict: Verdict) -> str:
    """A verdict as a clause: "runs, then asks about the result", "asks with a warning"."""
    match verdict.answer:
        case VerdictAnswer.ALLOW:
            clause = "runs"
        case VerdictAnswer.ASK:
            clause = "asks with a warning" if verdict.strong else "asks"
        case VerdictAnswer.REFUSE:
            clause = "refused"
        case VerdictAnswer.HIDE:
            clause = "hidden from the model"
        case VerdictAnswer.JUDGE:
            clause = "runs if its model allows"
        case _:
            clause = "not known"
    return f"{clause}, then asks about the result" if verdict.reviews_result else clause


_WEAKER: Final = frozenset({"may be destructive"})
"""Reasons of a rule on any tool that may destroy; the meaning of the effect has the basis, too."""
_SAID_OF_EFFECT: Final[Mapping[Effect, re.Pattern[str]]] = {
    Effect.READ_ONLY: re.compile(
        r"(?<!not )\bdeclare[ds] (?:it )?read-only\b|(?<!not a )\bread-only tool\b"
        r"|\bit is read-only\b"
    ),
    Effect.ADDITIVE: re.compile(r"\bnot destructive\b|\bwithout destroying\b"),
    Effect.DESTRUCTIVE: re.compile(
        r"(?<!not )\bdeclared destructive\b|\b(?:is|counts as) destructive\b"
    ),
    Effect.UNDECLARED: re.compile(r"\b(?:counts|treated) as destructive\b"),
    Effect.CONTRADICTORY: re.compile(r"\bboth read-only and destructive\b"),
}
"""Patterns of reasons that include the meaning of an effect, and more."""


def says_meaning(reasons: Sequence[str], effect: Effect) -> bool:
    """True if one of the reasons gives the meaning of the effect."""
    return any(one == effect.meaning or _SAID_OF_EFFECT[effect].search(one) for one in reasons)


def with_meaning(reason: str, effect: Effect) -> tuple[str, ...]:
    """A rule's reason, and the meaning of the effect unless the reason has it already.

    Of several sentences with semicolons between, the meaning replaces the weaker ones.
    """
    if says_meaning((reason,), effect):
        return (reason,)
    clauses = [one.strip() for one in reason.split(";")]
    kept = [one for one in clauses if not (effect.may_destroy and one in _WEAKER)]
    if kept == clauses:
        return (reason, effect.meaning)
    return (effect.meaning, *(("; ".join(kept),) if kept else ()))
