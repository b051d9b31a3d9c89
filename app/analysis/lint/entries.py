"""The definitions in a file: what `tools/list` answered, a dump or a baseline of Signoff's.

With them comes the line on which each begins, so that a report can point there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ...content.json.jsonio import JsonError, JsonValue, Limits, parse
from ...content.json.parts import parse_answer
from ...protocol.definitions.pins import FORMAT, PinError, read_pin

LIMITS: Final = Limits(size=64_000_000, depth=110, nodes=4_000_000)
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]]|\n')
_BOM: Final = "\ufeff"


class EntriesError(ValueError):
    """Why a file has no definitions; safe to show."""


@dataclass(frozen=True, slots=True)
class Entries:
    """Raw entries, and the line of each; `lines` is empty where they stand in another order."""

    entries: tuple[JsonValue, ...]
    lines: tuple[int, ...] = ()
    version: str = ""
    """The revision of the protocol that was spoken, where the file says it."""


def read_entries(text: str) -> Entries:
    """Read such a file. Raises EntriesError."""
    text = text.removeprefix(_BOM)
    try:
        whole = parse(text, LIMITS).value
    except JsonError as problem:
        raise EntriesError(f"not JSON: {problem.reason}") from None
    if isinstance(whole, list):
        return Entries(_each_for_itself(f'{{"tools":{text}}}'), lines_of_entries(text, 0))
    if not isinstance(whole, dict):
        raise EntriesError("it is no list of tools")
    if FORMAT in whole:
        try:
            return Entries(read_pin(text).entries)
        except PinError as problem:
            raise EntriesError(str(problem)) from None
    result = whole.get("result")
    if isinstance(result, dict) and isinstance(result.get("tools"), list):
        return Entries(_entries_of(text), lines_of_entries(text, 2))
    if isinstance(whole.get("tools"), list):
        entries = _each_for_itself(text)
        server, version = whole.get("server"), None
        if isinstance(server, dict):
            entries = tuple(map(_dumped, entries))
            version = server.get("protocol_version")
        spoken = version if isinstance(version, str) else ""
        return Entries(entries, lines_of_entries(text, 1), spoken)
    raise EntriesError(
        'it has no "tools": neither an answer to tools/list nor signoff tools --json'
    )


def _each_for_itself(result: str) -> tuple[JsonValue, ...]:
    """The entries of a result, those that have a name twice marked as such."""
    return _entries_of(f'{{"jsonrpc":"2.0","id":1,"result":{result}}}')


def _entries_of(text: str) -> tuple[JsonValue, ...]:
    """The entries of an answer. Raises EntriesError for what is none."""
    try:
        answer = parse_answer(text, LIMITS).value
    except JsonError as problem:
        raise EntriesError(f"no answer to tools/list: {problem.reason}") from None
    inner = answer.get("result") if isinstance(answer, dict) else None
    listed = inner.get("tools") if isinstance(inner, dict) else None
    return tuple(listed) if isinstance(listed, list) else ()


def _dumped(entry: JsonValue) -> JsonValue:
    """The definition in an entry of `signoff tools --json`."""
    return entry["definition"] if isinstance(entry, dict) and "definition" in entry else entry


def lines_of_entries(text: str, objects: int) -> tuple[int, ...]:
    """The line, from 1, on which each entry begins of a list inside so many objects.

    The list is the member `tools` of the innermost of them. The text is valid JSON.
    """
    found: list[int] = []
    line, depth, member, is_in = 1, 0, "", False
    for token in _TOKEN.finditer(text):
        word = token.group()
        if word == "\n":
            line += 1
        elif word in "{[":
            if is_in and depth == objects + 1:
                found.append(line)
            is_list = word == "[" and depth == objects
            if is_list and not is_in and (objects == 0 or member == '"tools"'):
                is_in = True
            depth += 1
        elif word in "}]":
            depth -= 1
            is_in = is_in and depth > objects
        elif depth == objects:
            member = word
    return tuple(found)
