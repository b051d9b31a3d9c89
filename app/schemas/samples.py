"""Sample values for a schema: as few and as plain as it allows. Pure.

They are harmless to look at and nothing is promised of them: they are checked against the schema
before they are used, and if they do not fit a person has to choose. A schema is a server's, so any
sample is made in a bounded number of steps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from ..content.json.jsonio import JsonValue
from .form.merging import MISSING, number_of, target_of

DEPTH_MAX: Final = 6
LENGTH_MAX: Final = 1_000
"""Characters of a text that is filled up because a schema wants it longer."""
WEIGHT_MAX: Final = 100_000
"""Characters of one sample, about: a schema of a few bytes may ask for a thousand
arrays of a thousand texts each."""
VALUE_WEIGHT: Final = 10
"""What a value weighs besides its characters."""
_FORMATS: Final[Mapping[str, str]] = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "time": "12:00:00Z",
    "email": "somebody@example.com",
    "hostname": "example.com",
    "ipv4": "127.0.0.1",
    "ipv6": "::1",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def sample_arguments(schema: JsonValue) -> dict[str, JsonValue]:
    """A value for each property that is required; empty for a schema that wants no object."""
    sample = _Maker(schema).sample(schema, 0)
    return sample if isinstance(sample, dict) else {}


class _Maker:
    """Makes one sample and counts its size."""

    def __init__(self, root: JsonValue) -> None:
        self._root = root
        self._left = WEIGHT_MAX

    def sample(self, schema: JsonValue, depth: int) -> JsonValue:
        self._left -= VALUE_WEIGHT
        if not isinstance(schema, dict) or depth > DEPTH_MAX or self._left < 0:
            return "example"
        reference = schema.get("$ref")
        if isinstance(reference, str):
            target = target_of(reference, self._root)
            return self.sample(None if target is MISSING else target, depth + 1)
        given = _given(schema)
        if given:
            return self._weighed(given[0])
        for key in ("anyOf", "oneOf", "allOf"):
            several = schema.get(key)
            if isinstance(several, list) and several and "properties" not in schema:
                return self.sample(several[0], depth + 1)
        match _kind(schema):
            case "object":
                return self._object(schema, depth)
            case "array":
                return self._array(schema, depth)
            case "boolean":
                return False
            case "null":
                return None
            case "integer" | "number" as kind:
                return self._weighed(_number(schema, whole=kind == "integer"))
            case "string":
                return self._weighed(_text(schema))
        return {} if depth == 0 else "example"

    def _weighed(self, value: JsonValue) -> JsonValue:
        self._left -= _weight(value, self._left)
        return value

    def _object(self, schema: Mapping[str, JsonValue], depth: int) -> JsonValue:
        properties, required = schema.get("properties"), schema.get("required")
        known = properties if isinstance(properties, dict) else {}
        made: dict[str, JsonValue] = {}
        for name in required if isinstance(required, list) else []:
            if self._left < 0:
                break
            if isinstance(name, str):
                self._left -= len(name)
                made[name] = self.sample(known.get(name, {}), depth + 1)
        return made

    def _array(self, schema: Mapping[str, JsonValue], depth: int) -> JsonValue:
        """One item as often as it is wanted: `uniqueItems` is left to the person."""
        least = schema.get("minItems")
        if not isinstance(least, int) or isinstance(least, bool) or least < 1:
            return []
        before = self._left
        item = self.sample(schema.get("items"), depth + 1)
        weight = max(1, before - self._left)
        more = max(0, min(least - 1, self._left // weight))
        self._left -= more * weight
        return [item] * (1 + more)


def _given(schema: Mapping[str, JsonValue]) -> list[JsonValue]:
    """The value that the schema itself names, if any."""
    for key in ("const", "default"):
        if key in schema:
            return [schema[key]]
    for key in ("enum", "examples"):
        several = schema.get(key)
        if isinstance(several, list) and several:
            return several[:1]
    return []


def _weight(value: JsonValue, enough: int) -> int:
    """About the characters of its JSON text, counted until there are `enough`."""
    weight = 0
    pending = [value]
    while pending and weight <= enough:
        one = pending.pop()
        weight += VALUE_WEIGHT
        match one:
            case str():
                weight += len(one)
            case int():
                weight += one.bit_length() // 3
            case list():
                pending.extend(one)
            case dict():
                weight += sum(map(len, one))
                pending.extend(one.values())
    return weight


def _kind(schema: Mapping[str, JsonValue]) -> JsonValue:
    kind = schema.get("type")
    if isinstance(kind, list):
        return next((one for one in kind if one != "null"), "null")
    if kind is None and "properties" in schema:
        return "object"
    return "string" if kind is None and "format" in schema else kind


def _number(schema: Mapping[str, JsonValue], *, whole: bool) -> JsonValue:
    """1 if it fits, else the nearest to a bound; exact, as bounds may be of any size."""
    low, above = _bound(schema, "minimum"), _bound(schema, "exclusiveMinimum")
    high, below = _bound(schema, "maximum"), _bound(schema, "exclusiveMaximum")
    step = _bound(schema, "multipleOf")
    if step is None or step <= 0:
        step = Fraction(1) if whole else None
    at_least = max((one for one in (low, above) if one is not None), default=None)
    at_most = min((one for one in (high, below) if one is not None), default=None)
    number = Fraction(1)
    if at_least is not None and (number < at_least or number == above):
        number = at_least + 1 if at_least == above else at_least
    if at_most is not None and (number > at_most or number == below):
        number = at_most - 1 if at_most == below else at_most
        if at_least is not None and number <= at_least:
            number = (at_least + at_most) / 2
    if step is not None:
        number = math.ceil(number / step) * step
        if at_most is not None and (number > at_most or number == below):
            number -= step
    try:
        return int(number) if number.denominator == 1 else float(number)
    except OverflowError:
        return 1


def _bound(schema: Mapping[str, JsonValue], name: str) -> Fraction | None:
    number = number_of(schema.get(name))
    return None if number is None else Fraction(number)


def _text(schema: Mapping[str, JsonValue]) -> str:
    text = _FORMATS.get(str(schema.get("format")), "example")
    least, most = schema.get("minLength"), schema.get("maxLength")
    if isinstance(least, int) and least > len(text):
        text = text.ljust(min(least, LENGTH_MAX), "x")
    return text[:most] if isinstance(most, int) and 0 <= most < len(text) else text
