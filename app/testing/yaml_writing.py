"""Values written as YAML on one line: plain where they can be, and with nothing hidden in them."""

from __future__ import annotations

import json
import re
from typing import Final

from ..content.json.jsonio import JsonValue

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_WORDS: Final = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))


def written(value: JsonValue) -> str:
    """A value as it may stand anywhere in a flow file."""
    match value:
        case str():
            return _text(value)
        case dict():
            inside = (f"{_text(name)}: {written(one)}" for name, one in value.items())
            return f"{{{', '.join(inside)}}}"
        case list():
            return f"[{', '.join(written(one) for one in value)}]"
    return json.dumps(value)


def _text(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    if "\\" in text and text.isprintable():
        # Patterns can be read in single quotes alone: there a backslash is itself.
        return "'" + text.replace("'", "''") + "'"
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(one if one.isprintable() else _escaped(one) for one in quoted)


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def escaped(value: JsonValue) -> JsonValue:
    """A value whose texts mean themselves, where `${` would begin a variable."""
    if isinstance(value, str):
        return value.replace("${", "$${")
    if isinstance(value, list):
        return [escaped(one) for one in value]
    if isinstance(value, dict):
        return {name: escaped(one) for name, one in value.items()}
    return value
