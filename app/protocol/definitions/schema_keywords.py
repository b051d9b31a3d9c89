"""Judges a change of one JSON Schema keyword without subschemas, for callers.

JSON Schema 2020-12, validation. A value that was accepted before and may be refused now is
breaking.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeGuard

from ...content.json.jsonio import JsonValue, canonical
from ...schemas.form.merging import MISSING, number_of
from ..answers.values import Maybe
from .change_values import Weight, names

_TYPES: Final = frozenset({"null", "boolean", "object", "array", "number", "string", "integer"})
DEFAULT_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
"""What a schema without `$schema` is read as (spec 2025-11-25, basic, "JSON Schema Usage")."""


class Judgement(NamedTuple):
    weight: Weight
    code: str
    words: str


RESTATED: Final = Judgement(Weight.SAFE, "restated", "written differently, same meaning")
LOOSER: Final = Judgement(Weight.SAFE, "constraint-loosened", "accepts more than before")
TIGHTER: Final = Judgement(Weight.BREAKING, "constraint-tightened", "accepts less than before")
UNCLEAR: Final = Judgement(Weight.BREAKING, "not-understood", "changed, with an unknown effect")


def _lower_limit(old: Maybe, new: Maybe) -> Judgement:
    return _limit(old, new, 1)


def _upper_limit(old: Maybe, new: Maybe) -> Judgement:
    return _limit(old, new, -1)


def _least_count(old: Maybe, new: Maybe) -> Judgement:
    return _limit(0 if old is MISSING else old, 0 if new is MISSING else new, 1)


def _limit(old: Maybe, new: Maybe, sign: int) -> Judgement:
    """`sign` is 1 where a greater limit accepts less."""
    left = None if old is MISSING else number_of(old)
    right = None if new is MISSING else number_of(new)
    if new is MISSING and left is not None:
        return LOOSER
    if right is None or (left is None and old is not MISSING):
        return UNCLEAR
    if left is None:
        return TIGHTER
    if left == right:
        return RESTATED
    return TIGHTER if (right > left) == (sign > 0) else LOOSER


def _multiple(old: Maybe, new: Maybe) -> Judgement:
    if new is MISSING:
        return LOOSER
    if isinstance(old, int) and isinstance(new, int) and new > 0 and old % new == 0:
        return RESTATED if old == new else LOOSER
    return TIGHTER if old is MISSING else UNCLEAR


def _text_rule(old: Maybe, new: Maybe) -> Judgement:
    if new is MISSING:
        return LOOSER
    return TIGHTER if old is MISSING else UNCLEAR


def _flag(old: Maybe, new: Maybe) -> Judgement:
    """A boolean that makes the schema stricter if true."""
    left, right = (False if one is MISSING else one for one in (old, new))
    if not isinstance(left, bool) or not isinstance(right, bool):
        return UNCLEAR
    if left is right:
        return RESTATED
    return TIGHTER if right else LOOSER


def _type(old: Maybe, new: Maybe) -> Judgement:
    left, right = _types(old), _types(new)
    if left is None or right is None:
        return Judgement(Weight.BREAKING, "type-changed", "the type is malformed or unknown")
    if left == right:
        return RESTATED
    if left <= right:
        return Judgement(Weight.SAFE, "type-widened", "more types are accepted than before")
    return Judgement(Weight.BREAKING, "type-changed", "the type changed or is narrower")


def _types(value: Maybe) -> frozenset[str] | None:
    if value is MISSING:
        return _TYPES
    listed = value if isinstance(value, list) else [value]
    found = frozenset(one for one in listed if isinstance(one, str))
    if not found or not found <= _TYPES or len(found) < len(listed):
        return None
    return found | {"integer"} if "number" in found else found


def _enum(old: Maybe, new: Maybe) -> Judgement:
    if new is MISSING and isinstance(old, list):
        return Judgement(Weight.SAFE, "enum-widened", "any value is accepted now")
    if not isinstance(new, list) or (old is not MISSING and not isinstance(old, list)):
        return UNCLEAR
    if not isinstance(old, list):
        return Judgement(Weight.BREAKING, "enum-narrowed", "only listed values are accepted now")
    left = {_exact(value): value for value in old}
    right = {_exact(value): value for value in new}
    lost = [value for text, value in left.items() if text not in right]
    won = [value for text, value in right.items() if text not in left]
    if lost:
        words = f"no longer accepted: {_values(lost)}"
        words += f"; newly accepted: {_values(won)}" if won else ""
        return Judgement(Weight.BREAKING, "enum-narrowed", words)
    if won:
        return Judgement(Weight.SAFE, "enum-widened", f"newly accepted: {_values(won)}")
    return RESTATED


def _values(values: list[JsonValue]) -> str:
    return names(value if isinstance(value, str) else canonical(value) for value in values)


def _exact(value: JsonValue) -> str:
    """The same text for values that JSON Schema takes for equal: 1 and 1.0."""
    if isinstance(value, float) and value.is_integer():
        return canonical(int(value))
    return canonical(value)


def _const(old: Maybe, new: Maybe) -> Judgement:
    if new is MISSING:
        return LOOSER
    if old is not MISSING and _exact(old) == _exact(new):
        return RESTATED
    return TIGHTER if old is MISSING else UNCLEAR


def _required(old: Maybe, new: Maybe) -> Judgement:
    left, right = ([] if one is MISSING else one for one in (old, new))
    if not _is_names(left) or not _is_names(right):
        return UNCLEAR
    before, after = dict.fromkeys(left), dict.fromkeys(right)
    won = [name for name in after if name not in before]
    lost = [name for name in before if name not in after]
    words = [f"newly required: {names(won)}"] if won else []
    words += [f"no longer required: {names(lost)}"] if lost else []
    if not words:
        return RESTATED
    if won:
        return Judgement(Weight.BREAKING, "newly-required", "; ".join(words))
    return Judgement(Weight.SAFE, "no-longer-required", words[0])


def _is_names(value: Maybe) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _dialect(old: Maybe, new: Maybe) -> Judgement:
    left, right = (DEFAULT_DIALECT if one is MISSING else one for one in (old, new))
    if all(isinstance(one, str) for one in (left, right)) and _same_dialect(left, right):
        return RESTATED
    words = "the schema uses another dialect now"
    return Judgement(Weight.BREAKING, "dialect-changed", words)


def _same_dialect(left: Maybe, right: Maybe) -> bool:
    return str(left).removesuffix("#") == str(right).removesuffix("#")


def _rule_of_members(old: Maybe, new: Maybe) -> Judgement:
    return LOOSER if new is MISSING else TIGHTER if old is MISSING else UNCLEAR


def _default(old: Maybe, new: Maybe) -> Judgement:
    if old is MISSING:
        words = "a default was added: it is sent automatically"
    elif new is MISSING:
        words = "the default was removed: it is no longer sent automatically"
    else:
        words = "the default changed: another value is sent automatically"
    return Judgement(Weight.REWORDED, "default-changed", words)


def _reworded(old: Maybe, new: Maybe) -> Judgement:
    verb = "was added" if old is MISSING else "was removed" if new is MISSING else "changed"
    return Judgement(Weight.REWORDED, "schema-reworded", verb)


KEYWORDS: Final[dict[str, Callable[[Maybe, Maybe], Judgement]]] = {
    **dict.fromkeys(
        ("title", "description", "$comment", "examples", "example", "deprecated", "readOnly"),
        _reworded,
    ),
    **dict.fromkeys(
        ("writeOnly", "markdownDescription", "enumNames", "enumDescriptions"), _reworded
    ),
    **dict.fromkeys(("minimum", "exclusiveMinimum"), _lower_limit),
    **dict.fromkeys(("minLength", "minItems", "minProperties"), _least_count),
    **dict.fromkeys(
        ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), _upper_limit
    ),
    **dict.fromkeys(("pattern", "format"), _text_rule),
    **dict.fromkeys(("dependentRequired", "dependencies"), _rule_of_members),
    "multipleOf": _multiple,
    "uniqueItems": _flag,
    "type": _type,
    "enum": _enum,
    "const": _const,
    "required": _required,
    "$schema": _dialect,
    "default": _default,
}
"""Keyword -> what it means that its value is another one."""
REWORDING: Final = frozenset(key for key, judge in KEYWORDS.items() if judge is _reworded)
