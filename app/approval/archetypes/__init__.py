"""Archetypes: kinds of tools in texts on annotations, with the hints that fit each, as data.

The table and the disputes about it are in `table.toml`, with their sources. It is a summary, not a
rule of the specification: a tool may have good reasons to differ from its archetype.
"""

from __future__ import annotations

import tomllib
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue

HINTS: Final = ("readOnly", "destructive", "idempotent", "openWorld")


class ExpectedHint(StrEnum):
    """Value of one hint that fits an archetype."""

    TRUE = "true"
    FALSE = "false"
    EITHER = "either"
    NOT_APPLICABLE = "n/a"

    def as_json(self) -> JsonValue:
        """True or false where only one fits; else the word."""
        return {"true": True, "false": False}.get(self.value, self.value)


@frozen
class Archetype:
    """One row of the table; `hints` and `why` are by the name of the hint."""

    name: str
    title: str
    means: str
    words: tuple[tuple[str, ...], ...]
    hints: dict[str, ExpectedHint]
    why: dict[str, str]


@frozen
class Side:
    """One answer to a disputed question, and who gives it."""

    words: str
    sources: tuple[str, ...]


@frozen
class Reading:
    """A question on which the texts disagree: which value of a hint is right, and why either."""

    name: str
    question: str
    hint: str
    archetypes: tuple[str, ...]
    date: str
    if_true: Side
    if_false: Side


@lru_cache(maxsize=1)
def archetypes() -> tuple[Archetype, ...]:
    """The rows of the table, in their order."""
    return tuple(
        Archetype(
            row["name"],
            row["title"],
            row["means"],
            tuple(tuple(words.split()) for words in row["words"]),
            {hint: ExpectedHint(row[hint]) for hint in HINTS},
            dict(row["why"]),
        )
        for row in _table()["archetype"]
    )


@lru_cache(maxsize=1)
def readings() -> tuple[Reading, ...]:
    """The disputes, in their order."""
    return tuple(
        Reading(
            row["name"],
            row["question"],
            row["hint"],
            tuple(row["archetypes"]),
            row["date"].isoformat(),
            _side(row["true"]),
            _side(row["false"]),
        )
        for row in _table()["reading"]
    )


def _side(row: dict[str, Any]) -> Side:
    return Side(row["words"], tuple(row["sources"]))


def _table() -> dict[str, Any]:
    text = (Path(__file__).parent / "table.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
