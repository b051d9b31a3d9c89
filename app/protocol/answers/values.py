"""Places, differences and searches in JSON values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, Path
from ...schemas.form.merging import MISSING, Missing
from ..definitions.change_values import Weight


def member(value: JsonValue, step: str | int) -> tuple[JsonValue, ...]:
    """The member of an object or array alone in a tuple, empty if there is none."""
    if isinstance(value, dict) and isinstance(step, str):
        return (value[step],) if step in value else ()
    if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
        return (value[step],)
    return ()


def found(value: JsonValue, path: Sequence[str | int]) -> tuple[JsonValue, ...]:
    """Return the value at a place, alone in a tuple; empty if there is none."""
    for step in path:
        inside = member(value, step)
        if not inside:
            return ()
        value = inside[0]
    return (value,)


def at(value: JsonValue, path: Sequence[str | int]) -> JsonValue:
    """Return the value at a place; None if there is none."""
    inside = found(value, path)
    return inside[0] if inside else None


Maybe: TypeAlias = JsonValue | Missing

DEEPEST: Final = 120
"""Steps from the root up to which schemas are read; deeper changes count as not understood."""


@frozen
class ValueDifference:
    """A judged difference. MISSING is the mark of a value that does not exist."""

    code: str
    weight: Weight
    words: str
    steps: Path
    old: Maybe
    new: Maybe


def differences(old: Maybe, new: Maybe, steps: Path = ()) -> list[tuple[Path, Maybe, Maybe]]:
    """The smallest places that differ, in the order of `old`.

    Lists of different lengths are one place. 1, 1.0 and true are three values, as in the canonical
    text; the order of names means nothing.
    """
    found: list[tuple[Path, Maybe, Maybe]] = []
    stack: list[tuple[Path, Maybe, Maybe]] = [(steps, old, new)]
    while stack:
        place = stack.pop()
        at, left, right = place
        if isinstance(left, dict) and isinstance(right, dict):
            inner: list[tuple[Path, Maybe, Maybe]] = [
                ((*at, name), item, right.get(name, MISSING)) for name, item in left.items()
            ]
            inner += [
                ((*at, name), MISSING, item) for name, item in right.items() if name not in left
            ]
            stack.extend(reversed(inner))
        elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
            pairs = enumerate(zip(left, right, strict=True))
            stack.extend(reversed([((*at, index), *pair) for index, pair in pairs]))
        elif not same_scalar(left, right):
            found.append(place)
    return found


def unchanged(old: Maybe, new: Maybe) -> bool:
    if isinstance(old, dict | list) and isinstance(new, dict | list):
        return not differences(old, new)
    return same_scalar(old, new)


def same_scalar(old: Maybe, new: Maybe) -> bool:
    """True if two values are the same scalar; False for objects and lists."""
    if type(old) is not type(new) or isinstance(old, dict | list):
        return False
    if isinstance(old, float):
        return repr(old) == repr(new)
    return old == new


MAX_HITS = 1_000
MAX_NODES = 2_000_000
MAX_TEXT = 200_000
"""Characters of one name or value that are looked through."""
MAX_CHARACTERS = 50_000_000


@frozen
class Hits:
    """Places in the order of the value, raw; `limit` is why some may be missing, in words.

    `limit` is empty if everything was searched.
    """

    paths: tuple[Path, ...]
    limit: str = ""


def search(value: JsonValue, text: str, *, nodes: int = MAX_NODES) -> Hits:
    """Places whose name or scalar value has `text` in it, upper and lower case alike."""
    needle = text.casefold()
    found: list[Path] = []
    if not needle:
        return Hits(())
    path: list[str | int] = []
    stack: list[Iterator[tuple[str | int, JsonValue]]] = []
    characters = cut = 0
    if _has(_text_of(value), needle):
        found.append(())
    stack.append(_members(value))
    while stack:
        pair = next(stack[-1], None)
        if pair is None:
            stack.pop()
            if path:
                path.pop()
            continue
        nodes -= 1
        if nodes < 0:
            return Hits(tuple(found), "the value has too many members, the rest was not searched")
        name, item = pair
        said = _text_of(item)
        characters += min(len(said), MAX_TEXT)
        cut += len(said) > MAX_TEXT
        if (isinstance(name, str) and _has(name, needle)) or _has(said, needle):
            found.append((*path, name))
            if len(found) >= MAX_HITS:
                return Hits(tuple(found), f"only the first {MAX_HITS:,} are kept")
        if characters > MAX_CHARACTERS:
            return Hits(tuple(found), "the value is too long, the rest was not searched")
        if isinstance(item, dict | list) and item:
            path.append(name)
            stack.append(_members(item))
    words = f"only the first {MAX_TEXT:,} characters of long texts were searched" if cut else ""
    return Hits(tuple(found), words)


def _members(value: JsonValue) -> Iterator[tuple[str | int, JsonValue]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)


def _text_of(value: JsonValue) -> str:
    """Write a scalar as drawn; empty for objects and arrays."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        return ""
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)


def _has(text: str, needle: str) -> bool:
    return bool(text) and needle in text[:MAX_TEXT].casefold()
