"""Kinds of values in a flow file: each reads a tree, reports errors, and has a JSON Schema.

The reader and the published schema are made of the same kinds, so that neither knows more. Some
kinds are composed: lists, tables, and one of several.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from ..content.suggest import did_you_mean
from ..content.text import shortened
from .yaml_tree import Mistake, SourceLocation, Tree

SHOWN: Final = 60
"""Characters of what somebody wrote, where it is told."""
_LISTED: Final = 16
"""Words that are listed where another one was given."""
Read = Any
"""What a kind makes of a tree; a harmless value where the tree is not of that kind."""


class Mistakes:
    """Collects errors, so that all of them are reported at once."""

    def __init__(self) -> None:
        self.found: list[Mistake] = []

    def wrong(self, spot: SourceLocation, message: str) -> None:
        self.found.append(Mistake(spot, message))


class Kind(Protocol):
    """Kind of value allowed at a place."""

    @property
    def words(self) -> str:
        """The expected value, as it fits after "is": `a text`."""

    def read(self, tree: Tree, name: str, mistakes: Mistakes) -> Read: ...

    def accepts(self, tree: Tree) -> bool:
        """True if a tree looks as if this was meant, mistakes and all."""

    def schema(self) -> dict[str, Any]: ...


def shown(tree: Tree) -> str:
    """A value in a few words, safe to show."""
    match tree.value:
        case None:
            return "nothing"
        case bool():
            return "true" if tree.value else "false"
        case str():
            return f"“{shortened(tree.value, SHOWN)}”"
        case int() | float():
            return shortened(str(tree.value), SHOWN)
        case list():
            return "a list"
    return "a table"


@dataclass(frozen=True, slots=True)
class Text:
    """A text, or one of a few words."""

    choices: Sequence[str] = ()
    may_be_number: bool = False
    """Whether a number is taken as the text that it is written as: the name of a tool."""

    @property
    def words(self) -> str:
        if not self.choices:
            return "a text"
        if len(self.choices) > _LISTED:
            return f"one of {len(self.choices)} words, as {', '.join(self.choices[:3])}"
        *most, last = self.choices
        return f"{', '.join(most)} or {last}" if most else last

    def read(self, tree: Tree, name: str, mistakes: Mistakes) -> Read:
        value = tree.value
        if self.may_be_number and isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str):
            if not self.choices or value in self.choices:
                return value
            hint = did_you_mean(value, self.choices)
            mistakes.wrong(tree.spot, f"{name} is {self.words}, not {shown(tree)}{hint}")
            return self.choices[0]
        hint = ""
        if isinstance(value, bool | int | float) and not self.choices:
            hint = "; put it in quotes"
        mistakes.wrong(tree.spot, f"{name} is {self.words}, not {shown(tree)}{hint}")
        return self.choices[0] if self.choices else ""

    def accepts(self, tree: Tree) -> bool:
        return isinstance(tree.value, str)

    def schema(self) -> dict[str, Any]:
        if self.choices:
            return {"enum": list(self.choices)}
        return {"type": ["string", "integer"] if self.may_be_number else "string"}


@dataclass(frozen=True, slots=True)
class Flag:
    """true or false."""

    words = "true or false"

    def read(self, tree: Tree, name: str, mistakes: Mistakes) -> Read:
        if isinstance(tree.value, bool):
            return tree.value
        hint = "; write true or false" if tree.value in ("yes", "no", "on", "off") else ""
        mistakes.wrong(tree.spot, f"{name} is true or false, not {shown(tree)}{hint}")
        return False

    def accepts(self, tree: Tree) -> bool:
        return isinstance(tree.value, bool)

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Number:
    """A number within bounds."""

    least: float = 0
    most: float = 1_000_000
    is_whole: bool = False
    unit: str = ""

    @property
    def words(self) -> str:
        what = "a whole number" if self.is_whole else "a number"
        of = f" of {self.unit}" if self.unit else ""
        return f"{what}{of} from {self.least:,g} to {self.most:,g}"

    def read(self, tree: Tree, name: str, mistakes: Mistakes) -> Read:
        if self.accepts(tree) and isinstance(tree.value, int | float):
            is_fit = not self.is_whole or isinstance(tree.value, int)
            if is_fit and self.least <= tree.value <= self.most:
                return tree.value
        mistakes.wrong(tree.spot, f"{name} is {self.words}, not {shown(tree)}")
        return self.least

    def accepts(self, tree: Tree) -> bool:
        return isinstance(tree.value, int | float) and not isinstance(tree.value, bool)

    def schema(self) -> dict[str, Any]:
        kind = "integer" if self.is_whole else "number"
        return {"type": kind, "minimum": self.least, "maximum": self.most}


@dataclass(frozen=True, slots=True)
class AnyValue:
    """Any JSON value; an `AnyValue` that is an object is one with any members."""

    is_object: bool = False

    @property
    def words(self) -> str:
        return "a table of names and values" if self.is_object else "any value"

    def read(self, tree: Tree, name: str, mistakes: Mistakes) -> Read:
        if self.is_object and not isinstance(tree.value, dict):
            mistakes.wrong(tree.spot, f"{name} is {self.words}, not {shown(tree)}")
            return {}
        return tree.plain()

    def accepts(self, tree: Tree) -> bool:
        return isinstance(tree.value, dict) or not self.is_object

    def schema(self) -> dict[str, Any]:
        return {"type": "object"} if self.is_object else {}


@dataclass(frozen=True, slots=True)
class ListOf:
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

    def accepts(self, tree: Tree) -> bool:
        return isinstance(tree.value, list) or (self.or_one and self.of.accepts(tree))

    def schema(self) -> dict[str, Any]:
        one = self.of.schema()
        several: dict[str, Any] = {"type": "array", "items": one}
        if not self.may_be_empty:
            several["minItems"] = 1
        return {"anyOf": [one, several]} if self.or_one else several


@dataclass(frozen=True, slots=True)
class MapOf:
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

    def accepts(self, tree: Tree) -> bool:
        return isinstance(tree.value, dict)

    def schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": self.of.schema()}


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a table: its kind, and its purpose."""

    of: Kind
    words: str
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Values under known names. Reads to a dict with `""` for its own place."""

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

    def accepts(self, tree: Tree) -> bool:
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
class OneOf:
    """One of several kinds, by the look of the value."""

    kinds: tuple[Kind, ...] = field(default=())

    @property
    def words(self) -> str:
        return ", or ".join(kind.words for kind in self.kinds)

    def read(self, tree: Tree, name: str, mistakes: Mistakes) -> Any:
        for kind in self.kinds:
            if kind.accepts(tree):
                return kind.read(tree, name, mistakes)
        mistakes.wrong(tree.spot, f"{name} is {self.words}, not {shown(tree)}")
        return None

    def accepts(self, tree: Tree) -> bool:
        return any(kind.accepts(tree) for kind in self.kinds)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [kind.schema() for kind in self.kinds]}
