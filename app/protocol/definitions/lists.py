"""Compares two lists of tools: new, changed, gone, and apparently renamed ones.

An entry is known by its exact name. If several have the same name, those that did not change are
matched first and the others in their order, so that a duplicate never hides a change.

Also the history of a server's definitions. Times are seconds of the epoch.
"""

from __future__ import annotations

import marshal
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, canonical, digest
from .change_values import DefinitionDiff, ListDiff, Renamed
from .changes import compare_definitions, tool_name

MAX_PAIRS: Final = 40_000
"""Pairs of a gone and a new tool that are compared; of more, only unique twins are."""
ALIKE: Final = 0.8
"""How much of two definitions must be the same for them to look like one tool."""
NAMES_ALIKE: Final = 0.5
"""How alike two names must be if the definitions are too short to identify a tool."""

_FEW: Final = 6
"""Features below which a definition is too short to identify a tool."""
_MAX_FEATURES: Final = 300
_TEXT_READ: Final = 4_000
_NAME_READ: Final = 128
_WORD: Final = re.compile(r"\w+")


def compare_lists(old: Sequence[JsonValue], new: Sequence[JsonValue]) -> ListDiff:
    """Compare two raw tool lists; the order of the entries means nothing.

    It is empty exactly if both have the same definitions, each as often. `changed` is in the order
    of `new`. Raises JsonError for an entry without digest.
    """
    if len(old) == len(new) and all(map(plainly_same, old, new)):
        return ListDiff()
    before, after = _by_name(old), _by_name(new)
    gone: list[JsonValue] = []
    added: list[JsonValue] = []
    changed: list[DefinitionDiff] = []
    for name in dict.fromkeys((*after, *before)):
        left, right = _unmatched(before.get(name, []), after.get(name, []))
        common = min(len(left), len(right))
        changed += [compare_definitions(*pair) for pair in zip(left, right, strict=False)]
        gone += left[common:]
        added += right[common:]
    return ListDiff(
        added=tuple(tool_name(raw) for raw in added),
        gone=tuple(tool_name(raw) for raw in gone),
        changed=tuple(changed),
        renamed=tuple(_renamed(gone, added)),
        duplicated=tuple(
            name
            for name, entries in after.items()
            if name and len(entries) > max(1, len(before.get(name, [])))
        ),
    )


def plainly_same(old: JsonValue, new: JsonValue) -> bool:
    """True if two values are the same, down to the order of names. False proves nothing.

    Of version 2 marshal writes values alone, with their types, in a tenth of the time of a digest.
    """
    if old is new:
        return True
    try:
        return marshal.dumps(old, 2) == marshal.dumps(new, 2)
    except ValueError:
        return False


def _by_name(entries: Sequence[JsonValue]) -> dict[str, list[JsonValue]]:
    found: dict[str, list[JsonValue]] = {}
    for raw in entries:
        found.setdefault(tool_name(raw), []).append(raw)
    return found


def _unmatched(
    old: list[JsonValue], new: list[JsonValue]
) -> tuple[list[JsonValue], list[JsonValue]]:
    """The entries of one name without those that both lists have."""
    if len(old) == len(new) == 1 and plainly_same(old[0], new[0]):
        return [], []
    left, right = [digest(raw) for raw in old], [digest(raw) for raw in new]
    common = Counter(left) & Counter(right)
    return _without(old, left, common.copy()), _without(new, right, common)


def _without(entries: list[JsonValue], digests: list[str], common: Counter[str]) -> list[JsonValue]:
    rest = []
    for raw, its_digest in zip(entries, digests, strict=True):
        if common[its_digest] > 0:
            common[its_digest] -= 1
        else:
            rest.append(raw)
    return rest


def renamed_places(
    gone: Sequence[JsonValue], added: Sequence[JsonValue]
) -> Iterator[tuple[int, int, bool]]:
    """Places of pairs that look like the same tool, the surest first; each is in one at most.

    The third is True if nothing but the name differs. Raises JsonError for an entry without digest.
    """
    left, right = _Candidates(gone), _Candidates(added)
    pairs = [*_exact_pairs(left, right)]
    if len(gone) * len(added) <= MAX_PAIRS:
        pairs += _alike_pairs(left, right)
    for score, _, at, to in surest_pairs(pairs):
        yield at, to, score == EXACT


def _renamed(gone: list[JsonValue], added: list[JsonValue]) -> Iterator[Renamed]:
    for at, to, is_exact in renamed_places(gone, added):
        was, now = gone[at], added[to]
        diff = compare_definitions(was, now)
        yield Renamed(tool_name(was), tool_name(now), is_exact, diff)


