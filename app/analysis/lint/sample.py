"""Definitions for the examples of rules: sound, but for what an example is about."""

from __future__ import annotations

from typing import Any, Final

SOUND: Final = "Does one thing with the rows of the table."
NO_INPUT: Final[dict[str, Any]] = {"type": "object", "properties": {}}


def sample(name: str, description: str = SOUND, /, **annotations: Any) -> dict[str, Any]:
    """An entry of `tools/list` with these annotations."""
    return {
        "name": name,
        "description": description,
        "inputSchema": NO_INPUT,
        "annotations": annotations,
    }


def taking(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An entry whose input schema has these properties."""
    schema = {"type": "object", "properties": properties, **more}
    return {**sample("read_row", readOnlyHint=True), "inputSchema": schema}


def giving(schema: Any) -> dict[str, Any]:
    """An entry with this output schema."""
    return {**sample("read_row", readOnlyHint=True), "outputSchema": schema}


def with_keys(entry: dict[str, Any], **keys: Any) -> dict[str, Any]:
    """An entry with other keys beside its own, or in place of them."""
    return {**entry, **keys}
