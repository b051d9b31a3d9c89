"""Faults that make a schema unusable, before any value is judged by it. Nothing is fetched."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..content.json.jsonio import Path
from .evaluator import is_cheap
from .habits import patterns_in
from .messages import (
    brief,
    explain,
    invalid_pattern,
    invalid_schema,
    not_contained,
    one_line,
    quote,
)

if TYPE_CHECKING:
    from ..content.json.jsonio import JsonValue

MAX_DEPTH = 64
SHOWN = 60
"""Characters of a pattern in a message."""
REMEMBERED = 64
REMEMBERED_SIZE = 20_000
MAX_FAULTS = 100
DEFAULT_DIALECT = "https://json-schema.org/draft/2020-12/schema"

NO_SCHEMA = invalid_schema("it is {}, not an object or a boolean")


def schema_fault(schema: JsonValue, most_nodes: int, besides: Collection[Path] = ()) -> str:
    """The reason why a schema cannot be used at all, in words that are safe to show, or "".

    No value is judged, so the time is bounded by `most_nodes`; it grows with their square. Faults
    at the places `besides` are reported elsewhere.
    """
    if reason := too_much(schema, most_nodes):
        return reason
    if not isinstance(schema, (dict, bool)):
        return NO_SCHEMA.format(brief(schema))
    if is_cheap(schema):
        return ""
    dialect, unknown = dialect_of(schema)
    if unknown:
        return f"{unknown}; leave $schema out, or write {DEFAULT_DIALECT}"
    try:
        for place, invalid in _faults(dialect, schema):
            if not any(place[: len(one)] == one for one in besides):
                return invalid_schema(invalid)
        if left := _leaves_itself(dialect, schema):
            return not_contained(left)
    except Exception as error:
        return f"the schema cannot be checked: {type(error).__name__}: {one_line(error)}"
    return ""


def too_much(schema: JsonValue, most_nodes: int) -> str:
    """The exceeded limit of the schema, or "" (spec 2026-07-28: bound depth, subschema count)."""
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


def dialect_of(schema: dict[str, JsonValue] | bool) -> tuple[str, str]:
    """Return the name of the declared dialect; or its fault, in words."""
    from .dialects import DEFAULT, named_dialect

    if isinstance(schema, bool) or "$schema" not in schema:
        return DEFAULT, ""
    declared = schema["$schema"]
    found = named_dialect(declared)
    return (found, "") if found else ("", f"unsupported dialect {brief(declared)}")


Fault = tuple[Path, str]
"""A place in a schema, and what makes it invalid there."""


def faults_in(dialect: str, schema: JsonValue) -> tuple[Fault, ...]:
    """List faults of the schema itself, place by place; cached for small ones.

    Checking the schema costs more than checking a value. A cheap one has none.
    """
    if is_cheap(schema):
        return ()
    text = json.dumps(schema)
    return _remembered(dialect, text) if len(text) <= REMEMBERED_SIZE else _faults(dialect, schema)


@lru_cache(maxsize=REMEMBERED)
def _remembered(dialect: str, text: str) -> tuple[Fault, ...]:
    return _faults(dialect, json.loads(text))


def _faults(dialect: str, schema: JsonValue) -> tuple[Fault, ...]:
    from .dialects import base_of

    base = base_of(dialect)
    found: dict[Path, str] = {}
    # Formats are not asserted: patterns are read with the values, and checked by lint.
    for one in base(base.META_SCHEMA).iter_errors(schema):
        found.setdefault(tuple(one.absolute_path), fault_words(one))
        if len(found) >= MAX_FAULTS:
            break
    return tuple(found.items())


def fault_words(error: Any) -> str:
    """Name the place and the reason of a fault."""
    place = "".join(f"/{step}" for step in error.absolute_path)
    where = f" at {quote(place)}" if place else ""
    return f"{explain(error)}{where}"


def pattern_faults(schema: JsonValue) -> Iterator[Fault]:
    """The patterns of a schema that are not valid ECMA-262; none of them is matched."""
    for place, pattern in patterns_in(schema):
        from .ecma_patterns import pattern_fault

        if fault := pattern_fault(pattern):
            yield place, invalid_pattern(pattern, fault, SHOWN)


def _leaves_itself(dialect: str, schema: JsonValue) -> str:
    """The first reference in a schema that leads out of it, or ""."""
    from referencing import Registry, jsonschema
    from referencing.exceptions import NoSuchResource, PointerToNowhere, Unresolvable

    specification = jsonschema.specification_with(dialect)
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
