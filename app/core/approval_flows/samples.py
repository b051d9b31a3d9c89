"""Values that a schema is likely to take, for tools that are called without arguments of their own.

They are harmless to look at and nothing is promised of them: whoever needs others writes them.
"""

from __future__ import annotations

from typing import Final

from signoff.app.core.jsonio import JsonValue

_DEEPEST: Final = 6
_LONGEST: Final = 1_000
_ITEMS: Final = 3
"""More items are not made: an array of arrays would be endless."""
_FORMATS: Final[dict[str, str]] = {
    "date": "2026-01-01",
    "date-time": "2026-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "email": "somebody@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def required_samples(schema: JsonValue, level: int = 0) -> dict[str, JsonValue]:
    """A value for each property that an object schema requires."""
    if not isinstance(schema, dict) or level > _DEEPEST:
        return {}
    required, known = schema.get("required"), schema.get("properties")
    names = [one for one in required if isinstance(one, str)] if isinstance(required, list) else []
    inside = known if isinstance(known, dict) else {}
    return {name: sample(inside.get(name, {}), level + 1) for name in names[:_LONGEST]}


def sample(schema: JsonValue, level: int = 0) -> JsonValue:
    """One value; what a schema says besides its plain words is not looked at."""
    if not isinstance(schema, dict):
        return "sample"
    for name in ("const", "default"):
        if name in schema:
            return schema[name]
    for name in ("enum", "examples"):
        several = schema.get(name)
        if isinstance(several, list) and several:
            return several[0]
    for name in ("anyOf", "oneOf", "allOf"):
        several = schema.get(name)
        if isinstance(several, list) and several and level < _DEEPEST:
            return sample(several[0], level + 1)
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) and kind else kind:
        case "object":
            made: JsonValue = required_samples(schema, level)
            return made
        case "array":
            least = schema.get("minItems")
            count = max(0, min(least, _ITEMS)) if isinstance(least, int) else 0
            return [sample(schema.get("items", {}), level + 1)] * count if level < _DEEPEST else []
        case "boolean":
            return False
        case "null":
            return None
        case "integer" | "number":
            return _number(schema)
    return _text(schema)


def _number(schema: dict[str, JsonValue]) -> JsonValue:
    for name, more in (("minimum", 0), ("exclusiveMinimum", 1), ("maximum", 0)):
        value = schema.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value + more
    return 1


def _text(schema: dict[str, JsonValue]) -> str:
    said = schema.get("format")
    text = _FORMATS.get(said, "sample") if isinstance(said, str) else "sample"
    least, most = schema.get("minLength"), schema.get("maxLength")
    if isinstance(least, int) and len(text) < least <= _LONGEST:
        text = text.ljust(least, "x")
    return text[:most] if isinstance(most, int) and 0 <= most < len(text) else text
