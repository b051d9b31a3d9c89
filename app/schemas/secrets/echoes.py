"""Known secrets in what is printed: a server may repeat what it was given, and so may our words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from ...content.json.jsonio import JsonValue
from ...content.text import visible
from .secrets import note

SHORT = 8
"""Characters below which a secret is only looked for as a whole word: `test` is in `testing`."""
SHORTEST = 3
"""A secret of fewer is not looked for: every text has it."""


class Echoes:
    """Takes known secrets out of texts and JSON; `count` says how many were found."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = {secret for secret in secrets if len(secret) >= SHORTEST}
        self._numbers = frozenset(secret for secret in known if len(secret) > SHORTEST)
        # As they are, as they are drawn, and as JSON and Python write them in a text.
        ways = {
            way
            for one in known
            for way in (one, visible(one), visible(one, multiline=True), *_written(one))
        }
        parts = [_part(way) for way in sorted(ways, key=len, reverse=True)]
        self._pattern = re.compile("|".join(parts)) if parts else None
        self.count = 0

    def text(self, text: str) -> str:
        """A text without them."""
        if self._pattern is None:
            return text
        found, count = self._pattern.subn(lambda match: note(len(match.group())), text)
        self.count += count
        return found

    def value(self, value: JsonValue) -> JsonValue:
        """A copy of a JSON value without them: in strings, in names, and as whole numbers."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(name): self.value(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self.value(item) for item in value]
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if is_number and str(value) in self._numbers:
            self.count += 1
            return note(len(str(value)))
        return value


def _written(secret: str) -> tuple[str, ...]:
    ways = json.dumps(secret), json.dumps(secret, ensure_ascii=False), repr(secret)
    return tuple(way[1:-1] for way in ways)


def _part(secret: str) -> str:
    exact = re.escape(secret)
    return exact if len(secret) >= SHORT else rf"(?<!\w){exact}(?!\w)"
