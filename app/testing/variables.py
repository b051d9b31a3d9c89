"""`${name}` in texts: where it stands, and what is put there."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from .yaml_tree import Tree

if TYPE_CHECKING:
    from ..content.json.jsonio import JsonValue
    from .mistakes import Spot

_USE: Final = re.compile(r"\$\$\{|\$\{([^{}]*)\}")
NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
TOOL: Final = "tool"
"""The name of the tool, in a step for each of them."""


class UnknownVariable(ValueError):
    """A text uses a variable that has no value here."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def uses(tree: Tree) -> Iterator[tuple[str, Spot]]:
    """Every variable that is used anywhere in a tree, and where the text stands."""
    match tree.value:
        case str():
            yield from ((one, tree.spot) for one in used_in(tree.value))
        case list():
            for item in tree.value:
                yield from uses(item)
        case dict():
            for item in tree.value.values():
                yield from uses(item)


def used_in(text: str) -> Iterator[str]:
    """The names in one text."""
    for found in _USE.finditer(text):
        if found.group(1) is not None:
            yield found.group(1)


def filled_in(value: Any, variables: Mapping[str, JsonValue]) -> Any:
    """A JSON value with its variables replaced; a text that is one variable becomes its value.

    `$${` stands for `${`. What has none is the value itself. Raises UnknownVariable.
    """
    if isinstance(value, str):
        return _filled_text(value, variables)
    if isinstance(value, list):
        items = [filled_in(one, variables) for one in value]
        return value if all(map(operator.is_, items, value)) else items
    if isinstance(value, dict):
        members = {name: filled_in(one, variables) for name, one in value.items()}
        return value if all(map(operator.is_, members.values(), value.values())) else members
    return value


def filled_text(text: str, variables: Mapping[str, JsonValue]) -> str:
    """The same of a text that stays one. Raises UnknownVariable."""
    return as_text(_filled_text(text, variables))


def _filled_text(text: str, variables: Mapping[str, JsonValue]) -> JsonValue:
    if "${" not in text:
        return text

    def value_of(name: str) -> JsonValue:
        if name not in variables:
            raise UnknownVariable(name)
        return variables[name]

    whole = _USE.fullmatch(text)
    if whole is not None and whole.group(1) is not None:
        return value_of(whole.group(1))
    return _USE.sub(
        lambda found: "${" if found.group(1) is None else as_text(value_of(found.group(1))), text
    )


def as_text(value: JsonValue) -> str:
    """A value within a text: texts as they are, others as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
