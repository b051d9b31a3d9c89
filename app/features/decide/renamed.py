"""Pairs tools that are gone with new ones that are the same tool under another name.

A baseline has digests and hints. A definition is the same if it has the digest of the baseline once
it is given the old name, and the old hints.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ...approval.matrix import HINT_NAMES, MatrixRow
from ...content.json.jsonio import JsonValue, digest
from ...protocol.definitions.lists import (
    EXACT,
    MAX_PAIRS,
    NAMES_ALIKE,
    Pair,
    likeness_of_names,
    surest_pairs,
)
from .baseline import BaselineTool
from .decisions import hints_of

_KEYS: Final = frozenset(f"{name}Hint" for name in HINT_NAMES)


def renamed(
    gone: Sequence[BaselineTool], new: Sequence[MatrixRow]
) -> Iterator[tuple[BaselineTool, MatrixRow, bool]]:
    """Pairs, the surest first, and whether their definitions are the same apart from the hints."""
    if len(gone) * len(new) > MAX_PAIRS:
        return
    for score, _, at, to in surest_pairs(list(_pairs(gone, new))):
        yield gone[at], new[to], score == EXACT


def _pairs(gone: Sequence[BaselineTool], new: Sequence[MatrixRow]) -> Iterator[Pair]:
    for to, row in enumerate(new):
        raw = row.own_tool.raw
        for at, tool in enumerate(gone):
            names = likeness_of_names(tool.name, row.own_tool.name)
            if isinstance(raw, dict) and _is_same(tool, raw):
                yield EXACT, names, at, to
            elif names >= NAMES_ALIKE:
                yield 0.0, names, at, to


def _is_same(tool: BaselineTool, raw: dict[str, JsonValue]) -> bool:
    """True if only the name and the hints differ from the definition in the baseline."""
    if digest({**raw, "name": tool.name}) == tool.digest:
        return True
    given = raw.get("annotations")
    others = given if isinstance(given, dict) else {}
    kept = {key: value for key, value in others.items() if key not in _KEYS}
    annotations = {**kept, **hints_of(tool.claims)}
    before: dict[str, JsonValue] = {**raw, "name": tool.name, "annotations": annotations}
    if digest(before) == tool.digest:
        return True
    del before["annotations"]
    return not annotations and digest(before) == tool.digest
