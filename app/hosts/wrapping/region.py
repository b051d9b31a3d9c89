"""The text of a whole entry in a file, and other values of the entry in the form of that text.

JSON, TOML and YAML keep their shape: an object of several lines, a table with a heading, a block.
The caller reads the result again, so a form that is not met here only cannot be edited.
"""

from __future__ import annotations

import datetime
import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any, Final

from ...content.files.toml_tree import Place, spans_of
from ...content.files.tree import Tree
from ...content.files.yaml_nodes import YamlError, compose, spot_of
from ...content.frozen import frozen
from ..files.json_scanner import ScanError, end_of_value
from .editing import TextEdit, literal
from .layout import CannotEdit, place_in

_HEADING: Final = re.compile(r"^[ \t]*(\[[^\[\n][^\n]*?\])[ \t]*(?:#[^\n]*)?\r?$", re.MULTILINE)
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


@frozen
class EntryRegion:
    """Where an entry is in a text, and how its values are written there."""

    text: str
    start: int
    end: int
    form: str
    """`json`, `flow` for one line, `block` of YAML, `table` or `dotted` of TOML."""
    lead: str = ""
    """The blanks before each further line; the heading of a table; the name before a dot."""

    @property
    def raw(self) -> str:
        return self.text[self.start : self.end]

    def with_text(self, new: str) -> TextEdit:
        """Replace the entry by a text."""
        return TextEdit(self.start, self.end, new)

    def with_values(self, values: Mapping[str, Any]) -> TextEdit:
        """Replace the entry by other values. Raises CannotEdit for a value without a literal."""
        line_end = "\r\n" if "\r\n" in self.text else "\n"
        if self.form == "json":
            return self.with_text(self._lines_of_json(values, line_end))
        if self.form == "flow":
            return self.with_text(_in_json(values))
        if self.form == "block":
            rows = [f"{_yaml_key(key)}: {_in_json(one)}" for key, one in values.items()]
            return self.with_text(f"{line_end}{self.lead}".join(rows))
        if self.form == "inline":
            return self.with_text(_in_toml(values))
        if self.form == "dotted":
            return self.with_text(f"{self.lead} = {_in_toml(values)}")
        rows = [f"{_toml_key(key)} = {_in_toml(one)}" for key, one in values.items()]
        return self.with_text(line_end.join([self.lead, *rows]))

    def _lines_of_json(self, values: Mapping[str, Any], line_end: str) -> str:
        if "\n" not in self.raw:
            return _in_json(values)
        inner = re.search(r"\n([ \t]+)\S", self.raw)
        step = inner[1].removeprefix(self.lead) if inner is not None else ""
        text = json.dumps(values, indent=step or "  ", ensure_ascii=False)
        return text.replace("\n", f"{line_end}{self.lead}")


def region_of(text: str, format: str, whole: Tree, entry: Tree) -> EntryRegion:
    """The region of an entry. Raises CannotEdit."""
    try:
        if format == "toml":
            return _of_toml(text, place_in(whole, entry))
        return _of_yaml(text, entry) if format == "yaml" else _of_json(text, entry)
    except (ScanError, YamlError, ValueError, KeyError, IndexError):
        raise CannotEdit from None


def _of_json(text: str, entry: Tree) -> EntryRegion:
    begins = [0, *(one.end() for one in re.finditer("\n", text))]
    start = begins[entry.spot.line - 1] + entry.spot.column - 1
    return EntryRegion(text, start, end_of_value(text, start), "json", _indent(text, start))


def _of_yaml(text: str, entry: Tree) -> EntryRegion:
    waiting, found = [compose(text)], None
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        if node.id == "mapping":
            found = node if spot_of(node) == entry.spot else found
            waiting += [one for pair in node.value for one in pair]
        elif node.id == "sequence":
            waiting += node.value
    if found is None:
        raise CannotEdit
    start, end = int(found.start_mark.index), _end_of_node(found)
    end = start + len(text[start:end].rstrip())
    if found.flow_style is not False:
        return EntryRegion(text, start, end, "flow")
    column = start - (text.rfind("\n", 0, start) + 1)
    return EntryRegion(text, start, end, "block", " " * column)


def _end_of_node(node: Any) -> int:
    """The end of the last value: the mark of a block is behind the blanks and comments after it."""
    while node.id != "scalar" and node.flow_style is False and node.value:
        last = node.value[-1]
        node = last[1] if node.id == "mapping" else last
    return int(node.end_mark.index)


def _of_toml(text: str, place: Place) -> EntryRegion:
    spans = spans_of(text)
    if place in spans:
        return EntryRegion(text, spans[place].start, spans[place].end, "inline")
    below = {at: one for at, one in spans.items() if at[: len(place)] == place}
    headings = [
        (found.start(1), found.end(1))
        for found in _HEADING.finditer(text)
        if _place_of_heading(found[1])[: len(place)] == place
    ]
    starts = [*(one.key for one in below.values()), *(one for one, _ in headings)]
    ends = [*(one.end for one in below.values()), *(one for _, one in headings)]
    if not headings:
        first = next(one for at, one in below.items() if len(at) == len(place) + 1)
        lead = text[first.key : first.last].rstrip(" \t").removesuffix(".").rstrip()
        return EntryRegion(text, min(starts), max(ends), "dotted", lead)
    lead = f"[{'.'.join(_toml_key(str(one)) for one in place)}]"
    return EntryRegion(text, min(starts), max(ends), "table", lead)


def _place_of_heading(heading: str) -> Place:
    """The keys in a heading of a table; empty for anything else."""
    try:
        value: Any = tomllib.loads(heading)
    except (tomllib.TOMLDecodeError, RecursionError):
        return ()
    place: Place = ()
    while isinstance(value, dict) and value:
        ((key, value),) = value.items()
        place = (*place, key)
    return place


def _indent(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    found = re.compile(r"[ \t]*").match(text, start)
    return found.group() if found is not None else ""


def _in_json(value: Any) -> str:
    """A value as JSON, TOML for lists of texts, and YAML read it."""
    if isinstance(value, str):
        return literal(value)
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{literal(str(k))}: {_in_json(one)}' for k, one in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_in_json, value))}]"
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        raise CannotEdit from None


def _in_toml(value: Any) -> str:
    if isinstance(value, Mapping):
        rows = (f"{_toml_key(key)} = {_in_toml(one)}" for key, one in value.items())
        return f"{{ {', '.join(rows)} }}" if value else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_in_toml, value))}]"
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if value is None:
        raise CannotEdit
    return _in_json(value)


def _toml_key(key: str) -> str:
    return key if _BARE.fullmatch(key) else literal(key)


def _yaml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z_]\w*", key) else literal(key)
