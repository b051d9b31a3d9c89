"""Where in a form it is said what is wrong with the arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from textual.content import Content

from ...app.content.json.jsonio import pointer
from ...app.schemas.form.fields import Place
from ...app.schemas.form.rows import Role, Row
from ...app.schemas.schema import Mismatch
from .row_words import Said

MAX_LISTED: Final = 20


def placed(
    rows: Sequence[Row],
    problems: Mapping[Place, str],
    mismatches: Iterable[Mismatch],
    notes: Mapping[Place, str],
) -> tuple[dict[Place, Said], list[str]]:
    """What to say by the place of a row, and what belongs to none; safe to show.

    Everything goes to the deepest row there is. A folded group only says how much is inside.
    """
    folded = {
        row.place: row.role is Role.GROUP and not row.is_open
        for row in rows
        if row.role in (Role.FIELD, Role.GROUP)
    }
    lines: dict[Place, list[str]] = {}
    inside: dict[Place, int] = {}
    told: dict[Place, list[str]] = {}
    rest = [problems[()]] if () in problems else []
    said = [(place, words) for place, words in problems.items() if place]
    said += [(one.path, one.message) for one in mismatches]
    for place, words in said:
        at = _row_above(place, folded)
        if at is None:
            rest.append(f"{pointer(place)} {words}")
        elif at == place:
            lines.setdefault(at, []).append(words)
        elif folded[at]:
            inside[at] = inside.get(at, 0) + 1
        else:
            lines.setdefault(at, []).append(f"{pointer(place)} {words}")
    for place, words in notes.items():
        at = place if place in folded else _row_above(place, folded)
        if at == place:
            told.setdefault(at, []).append(words)
        elif at is not None and not folded[at]:
            told.setdefault(at, []).append(f"{pointer(place)} {words}")
    return {
        place: Said(tuple(lines.get(place, ())), inside.get(place, 0), tuple(told.get(place, ())))
        for place in {*lines, *inside, *told}
    }, rest


def _row_above(place: Place, rows: Mapping[Place, bool]) -> Place | None:
    """The deepest place with a row on the way to a place."""
    for size in range(len(place), 0, -1):
        if place[:size] in rows:
            return place[:size]
    return None


def summary_lines(said: Sequence[str]) -> list[Content]:
    """What is wrong with the whole, not without end."""
    lines = [Content.styled(f"✗ {line}", "bold $text-error") for line in said[:MAX_LISTED]]
    if len(said) > MAX_LISTED:
        lines.append(Content(f"and {len(said) - MAX_LISTED:,} more"))
    return lines