EXACT: Final = 2.0
Pair = tuple[float, float, int, int]
"""How alike the definitions and the names are, and the places of both."""


def surest_pairs(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """The surest pairs first; each gone and each new tool is in one at most."""
    used_old: set[int] = set()
    used_new: set[int] = set()
    for pair in sorted(pairs, key=lambda pair: (-pair[0], -pair[1], pair[2], pair[3])):
        _, _, at, to = pair
        if at not in used_old and to not in used_new:
            used_old.add(at)
            used_new.add(to)
            yield pair


def likeness_of_names(one: str, other: str) -> float:
    """How alike two names of tools are: 0 to 1, whatever their case."""
    return _likeness(_pairs_of_letters(one[:_NAME_READ]), _pairs_of_letters(other[:_NAME_READ]))


class _Candidates:
    """Named entries, and their content apart from the name."""

    def __init__(self, entries: Sequence[JsonValue]) -> None:
        self.names: dict[int, frozenset[str]] = {}
        self.bodies: dict[int, str] = {}
        self.features: dict[int, frozenset[str]] = {}
        for index, raw in enumerate(entries):
            if not isinstance(raw, dict) or not tool_name(raw):
                continue
            self.names[index] = _pairs_of_letters(tool_name(raw)[:_NAME_READ])
            body = {key: value for key, value in raw.items() if key != "name"}
            self.bodies[index] = canonical(body)
            self.features[index] = _features(body)


def _exact_pairs(left: _Candidates, right: _Candidates) -> Iterator[Pair]:
    places: dict[str, list[int]] = {}
    for index, body in right.bodies.items():
        places.setdefault(body, []).append(index)
    twins = Counter(left.bodies.values())
    budget = MAX_PAIRS
    for at, body in left.bodies.items():
        found = places.get(body, [])
        # Equal or very short definitions are distinguished by their names only.
        is_telling = len(found) == 1 == twins[body] and len(left.features[at]) >= _FEW
        budget -= 0 if is_telling else len(found)
        for to in found if is_telling or budget > 0 else ():
            names = _likeness(left.names[at], right.names[to])
            if is_telling or names >= NAMES_ALIKE:
                yield EXACT, names, at, to


def _alike_pairs(left: _Candidates, right: _Candidates) -> Iterator[Pair]:
    for at, ours in left.features.items():
        for to, theirs in right.features.items():
            if 2 * min(len(ours), len(theirs)) < ALIKE * (len(ours) + len(theirs)):
                continue
            score = _likeness(ours, theirs)
            if score < ALIKE or left.bodies[at] == right.bodies[to]:
                continue
            names = _likeness(left.names[at], right.names[to])
            if min(len(ours), len(theirs)) >= _FEW or names >= NAMES_ALIKE:
                yield score, names, at, to


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """0 for nothing in common to 1 for the same (Dice's coefficient)."""
    total = len(one) + len(other)
    return 2 * len(one & other) / total if total else 0.0


def _pairs_of_letters(name: str) -> frozenset[str]:
    text = name.casefold()
    return frozenset(text[at : at + 2] for at in range(max(len(text) - 1, 1)))


def _features(body: dict[str, JsonValue]) -> frozenset[str]:
    """Collect words of the texts, names and values of a definition; without titles."""
    found: set[str] = set()
    stack: list[tuple[str, JsonValue]] = [
        (key, value) for key, value in body.items() if key != "title"
    ]
    while stack and len(found) < _MAX_FEATURES:
        place, value = stack.pop()
        if isinstance(value, dict):
            found.add(f"{place}:{{")
            stack += [
                (key, item)
                for key, item in value.items()
                if not (place == "annotations" and key == "title")
            ]
        elif isinstance(value, list):
            stack += [(place, item) for item in value]
        elif isinstance(value, str):
            found.update(_WORD.findall(value[:_TEXT_READ]))
        else:
            found.add(f"{place}:{value}")
    return frozenset(found)


class DefinitionStatus(StrEnum):
    """Relation of a definition to the previous one of this server."""

    FIRST = "first seen"
    NEW = "new"
    """The server is known and did not have this tool."""
    SAME = "unchanged"
    CHANGED = "changed"
    UNKNOWN = "not known"
    """The store has no history to compare with."""


@frozen
class Past:
    """A definition that was seen before; `at` is when it was last listed, or approved."""

    tool: str
    digest: str
    raw: JsonValue
    at: float


@frozen
class Listed:
    """One entry of the list that a server sent last; `index` is its place, since names repeat."""

    tool: str
    digest: str
    index: int
