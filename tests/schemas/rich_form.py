"""A schema with every kind of field, and plain JSON to compare its form with.

The functions know nothing of forms: they do to a JSON value what an edit does to the arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.fields import Place

TREE: JsonValue = {"$ref": "#/$defs/Tree"}
ADDRESS: dict[str, JsonValue] = {
    "type": "object",
    "properties": {
        "street": {"type": "string"},
        "zip": {"type": "integer"},
        "pin": {"type": "string", "format": "password"},
    },
    "required": ["street"],
}
CIRCLE: JsonValue = {
    "type": "object",
    "properties": {"kind": {"const": "circle"}, "name": {"type": "string"}, "r": {}},
    "required": ["kind", "r"],
}
BOX: JsonValue = {
    "type": "object",
    "properties": {"kind": {"const": "box"}, "name": {"type": "string"}, "w": {}},
    "required": ["kind"],
}
RICH: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "count": {"type": "integer", "default": 3},
        "ratio": {"type": ["number", "null"]},
        "flag": {"type": "boolean"},
        "color": {"enum": ["red", "green", 3]},
        "perms": {"type": "array", "items": {"enum": ["read", "write", "admin"]}},
        "token": {"type": "string", "writeOnly": True},
        "anything": {},
        "mode": {"const": "auto"},
        "home": ADDRESS,
        "others": {"type": "array", "items": ADDRESS},
        "tags": {"type": "array", "items": {"type": "string"}},
        "pair": {
            "type": "array",
            "prefixItems": [{"type": "string"}, {"type": "integer"}],
            "items": False,
        },
        "env": {"type": "object", "additionalProperties": {"type": "string"}},
        "shape": {"oneOf": [CIRCLE, BOX, {"type": "string"}]},
        "tree": TREE,
        "spot": {
            "type": "object",
            "properties": {"x": {"type": "integer"}, "y": {"type": "integer", "default": 0}},
            "default": {"x": 1, "y": 2},
        },
    },
    "required": ["name", "mode"],
    "if": {"properties": {"flag": {"const": True}}, "required": ["flag"]},
    "then": {"properties": {"reason": {"type": "string"}}, "required": ["reason"]},
    "$defs": {
        "Tree": {
            "type": "object",
            "properties": {
                "label": {"type": "string"},
                "kids": {"type": "array", "items": TREE},
                "next": TREE,
            },
            "required": ["label"],
        }
    },
}

_TEXTS = st.sampled_from(["", "a", "b c", "two\nlines", "ünï", "null", "1"])
_NUMBERS = st.integers(-9, 9)


def _some(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(required, optional=optional)


_ADDRESSES = _some({"street": _TEXTS}, {"zip": _NUMBERS, "pin": _TEXTS})
_TREES: st.SearchStrategy[Any] = st.recursive(
    _some({"label": _TEXTS}, {}),
    lambda inner: _some(
        {"label": _TEXTS}, {"kids": st.lists(inner, min_size=1, max_size=3), "next": inner}
    ),
    max_leaves=5,
)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "name": _TEXTS,
    "count": _NUMBERS,
    "ratio": st.none() | _NUMBERS | st.sampled_from([0.5, -1e30]),
    "flag": st.booleans(),
    "color": st.sampled_from(["red", "green", 3]),
    "perms": st.lists(st.sampled_from(["read", "write", "admin"]), unique=True),
    "token": _TEXTS,
    "anything": st.sampled_from([None, 1, "a", [1, [2]], {"a": {}}]),
    "mode": st.just("auto"),
    "home": _ADDRESSES,
    "others": st.lists(_ADDRESSES, max_size=3),
    "tags": st.lists(_TEXTS, max_size=4),
    "pair": st.tuples(_TEXTS, _NUMBERS).map(list),
    "env": st.dictionaries(st.sampled_from(["A", "b", ""]), _TEXTS),
    "shape": st.one_of(
        _some({"kind": st.just("circle"), "r": _NUMBERS}, {"name": _TEXTS}),
        _some({"kind": st.just("box")}, {"name": _TEXTS, "w": _NUMBERS}),
        _TEXTS,
    ),
    "tree": _TREES,
    "spot": _some({}, {"x": _NUMBERS, "y": _NUMBERS}),
}
"""Valid values of each property."""


@st.composite
def rich_arguments(draw: st.DrawFn) -> dict[str, Any]:
    """Valid arguments of the tool with the rich schema."""
    given = draw(
        _some(
            {name: VALUES[name] for name in RICH["required"]},
            {name: one for name, one in VALUES.items() if name not in RICH["required"]},
        )
    )
    return {**given, "reason": draw(_TEXTS)} if given.get("flag") else given


def places(value: JsonValue, place: Place = ()) -> Iterator[Place]:
    """The place of a value, and those of all values inside it."""
    yield place
    if isinstance(value, dict):
        for key, one in value.items():
            yield from places(one, (*place, key))
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from places(one, (*place, index))


def at(value: Any, place: Place) -> Any:
    """The value inside a value."""
    for step in place:
        value = value[step]
    return value


def put(value: Any, place: Place, new: JsonValue) -> Any:
    """A copy with another value at a place that is there, or is a key of an object there."""
    if not place:
        return new
    copy = deepcopy(value)
    at(copy, place[:-1])[place[-1]] = new
    return copy


def cut_out(value: Any, place: Place) -> Any:
    """A copy without the value at a place."""
    copy = deepcopy(value)
    del at(copy, place[:-1])[place[-1]]
    return copy


def missing(value: Any) -> set[Place]:
    """The places of the rich schema that are required and are not in a value."""
    found: set[Place] = {(name,) for name in RICH["required"] if name not in value}
    if value.get("flag") is True and "reason" not in value:
        found.add(("reason",))
    for place in places(value):
        one, name = at(value, place), place[-1] if place else ""
        if not isinstance(one, dict) or place[:1] == ("anything",):
            continue
        if name == "home" or place[:-1] == ("others",):
            found |= {(*place, key) for key in ("street",) if key not in one}
        elif place[:1] == ("tree",):
            found |= {(*place, key) for key in ("label",) if key not in one}
        elif name == "shape":
            needed = ("kind", "r") if one.get("kind") == "circle" else ("kind",)
            found |= {(*place, key) for key in needed if key not in one}
    return found
