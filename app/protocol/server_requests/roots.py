"""Where a server may work: places that a person names (spec 2025-11-25, client/roots)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...content.json.jsonio import JsonValue

LIST_ROOTS: Final = "roots/list"
ROOTS_CHANGED: Final = "notifications/roots/list_changed"
_FILE: Final = "file:"


@dataclass(frozen=True, slots=True)
class Root:
    """A place, as a `file:` URI, and what to call it."""

    uri: str
    name: str = ""

    def as_json(self) -> dict[str, JsonValue]:
        return {"uri": self.uri, "name": self.name} if self.name else {"uri": self.uri}


def read_root(given: str) -> Root:
    """`FOLDER`, `NAME=FOLDER`, or either with a `file:` URI. Raises ValueError, in words.

    A folder need not be there: whoever tests a server may want to see what it does then.
    """
    name, equals, place = given.partition("=")
    if not equals or "/" in name:
        name, place = "", given
    if not place.strip():
        raise ValueError("give a folder, or NAME=FOLDER")
    if place.startswith(_FILE):
        return Root(place, name)
    path = Path(place).expanduser().absolute()
    return Root(path.as_uri(), name or path.name)


def roots_result(roots: Sequence[Root]) -> dict[str, JsonValue]:
    """The result of `roots/list`."""
    return {"roots": [one.as_json() for one in roots]}
