"""Reads a server's JSON Schema: targets of references, and exact equality.

Everything here is total: a schema may be any JSON value, and no `$ref` is followed out of it.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import Final
from urllib.parse import unquote

from ...content.json.jsonio import JsonError, JsonValue, canonical

MAX_CHOICES: Final = 1_000
"""A longer enum is typed as JSON instead of chosen from a list."""
MAX_NAMED: Final = 10_000
"""Values of a schema that are searched for an `$anchor` or `$id`."""
UNWRITABLE: Final = ""
"""The result of `exact` for a value that JSON cannot express."""

Schema = dict[str, JsonValue]


class Missing(Enum):
    """An absent value, since `None` is the JSON value null."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING


def target_of(ref: str, root: JsonValue) -> JsonValue | Missing:
    """Resolve a `$ref` inside the schema: "#", any JSON Pointer, an `$anchor`, an `$id`."""
    if not isinstance(root, dict):
        return MISSING
    base, _, fragment = ref.partition("#")
    start: JsonValue | Missing = root
    if base and base != root.get("$id"):
        start = _named(root, "$id", base)
    if not fragment or start is MISSING:
        return start
    if not fragment.startswith("/"):
        return _named(start, "$anchor", fragment)
    for part in unquote(fragment).split("/")[1:]:
        step = part.replace("~1", "/").replace("~0", "~")
        if isinstance(start, dict) and step in start:
            start = start[step]
        elif isinstance(start, list) and step.isdecimal() and len(step) < 9:
            start = start[int(step)] if int(step) < len(start) else MISSING
        else:
            return MISSING
    return start


def _named(root: JsonValue, keyword: str, name: str) -> JsonValue | Missing:
    pending: list[JsonValue] = [root]
    for _ in range(MAX_NAMED):
        if not pending:
            break
        value = pending.pop()
        if isinstance(value, dict):
            if value.get(keyword) == name:
                return value
            pending.extend(value.values())
        elif isinstance(value, list):
            pending.extend(value)
    return MISSING


def number_of(value: JsonValue | Missing) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None


def identical(left: JsonValue | Missing, right: JsonValue | Missing) -> bool:
    """Equal as JSON texts: `1`, `1.0` and `true` are three values."""
    if left is MISSING or right is MISSING:
        return left is right
    text = exact(left)
    return text == exact(right) and text != UNWRITABLE


def exact(value: JsonValue) -> str:
    """One line of ASCII JSON for exactly this value, keys sorted; `UNWRITABLE` if there is none."""
    try:
        return canonical(value)
    except JsonError:
        return UNWRITABLE
