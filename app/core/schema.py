"""Verdicts on a JSON value under a JSON Schema that a server wrote.

Schema and value are hostile input: a verdict can cost any amount of time and memory, so callers
run `judge` in a worker process that can be killed. Nothing here fetches: a `$ref` that leaves the
schema is reported, never followed (spec 2026-07-28, server/tools: clients "MUST NOT automatically
dereference `$ref` values that resolve to a network URI").
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from signoff.app.core.text import visible

if TYPE_CHECKING:
    from jsonschema.exceptions import _Error

    from signoff.app.core.jsonio import JsonValue
    from signoff.app.core.schema_secrets import Hidden

MAX_DEPTH = 64
MAX_NODES = 10_000
MAX_ERRORS = 100
MAX_MESSAGE = 300
REMEMBERED = 64
REMEMBERED_SIZE = 20_000

Path = tuple[str | int, ...]

_NO_SCHEMA = "the schema itself is invalid: it is {}, not an object or a boolean"


class Answer(StrEnum):
    """What can be said of a value: `MISSING` means there was a schema and no value."""

    VALID = "valid"
    INVALID = "invalid"
    MISSING = "missing"
    NOT_VALIDATED = "not-validated"
    NO_SCHEMA = "no-schema"


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One way in which the value breaks the schema.

    `path` leads to the place in the value and `schema_path` to the rule; both are raw, so they go
    through the sanitiser before they are shown. `message` is safe and at most 300 characters.
    A missing or an unexpected property is reported at its own path, not at its parent's.
    """

    path: Path
    message: str
    schema_path: Path
    keyword: str


@dataclass(frozen=True, slots=True)
class SchemaVerdict:
    """`reason` says why there was no validation, `more` counts the errors past the first 100."""

    answer: Answer
    errors: tuple[Mismatch, ...] = ()
    reason: str = ""
    more: int = 0


def judge(schema: JsonValue, value: JsonValue) -> SchemaVerdict:
    """Say whether `value` obeys `schema`; never raises, never fetches, does not assert `format`.

    The dialect is the declared `$schema`, else 2020-12 (spec 2025-11-25, basic).
    """
    return _guarded(schema, value, lambda: None)


def judge_arguments(schema: JsonValue, arguments: JsonValue) -> SchemaVerdict:
    """`judge` of what a person gave: no message repeats a secret."""
    # Imported here, since it is needed only where something is wrong.
    from signoff.app.core.schema_secrets import Hidden

    return _guarded(schema, arguments, lambda: Hidden(schema, arguments))


def _guarded(
    schema: JsonValue, value: JsonValue, hiding: Callable[[], Hidden | None]
) -> SchemaVerdict:
    try:
        return _judge(schema, value, hiding)
    except RecursionError:
        return _not_validated("schema and value refer to themselves too deeply")
    except MemoryError:
        return _not_validated("checking needed more memory than it may use")
    except re.error as error:
        return _not_validated(f"a pattern of the schema cannot be read: {error}")
    except Exception as error:
        ref = getattr(error, "ref", None)
        if isinstance(ref, str):
            return _not_validated(
                f"the schema refers to {_quote(ref)}, which is not in it; nothing is fetched"
            )
        return _not_validated(f"checking failed: {type(error).__name__}: {_one_line(error)}")


def schema_fault(schema: JsonValue, most_nodes: int) -> str:
    """Why a schema cannot be used at all, in words that are safe to show, or "".

    No value is judged, so the time is bounded by `most_nodes`; it grows with their square.
    """
    if too_much := _too_much(schema, most_nodes):
        return too_much
    if not isinstance(schema, (dict, bool)):
        return _NO_SCHEMA.format(brief(schema))
    dialect = _dialect_of(schema)
    if isinstance(dialect, str):
        return dialect
    try:
        if invalid := _fault(dialect, schema):
            return f"the schema itself is invalid: {invalid}"
        if left := _leaves_itself(dialect, schema):
            return f"the schema refers to {_quote(left)}, which is not in it; nothing is fetched"
    except Exception as error:
        return f"the schema cannot be checked: {type(error).__name__}: {_one_line(error)}"
    return ""


