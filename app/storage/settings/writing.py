"""A settings file as text: the template to start from, and single values put into one."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping

from ...content.files.toml_tree import lines_of
from .actions import actions
from .settings import SETTINGS, Setting, written

_HEAD = """\
# Settings of Signoff. Remove the # from a line to use it.
# Options override variables such as SIGNOFF_THEME, and variables override this file.
# Trust and approvals are never kept here.
# `signoff config check` lists every mistake, `signoff config show` each value and its source.
"""
_KEYS = """\

[keys]
# Your own keys for an action. Its usual keys stay active.
# `signoff config keys` lists all actions. The keys of the approval dialog cannot be changed.
"""
_EXAMPLES = {"bench.call": "ctrl+b", "bench.log": "alt+l", "answer.save": "alt+w"}
_HEADING = re.compile(r"^[ \t]*\[")


class CannotWrite(ValueError):
    """The text cannot be changed without risk to its other content.

    The message follows the name of the file.
    """


def template() -> str:
    """A file in which everything is commented out."""
    lines = [_HEAD]
    tables: dict[str, list[Setting]] = {}
    for one in SETTINGS:
        table, _, key = one.name.rpartition(".")
        tables.setdefault(table, []).append(one)
    for table, members in tables.items():
        if table:
            lines.append(f"\n[{table}]\n")
        for one in members:
            value = written(one.default) if one.default != "" else '"~/signoff"'
            key = one.name.rpartition(".")[2]
            lines.append(f"\n# {one.about}\n# {key} = {value}\n")
    lines.append(_KEYS)
    for id_, key in _EXAMPLES.items():
        about = actions()[id_].about
        lines.append(f'# {id_} = "{key}"   # {about}\n')
    return "".join(lines)


def with_values(text: str, values: Mapping[str, object]) -> str:
    """The text with these settings, by name; comments and everything else stay as they are.

    Raises CannotWrite if that cannot be done on single lines.
    """
    try:
        before = tomllib.loads(text)
        for name, value in values.items():
            text = _with_value(text, name, value)
        after = tomllib.loads(text)
    except (ValueError, RecursionError):
        raise CannotWrite("has a mistake in it") from None
    if after != _merged(before, values):
        raise CannotWrite("has a form that only you can change")
    return text


def _with_value(text: str, name: str, value: object) -> str:
    *table, key = name.split(".")
    lines = text.splitlines(keepends=True)
    line = f"{key} = {written(value)}\n"
    places = lines_of(text.replace("\r\n", "\n"))
    if found := places.get((*table, key)):
        comment = re.search(r"[ \t]+#[^\"']*$", lines[found - 1].rstrip("\r\n"))
        lines[found - 1] = line[:-1] + (comment.group() if comment else "") + "\n"
        return "".join(lines)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    if table and tuple(table) in places:
        lines.insert(places[tuple(table)], line)
    elif table:
        lines += [f"\n[{'.'.join(table)}]\n", line]
    else:
        lines.insert(_place_above_tables(lines, key), line)
    return "".join(lines)


def _place_above_tables(lines: list[str], key: str) -> int:
    """After the comment that has the key, else after the last line before the first heading."""
    end = next((n for n, one in enumerate(lines) if _HEADING.match(one)), len(lines))
    commented = re.compile(rf"#[ \t]*{key}[ \t]*=")
    for number, one in enumerate(lines[:end]):
        if commented.match(one):
            return number + 1
    while 0 < end < len(lines) and not lines[end - 1].strip():
        end -= 1
    return end


def _merged(before: dict[str, object], values: Mapping[str, object]) -> dict[str, object]:
    merged = dict(before)
    for name, value in values.items():
        table, _, key = name.rpartition(".")
        if table:
            inner = merged.get(table)
            merged[table] = {**(inner if isinstance(inner, dict) else {}), key: value}
        else:
            merged[key] = value
    return merged
