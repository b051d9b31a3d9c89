"""Arguments with the path of the scratch folder put in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...content.json.jsonio import JsonValue

SCRATCH: Final = "{scratch}"
"""In a command or an argument: the folder that the server works in."""


def in_scratch(arguments: Mapping[str, JsonValue], scratch: str) -> dict[str, JsonValue]:
    """The arguments with `{scratch}` as the folder."""
    return {key: _put(value, scratch) for key, value in arguments.items()}


def _put(value: JsonValue, scratch: str) -> JsonValue:
    match value:
        case str():
            return value.replace(SCRATCH, scratch)
        case list():
            return [_put(one, scratch) for one in value]
        case dict():
            return {key: _put(one, scratch) for key, one in value.items()}
    return value