def _judge(
    schema: JsonValue, value: JsonValue, hiding: Callable[[], Hidden | None]
) -> SchemaVerdict:
    from referencing import Registry

    too_much = _too_much(schema, MAX_NODES)
    if too_much:
        return _not_validated(too_much)
    if not isinstance(schema, (dict, bool)):
        return _not_validated(_NO_SCHEMA.format(brief(schema)))
    dialect = _dialect_of(schema)
    if isinstance(dialect, str):
        return _not_validated(dialect)
    text = json.dumps(schema)
    known = len(text) <= REMEMBERED_SIZE
    invalid = _remembered_fault(dialect, text) if known else _fault(dialect, schema)
    if invalid:
        return _not_validated(f"the schema itself is invalid: {invalid}")

    found: list[Mismatch] = []
    more = 0
    registry: Registry[Any] = Registry()
    errors = dialect(schema, registry=registry).iter_errors(value)
    for mismatch in _mismatches(errors, hiding):
        if len(found) < MAX_ERRORS:
            found.append(mismatch)
        else:
            more += 1
    if not found:
        return SchemaVerdict(Answer.VALID)
    found.sort(key=lambda one: [(isinstance(step, str), step) for step in one.path])
    return SchemaVerdict(Answer.INVALID, tuple(found), more=more)


def _dialect_of(schema: dict[str, JsonValue] | bool) -> Any:
    """The validator of the declared dialect; in words what is wrong where there is none."""
    from jsonschema import validators

    if isinstance(schema, bool) or "$schema" not in schema:
        return validators.Draft202012Validator
    declared = schema["$schema"]
    found = _dialects().get(declared.rstrip("#")) if isinstance(declared, str) else None
    return found or f"unsupported dialect {brief(declared)}"


def _leaves_itself(dialect: Any, schema: JsonValue) -> str:
    """The first reference in a schema that leads out of it, or ""."""
    from referencing import Registry, jsonschema
    from referencing.exceptions import NoSuchResource, PointerToNowhere, Unresolvable

    specification = jsonschema.specification_with(dialect.META_SCHEMA["$schema"].rstrip("#"))
    root = specification.create_resource(schema)
    registry: Registry[Any] = Registry()
    level = [(root, registry.resolver_with_root(root))]
    while level:
        below = []
        for resource, resolver in level:
            contents = resource.contents
            for key in ("$ref", "$dynamicRef", "$recursiveRef"):
                ref = contents.get(key) if isinstance(contents, dict) else None
                if isinstance(ref, str):
                    try:
                        resolver.lookup(ref)
                    except (NoSuchResource, PointerToNowhere, Unresolvable):
                        return ref
            below += [(one, resolver.in_subresource(one)) for one in resource.subresources()]
        level = below
    return ""


def _fault(dialect: Any, schema: JsonValue) -> str:
    """What makes the schema itself invalid, or ""."""
    from jsonschema.exceptions import SchemaError

    try:
        # Patterns are read by the validation itself: a pattern that is good ECMA-262 but unknown to
        # Python is our limit, and not an invalid schema.
        dialect.check_schema(schema, format_checker=None)
    except SchemaError as error:
        place = "".join(f"/{step}" for step in error.absolute_path)
        where = f" at {_quote(place)}" if place else ""
        return f"{_explain(error)}{where}"
    return ""


@lru_cache(maxsize=REMEMBERED)
def _remembered_fault(dialect: Any, text: str) -> str:
    """The same, of a schema as JSON text: checking the schema costs more than checking a value."""
    return _fault(dialect, json.loads(text))


def _dialects() -> dict[str, Any]:
    from jsonschema import validators

    return {
        "http://json-schema.org/draft-03/schema": validators.Draft3Validator,
        "http://json-schema.org/draft-04/schema": validators.Draft4Validator,
        "http://json-schema.org/draft-06/schema": validators.Draft6Validator,
        "http://json-schema.org/draft-07/schema": validators.Draft7Validator,
        "https://json-schema.org/draft/2019-09/schema": validators.Draft201909Validator,
        "https://json-schema.org/draft/2020-12/schema": validators.Draft202012Validator,
    }


def _too_much(schema: JsonValue, most_nodes: int) -> str:
    """Why the schema is too big, or "" (spec 2026-07-28: bound depth and subschema count)."""
    level: list[JsonValue] = [schema]
    nodes = 0
    depth = 0
    while level:
        depth += 1
        nodes += len(level)
        if depth > MAX_DEPTH:
            return f"the schema is nested deeper than {MAX_DEPTH} levels"
        if nodes > most_nodes:
            return f"the schema has more than {most_nodes:,} nodes"
        below: list[JsonValue] = []
        for node in level:
            if isinstance(node, dict):
                below.extend(node.values())
            elif isinstance(node, list):
                below.extend(node)
        level = below
    return ""


