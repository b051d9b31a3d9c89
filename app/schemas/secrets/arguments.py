"""Places of secrets in the arguments of a call: by the schema, by names, and by their look.

This is the one place that knows. Everything stored, logged or printed without a screen goes through
it; sent arguments, and the approval dialog before that, never do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from ...content.json.jsonio import JsonValue
from ..form.merging import MISSING, target_of
from .masks import Marks, Masked, mask_value
from .names import is_secret_name

WORK_MAX: Final = 100_000
"""Schemas that are looked at for one value; the rest of the value then counts as secret."""
TITLE_MAX: Final = 40
"""Characters up to which a title is a name rather than a sentence."""

_SWITCHES: Final = ("writeOnly", "sensitive", "secret", "isSecret", "x-secret", "x-sensitive")
_BESIDE: Final = ("allOf", "anyOf", "oneOf")
_SAME_PLACE: Final = ("if", "then", "else", "not")
_REFS: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_OTHERS: Final = ("additionalProperties", "unevaluatedProperties")
_PLACES: Final = ("prefixItems", "items")
_ITEMS: Final = ("items", "additionalItems", "unevaluatedItems", "contains")
_Schema: TypeAlias = dict[str, JsonValue]


class _TooMuchWork(Exception):
    """The schema can be made to mean any number of places."""


def mask_arguments(arguments: JsonValue, schema: JsonValue = None) -> Masked:
    """A copy of arguments without their secrets, with the secrets and their places.

    Secret are values with `format: password` or `writeOnly` in any branch of the schema, values
    under a telling name or title, and values that look like a secret.
    """
    return mask_value(arguments, marks_of(arguments, schema))


def marks_of(arguments: JsonValue, schema: JsonValue) -> Marks | None:
    """Secret places in `arguments` by the schema; None if it declares none."""
    if not _may_tell(schema):
        return None
    try:
        return _Reader(schema).marks([schema], arguments)
    except (_TooMuchWork, RecursionError):
        return Marks(is_secret=True)


def says_secret(schema: _Schema) -> bool:
    """True if a schema, looked at without its references and branches, calls its value secret."""
    kind, title = schema.get("format"), schema.get("title")
    return (
        (isinstance(kind, str) and kind.lower() == "password")
        or any(schema.get(switch) is True for switch in _SWITCHES)
        or (isinstance(title, str) and len(title) <= TITLE_MAX and is_secret_name(title))
    )


class _Reader:
    """Goes through a value with all schemas that may govern each place of it."""

    def __init__(self, root: JsonValue) -> None:
        self._root = root
        self._work = 0
        self._targets: dict[str, JsonValue] = {}
        self._known: dict[tuple[int, ...], list[_Schema]] = {}

    def marks(self, schemas: list[JsonValue], value: JsonValue) -> Marks | None:
        governing = self._governing(schemas)
        if not governing:
            return None
        if any(map(says_secret, governing)):
            return Marks(is_secret=True)
        below: dict[str | int, Marks] = {}
        for step, item in _members(value):
            self._spend(len(governing))
            found = self.marks(_below(governing, step), item)
            if found is not None:
                below[step] = found
        return Marks(below=below) if below else None

    def _governing(self, schemas: list[JsonValue]) -> list[_Schema]:
        """The schemas themselves, and those of their references and branches, each once."""
        key = tuple(map(id, schemas))
        known = self._known.get(key)
        if known is not None:
            return known
        found: list[_Schema] = []
        seen: set[int] = set()
        pending = list(schemas)
        while pending:
            self._spend(1)
            schema = pending.pop()
            if not isinstance(schema, dict) or id(schema) in seen:
                continue
            seen.add(id(schema))
            found.append(schema)
            pending += self._beside(schema)
        self._known[key] = found
        return found

    def _beside(self, schema: _Schema) -> Iterator[JsonValue]:
        for word in _REFS:
            ref = schema.get(word)
            if isinstance(ref, str):
                if ref not in self._targets:
                    target = target_of(ref, self._root)
                    self._targets[ref] = None if target is MISSING else target
                yield self._targets[ref]
        for word in _BESIDE:
            branches = schema.get(word)
            yield from branches if isinstance(branches, list) else ()
        for word in _SAME_PLACE:
            yield schema.get(word)
        for word in ("dependentSchemas", "dependencies"):
            branches = schema.get(word)
            yield from branches.values() if isinstance(branches, dict) else ()

    def _spend(self, work: int) -> None:
        self._work += work
        if self._work > WORK_MAX:
            raise _TooMuchWork


def _members(value: JsonValue) -> Iterator[tuple[str | int, JsonValue]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)


def _below(governing: list[_Schema], step: str | int) -> list[JsonValue]:
    """Schemas that may govern a member: a server's pattern is never tried, so any may fit."""
    found: list[JsonValue] = []
    for schema in governing:
        if isinstance(step, str):
            named = schema.get("properties")
            if isinstance(named, dict) and step in named:
                found.append(named[step])
            patterns = schema.get("patternProperties")
            found += patterns.values() if isinstance(patterns, dict) else ()
            found += [schema[word] for word in _OTHERS if word in schema]
            continue
        found += _items(schema, step)
    return found


def _items(schema: _Schema, step: int) -> Iterator[JsonValue]:
    """Schemas of an item: its own place first, else those for the rest of the list."""
    places = next((schema[word] for word in _PLACES if isinstance(schema.get(word), list)), None)
    if isinstance(places, list) and step < len(places):
        yield places[step]
        yield schema.get("contains")
    else:
        for word in _ITEMS:
            yield schema.get(word)


def _may_tell(schema: JsonValue) -> bool:
    """True if anything in the whole schema calls a value secret; most never do."""
    pending: list[JsonValue] = [schema]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            if says_secret(one):
                return True
            pending += one.values()
        elif isinstance(one, list):
            pending += one
    return False
