"""Rules on hints that a name or a description makes doubtful."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from ...content.text import shortened
from ...protocol.findings import Severity
from ...protocol.hints import Claim, Effect
from ...protocol.tool_reading import BELIES_READ_ONLY
from ...protocol.tools import ToolDefinition
from .rule import Check, Rule, Spotted, of_each, seen_already
from .sample import sample
from .words import destroying_word, looking_word, outside_words, repeating_word

_SHOWN: Final = 40
_FINAL: Final = re.compile(
    r"\bpermanently (?:deletes?|removes?|erases?|destroys?)\b"
    r"|\b(?:can(?:no|')t|can not) be (?:undone|reversed|recovered)\b|\birreversibl[ey]\b",
    re.IGNORECASE,
)
_NEGATED: Final = re.compile(
    r"\b(?:not?|never|isn't|doesn't|without|nothing)\W+(?:\w+\W+){0,3}$", re.I
)
_LOOKED_AT: Final = 20_000


def _reads_unsaid(tool: ToolDefinition) -> Iterator[Spotted]:
    word = looking_word(tool.name)
    if word and tool.hints.read_only.claim is Claim.UNSAID and tool.effect is Effect.ADDITIVE:
        message = f"the name says “{word}”, and readOnlyHint is not said, so it counts as writing"
        yield Spotted(tool, message, "$.annotations", supposed={"readOnly": True})


def _belied(
    word_of: Callable[[str], str],
    hint: str,
    is_claimed: Callable[[ToolDefinition], bool],
    claim: bool,
    supposed: Mapping[str, bool | None],
) -> Check:
    """The check of a rule on a hint that a word in the name makes doubtful."""

    def look(tool: ToolDefinition) -> Iterator[Spotted]:
        word = word_of(tool.name)
        if word and is_claimed(tool):
            message = f"the name says “{word}”, and {hint} is {'true' if claim else 'false'}"
            yield Spotted(tool, message, f"$.annotations.{hint}", supposed=supposed)

    return of_each(look)


def _claims_idempotent(tool: ToolDefinition) -> bool:
    hint = tool.hints.idempotent
    return hint.meaningful and hint.claim is Claim.TRUE


def _description_belies(tool: ToolDefinition) -> Iterator[Spotted]:
    if tool.effect not in (Effect.READ_ONLY, Effect.ADDITIVE):
        return
    text = tool.description[:_LOOKED_AT]
    for found in _FINAL.finditer(text):
        if _NEGATED.search(text[max(0, found.start() - 60) : found.start()]):
            continue
        claim = (
            "readOnlyHint is true"
            if tool.effect is Effect.READ_ONLY
            else "destructiveHint is false"
        )
        message = f"the description says “{shortened(found.group(), _SHOWN)}”, and {claim}"
        supposed = {"readOnly": False, "destructive": True}
        yield Spotted(tool, message, "$.description", supposed=supposed)
        return


_IN_NAME: Final = "Change the hint, or the name: a person who is asked reads both."

RULES: Final = (
    Rule(
        "read-only-unsaid",
        Severity.NOTE,
        "the name says that it reads, and no hint does",
        "Hosts that let reading run unasked, or that offer nothing else, know it by readOnlyHint "
        "alone: not by the name, and not by destructiveHint.",
        "Say readOnlyHint: true if it changes nothing.",
        of_each(_reads_unsaid),
        (sample("list_rows", destructiveHint=False),),
        (sample("list_rows", readOnlyHint=True),),
        supposing="if it only reads",
    ),
    Rule(
        BELIES_READ_ONLY,
        Severity.WARNING,
        "read-only is claimed under a name that says it writes",
        "Where hints count, it runs unasked. If the name is right, that is a call nobody approved.",
        _IN_NAME,
        seen_already(BELIES_READ_ONLY, {"readOnly": False, "destructive": True}),
        (sample("delete_row", readOnlyHint=True),),
        (sample("delete_row", readOnlyHint=False, destructiveHint=True),),
        supposing="were it destructive",
    ),
    Rule(
        "name-belies-additive",
        Severity.WARNING,
        "not destructive is claimed under a name that says it destroys",
        "Hosts that weigh destructiveHint ask less, or not at all. A tool that removes, overwrites "
        "or stops something is destructive, even where that can be undone by hand.",
        _IN_NAME,
        _belied(
            destroying_word,
            "destructiveHint",
            lambda tool: tool.effect is Effect.ADDITIVE,
            False,
            {"destructive": True},
        ),
        (sample("purge_queue", readOnlyHint=False, destructiveHint=False),),
        (sample("purge_queue", readOnlyHint=False, destructiveHint=True),),
        supposing="were it destructive",
    ),
    Rule(
        "name-belies-destructive",
        Severity.WARNING,
        "destructive is claimed under a name that says it reads",
        "Every call asks in the strong form. People who are asked too often stop reading, and then "
        "approve what matters, too.",
        _IN_NAME,
        _belied(
            looking_word,
            "destructiveHint",
            lambda tool: tool.effect is Effect.DESTRUCTIVE,
            True,
            {"readOnly": True, "destructive": None},
        ),
        (sample("search_docs", readOnlyHint=False, destructiveHint=True),),
        (sample("search_docs", readOnlyHint=True),),
        supposing="if it only reads",
    ),
    Rule(
        "name-belies-idempotent",
        Severity.WARNING,
        "idempotent is claimed under a name that says each call counts",
        "A client that lost the answer may repeat it unasked: a second message, a second row.",
        "Leave idempotentHint out, or take an idempotency key and say so.",
        _belied(repeating_word, "idempotentHint", _claims_idempotent, True, {"idempotent": False}),
        (sample("send_email", readOnlyHint=False, destructiveHint=False, idempotentHint=True),),
        (sample("send_email", readOnlyHint=False, destructiveHint=False, idempotentHint=False),),
        supposing="were it not",
    ),
    Rule(
        "name-belies-closed-world",
        Severity.WARNING,
        "a closed world is claimed under a name that says web",
        "Answers from the web may carry anybody's instructions; hosts that review them know "
        "such tools by openWorldHint.",
        "Say openWorldHint: true.",
        _belied(
            outside_words,
            "openWorldHint",
            lambda tool: tool.hints.open_world.claim is Claim.FALSE,
            False,
            {"openWorld": True},
        ),
        (sample("web_search", readOnlyHint=True, openWorldHint=False),),
        (sample("web_search", readOnlyHint=True, openWorldHint=True),),
        supposing="were it open",
    ),
    Rule(
        "description-belies-hints",
        Severity.WARNING,
        "the description says that something is lost for good, and the hints say that nothing is",
        "One of the two is wrong, and hosts believe the hints.",
        "Say readOnlyHint: false and destructiveHint: true, or mend the description.",
        of_each(_description_belies),
        (sample("archive", "Permanently deletes old rows.", destructiveHint=False),),
        (sample("archive", "Permanently deletes old rows.", destructiveHint=True),),
        supposing="were it destructive",
    ),
)
