"""Marks text that addresses a model in the new side of a difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from ...content.json.jsonio import JsonValue
from ...content.labels import some_listed
from ...content.text import shortened
from ...content.texts.addressing import addressing
from ..findings.model_texts import MODEL_SIGN, QUOTED, texts_in
from .change_values import Change

ADDRESSES: Final = f"{MODEL_SIGN} addresses a model:"
_NAMED: Final = 3

Pieces = Sequence[tuple[str, str]]


def addressing_words(change: Change) -> Iterator[str]:
    """Quote what addresses a model in the new value and not in the old one; safe to show."""
    if not change.has:
        return
    before = set(_addressed(change.old)) if change.had else set()
    new = [one for one in dict.fromkeys(_addressed(change.new)) if one not in before]
    yield from some_listed(new, _NAMED, lambda one: f"“{shortened(one, QUOTED)}”")


def _addressed(value: JsonValue) -> Iterator[str]:
    for _, text in texts_in(value):
        yield from (text[start:end] for start, end in addressing(text))


def marked(pieces: Pieces) -> tuple[tuple[str, str], ...]:
    """The pieces of a line, with another role where they address a model."""
    places = list(addressing("".join(text for text, _ in pieces)))
    if not places:
        return tuple(pieces)
    found: list[tuple[str, str]] = []
    at = 0
    for text, role in pieces:
        inside = {one - at for place in places for one in place if 0 < one - at < len(text)}
        for start, end in pairwise(sorted({0, len(text), *inside})):
            is_in = any(low <= at + start < high for low, high in places)
            found.append((text[start:end], "warning" if is_in and role != "mark" else role))
        at += len(text)
    return tuple(one for one in found if one[0])
