"""What is known of the definitions that a server listed before. Times are seconds of the epoch."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...content.json.jsonio import JsonValue


class Seen(StrEnum):
    """How a definition compares with the one that this server listed last time."""

    FIRST = "first seen"
    NEW = "new"
    """The server is known and did not have this tool."""
    SAME = "unchanged"
    CHANGED = "changed"
    UNKNOWN = "not known"
    """There is no history to compare with."""


@dataclass(frozen=True, slots=True)
class Past:
    """A definition that was seen before; `at` is when it was last listed, or approved."""

    tool: str
    digest: str
    raw: JsonValue
    at: float


@dataclass(frozen=True, slots=True)
class Listed:
    """One entry of the list that a server sent last; `index` is its place, since names repeat."""

    tool: str
    digest: str
    index: int
