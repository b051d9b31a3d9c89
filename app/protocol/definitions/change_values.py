"""Values for the changes between two definitions, or two lists of them.

`quoted` and `names` put a server's names into our own words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from enum import IntEnum
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, Path
from ...content.labels import some_named
from ...content.text import cut, visible


class Weight(IntEnum):
    """How much a change matters to a person who approved the old definition, least first."""

    SAME = 0
    SAFE = 1
    """An optional parameter was added; an ignored hint declares more harm."""
    REWORDED = 2
    """Title, description, icons or the like were reworded: read them again."""
    OUTPUT = 3
    """The output schema changed."""
    WORSENED = 4
    """The hints promise less than before: what was read-only may write or destroy."""
    WEAKENED = 5
    """A hint declares less harm than before."""
    BREAKING = 6
    """A parameter was removed, retyped or newly required; or the change is not understood."""

    @property
    def words(self) -> str:
        return self.name.lower()


@frozen
class Change:
    """One difference. `path` is a place such as `$.annotations.readOnlyHint`, safe to show.

    `had` and `has` are True if the value exists in the old and in the new definition. `steps` is
    the same place, exactly. All changes of a diff, shortest `steps` first, turn the old definition
    into the new one: setting makes objects of missing parents, removing a missing value is fine.
    """

    code: str
    weight: Weight
    path: str
    words: str
    old: JsonValue = None
    new: JsonValue = None
    had: bool = True
    has: bool = True
    steps: Path = ()

    def as_json(self) -> dict[str, JsonValue]:
        shown: dict[str, JsonValue] = {
            "code": self.code,
            "class": self.weight.words,
            "path": self.path,
            "steps": list(self.steps),
            "message": self.words,
        }
        if self.had:
            shown["old"] = self.old
        if self.has:
            shown["new"] = self.new
        return shown


@frozen
class DefinitionDiff:
    """Every difference between two definitions of one tool, the weightiest first.

    `tool` is the exact name, not yet safe to show. `more` counts the differences that are left out
    of `changes` for their number; none of them is weightier than those listed.
    """

    tool: str
    old_digest: str
    new_digest: str
    changes: tuple[Change, ...]
    more: int = 0

    @property
    def weight(self) -> Weight:
        return max((change.weight for change in self.changes), default=Weight.SAME)

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "tool": self.tool,
            "class": self.weight.words,
            "old_digest": self.old_digest,
            "new_digest": self.new_digest,
            "changes": [change.as_json() for change in self.changes],
            "more_changes": self.more,
        }


@frozen
class Renamed:
    """A tool that is gone and one that is new and look like the same one."""

    old: str
    new: str
    is_exact: bool
    """Nothing but the name differs."""
    diff: DefinitionDiff | None = None
    """What differs, the name included."""

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "old": self.old,
            "new": self.new,
            "exact": self.is_exact,
            "diff": self.diff.as_json() if self.diff else None,
        }


@frozen
class ListDiff:
    """Changes between two lists of tools; names are exact and not yet safe to show.

    Entries of `renamed` are in `added` and `gone`, too. An entry without a name has the name "".
    """

    added: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    changed: tuple[DefinitionDiff, ...] = ()
    renamed: tuple[Renamed, ...] = ()
    duplicated: tuple[str, ...] = ()
    """Names of several tools now and of fewer before: calls by such a name are ambiguous."""

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.gone or self.changed)

    @property
    def summary(self) -> str:
        """Count tools that are new, changed, look renamed, or are gone; empty if there are none."""
        renamed = len(self.renamed)
        counts = [
            (len(self.changed), "changed"),
            (renamed, "renamed-looking"),
            (len(self.gone) - renamed, "gone"),
            (len(self.added) - renamed, "new"),
        ]
        return ", ".join(f"{count:,} {word}" for count, word in counts if count)

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "added": list(self.added),
            "gone": list(self.gone),
            "changed": [diff.as_json() for diff in self.changed],
            "renamed": [one.as_json() for one in self.renamed],
            "duplicated": list(self.duplicated),
        }


_NAMES_SHOWN: Final = 5
_NAME_LIMIT: Final = 60


def quoted(name: str, limit: int = _NAME_LIMIT) -> str:
    """A name of the server's in quotes that it cannot close; safe to show."""
    short = cut(name, limit)
    shown = visible(json.dumps(short.text, ensure_ascii=False))
    return f"{shown}…" if short.is_cut else shown


def names(values: Iterable[str]) -> str:
    """The first few names in quotes, and how many more there are."""
    return some_named(list(values), _NAMES_SHOWN, quoted)
