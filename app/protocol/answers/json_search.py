"""Looking for a text in the names and values of a JSON value, bounded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from ...content.json.jsonio import JsonValue, Path

MAX_HITS = 1_000
MAX_NODES = 2_000_000
MAX_TEXT = 200_000
"""Characters of one name or value that are looked through."""
MAX_CHARACTERS = 50_000_000


@dataclass(frozen=True, slots=True)
class Hits:
    """Places in the order of the value, raw; `limit` says in words what kept it from finding all.

    `limit` is empty where everything was looked through.
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
    """A scalar as it is drawn; empty for what has members."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        return ""
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)


def _has(text: str, needle: str) -> bool:
    return bool(text) and needle in text[:MAX_TEXT].casefold()
