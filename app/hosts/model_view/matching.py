"""The pieces of a model's view, and whether they match the value that a model was measured to get.

Words that vary, blanks and the order of names in JSON, members that are null, the names that the
Python SDK gives to members, the number of unknown newlines, and the division into texts are not
compared; a piece without a known form matches anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, compact, load, same
from .response import KIND_WORDS, BlockKind
from .table import ModelHost

VARIES: Final = "…"
"""Replaces words of a host that vary, or whose exact form is not known."""


def itself(kind: BlockKind) -> str:
    """The words for a block that the model gets unchanged, but not as a text."""
    return f"[{KIND_WORDS[kind]}]"


class PieceSource(StrEnum):
    """The origin of a piece of text."""

    SERVER = "server"
    HOST = "host"
    PART = "part"
    """A block itself, such as a picture, which is not a text."""
    UNKNOWN = "not known"


@frozen
class SourcedText:
    """A part of a text: words of the server, words of the host, or a part that is not known."""

    text: str
    source: PieceSource = PieceSource.SERVER
    json: tuple[JsonValue, ...] = ()
    """The value, if the text is its JSON: blanks and the order of names are not known."""

    @property
    def is_break(self) -> bool:
        """True if it only separates other pieces."""
        return self.source is PieceSource.HOST and self.text != "" and not self.text.strip()


@frozen
class ModelText:
    """One text of the model's data."""

    pieces: tuple[SourcedText, ...]

    @property
    def text(self) -> str:
        return "".join(one.text for one in self.pieces)


_PARTS: Final = {
    "image": BlockKind.IMAGE,
    "image_url": BlockKind.IMAGE,
    "input_image": BlockKind.IMAGE,
    "input_audio": BlockKind.AUDIO,
    "file": BlockKind.BLOB,
    "input_file": BlockKind.BLOB,
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


def is_match(host: ModelHost, items: Sequence[ModelText], got: JsonValue) -> bool:
    """True if these texts are what was measured."""
    patterns, values = [""], []
    for at, item in enumerate(items):
        if at:
            patterns[-1] += r"\s*"
        for piece in item.pieces:
            if piece.json:
                values.append(piece.json[0])
                patterns.append("")
            else:
                patterns[-1] += _pattern(piece, host)
    compiled = [re.compile(one, re.DOTALL) for one in patterns]
    return _is_rest(measured_text(got), 0, compiled, values)


def _is_rest(
    text: str, at: int, patterns: Sequence[re.Pattern[str]], values: Sequence[JsonValue]
) -> bool:
    """True if the text from here on is these patterns with these values between them."""
    if not values:
        return patterns[0].fullmatch(text, at) is not None
    for start in range(at, len(text)):
        end = _json_end(text, start, values[0])
        if (
            end
            and patterns[0].fullmatch(text, at, start)
            and _is_same_json(text[start:end], values[0])
            and _is_rest(text, end, patterns[1:], values[1:])
        ):
            return True
    return False


_DECODER: Final = json.JSONDecoder()
_FIRST: Final = ((dict, "{"), (list, "["), (str, '"'))


def _json_end(text: str, start: int, value: JsonValue) -> int:
    """The end of the JSON of the same type that begins here; 0 if there is none."""
    first = next((one for kind, one in _FIRST if isinstance(value, kind)), "")
    if not text.startswith(first, start):
        return 0
    try:
        return _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return 0


def _pattern(piece: SourcedText, host: ModelHost) -> str:
    if piece.source is PieceSource.UNKNOWN:
        return ".*?"
    if piece.source is PieceSource.HOST:
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