def _mismatches(
    errors: Iterable[_Error], hiding: Callable[[], Hidden | None] = lambda: None
) -> Iterator[Mismatch]:
    """Turn the library's errors into ours; one for each property that is missing or not allowed.

    The library yields one error for each missing name without saying which, so the first error of a
    rule at a place stands for all of them.
    """
    seen: set[tuple[Path, Path]] = set()
    hidden: Hidden | None = None
    for number, error in enumerate(errors):
        hidden = hidden if number else hiding()
        path: Path = tuple(error.absolute_path)
        rule: Path = tuple(error.absolute_schema_path)
        keyword = str(error.validator or "false")
        named = _named(error)
        if not named:
            yield Mismatch(path, _explain(error, hidden), rule, keyword)
        elif (path, rule) not in seen:
            seen.add((path, rule))
            for name, message in named:
                yield Mismatch((*path, name), message, rule, keyword)


def _named(error: _Error) -> list[tuple[str, str]]:
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
                            wanted.setdefault(name, f"required together with {_quote(owner)}")
            return list(wanted.items())
        case "additionalProperties" if rule is False and isinstance(error.schema, dict):
            known = error.schema.get("properties", {})
            patterns = list(error.schema.get("patternProperties", {}))
            return [
                (name, "not allowed: the schema does not name this property")
                for name in instance
                if name not in known and not any(re.search(p, name) for p in patterns)
            ]
    return []


def _explain(error: _Error, hidden: Hidden | None = None) -> str:
    """One safe line that names the rule and shortens the value, however big either is."""
    rule: Any = error.validator_value
    is_hidden = hidden is not None and hidden.covers(tuple(error.absolute_path))
    got = _masked(error.instance) if is_hidden else brief(error.instance)
    match error.validator:
        case "type":
            names = rule if isinstance(rule, list) else [rule]
            text = f"expected {' or '.join(_type_name(name) for name in names)}, got {got}"
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
                f"fits none of the {len(rule)} alternatives; the nearest: {_nearest(error, hidden)}"
            )
        case "oneOf":
            text = f"fits more than one of the {len(rule)} alternatives, only one is allowed"
        case "not":
            text = f"fits what the schema forbids: {got}"
        case None:
            text = f"the schema allows no value here, got {got}"
        case keyword if keyword in _RULES and isinstance(rule, (int, float)):
            text = f"{_RULES[keyword]} {brief(rule)}, got {got}"
        case "uniqueItems":
            text = f"items must be unique, got {got}"
        case keyword:
            text = f"breaks {keyword}" + ("" if is_hidden else f": {error.message}")
    return _one_line(text if hidden is None else hidden.clean(text))


_RULES = {
    "minimum": "must be at least",
    "maximum": "must be at most",
    "exclusiveMinimum": "must be more than",
    "exclusiveMaximum": "must be less than",
    "multipleOf": "must be a multiple of",
    "divisibleBy": "must be a multiple of",
    "minLength": "characters must be at least",
    "maxLength": "characters must be at most",
    "minItems": "items must be at least",
    "maxItems": "items must be at most",
    "minProperties": "properties must be at least",
    "maxProperties": "properties must be at most",
}


def _nearest(error: _Error, hidden: Hidden | None) -> str:
    from jsonschema.exceptions import best_match

    best = best_match(iter(error.context or ()))
    if best is None:
        return "none"
    named = _named(best)
    inner = list(best.absolute_path)[len(error.absolute_path) :]
    name, text = named[0] if named else ("", _explain(best, hidden))
    place = ".".join(str(step) for step in [*inner, *([name] if named else [])])
    return f"{_quote(place)}: {text}" if place else text


def _type_name(name: object) -> str:
    return name if isinstance(name, str) else "a matching schema"


def brief(value: object, limit: int = 60) -> str:
    """A value in a few words: short scalars as JSON, long ones cut, containers as their size."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return _quote(value, limit)
        case int() if abs(value) >= 10**limit:
            return "a very large integer"
        case int() | float():
            return str(value)
        case dict():
            return f"an object with {_count(value, 'property', 'properties')}"
        case list():
            return f"an array of {_count(value, 'item', 'items')}"
    return type(value).__name__


def _masked(value: object) -> str:
    """`brief` of what is, or holds, a secret: what it is, and nothing of what it says."""
    if isinstance(value, str):
        return f"a string of {_count(value, 'character', 'characters')}, which is masked"
    return "a number, which is masked" if isinstance(value, (int, float)) else brief(value)


def _count(value: Sized, one: str, many: str) -> str:
    return f"{len(value):,} {one if len(value) == 1 else many}"


def _quote(text: str, limit: int = 120) -> str:
    shown = visible(text[:limit])
    if len(text) <= limit:
        return f'"{shown}"'
    return f'"{shown}…" ({len(text):,} characters)'


def _one_line(message: object) -> str:
    text = visible(str(message)[: 4 * MAX_MESSAGE])
    return text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1] + "…"


def _not_validated(reason: str) -> SchemaVerdict:
    return SchemaVerdict(Answer.NOT_VALIDATED, reason=_one_line(reason))
