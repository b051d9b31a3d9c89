"""What stands at a place of a JSON value."""

from __future__ import annotations

from collections.abc import Sequence

from ...content.json.jsonio import JsonValue


def member(value: JsonValue, step: str | int) -> tuple[JsonValue, ...]:
    """The member of an object or array alone in a tuple, empty where there is none."""
    if isinstance(value, dict) and isinstance(step, str):
        return (value[step],) if step in value else ()
    if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
        return (value[step],)
    return ()


def found(value: JsonValue, path: Sequence[str | int]) -> tuple[JsonValue, ...]:
    """What stands at a place alone in a tuple, empty where nothing does."""
    for step in path:
        inside = member(value, step)
        if not inside:
            return ()
        value = inside[0]
    return (value,)


def at(value: JsonValue, path: Sequence[str | int]) -> JsonValue:
    """What stands at a place; None where nothing does."""
    inside = found(value, path)
    return inside[0] if inside else None
