"""The words that a host puts before every result that it gives its model, such as a duration.

They are found in a measurement itself: the lines that most of its results begin with. Rows of
results leave them out, since the rows would all begin alike.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from ...content.json.jsonio import JsonValue
from ...hosts.measured.values import CAME, MeasuredCell, is_cut

_FEWEST: Final = 3
"""Results that begin alike by more than chance."""
_LINES: Final = 5
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)?")


def words_beside(cells: Iterable[MeasuredCell]) -> str:
    """The lines before most results of `answers`, with # for numbers; empty if there are none."""
    firsts = [_lines(one.model_got) for one in cells if _is_result(one)]
    shared: list[str] = []
    while len(shared) < _LINES:
        begun = [one for one in firsts if one[: len(shared)] == shared and len(one) > len(shared)]
        most = Counter(one[len(shared)] for one in begun).most_common(1)
        if not most or most[0][1] < _FEWEST or 2 * most[0][1] <= len(firsts):
            break
        shared.append(most[0][0])
    return "\n".join(shared)


def without_words(value: JsonValue, words: str) -> JsonValue:
    """The value without the words that `words_beside` found, if it begins with them."""
    lines = words.split("\n") if words else []
    if not lines or _lines(value)[: len(lines)] != lines:
        return value
    if isinstance(value, str):
        return "\n".join(value.split("\n")[len(lines) :])
    if isinstance(value, dict):
        begins = _cut_without(str(value.get("begins", "")), lines)
        return {**value, "begins": begins}
    assert isinstance(value, list)
    text = _text(value[0])
    rest = "\n".join(text.split("\n")[len(lines) :])
    others: list[JsonValue] = list(value[1:])
    return [{**value[0], "text": rest}, *others] if rest and isinstance(value[0], dict) else others


def _is_result(cell: MeasuredCell) -> bool:
    return cell.probe.startswith("answers/") and cell.did in CAME and cell.model_got is not None


def _lines(value: JsonValue) -> list[str]:
    """The first lines of a value as somebody would read it, with # for numbers."""
    return [_NUMBER.sub("#", one) for one in _beginning(value).split("\n")[:_LINES]]


def _beginning(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return _text(value[0]) if value else ""
    if isinstance(value, dict) and is_cut(value):
        begins = str(value["begins"])
        return _first_text(begins)[0] if begins.startswith("[{") else begins
    return ""


def _text(part: JsonValue) -> str:
    text = part.get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else ""


def _first_text(begins: str) -> tuple[str, str]:
    """The text of the first part of a JSON list that was cut, and what follows the part."""
    try:
        part, end = json.JSONDecoder().raw_decode(begins, 1)
    except ValueError:
        return "", begins
    return _text(part), begins[end:].lstrip(", ")


def _cut_without(begins: str, lines: Sequence[str]) -> str:
    if not begins.startswith("[{"):
        return "\n".join(begins.split("\n")[len(lines) :])
    text, after = _first_text(begins)
    rest = "\n".join(text.split("\n")[len(lines) :])
    return rest if rest else f"[{after}"
