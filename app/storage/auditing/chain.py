"""The hash chain of the audit log: how a record becomes a sealed line.

A line is one JSON object in ASCII. Its last two members are `prev`, the hash of the record before
it, and `hash`, the SHA-256 of the line before `,"hash":`. So no byte of a record can change, and no
record can go, come or move, without the chain showing it. The chain cannot show by itself that its
end was cut off: for that the last hash has to be kept elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from typing import Any

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue

START = "0" * 64
"""What the first record of a log names as the hash before it."""

LINE_MAX = 262_144
"""Characters of one line, its end not counted."""

TEXT_MAX = 65_536
"""Characters of one string in a record."""

DEPTH_MAX = 100
TORN_LINE = "torn-line"

_HEAD = ("ts", "seq", "session", "event", "severity", "server", "tool")
_KEPT = {f'"{name}"' for name in ("ts", "seq", "event", "severity")}
_SEAL = re.compile(rb',"prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}\Z')
_HASH_PART = len(b',"hash":""}') + 64
_SEQ = re.compile(rb'\{"ts":"[^"\\]{0,40}","seq":(\d{1,15}),')
_ENCODER = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))
_LONG_NUMBER = re.compile(r"[0-9]{1001}")
_TIME = re.compile(r"[0-9T:.+Z-]{1,40}")


@frozen
class Seal:
    """A line's place in the chain. `is_whole`: its hash is that of its content."""

    seq: int
    prev: str
    hash: str
    is_whole: bool


def seal(fields: Mapping[str, object], previous_hash: str, seq: int) -> str:
    """One record as a line of ASCII JSON without its end; whatever the fields hold, it is one line.

    Values that JSON lacks are written in words. Strings over 65,536 characters are cut, and in a
    record over 262,144 characters the largest fields are left out; a note marks either place.
    """
    at = fields.get("ts")
    time = at if isinstance(at, str) and _TIME.fullmatch(at) else ""
    given = {**fields, "ts": time, "seq": seq}
    names = [name for name in _HEAD if name in given]
    names += [name for name in given if name not in _HEAD and name not in ("prev", "hash")]
    ordered = {name: given[name] for name in names}
    members = _as_it_is(ordered) or _bounded(ordered)
    body = f'{{{members},"prev":"{previous_hash}"'
    return f'{body},"hash":"{hashlib.sha256(body.encode("ascii")).hexdigest()}"}}'


def read_seal(line: bytes) -> Seal | None:
    """Read the seal of a line (without its end); None if it is not a record at all."""
    found = _SEAL.search(line, max(0, len(line) - 160))
    place = _SEQ.match(line)
    if found is None or place is None:
        return None
    own = found.group(2).decode()
    content = hashlib.sha256(line[: len(line) - _HASH_PART]).hexdigest()
    return Seal(int(place.group(1)), found.group(1).decode(), own, own == content)


def read_record(line: bytes) -> dict[str, Any] | None:
    """The members of a line; None if it is not a JSON object."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def torn_fields(torn: bytes) -> dict[str, JsonValue]:
    """Describe a torn line: enough to identify that very line."""
    return {"torn": {"bytes": len(torn), "sha256": hashlib.sha256(torn).hexdigest()}}


def _as_it_is(fields: dict[str, object]) -> str:
    """The members as JSON where nothing in them is to be cut, replaced or left out; else empty.

    Looking at the text is much cheaper than at every value.
    """
    try:
        text = _dumps(fields)[1:-1]
    except (TypeError, ValueError, RecursionError):
        return ""
    # So short a text has no longer string in it, and no value has more around it than all brackets.
    if len(text) > TEXT_MAX or text.count("{") + text.count("[") >= DEPTH_MAX:
        return ""
    return "" if _LONG_NUMBER.search(text) else text


def _bounded(fields: dict[str, object]) -> str:
    """Write the members as JSON, with a note in place of unsupported and large values."""
    plain = {_cut(name): _plain(value, 0) for name, value in fields.items()}
    members = _dumps(plain)[1:-1]
    if len(members) > LINE_MAX - 300:
        parts = {_dumps(name): _dumps(value) for name, value in plain.items()}
        _shrink(parts)
        members = ",".join(f"{name}:{text}" for name, text in parts.items())
    return members


def _shrink(parts: dict[str, str]) -> None:
    """Leave out the largest fields until the rest fits a line; both names and values are JSON."""
    total = sum(len(name) + len(text) + 2 for name, text in parts.items())
    candidates = [name for name in parts if name not in _KEPT]
    for name in sorted(candidates, key=lambda name: -len(parts[name])):
        if total <= LINE_MAX - 300:
            return
        total -= len(parts[name])
        if len(parts[name]) > 100:
            parts[name] = _dumps(f"[left out: {len(parts[name]):,} characters]")
            total += len(parts[name])
        else:
            del parts[name]
            total -= len(name) + 2


def _plain(value: object, depth: int) -> JsonValue:
    """A value that JSON can carry, as near to the given one as can be."""
    kind = type(value)
    if kind is str:
        return _cut(value)  # type: ignore[arg-type]
    if kind is dict and depth < DEPTH_MAX:
        members: dict[object, object] = value  # type: ignore[assignment]
        return {_cut(str(name)): _plain(item, depth + 1) for name, item in members.items()}
    match value:
        case None | bool():
            return value
        case int():
            return int(value) if abs(value) < 10**1000 else "[a number of over 1,000 digits]"
        case float():
            return float(value) if math.isfinite(value) else str(value)
        case str():
            return _cut(str(value))
        case _ if depth >= DEPTH_MAX:
            return "[nested too deeply]"
        case Mapping():
            return {_cut(str(name)): _plain(item, depth + 1) for name, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_plain(item, depth + 1) for item in value]
        case _:
            return f"[{type(value).__name__}]"


def _cut(text: str) -> str:
    if len(text) <= TEXT_MAX:
        return text
    return f"{text[:TEXT_MAX]}[cut: {TEXT_MAX:,} of {len(text):,} characters]"


def _dumps(value: object) -> str:
    # JSON leaves DEL as it is; it is the one control character that is not escaped.
    text = _ENCODER.encode(value)
    return text.replace("\x7f", "\\u007f")
