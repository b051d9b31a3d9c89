"""The names of keys, as Textual has them: `ctrl+x`, `f5`, `question_mark`."""

from __future__ import annotations

import unicodedata
from difflib import get_close_matches
from typing import Final

from ...approval.policies.toml_tables import shown

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
"""What most terminals cannot tell from another key."""
_SIGNS: Final = {chr(code): "" for code in range(33, 127) if not chr(code).isalnum()}


class NotAKey(ValueError):
    """Why something is no key for an action; safe to show."""


def key_name(written: str) -> str:
    """The name of a key that a person wrote. Raises NotAKey."""
    text = written.strip()
    *modifiers, base = text.split("+") if text != "+" and not text.endswith("++") else _plus(text)
    modifiers = [one.strip().casefold() for one in modifiers]
    base = base.strip()
    unknown = next((one for one in modifiers if one not in _MODIFIERS), None)
    if unknown is not None or not base:
        raise NotAKey(_unknown(text))
    if len(base) > 1:
        base = _ALIASES.get(base.casefold(), base.casefold())
        if base not in _NAMED and base not in _SIGNS.values():
            raise NotAKey(_unknown(text))
    elif not base.isprintable() or base.isspace():
        raise NotAKey(_unknown(text))
    elif base.isalpha() and modifiers == ["shift"]:
        modifiers, base = [], base.upper()
    elif base.isalpha() and modifiers:
        base = base.lower()
    elif base in _SIGNS:
        base = _SIGNS[base]
    name = "+".join([*sorted(set(modifiers)), base])
    return _THE_SAME.get(name, name)


def is_printable(key: str) -> bool:
    """Whether it is a sign that may be typed into a text."""
    return len(key) == 1 or key in _SIGNS.values() or key == "space"


def shown_key(key: str) -> str:
    """The key as the keyboard has it."""
    *modifiers, base = key.split("+")
    signs = {name: sign for sign, name in _SIGNS.items()}
    return "+".join([*modifiers, signs.get(base, base)])


def _plus(text: str) -> list[str]:
    """`+` itself, with what is held down with it."""
    return [*(one for one in text[:-2].split("+") if one), "+"]


def _unknown(text: str) -> str:
    found = get_close_matches(text.casefold()[:40], (*_NAMED, *_ALIASES), 1)
    like = f"; did you mean {found[0]}?" if found else ', as in "f5", "ctrl+b" or "B"'
    return f"{shown(text)} is not a key{like}"


def _sign_name(sign: str) -> str:
    name = unicodedata.name(sign).casefold().replace("-", "_").replace(" ", "_")
    return _RENAMED.get(name, name)


_SIGNS.update({sign: _sign_name(sign) for sign in _SIGNS})
