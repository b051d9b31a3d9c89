"""`[keys]`: the keys of each action. Keys that guard the dialogs cannot be reassigned.

The user's keys come first. The usual ones of an action go on working beside them, so that the texts
on the screens stay true, unless `[keys]` gives them to another action.

Names of keys are Textual's: `ctrl+x`, `f5`, `question_mark`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Final, NamedTuple

from ...content.files.tree import TOML, Problems, Tree
from ...content.key_tables import key_rows
from ...content.suggest import did_you_mean

DIALOG_KEYS: Final = {
    "escape": "denies",
    "q": "denies",
    "l": "puts a held call back",
    "ctrl+c": "denies",
    "ctrl+y": "approves",
    "enter": "presses the button that has the focus",
    "space": "presses a button that does not approve",
    "tab": "moves to the next button",
    "shift+tab": "moves to the button before",
    "left": "moves to the button before",
    "right": "moves to the next button",
    "up": "scrolls or chooses",
    "down": "scrolls or chooses",
    "pageup": "scrolls",
    "pagedown": "scrolls",
    "home": "scrolls",
    "end": "scrolls",
    "e": "fills in what a server asks for",
    "v": "shows all",
    "x": "ticks a server to start",
    "f5": "ends the filling in of a form",
    "ctrl+enter": "ends the filling in of a form",
    "f11": "fills a form in from a file",
    "y": "copies an address",
    "f1": "lists the keys",
    "question_mark": "lists the keys",
}
"""The keys that dialogs which ask have, with what they do there."""
GUARDS: Final = ("escape", "ctrl+c", "ctrl+y", "enter", "tab", "shift+tab")
"""Keys that would answer a dialog by habit: no action may be bound to them."""
PALETTE_KEY: Final = "ctrl+p"
DIALOGS: Final = (
    "approval",
    "two_buttons",
    "outside",
    "sheet_dialog",
    "agent_dialog",
    "starts",
    "watch_held",
)
"""Dialogs that ask: their keys are the same for everybody."""
_MOVING: Final = ("list", "text", "choice", "checklist", "select", "group", "search")
"""Keys that move about in lists and texts cannot be changed."""
EVERYWHERE: Final = ("app",)
"""These hold on every screen, over the dialogs and over text that is typed."""
_TOGETHER: Final = (
    ("app", "main", "form", "answer", "part", "tools", "calls", "row", "json", "structured"),
    ("reading", "reader", "pager"),
)
_MOST_KEYS: Final = 5
_MAIN_BEFORE: Final = "bench"
"""The place of the main screen's actions in files of earlier versions."""


class Action(NamedTuple):
    """Something that a key does. `keys` are its usual ones, by the names that Textual has."""

    id: str
    keys: tuple[str, ...]
    about: str

    @property
    def place(self) -> str:
        return self.id.partition(".")[0]


@cache
def actions() -> Mapping[str, Action]:
    """Every action whose keys may be chosen, by id."""
    found: dict[str, Action] = {}
    for row in key_rows():
        action = Action(row.id, tuple(row.keys.split(",")), row.about or row.label)
        if row.id and action.place not in (*DIALOGS, *_MOVING):
            found[row.id] = action
    return dict(sorted(found.items()))


def read_keys(tree: Tree, problems: Problems, settings: tuple[str, ...]) -> dict[str, str]:
    """Action id -> its keys with commas between, the user's first.

    Problems are noted and the default is used. `settings` are names that belong above every table.
    """
    wanted: dict[str, tuple[str, ...]] = {}
    given_keys: dict[str, Tree] = {}
    for written, value in _flat(tree).items():
        id_ = _present_id(written)
        fault = "" if id_ in actions() else _unknown(id_, settings)
        if id_ in given_keys:
            fault = f"{TOML.quoted(written)} is {id_}, which has its keys already"
        given_keys.setdefault(id_, value)
        keys: tuple[str, ...] = ()
        if not fault:
            try:
                keys = _keys(actions()[id_], value.plain())
            except NotAKey as problem:
                fault = str(problem)
        if fault:
            problems.add(value.spot, fault)
        else:
            wanted[id_] = keys
    for id_, fault in _conflicts(wanted):
        problems.add(given_keys[id_].spot, fault)
    given = {key: id_ for id_, keys in wanted.items() for key in keys}

    def is_left(action: Action, key: str) -> bool:
        other = given.get(key, action.id)
        return other == action.id or not _meet(action, actions()[other])

    found = {}
    for id_, keys in wanted.items():
        action = actions()[id_]
        usual = [key for key in action.keys if is_left(action, key)]
        found[id_] = ",".join(dict.fromkeys([*keys, *usual]))
    return found


