"""Kinds of values in a file: each reads a tree, notes every problem, and has a JSON Schema.

A published schema is made of the kinds that read the file, so that neither knows more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from ..frozen import frozen
from ..suggest import did_you_mean
from .tree import WRONG, Notation, Problems, Reader, Tree

_LISTED: Final = 16
"""Words of a set that a message lists."""


class Kind(Reader, Protocol):
    """Kind of value allowed at a place."""

    def words(self, notation: Notation) -> str:
        """The expected value, as it fits after "is": `a text`."""

    def accepts(self, tree: Tree) -> bool:
        """True if a tree looks as if this was meant, mistakes and all."""

    def schema(self) -> dict[str, Any]: ...


@frozen
class Text:
    """A text."""

    may_be_number: bool = False
    """Whether a number is read as the text that it is written as: the name of a tool."""
    may_be_blank: bool = True

    def words(self, notation: Notation) -> str:
        return notation.text

    def read(self, tree: Tree, name: str, problems: Problems) -> Any:
        value = tree.value
        if self.may_be_number and isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str):
            hint = problems.notation.text_hint if isinstance(value, bool | int | float) else ""
            return problems.unfit(tree, name, self.words(problems.notation), hint)
        if value.strip() or self.may_be_blank:
            return value
        problems.add(tree.spot, f"{name} is empty")
        return WRONG

    def accepts(self, tree: Tree) -> bool:
        return isinstance(tree.value, str)

    def schema(self) -> dict[str, Any]:
        return {"type": ["string", "integer"] if self.may_be_number else "string"}


@frozen
class Word:
    """One word of a set."""

    among: Sequence[str]
    listed: Sequence[str] = ()
    """Those that a message lists, if all are too many."""
    others: str = ""
    """The rest of them, in a message."""

    def words(self, notation: Notation) -> str:
        if self.listed:
            return f"{', '.join(map(notation.quoted, self.listed))} or {self.others}"
        if len(self.among) > _LISTED:
            return f"one of {len(self.among)} words, as {', '.join(self.among[:3])}"
        return notation.one_of(self.among)

    def read(self, tree: Tree, name: str, problems: Problems) -> Any:
        value = tree.value
        if isinstance(value, str) and value in self.among:
            return value
        hint = did_you_mean(value, self.among) if isinstance(value, str) else ""
        return problems.unfit(tree, name, self.words(problems.notation), hint)

    def accepts(self, tree: Tree) -> bool:
        return isinstance(tree.value, str)

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.among)}


@frozen
class Flag:
    """true or false."""

    def words(self, notation: Notation) -> str:
        return "true or false"

    def read(self, tree: Tree, name: str, problems: Problems) -> Any:
        if isinstance(tree.value, bool):
            return tree.value
        hint = problems.notation.flag_hint if tree.value in ("yes", "no", "on", "off") else ""
        return problems.unfit(tree, name, "true or false", hint)

    def accepts(self, tree: Tree) -> bool:
        return isinstance(tree.value, bool)

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


@frozen
class Number:
    """A number within bounds; `most` may be infinite."""

    least: float = 0
    most: float = 1_000_000
    is_whole: bool = False
    unit: str = ""

    def words(self, notation: Notation) -> str:
        what = "a whole number" if self.is_whole else "a number"
        of = f" of {self.unit}" if self.unit else ""
        end = "on" if math.isinf(self.most) else f"to {self.most:,g}"
        return f"{what}{of} from {self.least:,g} {end}"

    def read(self, tree: Tree, name: str, problems: Problems) -> Any:
        if self.accepts(tree) and isinstance(tree.value, int | float):
            is_fit = not self.is_whole or isinstance(tree.value, int)
            if is_fit and self.least <= tree.value <= self.most:
                return tree.value
        return problems.unfit(tree, name, self.words(problems.notation))

    def accepts(self, tree: Tree) -> bool:
        return isinstance(tree.value, int | float) and not isinstance(tree.value, bool)

    def schema(self) -> dict[str, Any]:
        made = {"type": "integer" if self.is_whole else "number", "minimum": self.least}
        return made if math.isinf(self.most) else {**made, "maximum": self.most}


@frozen
class AnyValue:
    """Any JSON value; an `AnyValue` that is an object is one with any members."""

    is_object: bool = False

    def words(self, notation: Notation) -> str:
        return f"{notation.mapping} of names and values" if self.is_object else "any value"

    def read(self, tree: Tree, name: str, problems: Problems) -> Any:
        if self.is_object and not isinstance(tree.value, dict):
            return problems.unfit(tree, name, self.words(problems.notation))
        return tree.plain()

    def accepts(self, tree: Tree) -> bool:
        return isinstance(tree.value, dict) or not self.is_object

    def schema(self) -> dict[str, Any]:
        return {"type": "object"} if self.is_object else {}


@frozen
class ListOf:
    """A list; with `or_one`, a single value may be given in place of a list of one."""

    of: Kind
    or_one: bool = False
    may_be_empty: bool = False

    def words(self, notation: Notation) -> str:
        one = self.of.words(notation)
        return f"{one}, or a list" if self.or_one else f"a list whose items are each {one}"

    def read(self, tree: Tree, name: str, problems: Problems) -> Any:
        if not isinstance(tree.value, list):
            if self.or_one:
                return self._members([tree], name, problems)
            return problems.unfit(tree, name, "a list", problems.notation.list_hint)
        if not tree.value and not self.may_be_empty:
            problems.add(tree.spot, f"{name} is an empty list")
        return self._members(tree.value, name, problems)

    def _members(self, trees: Sequence[Tree], name: str, problems: Problems) -> list[Any]:
        read = [self.of.read(one, name, problems) for one in trees]
        return [one for one in read if one is not WRONG]

    def accepts(self, tree: Tree) -> bool:
        return isinstance(tree.value, list) or (self.or_one and self.of.accepts(tree))

    def schema(self) -> dict[str, Any]:
        one = self.of.schema()
        several: dict[str, Any] = {"type": "array", "items": one}
        if not self.may_be_empty:
            several["minItems"] = 1
        return {"anyOf": [one, several]} if self.or_one else several


@frozen
class MapOf:
    """Values of one kind under names that the author chose."""

    of: Kind
    example: str = ""
    """A heading."""

    def words(self, notation: Notation) -> str:
        return f"{notation.mapping}, as in {self.example}" if self.example else notation.mapping

    def read(self, tree: Tree, name: str, problems: Problems) -> Any:
        if not isinstance(tree.value, dict):
            return problems.unfit(tree, name, self.words(problems.notation))
        read = {key: self.of.read(one, key, problems) for key, one in tree.value.items()}
        return {key: one for key, one in read.items() if one is not WRONG}

    def accepts(self, tree: Tree) -> bool:
        return isinstance(tree.value, dict)

    def schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": self.of.schema()}


@frozen
class Key:
    """One key of a table: its kind, and its purpose."""

    of: Kind
    about: str = ""
    is_required: bool = False


@frozen
class Table:
    """Values under known names. Reads to a dict with `""` for its own place."""

    called: str
    keys: Mapping[str, Key]
    example: str = ""
    """A heading, to be shown instead of the keys."""
    check: Callable[[Tree, dict[str, Any], Problems], None] | None = None
    """Notes what does not hold between the values."""
    unknown: Callable[[str], str] | None = None
    """Describes an unknown key, in place of the names of the known ones."""

    def words(self, notation: Notation) -> str:
        if self.example:
            return f"{notation.mapping}, as in {self.example}"
        names = f"{', '.join(list(self.keys)[:4])}{', ...' if len(self.keys) > 4 else ''}"
        return f"{notation.mapping} with {names}"

    def read(self, tree: Tree, name: str, problems: Problems) -> Any:
        if not isinstance(tree.value, dict):
            return problems.unfit(tree, name, self.words(problems.notation))
        found: dict[str, Any] = {"": tree.spot}
        before = len(problems.found)
        for key, one in tree.value.items():
            if known := self.keys.get(key):
                if (value := known.of.read(one, key, problems)) is not WRONG:
                    found[key] = value
            else:
                words = self.unknown(key) if self.unknown else self._unknown(key, problems.notation)
                problems.add(tree.keys.get(key, tree.spot), words)
        for key, wanted in self.keys.items():
            if wanted.is_required and key not in tree.value:
                problems.add(tree.spot, f"{self.called} has no {key}: {wanted.about}")
        if self.check is not None and len(problems.found) == before:
            self.check(tree, found, problems)
        return found

    def _unknown(self, key: str, notation: Notation) -> str:
        hint = did_you_mean(key, self.keys)
        known = "" if hint else f"; allowed: {', '.join(self.keys)}"
        return f"{notation.key(key)} is not a key of {self.called}{hint or known}"

    def accepts(self, tree: Tree) -> bool:
        return isinstance(tree.value, dict)

    def schema(self) -> dict[str, Any]:
        made: dict[str, Any] = {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                name: {"description": key.about, **key.of.schema()}
                for name, key in self.keys.items()
            },
        }
        if required := [name for name, key in self.keys.items() if key.is_required]:
            made["required"] = required
        return made


@frozen
class OneOf:
    """One of several kinds, by the look of the value."""

    kinds: tuple[Kind, ...] = ()

    def words(self, notation: Notation) -> str:
        return ", or ".join(kind.words(notation) for kind in self.kinds)

    def read(self, tree: Tree, name: str, problems: Problems) -> Any:
        for kind in self.kinds:
            if kind.accepts(tree):
                return kind.read(tree, name, problems)
        return problems.unfit(tree, name, self.words(problems.notation))

    def accepts(self, tree: Tree) -> bool:
        return any(kind.accepts(tree) for kind in self.kinds)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [kind.schema() for kind in self.kinds]}
