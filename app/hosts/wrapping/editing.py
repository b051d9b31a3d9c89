"""Changes in the text of an entry: a value, the first items of a list, a key more or less.

All else keeps its bytes: order, comments, blanks, line ends. Each change has an exact opposite.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from .layout import CannotEdit, EntryLayout, WrittenKey

_UNSAFE: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")
"""Characters that TOML, YAML or UTF-8 have in no quoted text."""


class TextEdit(NamedTuple):
    """A range of a text, and its replacement."""

    start: int
    end: int
    new: str


def apply_edits(text: str, edits: Sequence[TextEdit]) -> str:
    """The text after the edits, which do not overlap."""
    for one in sorted(edits, reverse=True):
        text = f"{text[: one.start]}{one.new}{text[one.end :]}"
    return text


def literal(text: str) -> str:
    """A text in quotes, as JSON, TOML and YAML all read it."""
    quoted = json.dumps(text, ensure_ascii=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)


def list_literal(values: Sequence[str]) -> str:
    """Written values as a list on one line."""
    return f"[{', '.join(values)}]"


def put_first(layout: EntryLayout, member: WrittenKey, values: Sequence[str]) -> TextEdit:
    """Put written values before the first item of a list."""
    if member.is_block:
        dash, indent = _dash(layout, member.items[0][0])
        lines = "".join(f"- {one}{layout.line_end}{indent}" for one in values)
        return TextEdit(dash, dash, lines)
    line = ", ".join(values)
    if not member.items:
        return TextEdit(member.start + 1, member.start + 1, line)
    at = member.items[0][0]
    return TextEdit(at, at, f"{line},{_blanks_before(layout.text, at) or ' '}")


def take_first(layout: EntryLayout, member: WrittenKey, count: int) -> TextEdit:
    """Take so many items out of the beginning of a list."""
    items = member.items
    if member.is_block and count == len(items):
        begins = layout.text.rindex(":", 0, items[0][0]) + 1
        return TextEdit(begins, items[-1][1], " []")
    if member.is_block:
        return TextEdit(_dash(layout, items[0][0])[0], _dash(layout, items[count][0])[0], "")
    end = items[count][0] if count < len(items) else items[count - 1][1]
    comma = re.compile(r"\s*,").match(layout.text, end) if count == len(items) else None
    return TextEdit(items[0][0], comma.end() if comma else end, "")


def add_behind(layout: EntryLayout, member: WrittenKey, key: str, value: str) -> TextEdit:
    """Add a key with a written value behind another member."""
    text = layout.text
    name = literal(key) if layout.quotes_keys else key
    if not layout.has_lines:
        blanks = _blanks_before(text, member.key) or " "
        return TextEdit(member.end, member.end, f",{blanks}{name}{layout.assign}{value}")
    at = _line_end(text, member.end)
    indent = " " * (member.key - _line_start(text, member.key))
    blanks = _blanks_before(text, member.key) or f"{layout.line_end}{indent}"
    prefix = text[member.key : member.last]
    return TextEdit(at, at, f"{blanks}{prefix}{name}{layout.assign}{value}")


def take_out(layout: EntryLayout, member: WrittenKey) -> TextEdit:
    """Take out a key with its value."""
    text = layout.text
    if layout.has_lines:
        return _take_out_line(text, member)
    before = re.search(r",\s*$", text[: member.key])
    if before:
        return TextEdit(before.start(), member.end, "")
    after = re.compile(r"\s*,\s*").match(text, member.end)
    if after:
        return TextEdit(member.key, after.end(), "")
    return TextEdit(member.key, member.end, "")


def _take_out_line(text: str, member: WrittenKey) -> TextEdit:
    """Take out the lines of a member; a key behind a dash of YAML gives it to the next one."""
    start, end = _line_start(text, member.key), _line_end(text, member.end)
    lead = text[start : member.key]
    if lead.strip():
        following = re.compile(r"\s*").match(text, end)
        assert following is not None
        return TextEdit(member.key, following.end(), "")
    if start == 0:
        following = re.compile(r"\r?\n").match(text, end)
        return TextEdit(0, following.end() if following else end, "")
    # The line end before it goes, so that the last line of a file needs none.
    begins = start - 1
    begins -= text[begins - 1 : begins] == "\r"
    return TextEdit(begins, end, "")


def _dash(layout: EntryLayout, at: int) -> tuple[int, str]:
    """The offset of the dash of an item in a block of YAML, and the blanks before such a dash."""
    start = _line_start(layout.text, at)
    dash = layout.text.rfind("-", start, at)
    if dash < 0 or layout.text[dash + 1 : at].strip(" "):
        raise CannotEdit
    return dash, " " * (dash - start)


def _blanks_before(text: str, at: int) -> str:
    """The line end and the blanks before an offset; empty if it is not the first in its line."""
    found = re.search(r"\r?\n[ \t]*$", text[max(0, at - 1_000) : at])
    return found.group() if found else ""


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    """The offset of the line end at or behind an offset, before its CR."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - (text[end - 1 : end] == "\r" and end > at)
