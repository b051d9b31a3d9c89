"""Rules on the four hints: what is not said, contradicts, or is malformed.

Spec 2025-11-25 and 2026-07-28, schema `ToolAnnotations`: what is not said counts as writing,
destructive, not idempotent and open world.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from ...content.text import shortened
from ...protocol.findings import Severity
from ...protocol.hints import HINT_KEYS, Claim, Effect
from ...protocol.tools import ToolDefinition
from .rule import Rule, Spotted, of_each, seen_already
from .sample import sample
from .words import says_it_writes

_SHOWN: Final = 40
_BOOLEANS: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def _effect_unsaid(tool: ToolDefinition) -> Iterator[Spotted]:
    claims = {hint.claim for hint in tool.hints}
    if tool.effect is not Effect.UNDECLARED or not tool.callable or Claim.MALFORMED in claims:
        return
    if claims == {Claim.UNSAID}:
        words = "none of the four hints is said"
    elif tool.hints.read_only.claim is Claim.FALSE:
        words = "it says that it writes, and not whether it destroys"
    else:
        words = "neither readOnlyHint nor destructiveHint is said"
    message = f"{words}, so it counts as destructive"
    may_read = tool.hints.read_only.claim is Claim.UNSAID and not says_it_writes(tool.name)
    supposed = {"readOnly": True} if may_read else {"readOnly": False, "destructive": False}
    yield Spotted(tool, message, "$.annotations", supposed=supposed)


def _world_unsaid(tool: ToolDefinition) -> Iterator[Spotted]:
    said = [hint.claim for hint in tool.hints if hint.claim is not Claim.UNSAID]
    if said and tool.hints.open_world.claim is Claim.UNSAID:
        message = "openWorldHint is not said, so it counts as true: it may deal with anybody"
        yield Spotted(tool, message, "$.annotations", supposed={"openWorld": False})


def _repeating_unsaid(tool: ToolDefinition) -> Iterator[Spotted]:
    if tool.hints.idempotent.claim is Claim.UNSAID and tool.effect in (
        Effect.ADDITIVE,
        Effect.DESTRUCTIVE,
    ):
        message = "idempotentHint is not said: a lost call counts as one that must not be repeated"
        yield Spotted(tool, message, "$.annotations", supposed={"idempotent": True})


def _malformed(tool: ToolDefinition) -> Iterator[Spotted]:
    annotations = _annotations(tool)
    for one in tool.findings:
        if one.code != "malformed-hint":
            continue
        key = one.path.rpartition(".")[2]
        meant = _BOOLEANS.get(str(annotations.get(key)).casefold())
        supposed = {} if meant is None else {key.removesuffix("Hint"): meant}
        yield Spotted(tool, one.message, one.path, supposed=supposed)


def _meaningless(tool: ToolDefinition) -> Iterator[Spotted]:
    if tool.effect is not Effect.READ_ONLY or tool.hints.idempotent.claim is not Claim.FALSE:
        return
    message = (
        "idempotentHint is false beside readOnlyHint true: what changes nothing "
        "changes nothing the second time either"
    )
    yield Spotted(tool, message, "$.annotations.idempotentHint")


def _misspelt(tool: ToolDefinition) -> Iterator[Spotted]:
    known = {_letters(key): key for key in HINT_KEYS}
    known |= {_letters(key.removesuffix("Hint")): key for key in HINT_KEYS}
    entry = tool.raw if isinstance(tool.raw, dict) else {}
    for place, listed in (("$.annotations", _annotations(tool)), ("$", entry)):
        for spelt in list(listed)[:200]:
            key = known.get(_letters(spelt[:_SHOWN]))
            if key is None or (spelt == key and place == "$.annotations"):
                continue
            where = "beside annotations, not in them" if spelt == key else f"not {key}"
            message = f"“{shortened(spelt, _SHOWN)}” is {where}: it claims nothing"
            value = listed[spelt]
            supposed = {key.removesuffix("Hint"): value} if isinstance(value, bool) else {}
            yield Spotted(tool, message, place, supposed=supposed)


def _annotations(tool: ToolDefinition) -> Mapping[str, object]:
    found = tool.raw.get("annotations") if isinstance(tool.raw, dict) else None
    return found if isinstance(found, dict) else {}


def _letters(key: str) -> str:
    return re.sub(r"[^a-z]", "", key.casefold())


RULES: Final = (
    Rule(
        "effect-unsaid",
        Severity.WARNING,
        "the hints do not say what a call does",
        "What is not said counts as the worse: the tool is taken for one that may destroy, so most "
        "hosts ask about every call, and some never offer it to the model.",
        "Say readOnlyHint; and where it is false, destructiveHint.",
        of_each(_effect_unsaid),
        (sample("count_rows"),),
        (sample("count_rows", readOnlyHint=True),),
        supposing="were it harmless",
    ),
    Rule(
        "open-world-unsaid",
        Severity.NOTE,
        "some hints are said, and openWorldHint is not",
        "It counts as true: what comes back may be anybody's words. Hosts that look twice at such "
        "answers do so for nothing where the tool only deals with its own data.",
        "Say openWorldHint: false for a closed set of things, true for what others write.",
        of_each(_world_unsaid),
        (sample("read_row", readOnlyHint=True),),
        (sample("read_row", readOnlyHint=True, openWorldHint=False),),
        supposing="were it closed",
    ),
    Rule(
        "idempotence-unsaid",
        Severity.NOTE,
        "it writes, and does not say whether a second call changes anything",
        "A call whose answer was lost can be repeated unasked only where that is known to be "
        "harmless; what is not said counts as harmful.",
        "Say idempotentHint: true where the same call twice leaves the same state.",
        of_each(_repeating_unsaid),
        (sample("set_name", readOnlyHint=False, destructiveHint=False),),
        (sample("set_name", readOnlyHint=False, destructiveHint=False, idempotentHint=True),),
    ),
    Rule(
        "malformed-hint",
        Severity.WARNING,
        "a hint is not true or false",
        "Only a JSON true or false is a claim. A strict client drops the tool, or the whole "
        "list; one that is lenient counts the default.",
        "Write true or false, without quotes.",
        of_each(_malformed),
        (sample("read_row", readOnlyHint="true"),),
        (sample("read_row", readOnlyHint=True),),
        supposing="as it was probably meant",
    ),
    Rule(
        "contradictory-hints",
        Severity.WARNING,
        "read-only and destructive are claimed at once",
        "Hosts do not agree which of the two counts: some run it unasked, others ask.",
        "Decide: what changes nothing is readOnlyHint: true alone.",
        seen_already("contradictory-hints", {"readOnly": False}),
        (sample("sweep", readOnlyHint=True, destructiveHint=True),),
        (sample("sweep", readOnlyHint=False, destructiveHint=True),),
        supposing="were it only destructive",
    ),
    Rule(
        "meaningless-hint",
        Severity.NOTE,
        "a hint that says nothing, and looks like a misunderstanding",
        "idempotentHint means something only where readOnlyHint is false. To say false beside "
        "read-only tells a careful reader that the two were mixed up.",
        "Leave it out, or say true.",
        of_each(_meaningless),
        (sample("read_row", readOnlyHint=True, idempotentHint=False),),
        (sample("read_row", readOnlyHint=True),),
    ),
    Rule(
        "misspelt-hint",
        Severity.WARNING,
        "a key that is almost a hint, or a hint in the wrong place",
        "Clients read four exact keys inside `annotations`. What stands elsewhere or is spelt in "
        "another way is ignored without a word.",
        "Use readOnlyHint, destructiveHint, idempotentHint, openWorldHint, inside annotations.",
        of_each(_misspelt),
        (sample("read_row", readOnly=True),),
        (sample("read_row", readOnlyHint=True),),
        supposing="as it was probably meant",
    ),
    Rule(
        "unknown-annotation",
        Severity.NOTE,
        "`annotations` has keys that no revision has",
        "Clients ignore them; a strict one may drop the tool.",
        "Put your own data into `_meta`, under a prefixed key.",
        seen_already("unknown-annotation"),
        (sample("read_row", readOnlyHint=True, audience="staff"),),
        (sample("read_row", readOnlyHint=True),),
    ),
)
