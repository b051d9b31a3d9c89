"""The places for schemas inside a schema: what it means that one is added, removed, exchanged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ...content.json.jsonio import JsonValue, canonical
from ...schemas.form.subschemas import MISSING, Schema
from ..answers.differences import Maybe
from .change_values import Weight
from .change_words import quoted
from .schema_keywords import (
    LOOSER,
    RESTATED,
    REWORDING,
    TIGHTER,
    UNCLEAR,
    Judgement,
)

INVERTING: Final = frozenset({"not", "if", "then", "else", "contains", "oneOf", "dependentSchemas"})
"""Keywords below which accepting more may mean accepting less."""
_LOOKING_AROUND: Final = frozenset({"unevaluatedProperties", "unevaluatedItems"})
"""Keywords by which a rule that goes may forbid what it used to speak of."""


def added_property(what: str, name: str, schema: Maybe, is_required: bool) -> Judgement:
    if is_required:
        words = f"the required {what} {quoted(name)} was added"
        return Judgement(Weight.BREAKING, "parameter-added", words)
    words = f"the optional {what} {quoted(name)} was added"
    if not isinstance(schema, dict | bool):
        return Judgement(Weight.BREAKING, "not-understood", f"{words}, and its schema is malformed")
    if _has_default(schema):
        words += ", with a default that is sent without being typed"
        return Judgement(Weight.REWORDED, "parameter-added", words)
    return Judgement(Weight.SAFE, "parameter-added", words)


def slot_judgement(old: Maybe, new: Maybe) -> Judgement:
    left, right = (True if one is MISSING else one for one in (old, new))
    if not isinstance(left, dict | bool) or not isinstance(right, dict | bool):
        return UNCLEAR
    if right is False:
        return TIGHTER
    if right is True or right == {}:
        if left is True or left == {}:
            return RESTATED
        return _losing_default(left)
    if left is False:
        return _losing_default(right)
    assert isinstance(right, dict)
    if right.keys() <= REWORDING:
        words = "a text for readers was added"
        return Judgement(Weight.REWORDED, "schema-reworded", words)
    return TIGHTER


def _losing_default(schema: Maybe) -> Judgement:
    """Accepts more than before; a default that comes or goes with it is to be read."""
    if _has_default(schema):
        words = "accepts more than before, and other values are sent without being typed"
        return Judgement(Weight.REWORDED, "default-changed", words)
    return LOOSER


def branch_count(key: str, old: list[JsonValue], new: list[JsonValue]) -> Judgement:
    left, right = (frozenset(branch_texts(one)) for one in (old, new))
    if left == right and key != "oneOf":
        return RESTATED
    if key == "anyOf" or (key == "oneOf" and _are_choices(old) and _are_choices(new)):
        if left < right:
            words = "there are more alternatives than before"
            return Judgement(Weight.SAFE, "alternative-added", words)
        return Judgement(Weight.BREAKING, "alternative-removed", "an alternative was removed")
    if key == "allOf":
        return LOOSER if right < left else TIGHTER if left < right else UNCLEAR
    return UNCLEAR


def _are_choices(branches: list[JsonValue]) -> bool:
    """Whether each branch stands for one value, and no two for the same."""
    values = [
        canonical(one["const"]) for one in branches if isinstance(one, dict) and "const" in one
    ]
    return len(values) == len(branches) == len(set(values))


def branch_texts(branches: list[JsonValue]) -> list[str]:
    """The branches, exactly, in an order that does not depend on theirs."""
    return sorted(canonical(branch) for branch in branches)


def _has_default(schema: Maybe) -> bool:
    stack: list[JsonValue] = [] if schema is MISSING else [schema]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            if "default" in value:
                return True
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
    return False


@dataclass(frozen=True, slots=True)
class References:
    """What a schema refers to, and whether keywords occur that make its changes unclear."""

    steps: frozenset[str]
    """Every step of every local reference, unescaped no further than it stands there."""
    is_any: bool
    only_tables: bool
    """All of them lead into `$defs` or `definitions`."""
    all_local: bool
    """All of them are plain JSON Pointers, so that `steps` has every name that is referred to."""
    inverts: bool
    looks_around: bool

    def may_mean(self, name: str) -> bool:
        """Whether one may lead to, or into, the shared schema of this name."""
        escaped = name.replace("~", "~0").replace("/", "~1")
        return not self.all_local or escaped in self.steps


def references(schema: Schema) -> References:
    """Names of properties may count as keywords: rather too many than too few."""
    refs: set[str] = set()
    inverts = looks_around = False
    stack: list[JsonValue] = [schema]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            inverts = inverts or not INVERTING.isdisjoint(value)
            looks_around = looks_around or not _LOOKING_AROUND.isdisjoint(value)
            for key in ("$ref", "$dynamicRef", "$recursiveRef"):
                ref = value.get(key)
                if isinstance(ref, str):
                    refs.add(ref)
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
    return References(
        steps=frozenset(step for ref in refs for step in ref.split("/")),
        is_any=bool(refs),
        only_tables=all(ref.startswith(("#/$defs/", "#/definitions/")) for ref in refs),
        all_local=all((ref == "#" or ref.startswith("#/")) and "%" not in ref for ref in refs),
        inverts=inverts,
        looks_around=looks_around,
    )
