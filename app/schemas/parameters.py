"""The parameters of a tool at any depth of its schema, and the values that each allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..content.frozen import frozen
from ..content.json.jsonio import JsonValue, Path, pointer
from .form.merging import Schema, target_of

MAX_SEEN: Final = 2_000
"""Schemas inside one schema that are looked at."""


MAX_MEMBERS: Final = 100_000
"""Members of all these together: what many references lead to is looked at for each of them."""


MAX_ALTERNATIVES: Final = 50


MAX_REFERENCES: Final = 8


_BRANCHES: Final = ("anyOf", "oneOf", "allOf")


@frozen
class Parameter:
    """One property. `schema` is its own merged over the target of its reference."""

    name: str
    steps: Path
    schema: JsonValue

    @property
    def path(self) -> str:
        return pointer(self.steps)

    @property
    def words(self) -> Schema:
        """The schema as an object; empty for one that is none."""
        return self.schema if isinstance(self.schema, dict) else {}


@frozen
class SubSchema:
    """A schema inside a schema, itself included; `depth` counts the properties on the way."""

    steps: Path
    schema: JsonValue
    depth: int
    name: str | None = None
    """Of the property that it is; None for any other part."""


def parts(root: JsonValue, key: str) -> Iterator[SubSchema]:
    """Every schema inside a schema, in the order in which it is written; `key` is its member.

    The target of a reference is visited once, at the first reference to it.
    """
    pending = [SubSchema((key,), root, 0)]
    referred: set[str] = set()
    left = MAX_MEMBERS
    for _ in range(MAX_SEEN):
        if not pending or left < 0:
            return
        part = pending.pop()
        schema = resolved(part.schema, root)
        left -= _members(schema)
        yield SubSchema(part.steps, schema, part.depth, part.name)
        if not isinstance(schema, dict):
            continue
        reference = part.schema.get("$ref") if isinstance(part.schema, dict) else None
        if isinstance(reference, str):
            if reference in referred:
                continue
            referred.add(reference)
        pending += reversed([*_below(part, schema)])


def _members(schema: JsonValue) -> int:
    if not isinstance(schema, dict):
        return 1
    within = (len(value) for value in schema.values() if isinstance(value, dict | list))
    return 1 + len(schema) + sum(within)


def _below(part: SubSchema, schema: Schema) -> Iterator[SubSchema]:
    listed = schema.get("properties")
    if isinstance(listed, dict):
        for name, one in listed.items():
            yield SubSchema((*part.steps, "properties", name), one, part.depth + 1, name)
    for word in ("items", "additionalProperties"):
        if isinstance(schema.get(word), dict):
            yield SubSchema((*part.steps, word), schema[word], part.depth)
    for word in _BRANCHES:
        branches = schema.get(word)
        for at, one in enumerate(branches if isinstance(branches, list) else ()):
            yield SubSchema((*part.steps, word, at), one, part.depth)


def parameters(root: JsonValue, key: str) -> Iterator[Parameter]:
    """Every property of a schema, at any depth."""
    for part in parts(root, key):
        if part.name is not None:
            yield Parameter(part.name, part.steps, part.schema)


def resolved(schema: JsonValue, root: JsonValue) -> JsonValue:
    """A schema merged with the target of its `$ref`, or its only `allOf`; its own words count
    first.
    """
    for _ in range(MAX_REFERENCES):
        if not isinstance(schema, dict):
            return schema
        inner: object = None
        reference, whole = schema.get("$ref"), schema.get("allOf")
        if isinstance(reference, str):
            inner, word = target_of(reference, root), "$ref"
        elif isinstance(whole, list) and len(whole) == 1:
            inner, word = whole[0], "allOf"
        if not isinstance(inner, dict):
            return schema
        schema = {**inner, **{key: value for key, value in schema.items() if key != word}}
    return schema


def alternatives(schema: Schema) -> list[JsonValue]:
    """The first branches of `anyOf`, `oneOf` and `allOf`."""
    found: list[JsonValue] = []
    for word in _BRANCHES:
        branches = schema.get(word)
        found += branches[:MAX_ALTERNATIVES] if isinstance(branches, list) else []
    return found


def choices(schema: JsonValue, root: JsonValue) -> list[JsonValue] | None:
    """The listed values of a schema that allows no others; None for any other schema."""
    if not isinstance(schema, dict):
        return None
    if "const" in schema:
        return [schema["const"]]
    listed = schema.get("enum")
    if isinstance(listed, list):
        return listed
    for word in ("oneOf", "anyOf"):
        branches = schema.get(word)
        if not isinstance(branches, list) or not branches:
            continue
        found: list[JsonValue] = []
        for one in branches:
            branch = resolved(one, root)
            if not isinstance(branch, dict) or not ("const" in branch or "enum" in branch):
                break
            found += choices(branch, root) or []
        else:
            return found
    return None
