"""The pieces of a model's texts: words of the server, words of the host, parts without a form."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from .response import KIND_WORDS, Kind

VARIES: Final = "…"
"""Replaces words of a host that vary, or whose exact form is not known."""


def itself(kind: Kind) -> str:
    """The words for a block that the model gets unchanged, but not as a text."""
    return f"[{KIND_WORDS[kind]}]"


class Source(StrEnum):
    """The origin of a piece of text."""

    SERVER = "server"
    HOST = "host"
    PART = "part"
    """A block itself, such as a picture, which is not a text."""
    UNKNOWN = "not known"


@frozen
class Piece:
    """A part of a text: words of the server, words of the host, or a part that is not known."""

    text: str
    source: Source = Source.SERVER
    json: tuple[JsonValue, ...] = ()
    """The value, if the text is its JSON: blanks and the order of names are not known."""

    @property
    def is_break(self) -> bool:
        """True if it only separates other pieces."""
        return self.source is Source.HOST and self.text != "" and not self.text.strip()


@frozen
class Item:
    """One text of the model's data."""

    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        return "".join(one.text for one in self.pieces)
