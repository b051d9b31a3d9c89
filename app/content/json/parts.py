"""Reads responses with one part over a limit: that part is set aside, and the rest is read.

JSON is read as a whole or not at all, so one tool that is nested too deeply would hide the whole
list, and one content block the whole result. If a response breaks a limit, its entries are cut out
by their brackets, which is quick whatever is between them, and read one by one.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ..frozen import frozen
from ..text import cut, size, visible
from .jsonio import JsonValue, Parsed, decode, load, parse
from .limits import STRING, JsonError, JsonLimitError, Limits, check_shape, container_end

PARTS_MAX = 20_000
"""Parts of one answer that are looked for; with more of them it is not read."""
ENTRIES = frozenset(("tools", "content", "contents"))
"""Members of a result whose entries are parts of their own."""
_OPENED = frozenset(("params", "result", "error"))
_NEEDED = frozenset(("jsonrpc", "id", "result", "error"))
_TEXT_KEPT = 400
_TEXTS_SOUGHT = 200
"""Members of an entry among which its short strings are looked for."""
_BLANKS = re.compile(rb"[ \t\r\n]*+")
_SCALAR = re.compile(rb'[^ \t\r\n,\[\]{}":]++')
_BOM = b"\xef\xbb\xbf"


class Flawed(dict[str, JsonValue]):
    """A part of a response with a flaw.

    `flaw` describes it in our own words, safe to show. If `is_whole` is False the part could not be
    read: its content are the short strings from its top level, such as a name. `doubled` are names
    that an object in it has twice, the first `DUPLICATES_MAX` of them. No JSON that a server sends
    becomes one by itself.
    """

    def __init__(
        self,
        members: dict[str, JsonValue],
        flaw: str,
        *,
        is_whole: bool,
        doubled: tuple[str, ...] = (),
    ) -> None:
        super().__init__(members)
        self.flaw = flaw
        self.is_whole = is_whole
        self.doubled = doubled


@frozen
class ReadAnswer:
    """A response, and its flaws: `flaws` of parts that are not entries."""

    value: JsonValue
    duplicates: tuple[str, ...]
    flaws: tuple[str, ...] = ()
    doubled: frozenset[str] = frozenset()
    """Names that the outermost object has more than once, and `result.NAME`, `error.NAME` and
    `params.NAME` for the names that these have more than once.
    """


def parse_answer(data: bytes | bytearray | str, limits: Limits) -> ReadAnswer:
    """Parse a likely JSON-RPC response: parts that break a limit are `Flawed`.

    So are entries with duplicate names. Raises JsonError, as `parse` does, for anything else, and
    if it breaks more than a limit. A bytearray is emptied once it was read.
    """
    try:
        text = decode(data, limits)
    except JsonLimitError as problem:
        return _in_parts(_raw(data), limits, problem)
    try:
        parsed = load(text, limits)
    except JsonLimitError as problem:
        return _in_parts(_raw(text), limits, problem)
    if parsed.duplicates:
        doubled = _doubled(text)
        try:
            read = _in_parts(_raw(text), limits)
            return replace(read, duplicates=parsed.duplicates, doubled=doubled)
        except JsonError:
            # Not a response, or its entries cannot be separated: any of them may have them.
            return ReadAnswer(_with_flawed_tools(parsed), parsed.duplicates, doubled=doubled)
    return ReadAnswer(parsed.value, parsed.duplicates)


def _doubled(text: str) -> frozenset[str]:
    """The names for `ReadAnswer.doubled` of a JSON text."""
    outermost = json.loads(text, object_pairs_hook=_Members)
    if not isinstance(outermost, _Members):
        return frozenset()
    found = set(outermost.twice())
    for name, value in outermost.pairs:
        if name in _OPENED and isinstance(value, _Members):
            found |= {f"{name}.{one}" for one in value.twice()}
    return frozenset(found)


class _Members:
    """An object of JSON with every one of its members."""

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        self.pairs = pairs

    def twice(self) -> list[str]:
        counted = Counter(name for name, _ in self.pairs)
        return [name for name, count in counted.items() if count > 1]


def _with_flawed_tools(parsed: Parsed) -> JsonValue:
    value = parsed.value
    result = value.get("result") if isinstance(value, dict) else None
    tools = result.get("tools") if isinstance(result, dict) else None
    if not (isinstance(value, dict) and isinstance(result, dict) and isinstance(tools, list)):
        return value
    flawed = [_said_twice(replace(parsed, value=one)) for one in tools]
    return {**value, "result": {**result, "tools": flawed}}


def _raw(data: bytes | bytearray | str) -> bytes | bytearray:
    return data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data


def _in_parts(
    raw: bytes | bytearray, limits: Limits, problem: JsonLimitError | None = None
) -> ReadAnswer:
    """Raises `problem`, or a JsonError of its own, where the answer cannot be taken apart."""
    slots = _Slots(raw)
    try:
        slots.find()
    except JsonError as torn:
        raise problem or torn from None
    duplicates: list[str] = []
    flaws: list[str] = []
    left = limits.nodes
    # From the shortest on, so that it is the largest that have no room.
    for slot in sorted(slots.found, key=lambda slot: slot.end - slot.start):
        part = bytes(raw[slot.start : slot.end])
        try:
            left -= check_shape(part, replace(limits, nodes=max(1, left)))
            parsed = parse(part, limits)
        except JsonLimitError as broken:
            flaw = f"{_reason(broken, part, limits)} ({size(len(part))})"
            if slot.home is slots.body and slot.name in _NEEDED:
                raise problem or broken from None
            slot.put(Flawed(slot.texts(raw), flaw, is_whole=False))
            if slot.name:
                shown = visible(cut(slot.name, 40).text)
                flaws.append(f"“{shown}” of a response cannot be read: {flaw}")
            continue
        duplicates += parsed.duplicates
        slot.put(parsed.value if slot.name else _said_twice(parsed))
    identity = slots.body["id"]
    if isinstance(identity, bool) or not isinstance(identity, str | int):
        raise problem or JsonError("no response to any request")
    names = dict.fromkeys([*(one.rpartition(".")[2] for one in slots.doubled), *duplicates])
    return ReadAnswer(slots.body, tuple(names), tuple(flaws), frozenset(slots.doubled))


def _reason(broken: JsonLimitError, part: bytes, limits: Limits) -> str:
    """The reason why a part breaks the limits: by itself, or with the response as a whole."""
    try:
        check_shape(part, limits)
    except JsonLimitError as alone:
        return alone.reason
    if broken.reason.endswith("values"):
        return f"one of the largest parts of more than {limits.nodes:,} values"
    return broken.reason


def _said_twice(parsed: Parsed) -> JsonValue:
    if not parsed.duplicates or not isinstance(parsed.value, dict | list):
        return parsed.value
    names = ", ".join(visible(cut(name, 40).text) for name in parsed.duplicates[:4])
    flaw = f"JSON keys given twice, of which the last is read (of a hint the stricter): {names}"
    members = parsed.value if isinstance(parsed.value, dict) else None
    return Flawed(members or {}, flaw, is_whole=members is not None, doubled=parsed.duplicates)


@dataclass(slots=True)
class _Slot:
    """A part: its offset in the data, and the place of its value."""

    start: int
    home: dict[str, JsonValue] | list[JsonValue]
    place: str | int
    name: str = ""
    """The name of a part that is not an entry; empty for an entry and for structuredContent."""
    end: int = 0
    strings: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Where the short strings at its top level lie."""

    def put(self, value: JsonValue) -> None:
        self.home[self.place] = value  # type: ignore[index]

    def texts(self, raw: bytes | bytearray) -> dict[str, JsonValue]:
        found: dict[str, JsonValue] = {}
        for name, (start, end) in self.strings.items():
            try:
                found[name] = json.loads(raw[start:end])
            except ValueError:
                continue
        return found


