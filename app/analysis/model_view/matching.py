"""Compares a view with the value that a model was measured to get.

Words that vary, blanks and the order of names in JSON, members that are null, the names that the
Python SDK gives to members, the number of unknown newlines, and the division into texts are not
compared; a piece without a known form matches anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ...content.json.jsonio import JsonError, JsonValue, compact, load, same
from .pieces import VARIES, Item, Piece, Source, itself
from .response import Kind
from .table import ModelHost

_PARTS: Final = {
    "image": Kind.IMAGE,
    "image_url": Kind.IMAGE,
    "input_image": Kind.IMAGE,
    "input_audio": Kind.AUDIO,
    "file": Kind.BLOB,
    "input_file": Kind.BLOB,
}
"""The types of parts of the APIs of models, and the kind of block that is given so."""


def measured_text(got: JsonValue) -> str:
    """All texts of a measured value: a text, parts, or the object of a functionResponse."""
    if got is None or got == {}:
        return ""
    if isinstance(got, str):
        return got
    if isinstance(got, list):
        return "\n".join(map(_part, got))
    if isinstance(got, dict):
        for name in ("output", "error"):
            if got.keys() == {name} and isinstance(text := got[name], str):
                return text
        if got.get("is_error") is True:
            return measured_text(got.get("content"))
    return compact(got)


def _part(part: JsonValue) -> str:
    if isinstance(part, dict):
        if isinstance(text := part.get("text"), str):
            return text
        if (kind := _PARTS.get(str(part.get("type")))) is not None:
            return itself(kind)
    return part if isinstance(part, str) else compact(part)


def is_match(host: ModelHost, items: Sequence[Item], got: JsonValue) -> bool:
    """True if these texts are what was measured."""
    pieces = [
        (one, at > 0 and index == 0)
        for at, item in enumerate(items)
        for index, one in enumerate(item.pieces)
    ]
    values = [one.json[0] for one, _ in pieces if one.json]
    pattern = "".join((r"\s*" if begins else "") + _pattern(one, host) for one, begins in pieces)
    found = re.fullmatch(pattern, measured_text(got), re.DOTALL)
    return found is not None and all(map(_is_same_json, found.groups(), values))


def _pattern(piece: Piece, host: ModelHost) -> str:
    if piece.source is Source.UNKNOWN:
        return ".*?"
    if piece.json:
        return "(.*?)"
    if piece.source is Source.HOST:
        if piece.is_break and host.join == "newlines":
            return r"\n+"
        return ".*?".join(map(re.escape, _VARYING.split(piece.text)))
    return re.escape(piece.text)


_RESULT_KEYS: Final = ("content", "structuredContent")
_VARYING: Final = re.compile(rf" ?{VARIES} ?")


def _is_same_json(text: str, value: JsonValue) -> bool:
    try:
        found = _plain(load(text).value)
    except JsonError:
        return False
    value = _plain(value)
    if isinstance(value, dict) and isinstance(found, dict) and "content" in value:
        # A whole result: its parser may add members, such as an isError that was not sent.
        pairs = ((found.get(key), value.get(key)) for key in _RESULT_KEYS)
        is_same = all(same(one, other) for one, other in pairs)
        return is_same and (found.get("isError") is True) is (value.get("isError") is True)
    return same(found, value)


_CAMEL: Final = {"mime_type": "mimeType", "meta": "_meta"}


def _plain(value: JsonValue) -> JsonValue:
    """JSON without members that are null, and with the names of the specification."""
    if isinstance(value, dict):
        return {_CAMEL.get(key, key): _plain(one) for key, one in value.items() if one is not None}
    return [_plain(one) for one in value] if isinstance(value, list) else value
