"""Reads the settings, and writes them: a template to start from, or single values.

The environment counts before the file. Every mistake is found at once.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches

from ...content.files.toml_tree import TomlError, lines_of, read_toml
from ...content.files.tree import NOWHERE, TOML, WRONG, Problem, Problems, TableReader, Tree
from ...content.suggest import did_you_mean
from ...content.text import visible
from .actions import actions, read_keys
from .settings import BY_NAME, SETTINGS, Setting, written
from .values import FILE, Mistake, Settings, SourcedValue

LONGEST = 200_000
"""Characters of a settings file."""
_TABLES = ("keys", "panes")
_TOP = tuple(one.name for one in SETTINGS if "." not in one.name)
_NEVER = {
    "trust": "trust is given to one server at a time, with ctrl+t or --trust, and never kept here",
    "approve": "approvals are given to one call at a time, and never kept here",
}
_NEVER |= dict.fromkeys(("approvals", "grants", "allow"), _NEVER["approve"])
_VARIABLES = {one.variable: one for one in SETTINGS}
_OTHERS = ("SIGNOFF_CONFIG",)


def read_settings(
    text: str | None, file: str, file_name: str, environment: Mapping[str, str]
) -> Settings:
    """Read the settings of a file and the environment; `text` None without a file.

    `file` is its path and `file_name` its name, both safe to show.
    """
    settings = Settings(file=file)
    if text is not None:
        settings = _of_file(settings, text, file_name)
    return _of_environment(settings, environment)


def unreadable(file: str, reason: str, environment: Mapping[str, str]) -> Settings:
    """The settings where the file cannot be used; `reason` is safe to show."""
    mistake = Mistake(file, Problem(NOWHERE, reason))
    settings = Settings(mistakes=(mistake,), is_policy_sure=False, file=file)
    return _of_environment(settings, environment)


def _of_file(settings: Settings, text: str, file_name: str) -> Settings:
    try:
        tree = read_toml(text, LONGEST)
    except TomlError as error:
        mistake = Mistake(file_name, error.problem)
        return replace(settings, mistakes=(mistake,), is_policy_sure=False)
    problems = Problems(TOML)
    top = TableReader(tree, problems)
    found = _values(top, "", _TOP)
    panes, keys = top.table("panes"), top.table("keys")
    if panes is not None:
        found |= _values(panes, "panes.", ("tools", "answers"))
        _name_unknown(panes, ("tools", "answers"), "panes")
    chosen = read_keys(keys.tree, problems, _TOP) if keys is not None else {}
    _name_unknown(top, (*_TOP, *_TABLES), "")
    wants_policy = any(_may_mean_policy(key) for key in _all_keys(tree))
    is_sure = "policy" in found or not (wants_policy and problems.found)
    mistakes = tuple(Mistake(file_name, one) for one in problems.in_order())
    return replace(settings, found=found, keys=chosen, mistakes=mistakes, is_policy_sure=is_sure)


def _values(fields: TableReader, prefix: str, names: tuple[str, ...]) -> dict[str, SourcedValue]:
    found = {}
    for name in names:
        if tree := fields.take(name):
            setting = BY_NAME[prefix + name]
            value = setting.kind.read(tree, setting.name, fields.problems)
            if value is not WRONG:
                found[setting.name] = SourcedValue(value, FILE, tree.spot.line)
    return found


def _name_unknown(fields: TableReader, names: tuple[str, ...], place: str) -> None:
    for key in fields.tree.members:
        if key in names:
            continue
        if not place and key.casefold() in _NEVER:
            fields.wrong(key, _NEVER[key.casefold()])
        elif place and key in _TOP:
            fields.wrong(key, misplaced(key, place))
        else:
            where = f" of [{place}]" if place else ""
            hint = did_you_mean(key, names)
            fields.wrong(key, f"{TOML.key(key)} is not a setting{where}{hint}")


def misplaced(key: str, table: str) -> str:
    """For a setting below a heading that is not its own."""
    return f"{key} is in [{table}]: write it above the first line in brackets"


def _may_mean_policy(key: str) -> bool:
    return bool(get_close_matches(key.casefold()[:60], ("policy",), 1))


def _all_keys(tree: Tree) -> list[str]:
    return [key for one in (tree, *tree.members.values()) for key in one.members]


def _of_environment(settings: Settings, environment: Mapping[str, str]) -> Settings:
    found, mistakes = dict(settings.found), list(settings.mistakes)
    is_sure = settings.is_policy_sure
    for name, text in sorted(environment.items()):
        if not name.startswith("SIGNOFF_") or not text:
            continue
        setting = _VARIABLES.get(name)
        if setting is None:
            like = get_close_matches(name, (*_VARIABLES, *_OTHERS), 1, cutoff=0.85)
            if like and name not in _OTHERS:
                words = f"it is not a setting; did you mean {like[0]}?"
                mistakes.append(Mistake(visible(name), Problem(NOWHERE, words)))
            continue
        value, problem = setting.of_text(text)
        if problem:
            mistakes.append(Mistake(name, problem))
            is_sure = is_sure and setting.name != "policy"
        else:
            found[setting.name] = SourcedValue(value, name)
            is_sure = is_sure or setting.name == "policy"
    if "theme" not in found and (theme := environment.get("TEXTUAL_THEME", "")):
        value, problem = BY_NAME["theme"].of_text(theme)
        if problem:
            mistakes.append(Mistake("TEXTUAL_THEME", problem))
        else:
            found["theme"] = SourcedValue(value, "TEXTUAL_THEME")
    return replace(settings, found=found, mistakes=tuple(mistakes), is_policy_sure=is_sure)


_HEAD = """\
# Settings of Signoff. Remove the # from a line to use it.
# Options override variables such as SIGNOFF_THEME, and variables override this file.
# Trust and approvals are never kept here.
# `signoff config check` lists every mistake, `signoff config show` each value and its source.
"""
_KEYS = """\

[keys]
# Your own keys for an action. Its usual keys stay active, except those given to another action.
# `signoff config keys` lists all actions. The keys of the approval dialog cannot be changed.
"""
_EXAMPLES = {"main.call": "ctrl+b", "main.log": "alt+l", "answer.save": "alt+w"}
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
            value = written(one.default if one.default != "" else one.example)
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


def without_value(text: str, name: str) -> str:
    """The text without the line of a setting; everything else stays as it is.

    Raises CannotWrite if that cannot be done on a single line.
    """
    try:
        wanted = tomllib.loads(text)
        *tables, key = name.split(".")
        inner = wanted
        for table in tables:
            inner = inner.get(table, {})
        if not isinstance(inner, dict) or inner.pop(key, None) is None:
            return text
        lines = text.splitlines(keepends=True)
        found = lines_of(text.replace("\r\n", "\n")).get((*tables, key))
        if found:
            del lines[found - 1]
        text = "".join(lines)
        after = tomllib.loads(text)
    except (ValueError, RecursionError):
        raise CannotWrite("has a mistake in it") from None
    if after != wanted:
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