class _Slots:
    """Finds the parts of an answer in one go: members, and the entries of its lists."""

    def __init__(self, raw: bytes | bytearray) -> None:
        self._raw = raw
        self._at = len(_BOM) if raw.startswith(_BOM) else 0
        self.body: dict[str, JsonValue] = {}
        self.found: list[_Slot] = []
        self.doubled: list[str] = []
        """As in `ReadAnswer.doubled`, in the order of the text."""

    def find(self) -> None:
        """Find the parts. Raises JsonError for other messages, and for unbalanced brackets and
        commas.
        """
        self._blanks()
        for name in self._members(b"{"):
            if name in self.body:
                self.doubled.append(name)
            if name in ("result", "error") and self._next() == b"{":
                inner: dict[str, JsonValue] = {}
                self.body[name] = inner
                self._find_in(inner, name)
            else:
                self._add(_Slot(self._at, self.body, name, name))
        self._blanks()
        names = self.body.keys()
        if "method" in names or not names & {"result", "error"} or not names >= {"jsonrpc", "id"}:
            raise JsonError("no response")
        if self._at != len(self._raw):
            raise self._torn()

    def _find_in(self, inner: dict[str, JsonValue], member: str) -> None:
        for name in self._members(b"{"):
            if name in inner:
                self.doubled.append(f"{member}.{name}")
            if member == "result" and name in ENTRIES and self._next() == b"[":
                entries: list[JsonValue] = []
                inner[name] = entries
                for _ in self._members(b"["):
                    self._add(_Slot(self._at, entries, len(entries)))
            else:
                called = "" if name == "structuredContent" else name or '""'
                self._add(_Slot(self._at, inner, name, called))

    def _add(self, slot: _Slot) -> None:
        """Take in the value that begins here."""
        if len(self.found) == PARTS_MAX:
            raise JsonError(f"more than {PARTS_MAX:,} parts")
        if isinstance(slot.home, list):
            slot.home.append(None)
        else:
            slot.home[str(slot.place)] = None
        if self._next() == b"{":
            self._find_strings(slot)
        else:
            self._skip()
        slot.end = self._at
        self.found.append(slot)

    def _find_strings(self, slot: _Slot) -> None:
        for count, name in enumerate(self._members(b"{")):
            start = self._at
            if count == _TEXTS_SOUGHT:
                self._at = container_end(self._raw, start, 1)
                return
            self._skip()
            if self._raw[start] == ord('"') and self._at - start <= _TEXT_KEPT:
                slot.strings[name] = (start, self._at)

    def _members(self, opener: bytes) -> Iterator[str]:
        """Stop at the value of each member, or entry; the caller has to pass it before going on."""
        self._expect(opener)
        closer = b"}" if opener == b"{" else b"]"
        if self._take(closer):
            return
        while True:
            name = ""
            if opener == b"{":
                start = self._at
                self._skip()
                try:
                    name = json.loads(self._raw[start : self._at])
                except ValueError:
                    raise self._torn() from None
                if not isinstance(name, str):
                    raise self._torn()
                self._blanks()
                self._expect(b":")
            yield name
            if self._take(closer):
                return
            self._expect(b",")

    def _skip(self) -> None:
        """Pass one value."""
        first = self._next()
        if first in (b"{", b"["):
            self._at = container_end(self._raw, self._at)
            return
        found = (STRING if first == b'"' else _SCALAR).match(self._raw, self._at)
        if found is None:
            raise self._torn()
        self._at = found.end()

    def _next(self) -> bytes:
        return bytes(self._raw[self._at : self._at + 1])

    def _take(self, mark: bytes) -> bool:
        """Pass a mark and the blanks around it, if it is the next thing."""
        self._blanks()
        if self._next() != mark:
            return False
        self._at += 1
        self._blanks()
        return True

    def _expect(self, mark: bytes) -> None:
        if not self._take(mark):
            raise self._torn()

    def _blanks(self) -> None:
        found = _BLANKS.match(self._raw, self._at)
        self._at = self._at if found is None else found.end()

    def _torn(self) -> JsonError:
        return JsonError(f"not JSON at offset {self._at:,}", self._at)
