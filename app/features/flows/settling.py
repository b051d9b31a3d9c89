"""Settles expectations after a second run: values that differ become their common shape.

Only exact expectations are settled, and patterns that settling wrote, and only if nothing else of a
step failed: a response of another outcome does not show which values change.

A pattern made from texts can be read back and widened for one more text. The shape of a value is a
JSON Schema that it obeys, and others like it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final, TypeAlias

from ...cli.output.results import StepObservation
from ...content.json.jsonio import JsonValue, same
from .flow import Step
from .matching import pointed, pointer_to
from .text_shapes import (
    ALPHANUMERIC,
    ANY,
    ANY_NUMBER,
    DAY,
    DECIMAL,
    FRACTION,
    HALF_OF_DAY,
    HEXADECIMAL,
    MONTH,
    NUMBER,
    SHAPE,
    UUID,
    WORD,
    TextPiece,
    common_of,
    common_pattern,
    has_dates,
    is_of_now,
    pattern_of_now,
    pieces,
    times_differ,
)
from .updating import escaped

_FIXED: Final = "|".join(
    map(
        re.escape,
        (UUID, ANY_NUMBER, DECIMAL, NUMBER, DAY, HEXADECIMAL, ALPHANUMERIC, WORD, ANY),
    )
)
_OF_A_TIME: Final = (
    rf"(?:\\d{{\d(?:,\d)?}}|{'|'.join(map(re.escape, (FRACTION, MONTH, HALF_OF_DAY)))})"
)
_TIME: Final = rf"{_OF_A_TIME}(?:(?:[-:T /,]|\\\+){{0,2}}{_OF_A_TIME})+Z?"
_OF_A_PATTERN: Final = re.compile(
    rf"(?P<shape>{_FIXED}|{_TIME}|\(\?:{_TIME}\|{_TIME}\))"
    r"|\\(?P<white>[nrt])|\\(?P<special>[\\.^$*+?{}\[\]|()])|(?P<plain>[^\\.^$*+?{}\[\]|()])"
)
_WHITE: Final = {"n": "\n", "r": "\r", "t": "\t"}


def wider_pattern(pattern: str, text: str) -> str | None:
    """Widen a pattern to match another text as well; None for a pattern of another origin."""
    known = _pieces_of(pattern)
    if known is None:
        return None
    shapes = [re.compile(one.text) for one in known if one.kind == SHAPE and one.text != ANY]
    stable = {one for one in known if one.kind != SHAPE}
    return common_of(
        known, [one if one in stable else _shaped(one, shapes) for one in pieces(text)]
    )


def _pieces_of(pattern: str) -> list[TextPiece] | None:
    if not (pattern.startswith("^") and pattern.endswith("$")):
        return None
    found: list[TextPiece] = []
    plain, at, end = "", 1, len(pattern) - 1
    while at < end:
        one = _OF_A_PATTERN.match(pattern, at, end)
        if one is None:
            return None
        at = one.end()
        if shape := one["shape"]:
            found += [*pieces(plain), TextPiece(SHAPE, shape)]
            plain = ""
        else:
            plain += _WHITE.get(one["white"] or "", "") or one["special"] or one["plain"]
    return [*found, *pieces(plain)]


def _shaped(piece: TextPiece, shapes: list[re.Pattern[str]]) -> TextPiece:
    """A part of a text as the shape that it has, if that is among those."""
    for one in shapes:
        if one.fullmatch(piece.text):
            return TextPiece(SHAPE, one.pattern)
    return piece


_DEEPEST: Final = 3
_MOST_NAMES: Final = 40


def shape_of(value: JsonValue, level: int = 0) -> JsonValue:
    """The types of a value, and the names of its members, some levels deep."""
    if not isinstance(value, dict):
        return {"type": type_of(value)}
    names = [name for name in value if "${" not in name][:_MOST_NAMES]
    made: dict[str, JsonValue] = {"type": "object", "required": list(names)}
    if level < _DEEPEST:
        made["properties"] = {name: shape_of(value[name], level + 1) for name in names}
    return made


def type_of(value: JsonValue) -> str:
    """The type as JSON Schema calls it."""
    match value:
        case dict():
            return "object"
        case list():
            return "array"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
    return "null"


Path: TypeAlias = tuple[str | int, ...]
_Matcher: TypeAlias = dict[str, JsonValue]
_Changes: TypeAlias = dict[Path, _Matcher | None]
"""The matchers for the places that change; None for a place without an expectation."""
SETTLED: Final = frozenset(("content", "structured", "result"))
"""The expectations that hold values of an answer."""
MOST: Final = 12
"""Matchers for one value; beyond that, its shape is clearer."""
SECONDS_NOW: Final = 26 * 3_600


def settlings(
    step: Step, seen: StepObservation, failed: set[str]
) -> list[tuple[Path, list[JsonValue]]]:
    """For each expected value that differs: the place of its matcher, and the new ones."""
    if not failed <= SETTLED or seen.call is None:
        return []
    answer = seen.call.answer
    found: list[tuple[Path, list[JsonValue]]] = []
    for one in step.expected:
        if one.name not in failed:
            continue
        for at, wanted in enumerate(one.value):
            if one.name == "content":
                several = _of_text(wanted, seen.texts)
            elif one.name == "result":
                several = _of_value(wanted, seen.call.raw)
            else:
                several = _of_value(wanted, None if answer is None else answer.structured)
            if several:
                found.append((("expect", one.name, at), [escaped(each) for each in several]))
    return found


def _of_text(wanted: Any, text: JsonValue) -> list[JsonValue]:
    """Matchers for a text that differs; empty if they cannot be found."""
    if not isinstance(wanted, Mapping) or not isinstance(text, str):
        return []
    match {name: one for name, one in wanted.items() if name}:
        case {"equals": str(expected), **others} if not others:
            pattern = None if expected == text else common_pattern(expected, text)
        case {"regex": str(expected), **others} if not others:
            pattern = wider_pattern(expected, text)
            pattern = None if pattern == expected else pattern
        case _:
            return []
    return [{"regex": pattern}] if pattern else []


def _of_value(wanted: Mapping[str, Any], whole: JsonValue) -> list[JsonValue]:
    at = wanted.get("at", "")
    inside = pointed(whole, at)
    if not inside:
        return []
    value = inside[0]
    match {name: one for name, one in wanted.items() if name not in ("", "at")}:
        case {"equals": expected, **others} if not others:
            pass
        case {"contains": dict(expected), **others} if not others and isinstance(value, dict):
            value = {name: one for name, one in value.items() if name in expected}
        case {"regex": expected, **others} if not others:
            place: _Matcher = {"at": at} if at else {}
            return [
                place | one for one in _of_text({"regex": expected}, value) if isinstance(one, dict)
            ]
        case _:
            return []
    if same(value, expected):
        return []
    changes: _Changes = {}
    dates_change = any(times_differ(*pair) for pair in _texts(expected, value))
    _compare(expected, value, (), changes, dates_change)
    return matchers(expected, changes, at)


def _texts(first: JsonValue, second: JsonValue) -> Iterator[tuple[str, str]]:
    """The pairs of texts at the same place."""
    if isinstance(first, str) and isinstance(second, str):
        yield first, second
    elif isinstance(first, dict) and isinstance(second, dict):
        for name in first.keys() & second.keys():
            yield from _texts(first[name], second[name])
    elif isinstance(first, list) and isinstance(second, list):
        for pair in zip(first, second, strict=False):
            yield from _texts(*pair)


def _compare(
    first: JsonValue, second: JsonValue, at: Path, changes: _Changes, dates_change: bool
) -> None:
    match first, second:
        case dict(), dict():
            for name in first.keys() | second.keys():
                if name in first and name in second:
                    _compare(first[name], second[name], (*at, name), changes, dates_change)
                else:
                    changes[*at, name] = None
        case list(), list() if len(first) == len(second):
            for number, pair in enumerate(zip(first, second, strict=True)):
                _compare(*pair, (*at, number), changes, dates_change)
        case str(), str():
            if first != second or (dates_change and has_dates(first)):
                pattern = common_pattern(first, second, dates_change=dates_change)
                changes[at] = {"regex": pattern} if pattern else {"schema": {"type": "string"}}
        case _ if not same(first, second):
            changes[at] = _kind(first, second)


def _kind(first: JsonValue, second: JsonValue) -> _Matcher:
    """Return a matcher for two different values that are not both texts."""
    types = list(dict.fromkeys((type_of(first), type_of(second))))
    if types == ["number"] and isinstance(first, int | float) and isinstance(second, int | float):
        return {"least": 0} if min(first, second) >= 0 else {"schema": {"type": "number"}}
    return {"schema": {"type": types[0] if len(types) == 1 else list(types)}}


def matchers(value: JsonValue, changes: _Changes, at: str = "") -> list[JsonValue]:
    """Return matchers for a value: by shape for changing parts, exact for the rest."""
    several = list(_split(value, changes, (), at))
    if len(several) > MOST:
        several = [{"schema": shape_of(value)} | ({"at": at} if at else {})]
    return list(several)


def _split(value: JsonValue, changes: _Changes, at: Path, base: str) -> Iterator[_Matcher]:
    where = base + pointer_to(at)
    place: _Matcher = {"at": where} if where else {}
    if at in changes:
        if (matcher := changes[at]) is not None:
            yield place | matcher
        return
    if not _changes_below(changes, at):
        yield place | {"equals": value}
        return
    if isinstance(value, dict):
        stable = {
            name: one for name, one in value.items() if not _changes_below(changes, (*at, name))
        }
        if stable:
            yield place | {"contains": stable}
        for name in [one for one in value if one not in stable]:
            yield from _split(value[name], changes, (*at, name), base)
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from _split(one, changes, (*at, number), base)


def _changes_below(changes: _Changes, at: Path) -> bool:
    return any(one[: len(at)] == at for one in changes)


def changes_by_look(value: JsonValue, now: datetime) -> _Changes:
    """The places of a value that are likely to change: times close to now, other times and dates
    beside them, and UUIDs.
    """
    found: _Changes = {}
    dates_change = any(is_of_now(one, now) for one, _ in _texts(value, value))
    _look(value, (), now, dates_change, found)
    return found


def _look(value: JsonValue, at: Path, now: datetime, dates_change: bool, found: _Changes) -> None:
    match value:
        case str():
            if pattern := pattern_of_now(value, now, dates_change=dates_change):
                found[at] = {"regex": pattern}
        case bool() | None:
            return
        case int() | float():
            seconds = now.timestamp()
            if any(abs(value - seconds * unit) <= SECONDS_NOW * unit for unit in (1, 1_000)):
                found[at] = {"least": 0}
        case dict():
            for name, one in value.items():
                _look(one, (*at, name), now, dates_change, found)
        case list():
            for number, one in enumerate(value):
                _look(one, (*at, number), now, dates_change, found)