def _flat(tree: Tree) -> dict[str, Tree]:
    """Flatten tables: `engine.call = ...` is a table in TOML; with quotes around it, it is one
    key.
    """
    found: dict[str, Tree] = {}
    for key, one in tree.members.items():
        if isinstance(one.value, dict):
            found |= {f"{key}.{below}": inner for below, inner in one.value.items()}
        else:
            found[key] = one
    return found


def _present_id(written: str) -> str:
    """The id of an action that older files name otherwise."""
    place, dot, name = written.partition(".")
    present = f"main{dot}{name}"
    return present if place == _MAIN_BEFORE and present in actions() else written


def _unknown(id_: str, settings: tuple[str, ...]) -> str:
    if id_ in settings:
        return f"{id_} is in [keys]: write it above the first line in brackets"
    shown = TOML.quoted(id_)
    if id_.partition(".")[0] in DIALOGS:
        return f"{shown} is a key of the approval dialog and cannot be changed"
    words = f"{shown} is not an action{did_you_mean(id_, actions())}"
    return f"{words} (signoff config keys lists them)"


def _keys(action: Action, value: object) -> tuple[str, ...]:
    given = value if isinstance(value, list) else str(value).split(",")
    if not isinstance(value, str | list) or not all(isinstance(one, str) for one in given):
        words = f'{action.id} must be a key in quotes, such as "f5", or a list of keys'
        raise NotAKey(f"{words}, not {TOML.shown(value)}")
    if len(given) > _MOST_KEYS:
        raise NotAKey(f"{action.id} has {len(given)} keys; the limit is {_MOST_KEYS}")
    keys = tuple(dict.fromkeys(key_name(one) for one in given))
    for key in keys:
        if fault := _fault(action, key):
            raise NotAKey(f"{action.id} cannot have {shown_key(key)}: {fault}")
    return keys


def _fault(action: Action, key: str) -> str:
    if key in action.keys:
        return ""
    if key == PALETTE_KEY:
        return "it opens the palette"
    is_everywhere = action.place in EVERYWHERE
    if key in GUARDS or (is_everywhere and key in DIALOG_KEYS):
        return f"in the dialog that asks it {DIALOG_KEYS[key]}"
    if is_everywhere and (is_printable(key) or key in ("backspace", "delete")):
        return "it works on every screen, also where text is typed"
    return ""


