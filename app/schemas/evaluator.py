"""Evaluates a value under a schema in this process, at once and within bounds.

Calls, forms and the worker ask here. The answer is True, False, or None for "unknown": a pattern of
the server's is not run, since it could take any time, and no more is looked at than `CHEAP` allows.
Most patterns for names of properties only fix how they begin or end, and that much is compared.

`is_valid_at_once` is the one place that decides that a schema needs no worker: a small one with
keywords of bounded cost and of the shapes that its metaschema wants. Any other verdict, and the
words for what breaks a schema, are those of `signoff.app.schemas.schema`, which costs an import of
`jsonschema` and runs in the worker.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from ..content.json.jsonio import JsonValue, same
from .form.merging import MISSING, Schema, number_of, target_of
from .formats import format_fault


class CheapLimits(NamedTuple):
    """Limits for an evaluation in this process."""

    steps: int = 2_000
    """Pairs of schema and value that are looked at for one answer."""
    nesting: int = 40
    schema_nodes: int = 300
    schema_depth: int = 8
    value_nodes: int = 2_000
    value_depth: int = 20
    value_characters: int = 100_000
    listed: int = 100
    """Items of a list in a schema."""


CHEAP: Final = CheapLimits()
_DIALECTS: Final = (
    "https://json-schema.org/draft/2020-12/schema",
    "http://json-schema.org/draft-07/schema",
)


_APPLIED: Final = frozenset(
    {"$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if"}
)
"""Keywords that apply other schemas to the same value."""


def holds(schema: JsonValue, value: JsonValue, root: JsonValue = True) -> bool | None:
    """Check `value` against `schema`, whose references lead into `root`; None if unknown.

    Formats are not looked at.
    """
    return _Evaluation(root).holds(schema, value, 0)


def is_valid_at_once(schema: JsonValue, value: JsonValue) -> bool:
    """True if the schema and the value are cheap, and the value is valid and of its formats.

    No client rejects such a value. False is not a verdict on either.
    """
    if not is_cheap(schema) or not _is_small(value):
        return False
    return _Evaluation(schema, asserts_formats=True).holds(schema, value, 0) is True


def is_cheap(schema: JsonValue) -> bool:
    """True if a schema is a small object, and each keyword is known and as its metaschema wants."""
    if not isinstance(schema, dict):
        return False
    declared = schema.get("$schema", _DIALECTS[0])
    is_known = isinstance(declared, str) and declared.removesuffix("#") in _DIALECTS
    return is_known and _is_plain(schema, [CHEAP.schema_nodes], 0)


def has_type(value: JsonValue, kind: JsonValue) -> bool:
    """True if a value is of a JSON Schema type; 1.0 is an integer."""
    match kind:
        case "null":
            return value is None
        case "boolean":
            return isinstance(value, bool)
        case "string":
            return isinstance(value, str)
        case "number":
            return number_of(value) is not None
        case "integer":
            return (isinstance(value, int) and not isinstance(value, bool)) or (
                isinstance(value, float) and value.is_integer()
            )
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case _:
            return False


class _Evaluation:
    def __init__(self, root: JsonValue, *, asserts_formats: bool = False) -> None:
        self._root = root
        self._left = CHEAP.steps
        self._asserts_formats = asserts_formats

    def holds(self, schema: JsonValue, value: JsonValue, depth: int) -> bool | None:
        self._left -= 1
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, dict) or self._left < 0 or depth > CHEAP.nesting:
            return None
        if "not" in schema:
            inner = _not(self.holds(schema["not"], value, depth + 1))
            if inner is not True:
                return inner
        return _all(self._rules(schema, value, depth + 1))

    def _rules(self, schema: Schema, value: JsonValue, depth: int) -> Iterable[bool | None]:
        kinds = schema.get("type", MISSING)
        if isinstance(kinds, str):
            yield has_type(value, kinds)
        elif isinstance(kinds, list):
            yield any(has_type(value, kind) for kind in kinds)
        if "const" in schema:
            yield same(value, schema["const"])
        listed = schema.get("enum")
        if isinstance(listed, list):
            yield any(same(value, one) for one in listed)
        if self._asserts_formats and "format" in schema:
            yield not format_fault(schema["format"], value)
        if isinstance(value, dict):
            yield from self._object(schema, value, depth)
        elif isinstance(value, list):
            yield from self._array(schema, value, depth)
        elif isinstance(value, str):
            yield _within(len(value), schema, "minLength", "maxLength")
            pattern = schema.get("pattern")
            if isinstance(pattern, str):
                yield obeys(pattern, value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield from _number(schema, value)
        if not _APPLIED.isdisjoint(schema):
            yield from self._applied(schema, value, depth)

    def _applied(self, schema: Schema, value: JsonValue, depth: int) -> Iterable[bool | None]:
        ref = schema.get("$ref")
        if isinstance(ref, str):
            target = target_of(ref, self._root)
            yield None if target is MISSING else self.holds(target, value, depth)
        every, some, one = (schema.get(key) for key in ("allOf", "anyOf", "oneOf"))
        if isinstance(every, list):
            yield _all(self.holds(branch, value, depth) for branch in every)
        if isinstance(some, list) and some:
            yield _not(_all(_not(self.holds(branch, value, depth)) for branch in some))
        if isinstance(one, list) and one:
            yield _exactly_one([self.holds(branch, value, depth) for branch in one])
        if "if" in schema:
            answer = self.holds(schema["if"], value, depth)
            if answer is None:
                yield None
            else:
                yield self.holds(schema.get("then" if answer else "else", True), value, depth)
        if "$dynamicRef" in schema or "$recursiveRef" in schema:
            yield None

    def _object(
        self, schema: Schema, value: dict[str, JsonValue], depth: int
    ) -> Iterable[bool | None]:
        required = schema.get("required")
        if isinstance(required, list):
            yield all(name in value for name in required if isinstance(name, str))
        yield _within(len(value), schema, "minProperties", "maxProperties")
        properties, patterns = schema.get("properties"), schema.get("patternProperties")
        known = properties if isinstance(properties, dict) else {}
        for name, one in known.items():
            if name in value:
                yield self.holds(one, value[name], depth)
        other = schema.get("additionalProperties", True)
        for name, item in value.items():
            met = name in known
            for pattern, one in patterns.items() if isinstance(patterns, dict) else ():
                found = obeys(pattern, name)
                if found is not False:
                    met = True
                    yield self.holds(one, item, depth) if found else None
            if not met:
                yield self.holds(other, item, depth)
            if "propertyNames" in schema:
                yield self.holds(schema["propertyNames"], name, depth)
        older = schema.get("dependencies")
        if isinstance(older, dict) and not older.keys().isdisjoint(value):
            # A rule in draft-07 and nothing in 2020-12.
            yield None
        for key in ("dependentRequired", "dependentSchemas"):
            table = schema.get(key)
            for name, one in table.items() if isinstance(table, dict) else ():
                if name in value:
                    needs: JsonValue = {"required": one} if isinstance(one, list) else one
                    yield self.holds(needs, value, depth)
        if "unevaluatedProperties" in schema:
            yield None

    def _array(self, schema: Schema, value: list[JsonValue], depth: int) -> Iterable[bool | None]:
        yield _within(len(value), schema, "minItems", "maxItems")
        first, rest = schema.get("prefixItems"), schema.get("items", True)
        if isinstance(rest, list):
            first, rest = rest, schema.get("additionalItems", True)
        start = first if isinstance(first, list) else []
        for one, item in zip(start, value, strict=False):
            yield self.holds(one, item, depth)
        if rest is not True:
            yield _all(self.holds(rest, item, depth) for item in value[len(start) :])
        if "contains" in schema:
            least = number_of(schema.get("minContains", 1))
            if least != 1 or "maxContains" in schema:
                yield None
            else:
                found = (_not(self.holds(schema["contains"], item, depth)) for item in value)
                yield _not(_all(found))
        if schema.get("uniqueItems") is True:
            yield None if len(value) > 1 else True
        if "unevaluatedItems" in schema:
            yield None


def _all(answers: Iterable[bool | None]) -> bool | None:
    unknown = False
    for answer in answers:
        if answer is False:
            return False
        unknown = unknown or answer is None
    return None if unknown else True


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


def _exactly_one(answers: list[bool | None]) -> bool | None:
    if answers.count(True) > 1:
        return False
    if None in answers:
        return None
    return True in answers


def _within(size: float, schema: Schema, low: str, high: str) -> bool:
    least, most = number_of(schema.get(low)), number_of(schema.get(high))
    return (least is None or size >= least) and (most is None or size <= most)


def _number(schema: Schema, value: int | float) -> Iterable[bool | None]:
    yield _within(value, schema, "minimum", "maximum")
    above, below = (number_of(schema.get(f"exclusive{word}")) for word in ("Minimum", "Maximum"))
    yield (above is None or value > above) and (below is None or value < below)
    step = schema.get("multipleOf")
    if step is not None:
        whole = isinstance(step, int) and isinstance(value, int) and not isinstance(step, bool)
        yield value % step == 0 if whole and isinstance(step, int) and step > 0 else None


_LITERAL: Final = re.compile(r"(?:[^\\^$.|?*+()\[\]{}]|\\[-_./@:#])*")
_EVERYTHING: Final = frozenset({"", "^", "$", ".*", "^.*", ".*$", "(.*)"})
_ONE_LINE: Final = frozenset({"^.*$", "^(.*)$", "^.+$", ".+", "."})
_BREAKS: Final = re.compile("[\n\r\u2028\u2029]")
"""What a dot does not take."""


def obeys(pattern: str, text: str) -> bool | None:
    """Search an ECMA-262 pattern in a text; None if that needs the real engine."""
    if pattern in _EVERYTHING:
        return True
    if pattern in _ONE_LINE:
        return None if _BREAKS.search(text) else bool(text) or "*" in pattern
    starts = pattern.startswith("^")
    body = pattern[1:] if starts else pattern
    if body.endswith(".*"):
        body, ends = body[:-2], False
    elif body.endswith((".*$", ".+$")):
        return None if not _LITERAL.fullmatch(body[:-3]) else _rest(body, text, starts)
    else:
        ends = body.endswith("$") and not body.endswith("\\$")
        body = body[:-1] if ends else body
    if not _LITERAL.fullmatch(body):
        return None
    literal = re.sub(r"\\(.)", r"\1", body)
    if starts and ends:
        return text == literal
    if starts:
        return text.startswith(literal)
    return text.endswith(literal) if ends else literal in text


def _rest(body: str, text: str, starts: bool) -> bool | None:
    literal = re.sub(r"\\(.)", r"\1", body[:-3])
    if not starts or _BREAKS.search(text):
        return None
    least = len(literal) + (1 if body.endswith(".+$") else 0)
    return text.startswith(literal) and len(text) >= least


def _is_plain(schema: JsonValue, budget: list[int], depth: int) -> bool:
    """True if every keyword is known here, and as the metaschema wants it."""
    if isinstance(schema, bool):
        return True
    if not isinstance(schema, dict) or depth > CHEAP.schema_depth:
        return False
    budget[0] -= 1 + len(schema)
    if budget[0] < 0:
        return False
    for keyword, rule in schema.items():
        if keyword == "properties":
            if not isinstance(rule, dict):
                return False
            budget[0] -= len(rule)
            if not all(_is_plain(one, budget, depth + 1) for one in rule.values()):
                return False
        elif keyword in ("items", "additionalProperties"):
            if not _is_plain(rule, budget, depth + 1):
                return False
        elif keyword == "$schema":
            if depth:
                return False
        else:
            is_right = _SHAPES.get(keyword)
            if is_right is None or not is_right(rule):
                return False
    return True


def _is_small(value: JsonValue) -> bool:
    nodes, characters, level = 0, 0, [value]
    for _ in range(CHEAP.value_depth):
        below: list[JsonValue] = []
        for node in level:
            if isinstance(node, str):
                characters += len(node)
            elif isinstance(node, dict):
                characters += sum(map(len, node))
                below.extend(node.values())
            elif isinstance(node, list):
                below.extend(node)
        nodes += len(level)
        if nodes + len(below) > CHEAP.value_nodes or characters > CHEAP.value_characters:
            return False
        if not below:
            return True
        level = below
    return False


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: JsonValue) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_scalar(value: JsonValue) -> bool:
    return value is None or isinstance(value, str | int | float)


def _are_scalars(value: JsonValue) -> bool:
    return isinstance(value, list) and len(value) <= CHEAP.listed and all(map(_is_scalar, value))


def _is_flat(value: JsonValue) -> bool:
    return _is_scalar(value) or _are_scalars(value) or value == {}


def _is_text(value: JsonValue) -> bool:
    return isinstance(value, str)


def _is_plain_format(value: JsonValue) -> bool:
    """Reading a pattern is left to the worker."""
    return isinstance(value, str) and value != "regex"


def _is_flag(value: JsonValue) -> bool:
    return isinstance(value, bool)


def _are_names(value: JsonValue) -> bool:
    """Names, each once."""
    if not isinstance(value, list) or len(value) > CHEAP.listed:
        return False
    return all(map(_is_text, value)) and len(set(map(str, value))) == len(value)


def _are_texts(value: JsonValue) -> bool:
    """True for strings, at least one: equality of other values is not that of Python."""
    return _are_names(value) and bool(value)


def _is_type(value: JsonValue) -> bool:
    if isinstance(value, list):
        return _are_names(value) and bool(value) and all(str(one) in _TYPES for one in value)
    return isinstance(value, str) and value in _TYPES


_TYPES: Final = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})

_SHAPES: dict[str, Callable[[JsonValue], bool]] = {
    "type": _is_type,
    "enum": _are_texts,
    "const": _is_text,
    "required": _are_names,
    "minimum": _is_number,
    "maximum": _is_number,
    "exclusiveMinimum": _is_number,
    "exclusiveMaximum": _is_number,
    "minLength": _is_count,
    "maxLength": _is_count,
    "minItems": _is_count,
    "maxItems": _is_count,
    "title": _is_text,
    "description": _is_text,
    "$comment": _is_text,
    "format": _is_plain_format,
    "default": _is_flat,
    "examples": _are_scalars,
    "readOnly": _is_flag,
}
"""What each keyword has to be, for the schema to be plain."""
