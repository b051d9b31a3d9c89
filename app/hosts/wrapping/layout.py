"""The offsets of a key, of its value and of the items of a list, in the text of an entry.

JSON, TOML and YAML give the same values. What cannot be found exactly is not edited.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ...content.files.toml_tree import Place, TomlSpan, spans_of
from ...content.files.tree import SourceLocation, Tree
from ...content.files.yaml_nodes import YamlError, compose, spot_of
from ...content.frozen import frozen
from ..files.json_scanner import ScanError, end_of_value

Range: TypeAlias = tuple[int, int]


class CannotEdit(Exception):
    """The text of an entry has a form that is not edited."""


@frozen
class WrittenKey:
    """One key of an entry with its value, as offsets."""

    key: int
    """The first part of a key with dots."""
    last: int
    """The last part of it."""
    start: int
    end: int
    items: tuple[Range, ...] = ()
    is_block: bool = False
    """Whether it is a list of YAML with a line for each item."""


@frozen
class EntryLayout:
    """The text of a file, and the members of one entry in it."""

    text: str
    members: Mapping[str, WrittenKey]
    has_lines: bool
    """Whether each key has a line of its own by the format: a table of TOML, a block of YAML."""
    assign: str
    """The sign and the blanks between a key and its value."""
    quotes_keys: bool

    @property
    def line_end(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    def raw(self, found: Range) -> str:
        """The text of a value as it is written."""
        return self.text[slice(*found)]


def layout_of(
    text: str, format: str, whole: Tree, holder: Tree, names: Collection[str]
) -> EntryLayout:
    """The places of these keys of a table in the text of a file. Raises CannotEdit."""
    try:
        if format == "toml":
            return _of_toml(text, place_in(whole, holder), holder, names)
        if format == "yaml":
            return _of_yaml(text, holder, names)
        return _of_json(text, holder, names)
    except (ScanError, YamlError, ValueError, KeyError, IndexError):
        raise CannotEdit from None


def place_in(whole: Tree, wanted: Tree) -> Place:
    """The keys and indexes that lead to a tree. Raises CannotEdit."""
    waiting: list[tuple[Place, Tree]] = [((), whole)]
    while waiting:
        place, one = waiting.pop()
        if one is wanted:
            return place
        waiting += [((*place, key), below) for key, below in one.members.items()]
        waiting += [((*place, at), below) for at, below in enumerate(one.items)]
    raise CannotEdit


def _of_json(text: str, holder: Tree, names: Collection[str]) -> EntryLayout:
    begins = [0, *(one.end() for one in re.finditer("\n", text))]

    def offset(spot: SourceLocation) -> int:
        return begins[spot.line - 1] + spot.column - 1

    def ranged(tree: Tree) -> Range:
        start = offset(tree.spot)
        return start, end_of_value(text, start)

    members = {}
    for name in _known(holder, names):
        tree, key = holder.members[name], offset(holder.keys[name])
        members[name] = WrittenKey(key, key, *ranged(tree), tuple(map(ranged, tree.items)))
    return EntryLayout(text, members, has_lines=False, assign=": ", quotes_keys=True)


def _of_toml(text: str, place: Place, holder: Tree, names: Collection[str]) -> EntryLayout:
    spans = spans_of(text)

    def ranged(span: TomlSpan) -> Range:
        return span.start, span.end

    members = {}
    for name in _known(holder, names):
        span = spans[(*place, name)]
        count = len(holder.members[name].items)
        items = tuple(ranged(spans[(*place, name, at)]) for at in range(count))
        members[name] = WrittenKey(span.key, span.last, *ranged(span), items)
    # An inline table has a span of its own, a table with a heading has none.
    is_inline = place in spans
    return EntryLayout(text, members, has_lines=not is_inline, assign=" = ", quotes_keys=False)


def _of_yaml(text: str, holder: Tree, names: Collection[str]) -> EntryLayout:
    found = [
        one for one in _nodes(compose(text)) if one.id == "mapping" and spot_of(one) == holder.spot
    ]
    node = found[-1]
    members = {}
    wanted = set(_known(holder, names))
    for key, value in node.value:
        name = str(key.value)
        if key.id != "scalar" or name not in wanted or text[_index(value)] in "&!*":
            continue
        is_list = value.id == "sequence"
        items = tuple(map(_range, value.value)) if is_list else ()
        at = _index(key)
        members[name] = WrittenKey(
            *(at, at, *_range(value), items), is_block=is_list and value.flow_style is False
        )
    if wanted != members.keys():
        raise CannotEdit
    is_block = node.flow_style is False
    return EntryLayout(text, members, has_lines=is_block, assign=": ", quotes_keys=not is_block)


def _nodes(root: Any) -> Iterator[Any]:
    """All nodes; one that aliases repeat comes once."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if node.id == "sequence":
            waiting += node.value
        elif node.id == "mapping":
            waiting += [one for pair in node.value for one in pair]


def _index(node: Any) -> int:
    return int(node.start_mark.index)


def _range(node: Any) -> Range:
    return _index(node), int(node.end_mark.index)


def _known(holder: Tree, names: Collection[str]) -> Sequence[str]:
    return [one for one in names if one in holder.members]
