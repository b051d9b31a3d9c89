"""The names of `_meta`: spec 2025-11-25 and 2026-07-28, basic, "_meta"."""

from __future__ import annotations

import re
from typing import Final

from ...content.json.jsonio import JsonValue
from ..findings import Finding, error, warning
from .shapes import json_pointer, quoted

_LABEL = r"[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_PREFIX: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})*\Z")
_NAME: Final = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?\Z")
_RESERVED: Final = ("modelcontextprotocol", "mcp")
_ITS_OWN: Final = "io.modelcontextprotocol"
"""The prefix of the protocol and of its official extensions: what stands there is theirs to say."""
KEYS_MAX: Final = 50


def check_meta(holder: JsonValue, *path: str | int) -> list[Finding]:
    """Names in the `_meta` of an object that are none, or belong to the protocol."""
    meta = holder.get("_meta") if isinstance(holder, dict) else None
    if meta is not None and not isinstance(meta, dict):
        return [error("wrong-type", "`_meta` is not an object", json_pointer(*path, "_meta"))]
    if not isinstance(meta, dict):
        return []
    found = (check_key(key, *path, "_meta", key) for key in list(meta)[:KEYS_MAX])
    return [one for one in found if one is not None]


def check_key(key: str, *path: str | int, needs_prefix: bool = False) -> Finding | None:
    """What is wrong with one name; None where nothing is."""
    prefix, slash, name = key.rpartition("/")
    place = json_pointer(*path)
    if needs_prefix and not slash:
        return warning("malformed-meta-key", f"{quoted(key)} has no prefix", place)
    if (slash and not _PREFIX.match(prefix)) or not _NAME.match(name):
        words = f"{quoted(key)} is no name for it: a prefix of labels and dots, a slash, a name"
        return warning("malformed-meta-key", words, place)
    labels = prefix.split(".")
    if prefix != _ITS_OWN and len(labels) > 1 and labels[1] in _RESERVED:
        words = f"{quoted(key)} has a prefix that is reserved for the protocol"
        return warning("reserved-meta-key", words, place)
    return None
