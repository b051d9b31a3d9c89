"""Input schemas as servers write them, and worse; and values that nearly fit them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from tests.content.json_values import json_values

NAMES = st.sampled_from(["a", "b", "c", "kind", "x-y", "é"])
DEFINITIONS = ("Leaf", "Tree", "Either")
REFERENCES: st.SearchStrategy[JsonValue] = st.sampled_from(
    [f"#/$defs/{name}" for name in DEFINITIONS] + ["#", "#/properties/a", "#/$defs/none", "x:y"]
).map(lambda ref: {"$ref": ref})
PLAIN = st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "a", "b", "zz", "1"])
TREE: JsonValue = {"$ref": "#/$defs/Tree"}
LOOSE: st.SearchStrategy[Any] = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=10,
)
"""Small values over the names that the schemas use, so that many of them nearly fit."""
ARGUMENTS: st.SearchStrategy[dict[str, JsonValue]] = st.dictionaries(
    NAMES, LOOSE, max_size=6
) | st.dictionaries(st.text(max_size=5), json_values(NAMES), max_size=4)


def _mixed(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[JsonValue]:
    return st.fixed_dictionaries(required, optional=optional)


def _kind(word: str, **optional: Any) -> st.SearchStrategy[JsonValue]:
    return _mixed({"type": st.just(word)}, {"title": st.just("T"), "default": PLAIN, **optional})


_NUMBERS = st.integers(-3, 3)
SCALARS: st.SearchStrategy[JsonValue] = st.one_of(
    _kind("string", minLength=st.integers(0, 2), format=st.sampled_from(["date", "uri", "odd"])),
    _kind("string", pattern=st.sampled_from(["^a", "(a+)+$"]), examples=st.just(["a"])),
    _kind("integer", minimum=_NUMBERS, maximum=_NUMBERS),
    _kind("number", exclusiveMinimum=_NUMBERS, multipleOf=st.just(0.5)),
    _kind("boolean"),
    _kind("null"),
    st.lists(PLAIN, min_size=1, max_size=3).map(lambda values: {"enum": values}),
    PLAIN.map(lambda value: {"const": value}),
    st.sampled_from([True, False, {}, {"description": "d"}, {"type": ["string", "null"]}]),
)


def _objects(inner: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    tables = st.dictionaries(NAMES, inner, max_size=4)
    lists = st.lists(NAMES, max_size=2)
    return _mixed(
        {"type": st.just("object")},
        {
            "properties": tables,
            "required": lists,
            "default": LOOSE,
            "additionalProperties": st.booleans() | inner,
            "patternProperties": st.dictionaries(
                st.sampled_from(["^x-", "^a$", ".*", "[ab]+", "("]), inner, max_size=2
            ),
            "propertyNames": st.sampled_from([{"enum": ["a", "q"]}, {"maxLength": 3}]),
            "dependentRequired": st.dictionaries(NAMES, lists, max_size=2),
            "dependentSchemas": st.dictionaries(NAMES, inner, max_size=1),
            "dependencies": st.dictionaries(NAMES, inner | lists, max_size=1),
        },
    )


def _conditional(inner: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    tables = st.dictionaries(NAMES, inner, max_size=3)
    tests = st.one_of(
        st.builds(lambda name, value: {"properties": {name: {"const": value}}}, NAMES, PLAIN),
        NAMES.map(lambda name: {"required": [name]}),
        inner,
    )
    return _mixed(
        {"type": st.just("object"), "properties": tables, "if": tests},
        {"then": _objects(inner) | inner, "else": _objects(inner) | inner},
    )


def _discriminated(inner: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    def union(bodies: list[dict[str, JsonValue]], word: str) -> JsonValue:
        return {
            word: [
                {
                    "type": "object",
                    "properties": {**body, "kind": {"const": f"k{at}"}},
                    "required": ["kind"],
                }
                for at, body in enumerate(bodies)
            ]
        }

    bodies = st.lists(st.dictionaries(NAMES, inner, max_size=2), min_size=1, max_size=3)
    return st.builds(union, bodies, st.sampled_from(["anyOf", "oneOf"]))


def _composed(inner: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    branches = st.lists(inner | REFERENCES, min_size=1, max_size=3)
    arrays = _mixed(
        {"type": st.just("array")},
        {
            "items": inner | st.lists(inner, max_size=2),
            "prefixItems": st.lists(inner, max_size=2),
            "additionalItems": inner,
            "minItems": st.integers(0, 2),
            "default": LOOSE,
        },
    )
    return st.one_of(
        _objects(inner),
        _conditional(inner),
        _discriminated(inner),
        arrays,
        branches.map(lambda found: {"anyOf": found}),
        branches.map(lambda found: {"oneOf": found, "default": "a"}),
        branches.map(lambda found: {"allOf": found}),
        st.builds(lambda one, found: {**one, "anyOf": found}, _objects(inner), branches),
        REFERENCES,
        st.just({"type": ["string", "integer", "object"]}),
    )


SCHEMAS: st.SearchStrategy[JsonValue] = st.recursive(SCALARS, _composed, max_leaves=12)


@st.composite
def input_schemas(draw: st.DrawFn) -> JsonValue:
    """Schemas of objects, with definitions that refer to each other and to the whole."""
    own = draw(_objects(SCHEMAS) | _conditional(SCHEMAS) | _discriminated(SCHEMAS) | SCHEMAS)
    if not isinstance(own, dict):
        return own
    return {
        **own,
        "$defs": {
            "Leaf": draw(SCALARS),
            "Tree": {
                "type": "object",
                "properties": {
                    "a": draw(SCALARS),
                    "b": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
                    "c": {"$ref": "#/$defs/Tree"},
                },
                "required": [*draw(st.lists(NAMES, max_size=3))],
            },
            "Either": {"anyOf": [{"$ref": "#/$defs/Leaf"}, {"$ref": "#/$defs/Tree"}]},
        },
    }


KEYWORDS = st.sampled_from(
    [
        *("type", "properties", "required", "default", "const", "enum", "anyOf", "oneOf", "allOf"),
        *("not", "if", "then", "else", "$ref", "$defs", "definitions", "$id", "$anchor", "format"),
        *("items", "prefixItems", "additionalItems", "minItems", "maxItems", "title", "examples"),
        *("description", "minimum", "maximum", "minLength", "pattern", "additionalProperties"),
        *("patternProperties", "propertyNames", "dependentRequired", "dependentSchemas"),
        *("dependencies", "a", "b"),
    ]
)
WORDS = st.sampled_from(
    ["string", "integer", "number", "boolean", "null", "array", "object", "#/$defs/a", "#", "a"]
)
NONSENSE: st.SearchStrategy[JsonValue] = st.recursive(
    WORDS | json_values(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYWORDS, inner, max_size=6),
    max_leaves=30,
)
"""Any JSON, much of it out of the words of JSON Schema in all the wrong places."""


def _sound_scalars() -> st.SearchStrategy[JsonValue]:
    low, more = st.integers(-3, 3), st.integers(0, 4)
    return st.one_of(
        st.just({"type": "string"}),
        st.builds(lambda a, b: {"type": "integer", "minimum": a, "maximum": a + b}, low, more),
        st.just({"type": ["number", "null"]}),
        st.just({"anyOf": [{"type": "string", "maxLength": 2}, {"type": "null"}]}),
        st.just({"type": "boolean", "default": True}),
        st.just({"enum": ["a", 1, None], "default": "a"}),
        st.just({"type": "array", "items": {"enum": ["r", "g", "b"]}}),
        st.just({"oneOf": [{"const": 1, "title": "One"}, {"const": 2, "title": "Two"}]}),
        st.just({"type": ["string", "boolean"]}),
        st.just({"$ref": "#/$defs/Leaf"}),
        st.just({"$ref": "#/$defs/Tree"}),
    )


def _sound_groups(inner: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    tables = st.dictionaries(st.sampled_from("abc"), inner, min_size=1, max_size=3)
    lists = st.lists(st.sampled_from("abc"), max_size=2, unique=True)

    def chosen(one: JsonValue, other: JsonValue) -> JsonValue:
        tests: JsonValue = {"properties": {"on": {"const": True}}, "required": ["on"]}
        then: JsonValue = {"properties": {"then": one}, "required": ["then"]}
        return {
            "type": "object",
            "properties": {"on": {"type": "boolean"}},
            "if": tests,
            "then": then,
            "else": {"properties": {"else": other}},
        }

    return st.one_of(
        st.builds(
            lambda table, names: {
                "type": "object",
                "properties": table,
                "required": [name for name in names if name in table],
                "additionalProperties": False,
            },
            tables,
            lists,
        ),
        st.builds(
            lambda one, two: {
                "allOf": [
                    {"type": "object", "properties": {"p": one}},
                    {"properties": {"q": two}, "required": ["q"]},
                ],
                "dependentRequired": {"p": ["q", "r"]},
            },
            inner,
            inner,
        ),
        st.builds(chosen, inner, inner),
        inner.map(lambda one: {"type": "object", "additionalProperties": one}),
        inner.map(lambda one: {"type": "array", "items": one}),
        _discriminated(inner),
        st.lists(inner, min_size=1, max_size=3).map(lambda found: {"anyOf": found}),
    )


@st.composite
def sound_schemas(draw: st.DrawFn) -> JsonValue:
    """Schemas of which a form can keep every rule, by what it offers or by its problems."""
    inner = st.recursive(_sound_scalars(), _sound_groups, max_leaves=8)
    table = draw(st.dictionaries(st.sampled_from("uvwx"), inner, min_size=1, max_size=4))
    return {
        "type": "object",
        "properties": table,
        "required": [*draw(st.lists(st.sampled_from(sorted(table)), max_size=2, unique=True))],
        "$defs": {
            "Leaf": {"type": "integer", "minimum": 0},
            "Tree": {
                "type": "object",
                "properties": {"v": {"type": "string"}, "kids": {"type": "array", "items": TREE}},
                "required": ["v"],
            },
        },
    }
