"""A value without its secrets, and how many there were."""

from __future__ import annotations

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.secrets.masks import mask_value


def mask(value: JsonValue) -> tuple[JsonValue, int]:
    masked = mask_value(value)
    return masked.value, masked.count
