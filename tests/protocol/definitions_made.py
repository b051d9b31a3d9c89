"""Tool definitions for property tests, and edits of them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from signoff.app.content.json.jsonio import canonical, digest, pointer
from signoff.app.content.text import visible
from signoff.app.protocol.definitions.changes import (
    Change,
    DefinitionDiff,
    Weight,
    compare_definitions,
)
from signoff.app.protocol.hints import HINT_KEYS
from tests.content.json_values import json_values

ODD = json_values()
WORDS = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from("\u200b\u202e  \n\tаa"), max_size=20
)
NAMES = st.sampled_from(["a", "b", "mode", "path", "default", "not"])
BOUNDS = st.sampled_from([-1, 0, 1, 1.0, 2, 5])
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array"])
LEAVES: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, False, 0, 1, 1.0, 2, 5, -1, "", "a", "bb", [], [1], {}]
).map(copy.deepcopy)


def _object(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({}, optional=fields)


def _keywords(inner: st.SearchStrategy[Any]) -> dict[str, st.SearchStrategy[Any]]:
    lists = st.lists(inner, min_size=1, max_size=3)
    tables = st.dictionaries(NAMES, inner, max_size=3)
    return {
        "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
        "description": WORDS,
        "default": LEAVES,
        "enum": st.lists(LEAVES, min_size=1, max_size=4),
        "const": LEAVES,
        "minimum": BOUNDS,
        "exclusiveMaximum": BOUNDS,
        "minLength": st.integers(0, 3),
        "maxLength": st.integers(0, 3),
        "minItems": st.integers(0, 2),
        "maxProperties": st.integers(0, 2),
        "multipleOf": st.sampled_from([1, 2, 4]),
        "uniqueItems": st.booleans(),
        "pattern": st.sampled_from(["^a", "b$"]),
        "properties": tables,
        "required": st.lists(NAMES, max_size=2, unique=True),
        "additionalProperties": inner,
        "unevaluatedProperties": inner,
        "propertyNames": inner,
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "b$"]), inner, max_size=2),
        "items": inner,
        "prefixItems": lists,
        "anyOf": lists,
        "oneOf": lists,
        "allOf": lists,
        "not": inner,
        "if": inner,
        "then": inner,
        "contains": inner,
        "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, max_size=2), max_size=2),
        "$ref": st.sampled_from(["#/$defs/a", "#/$defs/b"]),
    }


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keywords = _keywords(inner)
    some = st.lists(st.sampled_from(sorted(keywords)), max_size=4, unique=True)
    return some.flatmap(lambda keys: st.fixed_dictionaries({key: keywords[key] for key in keys}))


SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    st.booleans() | st.builds(dict) | st.builds(lambda kind: {"type": kind}, TYPES),
    _schemas,
    max_leaves=8,
)
"""Well-formed schemas of a few keywords each."""
ROOTS: st.SearchStrategy[Any] = st.builds(
    lambda schema, tables: {**(schema if isinstance(schema, dict) else {}), "$defs": tables},
    SCHEMAS,
    st.fixed_dictionaries({"a": SCHEMAS, "b": SCHEMAS}),
)
"""Schemas in which every reference leads somewhere, though perhaps in a circle."""
SMALL: st.SearchStrategy[Any] = (
    st.booleans()
    | st.builds(lambda kind: {"type": kind}, TYPES)
    | st.builds(lambda value: {"const": value}, LEAVES)
)
WRAPPERS: Any = {
    "properties": lambda inner: {"properties": {"a": inner}},
    "items": lambda inner: {"items": inner},
    "additionalProperties": lambda inner: {"additionalProperties": inner},
    "not": lambda inner: {"not": inner},
    "anyOf": lambda inner: {"anyOf": [inner, {"type": "null"}]},
    "oneOf": lambda inner: {"oneOf": [inner, {"type": "string"}]},
    "allOf": lambda inner: {"allOf": [inner, {}]},
    "if": lambda inner: {"if": inner, "then": {"type": "string"}},
    "contains": lambda inner: {"contains": inner, "maxContains": 1},
    "$defs": lambda inner: {"$defs": {"a": inner}, "$ref": "#/$defs/a"},
    "$defs not": lambda inner: {"$defs": {"a": inner}, "not": {"$ref": "#/$defs/a"}},
    "ref not": lambda inner: {"not": {"$ref": "#/properties/a"}, "properties": {"a": inner}},
    "unevaluated": lambda inner: {"anyOf": [inner, {}], "unevaluatedProperties": False},
}


REFERRING = ("$defs", "$defs not", "ref not")


@st.composite
def schema_pairs(draw: st.DrawFn) -> tuple[Any, Any]:
    """Two schemas that differ in one keyword, somewhere."""
    keywords = _keywords(SMALL)
    keywords.pop("$ref")
    key = draw(st.sampled_from(sorted(keywords)))
    shared = draw(st.sampled_from([{}, {"type": ["string", "number", "object", "array"]}]))
    pair = []
    for value in draw(st.lists(st.none() | keywords[key], min_size=2, max_size=2)):
        pair.append({**shared} if value is None else {**shared, key: value})
    plain = [name for name in WRAPPERS if name not in REFERRING]
    inner = draw(st.lists(st.sampled_from(plain), max_size=1))
    outer = draw(st.lists(st.sampled_from([*WRAPPERS]), max_size=1))
    for wrapper in (*inner, *outer):
        pair = [WRAPPERS[wrapper](one) for one in pair]
    return pair[0], pair[1]


CLAIMS = st.sampled_from([True, False, "true", None, 1])
ANNOTATIONS = _object(title=WORDS, audience=ODD, **dict.fromkeys(HINT_KEYS, CLAIMS))
DEFINITIONS: st.SearchStrategy[Any] = _object(
    name=WORDS | ODD,
    title=WORDS | ODD,
    description=WORDS | ODD,
    inputSchema=ROOTS | SCHEMAS | ODD,
    outputSchema=SCHEMAS | ODD,
    annotations=ANNOTATIONS | ODD,
    icons=ODD,
    execution=_object(taskSupport=st.sampled_from(["required", "optional", "forbidden"])) | ODD,
    _meta=ODD,
    other=ODD,
)


@st.composite
def edited(draw: st.DrawFn, value: Any) -> Any:
    """`value` with one to three places replaced, removed, added to, or put in another order."""
    new = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 3))):
        new = draw(_edited_once(new))
    return new


@st.composite
def _edited_once(draw: st.DrawFn, value: Any) -> Any:
    holders = [place for place in _containers(value) if place]
    if not holders or draw(st.integers(0, 9)) == 0:
        return draw(DEFINITIONS | ODD)
    holder = draw(st.sampled_from(holders))
    if isinstance(holder, list):
        at = draw(st.integers(0, len(holder) - 1))
        match draw(st.sampled_from(["replace", "remove", "insert", "reverse"])):
            case "replace":
                holder[at] = draw(LEAVES | SCHEMAS)
            case "remove":
                del holder[at]
            case "insert":
                holder.insert(at, draw(LEAVES | SCHEMAS))
            case _:
                holder.reverse()
        return value
    key = draw(st.sampled_from(sorted(holder)))
    match draw(st.sampled_from(["replace", "remove", "rename", "add"])):
        case "replace":
            holder[key] = draw(LEAVES | SCHEMAS | BOUNDS | WORDS)
        case "remove":
            del holder[key]
        case "rename":
            holder[draw(NAMES)] = holder.pop(key)
        case _:
            holder[draw(NAMES)] = draw(SCHEMAS)
    return value


def _containers(value: Any) -> Iterable[Any]:
    if isinstance(value, dict | list):
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from _containers(item)


def applied(changes: Iterable[Change], old: Any) -> Any:
    """`old` with all changes made: the shortest places first."""
    root: Any = [copy.deepcopy(old)]
    for change in sorted(changes, key=lambda one: len(one.steps)):
        holder: Any = root
        steps: list[Any] = [0, *change.steps]
        for step, following in pairwise(steps):
            if isinstance(following, str) and not isinstance(_get(holder, step), dict):
                if not change.has:
                    break
                holder[step] = {}
            holder = holder[step]
        else:
            if change.has:
                holder[steps[-1]] = copy.deepcopy(change.new)
            elif isinstance(holder, dict):
                holder.pop(steps[-1], None)
    return root[0]


def _get(holder: Any, step: Any) -> Any:
    return holder[step] if isinstance(holder, list) else holder.get(step)


def reordered(value: Any) -> Any:
    """The same value with the names of every object in the opposite order."""
    if isinstance(value, dict):
        return {name: reordered(value[name]) for name in reversed(value)}
    return [reordered(item) for item in value] if isinstance(value, list) else value


def only(diff: DefinitionDiff) -> Change:
    assert len(diff.changes) == 1, diff.changes
    return diff.changes[0]


def check_exact(old: Any, new: Any) -> DefinitionDiff:
    """A diff that names every difference, and nothing else."""
    diff = compare_definitions(old, new)
    assert (diff.old_digest, diff.new_digest) == (digest(old), digest(new))
    assert bool(diff.changes) == (diff.old_digest != diff.new_digest)
    assert canonical(applied(diff.changes, old)) == canonical(new)
    assert len({change.steps for change in diff.changes}) == len(diff.changes)
    weights = [change.weight for change in diff.changes]
    assert weights == sorted(weights, reverse=True)
    assert Weight.SAME not in weights
    for change in diff.changes:
        assert change.path == pointer(change.steps)
        assert visible(change.words) == change.words
        json.dumps(change.as_json())
    return diff


def nested_schema(key: str, depth: int, leaf: Any) -> Any:
    schema = leaf
    for _ in range(depth):
        schema = {key: [schema] if key in ("anyOf", "oneOf", "prefixItems") else schema}
    return schema
