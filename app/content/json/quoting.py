"""Quotes a value of a server in a sentence."""

from __future__ import annotations

import json
from typing import Final

from ..text import shortened
from .jsonio import JsonValue

_VALUE_CELLS: Final = 40
_WRITTEN_MAX: Final = 10**30


def quoted(value: JsonValue) -> str:
    """A value as JSON, so that the string "1000" and the number differ; short and safe to show."""
    if isinstance(value, str):
        return f"“{shortened(value, _VALUE_CELLS)}”"
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "an array"
    if isinstance(value, int) and abs(value) > _WRITTEN_MAX:
        # Python refuses to write an integer of thousands of digits.
        return "a number of more than 30 digits"
    return shortened(json.dumps(value), _VALUE_CELLS)
