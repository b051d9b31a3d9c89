"""Kinds that are made of others: lists, tables, and one of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..content.suggest import did_you_mean
from ..content.text import shortened
from .kinds import SHOWN, Kind, Mistakes, shown
from .yaml_tree import Tree


@dataclass(frozen=True, slots=True)
class Several:
    """A list; with `or_one`, one alone may stand for a list of it."""

    of: Kind
    or_one: bool = False
    may_be_empty: bool = False

    @property
    def words(self) -> str:
        return f"{self.of.words}, or a list" if self.or_one else f"a list, each {self.of.words}"

    def read(self, tree: Tree, name: str, mistakes: Mistakes) -> Any:
        if not isinstance(tree.value, list):
            if self.or_one:
                return [self.of.read(tree, name, mistakes)]
            mistakes.wrong(tree.spot, f"{name} is a list, not {shown(tree)}; begin each with -")
            return []
        if not tree.value and not self.may_be_empty:
            mistakes.wrong(tree.spot, f"{name} is an empty list")
        return [self.of.read(one, name, mistakes) for one in tree.value]

    def takes(self, tree: Tree) -> bool:
        return isinstance(tree.value, list) or (self.or_one and self.of.takes(tree))

    def schema(self) -> dict[str, Any]:
        one = self.of.schema()
        several: dict[str, Any] = {"type": "array", "items": one}
        if not self.may_be_empty:
            several["minItems"] = 1
        return {"anyOf": [one, several]} if self.or_one else several


@dataclass(frozen=True, slots=True)
class Named:
    """Values of one kind under names that the author chose."""

    of: Kind

    @property
    def words(self) -> str:
        return "a table of names"

    def read(self, tree: Tree, name: str, mistakes: Mistakes) -> Any:
        if not isinstance(tree.value, dict):
            mistakes.wrong(tree.spot, f"{name} is a table of names, not {shown(tree)}")
            return {}
        return {key: self.of.read(one, key, mistakes) for key, one in tree.value.items()}

    def takes(self, tree: Tree) -> bool:
        return isinstance(tree.value, dict)

    def schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": self.of.schema()}


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a table: what it takes, and what it is for."""

    of: Kind
    words: str
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Values under names that are known. Reads to a dict with `""` for where it stands."""

    called: str
    keys: Mapping[str, Key]
    example: str = ""
    check: Callable[[Tree, dict[str, Any], Mistakes], None] | None = None
    """What must hold between the values."""

    @property
    def words(self) -> str:
        return f"a table of {', '.join(list(self.keys)[:4])}{', ...' if len(self.keys) > 4 else ''}"

    def read(self, tree: Tree, name: str, mistakes: Mistakes) -> Any:
        found: dict[str, Any] = {"": tree.spot}
        if not isinstance(tree.value, dict):
            mistakes.wrong(tree.spot, f"{name} is {self.words}, not {shown(tree)}")
            return found
        before = len(mistakes.found)
        for key, one in tree.value.items():
            known = self.keys.get(key)
            if known is None:
                hint = did_you_mean(key, self.keys)
                known_words = "" if hint else f"; known are {', '.join(self.keys)}"
                said = f"{shortened(key, SHOWN)} is no key of {self.called}{hint or known_words}"
                mistakes.wrong(tree.keys[key], said)
            else:
                found[key] = known.of.read(one, key, mistakes)
        for key, wanted in self.keys.items():
            if wanted.is_required and key not in tree.value:
                mistakes.wrong(tree.spot, f"{self.called} has no {key}: {wanted.words}")
        if self.check is not None and len(mistakes.found) == before:
            self.check(tree, found, mistakes)
        return found

    def takes(self, tree: Tree) -> bool:
        return isinstance(tree.value, dict)

    def schema(self) -> dict[str, Any]:
        made: dict[str, Any] = {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                name: {"description": key.words, **key.of.schema()}
                for name, key in self.keys.items()
            },
        }
        if required := [name for name, key in self.keys.items() if key.is_required]:
            made["required"] = required
        return made


@dataclass(frozen=True, slots=True)
class Either:
    """One of several kinds, by the look of the value."""

    kinds: tuple[Kind, ...] = field(default=())

    @property
    def words(self) -> str:
        return ", or ".join(kind.words for kind in self.kinds)

    def read(self, tree: Tree, name: str, mistakes: Mistakes) -> Any:
        for kind in self.kinds:
            if kind.takes(tree):
                return kind.read(tree, name, mistakes)
        mistakes.wrong(tree.spot, f"{name} is {self.words}, not {shown(tree)}")
        return None

    def takes(self, tree: Tree) -> bool:
        return any(kind.takes(tree) for kind in self.kinds)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [kind.schema() for kind in self.kinds]}
