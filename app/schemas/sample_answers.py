"""Values of the people: an answer that means yes, one that means no, one that the form refuses,
changed arguments.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from typing import Final

from ..content.json.jsonio import JsonValue
from .samples import sample_arguments

YES: Final = ("yes", "y", "ok", "true", "confirm", "confirmed", "accept", "approve", "proceed")
"""Choices that mean consent, in lower case."""
NO: Final = ("no", "n", "false", "deny", "decline", "reject", "refuse", "cancel", "abort", "keep")
"""Choices that mean refusal, in lower case."""
CONFIRMS: Final = re.compile(
    r"confirm|\bsure\b|approv|\bagree|consent|accept|proceed|continue|go ahead|\byes\b|\bok\b"
    r"|really|authori[sz]e"
)
"""Words by which a field of a form asks for the yes itself."""
MISFIT: Final = "signoff-not-offered"
"""A text that no form offers as a choice."""
CHANGED: Final = "-changed"


def accepting_values(
    schema: JsonValue, given: Mapping[str, JsonValue] | None = None
) -> dict[str, JsonValue]:
    """Return values for a form that mean yes: booleans are true, and of choices the one that
    consents. `given` values replace these.
    """
    properties = _properties(schema)
    values = sample_arguments(schema)
    for name, one in properties.items():
        if "const" in one or name in (given or {}):
            continue
        if one.get("type") == "boolean":
            values[name] = True
        elif isinstance(one.get("default"), str | int | float) and not _choices(one):
            values[name] = one["default"]
        elif (yes := _consenting(one)) is not None:
            values[name] = yes
    return {**values, **(given or {})}


def refusing_values(
    schema: JsonValue, given: Mapping[str, JsonValue] | None = None
) -> dict[str, JsonValue] | None:
    """Return values that the form allows and that mean no: as those that mean yes, but the
    confirming boolean is false, and the choice between yes and no is no. None without such a field.

    A boolean confirms if its name, title or description has a word for it, or if it is alone.
    """
    properties = _properties(schema)
    free = [one for one in properties if "const" not in properties[one]]
    booleans = [one for one in free if properties[one].get("type") == "boolean"]
    confirming = [one for one in booleans if _confirms(one, properties[one])]
    refused: dict[str, JsonValue] = dict.fromkeys(
        confirming or (booleans if len(booleans) == 1 else []), False
    )
    for name in free:
        if _consenting(properties[name]) is not None:
            no = _choice(properties[name], NO)
            if no is not None:
                refused[name] = no
    return {**accepting_values(schema, given), **refused} if refused else None


def misfitting_values(schema: JsonValue) -> dict[str, JsonValue] | None:
    """Return values that the form does not allow: a choice that it does not offer, or another
    type. None if its schema allows everything.
    """
    properties = _properties(schema)
    values = accepting_values(schema)
    changed = False
    for name, one in properties.items():
        if (other := _misfit(one)) is not None:
            values[name] = other
            changed = True
    return values if changed else None


def changed_arguments(arguments: Mapping[str, JsonValue]) -> Iterator[dict[str, JsonValue]]:
    """Yield other arguments, each with one other value: a text, a number or a boolean.

    The caller takes the first that the input schema allows.
    """
    for path, value in _leaves(dict(arguments)):
        for other in _others(value):
            changed = _with(dict(arguments), path, other)
            if isinstance(changed, dict):
                yield changed


def leaf_values(arguments: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """Yield the texts and numbers among arguments, with the name of the argument."""
    for path, value in _leaves(arguments):
        if isinstance(value, bool) or value is None or value == "":
            continue
        yield str(path[0]) if path else "", value


def _properties(schema: JsonValue) -> dict[str, dict[str, JsonValue]]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    known = properties if isinstance(properties, dict) else {}
    return {name: one for name, one in known.items() if isinstance(one, dict)}


def _choices(field: Mapping[str, JsonValue]) -> list[JsonValue]:
    several = field.get("enum")
    if isinstance(several, list):
        return several
    for key in ("oneOf", "anyOf"):
        of = field.get(key)
        if isinstance(of, list):
            return [one["const"] for one in of if isinstance(one, dict) and "const" in one]
    return []


def _consenting(field: Mapping[str, JsonValue]) -> JsonValue:
    return _choice(field, YES)


def _choice(field: Mapping[str, JsonValue], words: Container[str]) -> JsonValue:
    """The first choice that is one of the words; None if there is none."""
    return next(
        (one for one in _choices(field) if isinstance(one, str) and one.casefold() in words), None
    )


def _confirms(name: str, field: Mapping[str, JsonValue]) -> bool:
    texts = (name.replace("_", " "), field.get("title"), field.get("description"))
    return any(CONFIRMS.search(one.casefold()) for one in texts if isinstance(one, str))


def _misfit(field: Mapping[str, JsonValue]) -> JsonValue:
    if _choices(field) or "const" in field:
        return MISFIT
    match field.get("type"):
        case "boolean" | "integer" | "number" | "array":
            return MISFIT
        case "string":
            return 7
    return None


Path = tuple[str | int, ...]


def _leaves(value: JsonValue, path: Path = ()) -> Iterator[tuple[Path, JsonValue]]:
    match value:
        case dict():
            for key, one in value.items():
                yield from _leaves(one, (*path, key))
        case list():
            for at, one in enumerate(value):
                yield from _leaves(one, (*path, at))
        case _:
            yield path, value


def _others(value: JsonValue) -> list[JsonValue]:
    match value:
        case bool():
            return [not value]
        case int() | float():
            return [value + 1, value - 1]
        case str():
            stem, dot, ending = value.rpartition(".")
            return [f"{stem}{CHANGED}{dot}{ending}" if stem else f"{value}{CHANGED}"]
    return []


def _with(value: JsonValue, path: Path, other: JsonValue) -> JsonValue:
    """A copy with another value at one place."""
    if not path:
        return other
    first, rest = path[0], path[1:]
    match value:
        case dict():
            return {
                key: one if key != first else _with(one, rest, other) for key, one in value.items()
            }
        case list():
            return [one if at != first else _with(one, rest, other) for at, one in enumerate(value)]
    return value
