"""Arguments to choose from, one a row: time, outcome, size, content."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime

from rich.segment import Segment
from rich.style import Style

from ...app.calls.argument_history import KeptArguments
from ...app.content.frozen import frozen
from ...app.content.json.jsonio import JsonValue
from ...app.content.text import size
from ..cells import left, right, server_text
from .row_list import KeyedList

WIDE = 60
"""From so many cells on a row has the year and the size."""
OUTCOME_CELLS, SIZE_CELLS, WHEN_CELLS = 16, 9, 18
_BRIEF = 400
"""Characters of the arguments that a row could show at most."""


@frozen
class InForm:
    """Arguments in the form, or its earlier content."""

    words: str
    """Which, in words of our own."""
    arguments: Mapping[str, JsonValue] = field(hash=False)


Row = KeptArguments | InForm


class ArgumentList(KeyedList[Row]):
    """Draws rows as given; the cursor stays at its place."""

    tells_whole = True

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._briefs: dict[int, str] = {}
        """The arguments of the rows that were drawn, by the identity of the row."""

    def rows_changed(self) -> None:
        self._briefs = {}

    def paint(self, row: Row, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        muted = base if under_cursor else self.get_component_rich_style("row-list--muted")
        cursor = Segment("› " if under_cursor else "  ", base)
        if isinstance(row, InForm):
            words = f"{row.words}  "
            rest = width - 2 - len(words)
            if rest < 1:
                return [cursor, Segment(left(words, max(0, width - 2)), base)]
            brief = server_text(self._brief(row), rest, muted)
            return [cursor, Segment(words, base + Style(italic=True)), *brief]
        said = [(" · ".join(row.marks), muted)] if row.marks else []
        said.append((self._brief(row), muted if row.is_preset else base))
        if row.is_preset:
            name = (f"★ {row.name}", base + Style(bold=True))
            return [cursor, *_in(width - 2, [name, *said])]
        is_wide = width >= WIDE
        facts = left(when(row.at, is_wide=is_wide), WHEN_CELLS if is_wide else WHEN_CELLS - 5)
        facts += left(row.outcome_words, OUTCOME_CELLS if is_wide else OUTCOME_CELLS - 4)
        if is_wide:
            facts += right(size(row.document.size), SIZE_CELLS) + "  "
        return [cursor, Segment(facts, muted), *_in(width - 2 - len(facts), said)]

    def _brief(self, row: Row) -> str:
        """The arguments on one line, computed once for each row that is drawn."""
        if id(row) not in self._briefs:
            self._briefs[id(row)] = brief(row)
        return self._briefs[id(row)]


def brief(row: Row) -> str:
    """Arguments on one line, raw, and cut if they are long."""
    if isinstance(row, KeptArguments):
        if row.document.text is None:
            return f"sha256 {row.document.digest[:16]}"
        value: Mapping[str, JsonValue] | None = row.shown()
    else:
        value = row.arguments
    text = ""
    for piece in json.JSONEncoder(ensure_ascii=False, separators=(", ", ": ")).iterencode(value):
        text += piece[:_BRIEF]
        if len(text) > _BRIEF:
            break
    return text[:_BRIEF]


def when(at: float, *, is_wide: bool) -> str:
    """A time in local time; with the year if there is room."""
    local = datetime.fromtimestamp(at, UTC).astimezone()
    return local.strftime("%Y-%m-%d %H:%M" if is_wide else "%m-%d %H:%M")


def _in(room: int, said: Sequence[tuple[str, Style]]) -> list[Segment]:
    """Raw texts one after the other in so many cells; the last one is cut first."""
    segments: list[Segment] = []
    for number, (text, style) in enumerate(said):
        if room < 1:
            break
        is_last = number == len(said) - 1
        cells = room if is_last else min(room, len(text) + 2)
        segments += server_text(text, cells, style)
        room -= cells
    return segments
