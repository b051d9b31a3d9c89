"""Findings on text that addresses a model: in a definition, an offer, or a server's own texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, pointer
from ...content.text import count, shortened
from ...content.texts.addressing import ABOUT_MODEL, INSTRUCTS, addressing, places
from .findings import Finding, warning

ADDRESSES_MODEL: Final = "addresses-model"
MODEL_SIGN: Final = "▲"
"""The sign of such a text on every surface; words are beside it, or in the legend."""
QUOTED: Final = 80
_NODES: Final = 5_000
_SHOWN: Final = 3
_FIRST: Final = ("name", "title", "description", "message", "instructions", "annotations")

Path = tuple[str | int, ...]


@frozen
class Addressed:
    """A place of a value that addresses a model, and its words as they came."""

    path: Path
    words: str
    is_about_model: bool = False


def texts_in(value: JsonValue) -> Iterator[tuple[Path, str]]:
    """Texts and keys of a value, at any depth, up to a number; descriptions of the whole first."""
    waiting: list[tuple[Path, JsonValue]] = [((), value)]
    left = _NODES
    while waiting and left:
        path, one = waiting.pop()
        left -= 1
        if isinstance(one, str):
            yield path, one
        elif isinstance(one, list):
            waiting += [((*path, at), one[at]) for at in range(len(one) - 1, -1, -1)]
        elif isinstance(one, dict):
            for key in one:
                yield (*path, key), key
            names = [*(key for key in _FIRST if key in one), *(key for key in one)]
            waiting += [((*path, key), one[key]) for key in reversed(dict.fromkeys(names))]


def addressed_in(value: JsonValue) -> Iterator[Addressed]:
    """The longest words of each text of a value that address a model, by each of two patterns."""
    for path, text in texts_in(value):
        for pattern in (INSTRUCTS, ABOUT_MODEL):
            words = [text[start:end] for start, end in places(pattern, text)]
            if words:
                yield Addressed(path, max(words, key=len), pattern is ABOUT_MODEL)


def addresses(text: str) -> bool:
    """Check whether a text addresses a model."""
    return next(addressing(text), None) is not None


def is_addressed(findings: Iterable[Finding]) -> bool:
    """Check whether one of these findings is about such a text."""
    return any(one.code == ADDRESSES_MODEL for one in findings)


def addressing_findings(value: JsonValue) -> list[Finding]:
    """One finding for each of the first texts of a value that address a model; then a count."""
    found: dict[Path, str] = {}
    for one in addressed_in(value):
        found.setdefault(one.path, one.words)
    made = []
    for path, words in [*found.items()][:_SHOWN]:
        message = f"addresses a model: “{shortened(words, QUOTED)}”"
        made.append(warning(ADDRESSES_MODEL, message, pointer(path)))
    if len(found) > _SHOWN:
        words = f"{count(len(found) - _SHOWN, 'more text')} that address a model"
        made.append(warning(ADDRESSES_MODEL, words, "$"))
    return made
