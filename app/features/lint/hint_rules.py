"""Rules on the four hints: not set, contradictory, malformed, or contradicted by a text.

Spec 2025-11-25 and 2026-07-28, schema `ToolAnnotations`: a hint that is not set counts as writing,
destructive, not idempotent and open world.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from ...content.text import shortened
from ...protocol.findings.codes import meaning_of
from ...protocol.findings.findings import Severity
from ...protocol.hints import HINT_KEYS, Claim, Effect
from ...protocol.tool import ToolDefinition
from ...protocol.tool_reading import CONTRADICTS_READ_ONLY
from .name_rules import destroying_word, looking_word, outside_words, repeating_word, says_it_writes
from .rule import AS_DESTRUCTIVE, Check, LintHit, LintRule, of_each, sample, seen_already

_SHOWN: Final = 40
_BOOLEANS: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def _effect_missing(tool: ToolDefinition) -> Iterator[LintHit]:
    claims = {hint.claim for hint in tool.hints}
    if tool.effect is not Effect.UNDECLARED or not tool.callable or Claim.MALFORMED in claims:
        return
    if claims == {Claim.NOT_SET}:
        words = "no hints are set"
    elif tool.hints.read_only.claim is Claim.FALSE:
        words = "readOnlyHint is false, but destructiveHint is not set"
    else:
        words = "readOnlyHint and destructiveHint are not set"
    message = f"{words}: the default is destructive"
    may_read = tool.hints.read_only.claim is Claim.NOT_SET and not says_it_writes(tool.name)
    supposed = {"readOnly": True} if may_read else {"readOnly": False, "destructive": False}
    yield LintHit(tool, message, "$.annotations", supposed=supposed)


def _world_missing(tool: ToolDefinition) -> Iterator[LintHit]:
    said = [hint.claim for hint in tool.hints if hint.claim is not Claim.NOT_SET]
    if said and tool.hints.open_world.claim is Claim.NOT_SET:
        message = (
            "openWorldHint is not set and defaults to true: the tool may reach external systems"
        )
        yield LintHit(tool, message, "$.annotations", supposed={"openWorld": False})


def _repeating_missing(tool: ToolDefinition) -> Iterator[LintHit]:
    if tool.hints.idempotent.claim is Claim.NOT_SET and tool.effect in (
        Effect.ADDITIVE,
        Effect.DESTRUCTIVE,
    ):
        message = (
            "idempotentHint is not set and defaults to false: a call whose response was lost must "
            "not be repeated"
        )
        yield LintHit(tool, message, "$.annotations", supposed={"idempotent": True})


def _malformed(tool: ToolDefinition) -> Iterator[LintHit]:
    annotations = _annotations(tool)
    for one in tool.findings:
        if one.code != "malformed-hint":
            continue
        key = one.path.rpartition(".")[2]
        meant = _BOOLEANS.get(str(annotations.get(key)).casefold())
        supposed = {} if meant is None else {key.removesuffix("Hint"): meant}
        yield LintHit(tool, one.message, one.path, supposed=supposed)


def _meaningless(tool: ToolDefinition) -> Iterator[LintHit]:
    if tool.effect is not Effect.READ_ONLY or tool.hints.idempotent.claim is not Claim.FALSE:
        return
    message = (
        "idempotentHint is false although readOnlyHint is true: a read-only tool has no effect to "
        "repeat"
    )
    yield LintHit(tool, message, "$.annotations.idempotentHint")


def _misspelt(tool: ToolDefinition) -> Iterator[LintHit]:
    known = {_letters(key): key for key in HINT_KEYS}
    known |= {_letters(key.removesuffix("Hint")): key for key in HINT_KEYS}
    entry = tool.raw if isinstance(tool.raw, dict) else {}
    for place, listed in (("$.annotations", _annotations(tool)), ("$", entry)):
        for spelt in list(listed)[:200]:
            key = known.get(_letters(spelt[:_SHOWN]))
            if key is None or (spelt == key and place == "$.annotations"):
                continue
            where = "outside annotations" if spelt == key else f"not {key}"
            message = f"“{shortened(spelt, _SHOWN)}” is {where}: it has no effect"
            value = listed[spelt]
            supposed = {key.removesuffix("Hint"): value} if isinstance(value, bool) else {}
            yield LintHit(tool, message, place, supposed=supposed)


def _annotations(tool: ToolDefinition) -> Mapping[str, object]:
    found = tool.raw.get("annotations") if isinstance(tool.raw, dict) else None
    return found if isinstance(found, dict) else {}


def _letters(key: str) -> str:
    return re.sub(r"[^a-z]", "", key.casefold())


RULES: Final = (
    LintRule(
        "missing-effect-hints",
        Severity.WARNING,
        "the hints do not declare the effect of a call",
        "A missing hint means the stricter default: the tool counts as destructive. Most hosts ask "
        "for every call, and some never offer it to the model.",
        "Set readOnlyHint. If it is false, set destructiveHint too.",
        of_each(_effect_missing),
        (sample("count_rows"),),
        (sample("count_rows", readOnlyHint=True),),
        supposing="with readOnlyHint true",
    ),
    LintRule(
        "missing-open-world",
        Severity.NOTE,
        "some hints are set, but not openWorldHint",
        "It defaults to true: responses count as untrusted text. If the tool only uses its own "
        "data, hosts review its responses for no reason.",
        "Set openWorldHint: false if the tool uses only its own data, true if it reaches others.",
        of_each(_world_missing),
        (sample("read_row", readOnlyHint=True),),
        (sample("read_row", readOnlyHint=True, openWorldHint=False),),
        supposing="with openWorldHint false",
    ),
    LintRule(
        "missing-idempotence",
        Severity.NOTE,
        "it writes, but idempotentHint is not set",
        "A call whose response was lost can be repeated without asking only if the tool is "
        "idempotent. The default is not idempotent.",
        "Set idempotentHint: true if a second identical call changes nothing more.",
        of_each(_repeating_missing),
        (sample("set_name", readOnlyHint=False, destructiveHint=False),),
        (sample("set_name", readOnlyHint=False, destructiveHint=False, idempotentHint=True),),
    ),
    LintRule(
        "malformed-hint",
        Severity.WARNING,
        "a hint is not true or false",
        "Only a JSON true or false is valid. A strict client drops the tool or the whole list; a "
        "lenient one uses the default.",
        "Write true or false, without quotes.",
        of_each(_malformed),
        (sample("read_row", readOnlyHint="true"),),
        (sample("read_row", readOnlyHint=True),),
        supposing="with the intended value",
    ),
    LintRule(
        "contradictory-hints",
        Severity.WARNING,
        meaning_of("contradictory-hints"),
        "Hosts disagree on which of the two counts: some run it without asking, others ask.",
        "Choose one. If the tool changes nothing, set only readOnlyHint: true.",
        seen_already("contradictory-hints", {"readOnly": False}),
        (sample("sweep", readOnlyHint=True, destructiveHint=True),),
        (sample("sweep", readOnlyHint=False, destructiveHint=True),),
        supposing="with readOnlyHint false",
    ),
    LintRule(
        "meaningless-hint",
        Severity.NOTE,
        "a hint that has no effect here",
        "idempotentHint is meaningful only if readOnlyHint is false. On a read-only tool, "
        "idempotentHint: false suggests that the meanings of the hints were confused.",
        "Remove it, or set it to true.",
        of_each(_meaningless),
        (sample("read_row", readOnlyHint=True, idempotentHint=False),),
        (sample("read_row", readOnlyHint=True),),
    ),
    LintRule(
        "misspelt-hint",
        Severity.WARNING,
        "a key that is almost a hint, or a hint in the wrong place",
        "Clients read four exact keys inside `annotations`. Other keys and other places are "
        "ignored silently.",
        "Use readOnlyHint, destructiveHint, idempotentHint, openWorldHint, inside annotations.",
        of_each(_misspelt),
        (sample("read_row", readOnly=True),),
        (sample("read_row", readOnlyHint=True),),
        supposing="with the intended value",
    ),
    LintRule(
        "unknown-annotation",
        Severity.NOTE,
        meaning_of("unknown-annotation"),
        "Clients ignore them; a strict one may drop the tool.",
        "Put your own data into `_meta`, under a prefixed key.",
        seen_already("unknown-annotation"),
        (sample("read_row", readOnlyHint=True, audience="staff"),),
        (sample("read_row", readOnlyHint=True),),
    ),
)


_FINAL: Final = re.compile(
    r"\bpermanently (?:deletes?|removes?|erases?|destroys?)\b"
    r"|\b(?:can(?:no|')t|can not) be (?:undone|reversed|recovered)\b|\birreversibl[ey]\b",
    re.IGNORECASE,
)
_NEGATED: Final = re.compile(
    r"\b(?:not?|never|isn't|doesn't|without|nothing)\W+(?:\w+\W+){0,3}$", re.I
)
_LOOKED_AT: Final = 20_000


def _read_only_missing(tool: ToolDefinition) -> Iterator[LintHit]:
    word = looking_word(tool.name)
    if word and tool.hints.read_only.claim is Claim.NOT_SET and tool.effect is Effect.ADDITIVE:
        message = (
            f"the name contains “{word}”, but readOnlyHint is not set, so it counts as writing"
        )
        yield LintHit(tool, message, "$.annotations", supposed={"readOnly": True})


def _contradicted(
    word_of: Callable[[str], str],
    hint: str,
    is_claimed: Callable[[ToolDefinition], bool],
    claim: bool,
    supposed: Mapping[str, bool | None],
) -> Check:
    """The check of a rule on a hint that a word in the name contradicts."""

    def look(tool: ToolDefinition) -> Iterator[LintHit]:
        word = word_of(tool.name)
        if word and is_claimed(tool):
            message = f"the name contains “{word}”, but {hint} is {'true' if claim else 'false'}"
            yield LintHit(tool, message, f"$.annotations.{hint}", supposed=supposed)

    return of_each(look)


def _claims_idempotent(tool: ToolDefinition) -> bool:
    hint = tool.hints.idempotent
    return hint.meaningful and hint.claim is Claim.TRUE


def _description_contradicts(tool: ToolDefinition) -> Iterator[LintHit]:
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
        message = f"the description contains “{shortened(found.group(), _SHOWN)}”, and {claim}"
        supposed = {"readOnly": False, "destructive": True}
        yield LintHit(tool, message, "$.description", supposed=supposed)
        return


_IN_NAME: Final = "Change the hint or the name: a person who approves reads both."

CONTRADICTING_RULES: Final = (
    LintRule(
        "missing-read-only",
        Severity.NOTE,
        "the name suggests reading, but no hint declares it",
        "Hosts that run or offer only read-only tools check readOnlyHint, not the name and not "
        "destructiveHint.",
        "Set readOnlyHint: true if it changes nothing.",
        of_each(_read_only_missing),
        (sample("list_rows", destructiveHint=False),),
        (sample("list_rows", readOnlyHint=True),),
        supposing="with readOnlyHint true",
    ),
    LintRule(
        CONTRADICTS_READ_ONLY,
        Severity.WARNING,
        meaning_of(CONTRADICTS_READ_ONLY),
        "On a trusted server it runs without asking. If the name is right, it changes something "
        "that no person approved.",
        _IN_NAME,
        seen_already(CONTRADICTS_READ_ONLY, {"readOnly": False, "destructive": True}),
        (sample("delete_row", readOnlyHint=True),),
        (sample("delete_row", readOnlyHint=False, destructiveHint=True),),
        supposing=AS_DESTRUCTIVE,
    ),
    LintRule(
        "name-contradicts-additive",
        Severity.WARNING,
        "declared not destructive, but the name suggests deletion",
        "Hosts that use destructiveHint ask less, or not at all. A tool that removes, overwrites "
        "or stops something is destructive, even if a person can undo it.",
        _IN_NAME,
        _contradicted(
            destroying_word,
            "destructiveHint",
            lambda tool: tool.effect is Effect.ADDITIVE,
            False,
            {"destructive": True},
        ),
        (sample("purge_queue", readOnlyHint=False, destructiveHint=False),),
        (sample("purge_queue", readOnlyHint=False, destructiveHint=True),),
        supposing="with destructiveHint true",
    ),
    LintRule(
        "name-contradicts-destructive",
        Severity.WARNING,
        "declared destructive, but the name suggests reading",
        "Every call asks with a warning. People who are asked too often approve without reading.",
        _IN_NAME,
        _contradicted(
            looking_word,
            "destructiveHint",
            lambda tool: tool.effect is Effect.DESTRUCTIVE,
            True,
            {"readOnly": True, "destructive": None},
        ),
        (sample("search_docs", readOnlyHint=False, destructiveHint=True),),
        (sample("search_docs", readOnlyHint=True),),
        supposing="with readOnlyHint true",
    ),
    LintRule(
        "name-contradicts-idempotent",
        Severity.WARNING,
        "declared idempotent, but the name suggests that each call counts",
        "A client that lost the response may repeat the call without asking: a second message, a "
        "second row.",
        "Remove idempotentHint, or add an idempotency key and document it.",
        _contradicted(
            repeating_word, "idempotentHint", _claims_idempotent, True, {"idempotent": False}
        ),
        (sample("send_email", readOnlyHint=False, destructiveHint=False, idempotentHint=True),),
        (sample("send_email", readOnlyHint=False, destructiveHint=False, idempotentHint=False),),
        supposing="with idempotentHint false",
    ),
    LintRule(
        "name-contradicts-closed-world",
        Severity.WARNING,
        "declared closed world, but the name suggests web access",
        "Responses from the web may contain instructions from strangers. Hosts that review them "
        "check openWorldHint.",
        "Set openWorldHint: true.",
        _contradicted(
            outside_words,
            "openWorldHint",
            lambda tool: tool.hints.open_world.claim is Claim.FALSE,
            False,
            {"openWorld": True},
        ),
        (sample("web_search", readOnlyHint=True, openWorldHint=False),),
        (sample("web_search", readOnlyHint=True, openWorldHint=True),),
        supposing="with openWorldHint true",
    ),
    LintRule(
        "description-contradicts-hints",
        Severity.WARNING,
        "the description mentions permanent loss, but the hints declare none",
        "One of the two is wrong, and hosts believe the hints.",
        "Set readOnlyHint: false and destructiveHint: true, or fix the description.",
        of_each(_description_contradicts),
        (sample("archive", "Permanently deletes old rows.", destructiveHint=False),),
        (sample("archive", "Permanently deletes old rows.", destructiveHint=True),),
        supposing=AS_DESTRUCTIVE,
    ),
)
