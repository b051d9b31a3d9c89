"""How much of a long result, of a definition and of instructions a model is given, in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from ...content.json.jsonio import JsonValue
from ...content.text import visible
from ...hosts.measured.values import CAME, MeasuredCell, Measurement
from .probes.whole import IN_SYSTEM, IN_TOOLS, LARGE_ANSWER

HEADS: Final = (
    *("lines", "one line", "several texts", "an error", "structuredContent"),
    *("instructions", "description", "title", "hints"),
)
_WHOLE: Final = ("lines", "line", "texts", "error", "structured")
_RANGE: Final = re.compile(r"([\d,]{1,9})-([\d,]{1,9})")
_PLACES: Final = {IN_SYSTEM: "in the system prompt", IN_TOOLS: "with the tools"}
NOTHING: Final = "nothing"
_RANGES_SHOWN: Final = 3


def kept_words(facts: Mapping[str, JsonValue]) -> str:
    """`whole`, `nothing`, or `first 5,970, last 5,970` of 200,000 characters."""
    parts = facts.get("parts")
    found = [_RANGE.fullmatch(str(one)) for one in parts] if isinstance(parts, list) else []
    ranges = [(_number(one[1]), _number(one[2])) for one in found if one is not None]
    if not ranges:
        return NOTHING
    if ranges == [(0, LARGE_ANSWER)]:
        return "whole"
    words = [_range_words(start, end) for start, end in ranges[:_RANGES_SHOWN]]
    more = len(ranges) - _RANGES_SHOWN
    return ", ".join(words) + (f" and {more} more parts" if more > 0 else "")


def _number(text: str) -> int:
    return int(text.replace(",", "") or 0)


def _range_words(start: int, end: int) -> str:
    if start == 0:
        return f"first {end:,}"
    return f"last {end - start:,}" if end == LARGE_ANSWER else f"{start:,}-{end:,}"


def offered_words(facts: Mapping[str, JsonValue]) -> str:
    """The facts of a probe of `offered` in a line."""
    parts: dict[str, list[str]] = {}
    for part, place in facts.items():
        words = "no" if place is False else _PLACES.get(str(place), f"in a {visible(str(place))}")
        parts.setdefault(words, []).append(visible(part))
    return "; ".join(f"{words}: {', '.join(names)}" for words, names in parts.items())


def row(found: Measurement) -> list[str]:
    """The cells of the table for one measurement, as `HEADS` has them; `-` for one not measured."""
    cells = [_whole_cell(found.cell(f"whole/{kind}")) for kind in _WHOLE]
    said = _facts(found.cell("offered/instructions"))
    defined = _facts(found.cell("offered/definition"))
    cells.append(_said(said, "instructions", "their end"))
    cells.append(_said(defined, "beginning of the description", "end of the description"))
    titles = [name for name in ("title", "annotations.title") if defined and defined.get(name)]
    cells.append("-" if defined is None else ", ".join(titles) or "no")
    cells.append("-" if defined is None else "yes" if defined.get("hints") else "no")
    return cells


def has_any(found: Measurement) -> bool:
    """True if such a probe was measured."""
    return any(one.probe.partition("/")[0] in WORDS for one in found.cells)


def _facts(cell: MeasuredCell | None) -> Mapping[str, JsonValue] | None:
    return None if cell is None else cell.facts


def _whole_cell(cell: MeasuredCell | None) -> str:
    if cell is None or cell.facts is None or cell.did not in CAME:
        return "-"
    return kept_words(cell.facts)


def _said(facts: Mapping[str, JsonValue] | None, begin: str, end: str) -> str:
    if facts is None:
        return "-"
    place = facts.get(begin)
    if not place:
        return "no"
    where = _PLACES.get(str(place), f"in a {visible(str(place))}")
    return where if facts.get(end) else f"{where}, cut"


WORDS: Final[Mapping[str, Callable[[Mapping[str, JsonValue]], str]]] = {
    "whole": kept_words,
    "offered": offered_words,
}
"""The words for the facts of a cell, by family."""
