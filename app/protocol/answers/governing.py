"""Which places of a JSON Schema speak of one place of a value; for showing, not for judging.

References are followed inside the schema only. No pattern of the schema is tried: it could take
for ever, so what `patternProperties` governs is not found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import unquote

from ...content.json.jsonio import JsonValue, Path
from .json_places import at, member

MAX_PLACES: Final = 200
"""Places of a schema that are looked at for one step into the value."""
MAX_STEPS: Final = 200
MAX_HOPS: Final = 8
"""`$ref` to `$ref` to ...: followed this often."""

_IN_PLACE: Final = ("allOf", "anyOf", "oneOf")
_IN_PLACE_ONE: Final = ("then", "else")


def governing(schema: JsonValue, path: Path) -> tuple[Path, ...]:
    """The places of the subschemas that speak of the value at `path`, the nearest one first.

    The first is where the rules stand: behind a `$ref`, the definition. Empty where nothing in the
    schema speaks of it.
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
    """Where a rule stands, given the way to it as validators report it.

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
    """Where one subschema speaks of one member of its value."""
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
    """Where a reference leads; None where it leaves the schema or leads nowhere."""
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
