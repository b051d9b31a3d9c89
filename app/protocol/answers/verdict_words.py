"""Sentences for a verdict on structuredContent.

Also finds the places of a JSON Schema that govern one place of a value; for showing, not for
judging. References are followed inside the schema only. No pattern of the schema is tried: it could
take for ever, so rules of `patternProperties` are not found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any, Final
from urllib.parse import unquote

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, Path, pointer
from ...content.labels import and_more, some_listed
from ...schemas.schema import Mismatch, SchemaAnswer, SchemaVerdict
from ..clients.findings import rejection_words
from .copies import short
from .values import at, member

MAX_PLACES: Final = 200
"""Places of a schema that are looked at for one step into the value."""
MAX_STEPS: Final = 200
MAX_HOPS: Final = 8
"""`$ref` to `$ref` to ...: followed this often."""

_IN_PLACE: Final = ("allOf", "anyOf", "oneOf")
_IN_PLACE_ONE: Final = ("then", "else")


def governing(schema: JsonValue, path: Path) -> tuple[Path, ...]:
    """The places of the subschemas that apply to the value at `path`, the nearest one first.

    The first has the rules themselves: behind a `$ref`, the definition. Empty if no part of the
    schema applies to the value.
    """
    places = _expanded(schema, [()])
    for step in path[:MAX_STEPS]:
        below: list[Path] = []
        for place in places:
            below += _below(schema, place, step)
        places = _expanded(schema, below)
        if not places:
            break
    return tuple(_rules_first(schema, places))


def listed_names(schema: JsonValue, path: Path) -> tuple[str, ...]:
    """The properties of the object at `path` in the order in which the schema lists them."""
    names: dict[str, None] = {}
    required: dict[str, None] = {}
    for place in governing(schema, path):
        here = at(schema, place)
        if isinstance(here, dict):
            properties, needed = here.get("properties"), here.get("required")
            if isinstance(properties, dict):
                names |= dict.fromkeys(properties)
            if isinstance(needed, list):
                required |= {name: None for name in needed if isinstance(name, str)}
    return tuple(names | required)


def rule_place(schema: JsonValue, schema_path: Path) -> Path | None:
    """Return the place of a rule, from the path as validators report it.

    They leave the references on the way out, or name them as `$ref`; both are followed.
    """
    place: Path = ()
    for step in schema_path[:MAX_STEPS]:
        for _ in range(MAX_HOPS):
            here = at(schema, place)
            ref = here.get("$ref") if isinstance(here, dict) else None
            if step != "$ref" and member(here, step):
                place = (*place, step)
                break
            target = _target(schema, ref) if isinstance(ref, str) else None
            if target is None:
                return None
            place = target
            if step == "$ref":
                break
        else:
            return None
    return place


def _rules_first(schema: JsonValue, places: list[Path]) -> list[Path]:
    """A place that only refers to others comes after them."""
    bare = [place for place in places if _only_refers(at(schema, place))]
    return [place for place in places if place not in bare] + bare


def _only_refers(here: JsonValue) -> bool:
    return isinstance(here, dict) and "$ref" in here and len(here) == 1


def _expanded(schema: JsonValue, places: Sequence[Path]) -> list[Path]:
    """These places and those that hold for the same value: references, branches."""
    found: dict[Path, None] = {}
    waiting = list(reversed(places))
    while waiting and len(found) < MAX_PLACES:
        place = waiting.pop()
        here = at(schema, place)
        if place in found or not isinstance(here, dict | bool):
            continue
        found[place] = None
        if isinstance(here, dict):
            waiting += reversed(list(_same_value(schema, place, here)))
    return list(found)


def _same_value(schema: JsonValue, place: Path, here: dict[str, JsonValue]) -> Iterator[Path]:
    ref = here.get("$ref")
    if isinstance(ref, str) and (target := _target(schema, ref)) is not None:
        yield target
    for word in _IN_PLACE:
        branches = here.get(word)
        if isinstance(branches, list):
            for index in range(min(len(branches), MAX_PLACES)):
                yield (*place, word, index)
    for word in _IN_PLACE_ONE:
        if word in here:
            yield (*place, word)


def _below(schema: JsonValue, place: Path, step: str | int) -> Iterator[Path]:
    """Yield places of one subschema that govern one member of its value."""
    here = at(schema, place)
    if not isinstance(here, dict):
        return
    if isinstance(step, str):
        properties = here.get("properties")
        if isinstance(properties, dict) and step in properties:
            yield (*place, "properties", step)
            return
        rest: tuple[str, ...] = ("additionalProperties", "unevaluatedProperties")
    else:
        for word in ("prefixItems", "items"):
            items = here.get(word)
            if isinstance(items, list) and step < len(items):
                yield (*place, word, step)
                return
        rest = ("items", "additionalItems", "unevaluatedItems")
    for word in rest:
        if isinstance(here.get(word), dict | bool):
            yield (*place, word)
            return


def _target(schema: JsonValue, ref: str) -> Path | None:
    """Resolve a reference; None if it leaves the schema or is broken."""
    if not ref.startswith("#"):
        return None
    inside = unquote(ref[1:])
    if not inside:
        return ()
    if not inside.startswith("/"):
        return _anchored(schema, inside)
    place: Path = ()
    here = schema
    for part in inside[1:].split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        is_index = isinstance(here, list) and name.isascii() and name.isdigit() and len(name) < 9
        step: str | int = int(name) if is_index else name
        inner = member(here, step)
        if not inner:
            return None
        here = inner[0]
        place = (*place, step)
    return place


def _anchored(schema: JsonValue, anchor: str) -> Path | None:
    for word in ("$defs", "definitions"):
        table = at(schema, (word,))
        if isinstance(table, dict):
            for name, one in table.items():
                if isinstance(one, dict) and one.get("$anchor") == anchor:
                    return (word, name)
    return None


SPOKEN = 2
"""Errors that the headline itself names."""
_CHOICES = 6
_LIMITS = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "more than",
    "exclusiveMaximum": "less than",
    "multipleOf": "a multiple of",
}
_COUNTS = {
    "minLength": ("at least", "character", "characters"),
    "maxLength": ("at most", "character", "characters"),
    "minItems": ("at least", "item", "items"),
    "maxItems": ("at most", "item", "items"),
    "minProperties": ("at least", "property", "properties"),
    "maxProperties": ("at most", "property", "properties"),
}
_AN = {"array": "an array", "object": "an object", "integer": "an integer", "null": "null"}
_TYPES = ("array", "object", "integer", "null", "number", "string", "boolean")


class Tone(StrEnum):
    """Style of a verdict; the sign and the words have the same meaning."""

    GOOD = "good"
    BAD = "bad"
    UNSURE = "unsure"
    QUIET = "quiet"


@frozen
class Spoken:
    """A sign of one cell, and one sentence that is safe to show."""

    tone: Tone
    sign: str
    words: str


def headline(
    verdict: SchemaVerdict | None,
    value: JsonValue = None,
    schema: JsonValue = None,
    *,
    is_listed: bool = False,
) -> Spoken:
    """The verdict in one sentence; None: it is still being found. Only VALID is ever good.

    Where the errors are listed beside it (`is_listed`) it only counts them.
    """
    if verdict is None:
        return Spoken(Tone.QUIET, "…", "checking structuredContent against its output schema")
    match verdict.answer:
        case SchemaAnswer.VALID if verdict.rejected_by_clients:
            words = rejection_words(verdict.rejected_by_clients[0])
            more = and_more(len(verdict.rejected_by_clients) - 1)
            ending = f"; {more}" if more else ""
            return Spoken(Tone.UNSURE, "▲", f"structuredContent is valid, but {words}{ending}.")
        case SchemaAnswer.VALID:
            return Spoken(Tone.GOOD, "✓", "structuredContent matches its output schema.")
        case SchemaAnswer.MISSING:
            words = "missing: the tool has an output schema but sent no structuredContent"
            return Spoken(Tone.BAD, "✗", words)
        case SchemaAnswer.NOT_VALIDATED:
            how = "validated only in part" if verdict.unchecked else "not validated"
            return Spoken(Tone.UNSURE, "?", f"{how}: {verdict.reason}")
        case SchemaAnswer.NO_SCHEMA:
            return Spoken(Tone.QUIET, "·", "no output schema to check against")
    count = len(verdict.errors) + verdict.more
    said = (
        []
        if is_listed or not verdict.errors
        else some_listed(
            in_order(verdict.errors, value, schema),
            SPOKEN,
            lambda one: f"{pointer(one.path)} {claim(one, value, schema).words}",
            beyond=verdict.more,
        )
    )
    places = f"{count:,} place{'' if count == 1 else 's'}"
    ending = f": {'; '.join(said)}" if said else ""
    skipped = f" Checked only in part: {verdict.reason}." if verdict.unchecked else ""
    words = f"structuredContent does not match its output schema in {places}{ending}.{skipped}"
    return Spoken(Tone.BAD, "✗", words)


@frozen
class SpokenError:
    """A schema error at a place, in words to be read after it; safe to show."""

    must: str
    """The rule, such as "must be an array"."""
    but: str = ""
    """The value found instead, such as "is the string “x”"; empty if the rule suffices."""

    @property
    def words(self) -> str:
        return f"{self.must}, but {self.but}" if self.but else self.must


def claim(error: Mismatch, value: JsonValue, schema: JsonValue) -> SpokenError:
    """An error in words: "must be an array" and "is the string “x”"."""
    place = rule_place(schema, error.schema_path)
    rule = at(schema, place) if place is not None else None
    here = at(value, error.path)
    message = error.message
    match error.keyword:
        case "required" | "dependentRequired" | "dependencies":
            return SpokenError(f"is {message}" if message.startswith("required") else message)
        case "additionalProperties" if message.startswith("not allowed"):
            return SpokenError(f"is {message}")
        case "type" if wanted := _type_names(rule):
            return SpokenError(f"must be {wanted}", f"is {_named(here)}")
        case "enum" if isinstance(rule, list) and rule:
            listed = ", ".join(short(one) for one in rule[:_CHOICES])
            more = f" or {len(rule) - _CHOICES:,} others" if len(rule) > _CHOICES else ""
            return SpokenError(f"must be one of {listed}{more}", f"is {_named(here)}")
        case "const" if place is not None:
            return SpokenError(f"must be {short(rule)}", f"is {_named(here)}")
        case "false":
            return SpokenError("must be absent: the schema allows no value", f"is {_named(here)}")
        case "uniqueItems":
            return SpokenError("must not have duplicate items")
        case keyword if keyword in _LIMITS and _is_number(rule):
            return SpokenError(f"must be {_LIMITS[keyword]} {short(rule)}", f"is {short(here)}")
        case keyword if keyword in _COUNTS and _is_number(rule):
            least, one, many = _COUNTS[keyword]
            what = one if rule == 1 else many
            count = len(here) if isinstance(here, str | list | dict) else 0
            return SpokenError(f"must have {least} {short(rule)} {what}", f"has {count:,}")
    return SpokenError(message)


def in_order(
    errors: Iterable[Mismatch], value: JsonValue, schema: JsonValue
) -> tuple[Mismatch, ...]:
    """The errors in the order of their places in the value, missing ones where they should be."""
    order = _Order(value, schema)
    return tuple(sorted(errors, key=lambda one: order.key(one.path)))


def missing_names(
    errors: Iterable[Mismatch], value: JsonValue, schema: JsonValue
) -> dict[Path, tuple[str, ...]]:
    """For each object that lacks properties: all its properties, as the schema lists them."""
    found: dict[Path, tuple[str, ...]] = {}
    for error in errors:
        parent = error.path[:-1]
        if error.path and parent not in found:
            here, name = at(value, parent), error.path[-1]
            if isinstance(here, dict) and isinstance(name, str) and name not in here:
                found[parent] = listed_names(schema, parent)
    return found


def neighbour(present: dict[str, Any], name: str, listed: Sequence[str]) -> str | None:
    """After which property a missing one belongs; None: before all others.

    After the nearest one that is listed before it and there; else right before the nearest that is
    listed after it; else last.
    """
    last = next(reversed(present), None)
    if name not in listed:
        return last
    index = listed.index(name)
    for before in reversed(listed[:index]):
        if before in present:
            return before
    for after in listed[index + 1 :]:
        if after in present:
            previous: str | None = None
            for one in present:
                if one == after:
                    return previous
                previous = one
    return last


class _Order:
    """Places of a value as numbers that sort."""

    def __init__(self, value: JsonValue, schema: JsonValue) -> None:
        self._value = value
        self._schema = schema
        self._known: dict[Path, dict[str, int]] = {}
        self._listed: dict[Path, tuple[str, ...]] = {}

    def key(self, path: Path) -> tuple[tuple[int, int], ...]:
        found: list[tuple[int, int]] = []
        here = self._value
        for depth, step in enumerate(path):
            if isinstance(step, int):
                found.append((step, 0))
                here = at(here, (step,))
                continue
            parent = path[:depth]
            names = self._names(parent, here)
            if step in names:
                found.append((names[step], 0))
                here = at(here, (step,))
                continue
            listed = self._listed_in(parent)
            before = neighbour(names, step, listed)
            rank = listed.index(step) if step in listed else len(listed)
            found.append((names[before] if before is not None else -1, 1 + rank))
            break
        return tuple(found)

    def _names(self, path: Path, here: JsonValue) -> dict[str, int]:
        if path not in self._known:
            names = here if isinstance(here, dict) else {}
            self._known[path] = {name: index for index, name in enumerate(names)}
        return self._known[path]

    def _listed_in(self, path: Path) -> tuple[str, ...]:
        if path not in self._listed:
            self._listed[path] = listed_names(self._schema, path)
        return self._listed[path]


def _type_names(rule: JsonValue) -> str:
    names = rule if isinstance(rule, list) else [rule]
    if not names or not all(isinstance(name, str) and name in _TYPES for name in names):
        return ""
    return " or ".join(_AN.get(str(name), f"a {name}") for name in names)


def _named(value: JsonValue) -> str:
    """A value, with its type if the value alone does not show it."""
    match value:
        case str():
            return f"the string {short(value)}"
        case bool() | None | dict() | list():
            return short(value)
    return f"the number {short(value)}"


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