def _conflicts(wanted: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """Name each key that two actions would have at once, and leave the later one as it is."""
    for id_ in list(wanted):
        action = actions()[id_]
        for key in wanted[id_]:
            other = _holder(action, key, wanted)
            if other is None or key in action.keys:
                continue
            how = "" if other in wanted else f"; give {other} another key in [keys] too, or choose"
            words = f"{id_} cannot have {shown_key(key)}: it belongs to {other}"
            yield id_, f"{words}{how or '; choose'} another"
            del wanted[id_]
            break


def _holder(action: Action, key: str, wanted: Mapping[str, tuple[str, ...]]) -> str | None:
    """Another action that has the key where this one works."""
    for id_, other in actions().items():
        if other.id == action.id or not _meet(action, other):
            continue
        # What share a key as a rule are two places of the same thing.
        if set(other.keys) & set(action.keys):
            continue
        is_before = id_ in wanted and list(wanted).index(id_) < list(wanted).index(action.id)
        if id_ in wanted and (is_before and key in wanted[id_]):
            return id_
        if id_ not in wanted and key in other.keys:
            return id_
    return None


def _meet(one: Action, other: Action) -> bool:
    """True if both can be at work at the same time."""
    places = {one.place, other.place}
    if len(places) == 1 or places & set(EVERYWHERE):
        return True
    return any(places <= set(together) for together in _TOGETHER)


_MODIFIERS: Final = ("alt", "ctrl", "hyper", "meta", "shift", "super")
_NAMED: Final = (
    *("enter", "tab", "space", "escape", "backspace", "delete", "insert", "home", "end"),
    *("pageup", "pagedown", "up", "down", "left", "right"),
    *(f"f{number}" for number in range(1, 25)),
)
_RENAMED: Final = {
    "solidus": "slash",
    "reverse_solidus": "backslash",
    "commercial_at": "at",
    "hyphen_minus": "minus",
    "plus_sign": "plus",
    "low_line": "underscore",
}
_ALIASES: Final = {
    "esc": "escape",
    "return": "enter",
    "del": "delete",
    "ins": "insert",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "page_up": "pageup",
    "page_down": "pagedown",
}
_THE_SAME: Final = {
    "ctrl+i": "tab",
    "ctrl+m": "enter",
    "ctrl+h": "backspace",
    "ctrl+left_square_bracket": "escape",
}
"""Keys that most terminals send as another key."""
_SIGNS: Final = {chr(code): "" for code in range(33, 127) if not chr(code).isalnum()}


class NotAKey(ValueError):
    """A text is not a key for an action; gives the reason, safe to show."""


def key_name(written: str) -> str:
    """The name of a key that a person wrote. Raises NotAKey."""
    text = written.strip()
    *modifiers, base = text.split("+") if text != "+" and not text.endswith("++") else _plus(text)
    modifiers = [one.strip().casefold() for one in modifiers]
    base = base.strip()
    unknown = next((one for one in modifiers if one not in _MODIFIERS), None)
    if unknown is not None or not base:
        raise NotAKey(_unknown_key(text))
    if len(base) > 1:
        base = _ALIASES.get(base.casefold(), base.casefold())
        if base not in _NAMED and base not in _SIGNS.values():
            raise NotAKey(_unknown_key(text))
    elif not base.isprintable() or base.isspace():
        raise NotAKey(_unknown_key(text))
    elif base.isalpha() and modifiers == ["shift"]:
        modifiers, base = [], base.upper()
    elif base.isalpha() and modifiers:
        base = base.lower()
    elif base in _SIGNS:
        base = _SIGNS[base]
    name = "+".join([*sorted(set(modifiers)), base])
    return _THE_SAME.get(name, name)


def is_printable(key: str) -> bool:
    """True if it is a sign that may be typed into a text."""
    return len(key) == 1 or key in _SIGNS.values() or key == "space"


def shown_key(key: str) -> str:
    """The key as the keyboard has it."""
    *modifiers, base = key.split("+")
    signs = {name: sign for sign, name in _SIGNS.items()}
    return "+".join([*modifiers, signs.get(base, base)])


def _plus(text: str) -> list[str]:
    """Split `+` itself, with its modifiers."""
    return [*(one for one in text[:-2].split("+") if one), "+"]


def _unknown_key(text: str) -> str:
    found = get_close_matches(text.casefold()[:40], (*_NAMED, *_ALIASES), 1)
    like = f"; did you mean {found[0]}?" if found else ', as in "f5", "ctrl+b" or "B"'
    return f"{TOML.quoted(text)} is not a key{like}"


def _sign_name(sign: str) -> str:
    name = unicodedata.name(sign).casefold().replace("-", "_").replace(" ", "_")
    return _RENAMED.get(name, name)


_SIGNS.update({sign: _sign_name(sign) for sign in _SIGNS})
