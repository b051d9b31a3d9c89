"""Whether a schema can be used at all, before any value is judged by it. Nothing is fetched."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from signoff.app.core.schema_words import brief, explain, one_line, quote

if TYPE_CHECKING:
    from signoff.app.core.jsonio import JsonValue

MAX_DEPTH = 64
REMEMBERED = 64
REMEMBERED_SIZE = 20_000

NO_SCHEMA = "the schema itself is invalid: it is {}, not an object or a boolean"


def schema_fault(schema: JsonValue, most_nodes: int) -> str:
    """Why a schema cannot be used at all, in words that are safe to show, or "".

    No value is judged, so the time is bounded by `most_nodes`; it grows with their square.
    """
    if reason := too_much(schema, most_nodes):
        return reason
    if not isinstance(schema, (dict, bool)):
        return NO_SCHEMA.format(brief(schema))
    dialect = dialect_of(schema)
    if isinstance(dialect, str):
        return dialect
    try:
        if invalid := _invalid(dialect, schema):
            return f"the schema itself is invalid: {invalid}"
        if left := _leaves_itself(dialect, schema):
            return f"the schema refers to {quote(left)}, which is not in it; nothing is fetched"
    except Exception as error:
        return f"the schema cannot be checked: {type(error).__name__}: {one_line(error)}"
    return ""


def too_much(schema: JsonValue, most_nodes: int) -> str:
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


def dialect_of(schema: dict[str, JsonValue] | bool) -> Any:
    """The validator of the declared dialect; in words what is wrong where there is none."""
    from jsonschema import validators

    if isinstance(schema, bool) or "$schema" not in schema:
        return validators.Draft202012Validator
    declared = schema["$schema"]
    found = _dialects().get(declared.rstrip("#")) if isinstance(declared, str) else None
    return found or f"unsupported dialect {brief(declared)}"


def invalid_because(dialect: Any, schema: JsonValue) -> str:
    """What makes the schema itself invalid, or ""; it is remembered of small ones.

    Checking the schema costs more than checking a value.
    """
    text = json.dumps(schema)
    return _remembered(dialect, text) if len(text) <= REMEMBERED_SIZE else _invalid(dialect, schema)


@lru_cache(maxsize=REMEMBERED)
def _remembered(dialect: Any, text: str) -> str:
    return _invalid(dialect, json.loads(text))


def _invalid(dialect: Any, schema: JsonValue) -> str:
    from jsonschema.exceptions import SchemaError

    try:
        # Patterns are read by the validation itself: a pattern that is good ECMA-262 but unknown to
        # Python is our limit, and not an invalid schema.
        dialect.check_schema(schema, format_checker=None)
    except SchemaError as error:
        place = "".join(f"/{step}" for step in error.absolute_path)
        where = f" at {quote(place)}" if place else ""
        return f"{explain(error)}{where}"
    return ""


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
