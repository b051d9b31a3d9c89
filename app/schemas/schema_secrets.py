"""The secrets of a value that is judged: messages about it must not repeat them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..content.text import visible
from .secrets.secret_places import mask_arguments
from .secrets.secrets import conceal

if TYPE_CHECKING:
    from ..content.json.jsonio import JsonValue
    from .secrets.secrets import Place


class Hidden:
    """The secrets of a value, and their places."""

    def __init__(self, schema: JsonValue, value: JsonValue) -> None:
        masked = mask_arguments(value, schema)
        self._places = masked.places
        self._found = masked.found | {visible(secret) for secret in masked.found}

    def covers(self, path: Place) -> bool:
        """Whether the value at a place is secret, is part of a secret, or holds one."""
        return any(path[: len(one)] == one[: len(path)] for one in self._places)

    def clean(self, text: str) -> str:
        """The text without a secret that it quotes."""
        return conceal(text, self._found)
