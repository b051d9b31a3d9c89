"""A baseline of a server's definitions in a file: to be committed, and compared with later.

The file is JSON in ASCII, so that nothing in it is invisible: names sorted, one value a line, and
the same definitions always give the same bytes. Each name has a list, since names may repeat.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, Limits, digest, parse, pointer
from .change_values import quoted
from .changes import tool_name

FORMAT: Final = "signoff_pin"
VERSION: Final = 1

_WRAPPED: Final = 5
"""Levels of the file around a definition."""
PIN_MAX: Final = 64_000_000
"""Bytes of the largest file."""
_LIMITS: Final = Limits(size=PIN_MAX, depth=100 + _WRAPPED, nodes=4_000_000)


@frozen
class Pin:
    """A baseline: the configured name of the server, and the raw entries sorted by name."""

    server: str
    entries: tuple[JsonValue, ...]


class PinError(ValueError):
    """Reason why a baseline is not accepted, and its place; both safe to show."""

    def __init__(self, reason: str, where: str = "$") -> None:
        super().__init__(reason if where == "$" else f"{where}: {reason}")
        self.reason = reason
        self.where = where


def write_pin(name: str, entries: Iterable[JsonValue]) -> str:
    """The text of a baseline file. Raises JsonError for entries that could not be written, or read
    back.
    """
    tools: dict[str, list[dict[str, JsonValue]]] = {}
    for raw in entries:
        entry: dict[str, JsonValue] = {"digest": digest(raw), "definition": raw}
        tools.setdefault(tool_name(raw), []).append(entry)
    for same_name in tools.values():
        same_name.sort(key=lambda entry: str(entry["digest"]))
    whole = {FORMAT: VERSION, "server": name, "tools": tools}
    try:
        text = json.dumps(whole, indent=2, sort_keys=True, ensure_ascii=True) + "\n"
    except RecursionError:
        raise JsonError("nested too deeply to be written") from None
    parse(text, _LIMITS)
    return text


def read_pin(text: str | bytes) -> Pin:
    """Read a baseline back. Raises PinError for anything but a whole and untouched one."""
    try:
        parsed = parse(text, _LIMITS)
    except JsonError as error:
        raise PinError(f"not JSON: {error.reason}") from None
    if parsed.duplicates:
        raise PinError(f"the name {quoted(parsed.duplicates[0])} is twice in one object")
    whole = parsed.value
    if not isinstance(whole, dict) or FORMAT not in whole:
        raise PinError(f"not a Signoff baseline: {FORMAT} is missing")
    version = whole[FORMAT]
    if type(version) is not int or version != VERSION:
        raise PinError(f"only format {VERSION} is supported", f"$.{FORMAT}")
    _check_names(whole, {FORMAT, "server", "tools"}, ())
    server, tools = whole["server"], whole["tools"]
    if not isinstance(server, str):
        raise PinError("is not a string", "$.server")
    if not isinstance(tools, dict):
        raise PinError("is not an object", "$.tools")
    entries: list[JsonValue] = []
    for name in sorted(tools):
        listed = tools[name]
        if not isinstance(listed, list) or not listed:
            raise PinError("is not a list of definitions", pointer(("tools", name)))
        for index, item in enumerate(listed):
            entries.append(_entry(name, item, ("tools", name, index)))
    return Pin(server, tuple(entries))


def _entry(name: str, item: JsonValue, steps: tuple[str | int, ...]) -> JsonValue:
    if not isinstance(item, dict):
        raise PinError("is not an object", pointer(steps))
    _check_names(item, {"digest", "definition"}, steps)
    raw = item["definition"]
    if tool_name(raw) != name:
        words = f"the definition has another name: {quoted(tool_name(raw))}"
        raise PinError(words, pointer((*steps, "definition")))
    if item["digest"] != digest(raw):
        words = "does not belong to the definition: one of them was edited, or the file is damaged"
        raise PinError(words, pointer((*steps, "digest")))
    return raw


def _check_names(
    value: dict[str, JsonValue], expected: set[str], steps: tuple[str | int, ...]
) -> None:
    missing = sorted(expected - value.keys())
    if missing:
        raise PinError(f"{missing[0]} is missing", pointer(steps))
    unknown = next((name for name in value if name not in expected), None)
    if unknown is not None:
        raise PinError("is not part of a baseline", pointer((*steps, unknown)))
