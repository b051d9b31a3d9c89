"""Validation messages in words that are safe to show, without secrets of the value."""

from __future__ import annotations

from collections.abc import Sized
from typing import TYPE_CHECKING, Any

from ..content.text import visible
from .secrets.arguments import mask_arguments
from .secrets.masks import conceal

if TYPE_CHECKING:
    from jsonschema.exceptions import _Error

    from ..content.json.jsonio import JsonValue
    from .secrets.masks import Place

MAX_MESSAGE = 300

_RULES = {
    "minimum": "must be at least",
    "maximum": "must be at most",
    "exclusiveMinimum": "must be more than",
    "exclusiveMaximum": "must be less than",
    "multipleOf": "must be a multiple of",
    "divisibleBy": "must be a multiple of",
    "minLength": "the number of characters must be at least",
    "maxLength": "the number of characters must be at most",
    "minItems": "items must be at least",
    "maxItems": "items must be at most",
    "minProperties": "properties must be at least",
    "maxProperties": "properties must be at most",
}


def explain(error: _Error, hidden: Hidden | None = None) -> str:
    """One safe line that names the rule and shortens the value, however big either is."""
    rule: Any = error.validator_value
    is_hidden = hidden is not None and hidden.covers(tuple(error.absolute_path))
    got = _masked(error.instance) if is_hidden else brief(error.instance)
    match error.validator:
        case "type":
            names = rule if isinstance(rule, list) else [rule]
            text = f"expected {' or '.join(_type_name(name) for name in names)}, got {got}"
        case "unchecked" | "format":
            text = error.message
        case "enum" if not rule:
            text = f"no value is allowed here: its list of values (enum) is empty; got {got}"
        case "enum":
            listed = ", ".join(brief(each, 40) for each in rule[:6])
            text = f"expected one of {listed}{', …' if len(rule) > 6 else ''}; got {got}"
        case "const":
            text = f"expected exactly {brief(rule)}, got {got}"
        case "required" | "dependentRequired":
            text = "required, but missing"
        case "pattern":
            text = f"does not match the pattern {brief(rule, 80)}: {got}"
        case "anyOf" | "oneOf" if error.context:
            text = (
                f"matches none of the {len(rule)} alternatives; the nearest: "
                f"{_nearest(error, hidden)}"
            )
        case "oneOf":
            text = f"matches more than one of the {len(rule)} alternatives; only one is allowed"
        case "not":
            text = f"matches a schema that is not allowed: {got}"
        case None:
            text = f"the schema allows no value here, got {got}"
        case "multipleOf" if error.message.endswith("in binary fractions"):
            text = f"is not a multiple of {brief(rule)} in binary fractions, got {got}"
        case keyword if keyword in _RULES and isinstance(rule, (int, float)):
            text = f"{_RULES[keyword]} {brief(rule)}, got {got}"
        case "uniqueItems":
            text = f"items must be unique, got {got}"
        case keyword:
            text = f"breaks {keyword}" + ("" if is_hidden else f": {error.message}")
    return one_line(text if hidden is None else hidden.clean(text))


def named(error: _Error) -> list[tuple[str, str]]:
    """The properties that an error is about, each with its message; empty for most errors."""
    rule, instance = error.validator_value, error.instance
    if not isinstance(instance, dict):
        return []
    match error.validator:
        case "required" if isinstance(rule, list):
            return [(n, "required, but missing") for n in dict.fromkeys(rule) if n not in instance]
        case "dependentRequired" | "dependencies" if isinstance(rule, dict):
            wanted: dict[str, str] = {}
            for owner, needs in rule.items():
                names = [needs] if isinstance(needs, str) else needs
                if owner in instance and isinstance(names, list):
                    for name in names:
                        if name not in instance:
                            wanted.setdefault(name, f"required together with {quote(owner)}")
            return list(wanted.items())
        case "additionalProperties" if rule is False and isinstance(error.schema, dict):
            from .unknown import additional

            return [
                (name, "not allowed: the schema does not name this property")
                for name, is_sure in additional(instance, error.schema)
                if is_sure
            ]
    return []


def brief(value: object, limit: int = 60) -> str:
    """A value in a few words: short scalars as JSON, long ones cut, containers as their size."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return quote(value, limit)
        case int() if abs(value) >= 10**limit:
            return "a very large integer"
        case int() | float():
            return str(value)
        case dict():
            return f"an object with {_count(value, 'property', 'properties')}"
        case list():
            return f"an array of {_count(value, 'item', 'items')}"
    return type(value).__name__


def quote(text: str, limit: int = 120) -> str:
    """A text in quotation marks; of a long one its begin, and how long it is."""
    shown = visible(text[:limit])
    if len(text) <= limit:
        return f'"{shown}"'
    return f'"{shown}…" ({len(text):,} characters)'


def one_line(message: object) -> str:
    """Put a message on one line of limited length."""
    text = visible(str(message)[: 4 * MAX_MESSAGE])
    return text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1] + "…"


def _nearest(error: _Error, hidden: Hidden | None) -> str:
    from jsonschema.exceptions import best_match

    best = best_match(iter(error.context or ()))
    if best is None:
        return "none"
    properties = named(best)
    inner = list(best.absolute_path)[len(error.absolute_path) :]
    name, text = properties[0] if properties else ("", explain(best, hidden))
    place = ".".join(str(step) for step in [*inner, *([name] if properties else [])])
    return f"{quote(place)}: {text}" if place else text


def _type_name(name: object) -> str:
    return name if isinstance(name, str) else "a matching schema"


def _masked(value: object) -> str:
    """Describe a secret, or a value that holds one, without its content."""
    if isinstance(value, str):
        return f"{_count(value, 'character', 'characters')} (value masked)"
    return "a number, which is masked" if isinstance(value, (int, float)) else brief(value)


def _count(value: Sized, one: str, many: str) -> str:
    return f"{len(value):,} {one if len(value) == 1 else many}"


class Hidden:
    """The secrets of a value, and their places."""

    def __init__(self, schema: JsonValue, value: JsonValue) -> None:
        masked = mask_arguments(value, schema)
        self._places = masked.places
        self._found = masked.found | {visible(secret) for secret in masked.found}

    def covers(self, path: Place) -> bool:
        """True if the value at a place is secret, is part of a secret, or holds one."""
        return any(path[: len(one)] == one[: len(path)] for one in self._places)

    def clean(self, text: str) -> str:
        """The text without a secret that it quotes."""
        return conceal(text, self._found)


def not_contained(reference: str) -> str:
    """Explain a reference that leads nowhere in its schema."""
    shown = quote(reference)
    return f"the schema refers to {shown}, which it does not contain; references are not fetched"


def invalid_schema(why: str) -> str:
    """Explain a schema that nothing can be checked against."""
    return f"the schema itself is invalid: {why}"


def invalid_pattern(pattern: str, why: object, limit: int) -> str:
    """Explain a pattern that is not ECMA-262; it is shown up to `limit` characters."""
    return f"the pattern {quote(pattern, limit)} is not valid ECMA-262: {why}"
