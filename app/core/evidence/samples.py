"""Arguments to try a tool with, made of its input schema: as few and as plain as it allows. Pure.

They are checked against the schema before they are used; where they do not fit, a person has to say
which to take.
"""

from __future__ import annotations

from collections.abc import Mapping

from signoff.app.core.jsonio import JsonValue

DEPTH_MAX = 6
LENGTH_MAX = 1_000
_FORMATS: Mapping[str, str] = {
    "date": "2026-01-31",
    "time": "12:00:00Z",
    "date-time": "2026-01-31T12:00:00Z",
    "email": "somebody@example.com",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "hostname": "example.com",
    "ipv4": "127.0.0.1",
    "ipv6": "::1",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def sample_arguments(schema: JsonValue) -> dict[str, JsonValue]:
    """Only what is required; empty for a schema that is no object."""
    sample = _sample(schema, schema, 0)
    return sample if isinstance(sample, dict) else {}


def _sample(schema: JsonValue, whole: JsonValue, depth: int) -> JsonValue:
    if not isinstance(schema, dict) or depth > DEPTH_MAX:
        return "example"
    if isinstance(schema.get("$ref"), str):
        return _sample(_followed(str(schema["$ref"]), whole), whole, depth + 1)
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    for key in ("examples", "enum"):
        given = schema.get(key)
        if isinstance(given, list) and given:
            return given[0]
    for key in ("anyOf", "oneOf", "allOf"):
        given = schema.get(key)
        if isinstance(given, list) and given and "properties" not in schema:
            return _sample(given[0], whole, depth + 1)
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), "null")
    match kind:
        case "integer" | "number":
            return _number(schema)
        case "boolean":
            return False
        case "null":
            return None
        case "array":
            least = _whole(schema.get("minItems"), 0)
            return [_sample(schema.get("items"), whole, depth + 1) for _ in range(least)]
        case "string":
            return _text(schema)
    if kind == "object" or "properties" in schema:
        return _object(schema, whole, depth)
    return {} if depth == 0 else "example"


def _object(schema: Mapping[str, JsonValue], whole: JsonValue, depth: int) -> JsonValue:
    properties, required = schema.get("properties"), schema.get("required")
    known = properties if isinstance(properties, dict) else {}
    names = required if isinstance(required, list) else []
    return {
        name: _sample(known.get(name, {}), whole, depth + 1)
        for name in names
        if isinstance(name, str)
    }


def _number(schema: Mapping[str, JsonValue]) -> JsonValue:
    least, most = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    step = schema.get("multipleOf")
    number: float = 1
    if isinstance(least, int | float):
        number = max(number, least)
    if isinstance(above, int | float):
        number = max(number, above + 1)
    if isinstance(most, int | float):
        number = min(number, most)
    if isinstance(below, int | float):
        number = min(number, below - 1)
    if isinstance(step, int | float) and step > 0:
        number = step * max(1, round(number / step))
    return int(number) if float(number).is_integer() else number


def _text(schema: Mapping[str, JsonValue]) -> str:
    text = _FORMATS.get(str(schema.get("format")), "example")
    least = _whole(schema.get("minLength"), 0)
    most = schema.get("maxLength")
    text = text.ljust(least, "x")
    return text[: int(most)] if isinstance(most, int) and most >= 0 else text


def _whole(value: JsonValue, otherwise: int) -> int:
    """A number of things that a schema wants, within reason."""
    is_number = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return min(int(value), LENGTH_MAX) if is_number else otherwise  # type: ignore[arg-type]


def _followed(reference: str, whole: JsonValue) -> JsonValue:
    """What a `$ref` within the schema leads to; nothing for any other."""
    found = whole
    if not reference.startswith("#"):
        return None
    for part in [one for one in reference[1:].split("/") if one]:
        name = part.replace("~1", "/").replace("~0", "~")
        found = found.get(name) if isinstance(found, dict) else None
    return found
