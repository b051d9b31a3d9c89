"""All arguments of a call, as they would be sent, and who put each of them there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from signoff.app.core.approvals.approval import Question
from signoff.app.core.approvals.question_words import count
from signoff.app.core.forms.entries import Origin
from signoff.app.core.jsonio import pretty, pretty_spans
from signoff.app.screens.approving.sheet_text import pieces_of
from signoff.widgets.sheet_lines import Piece, SheetLine

ORIGIN_SIGNS: Mapping[Origin, str] = {
    Origin.TYPED: "●",
    Origin.EXAMPLE: "◎",
    Origin.DEFAULT: "◌",
    Origin.FILLED: "◐",
}
_LEGEND: Mapping[Origin, str] = {
    Origin.TYPED: "typed",
    Origin.EXAMPLE: "example",
    Origin.DEFAULT: "server's default",
    Origin.FILLED: "filled by Signoff",
}


def argument_lines(question: Question) -> Iterator[SheetLine]:
    """All arguments, drawn from the very values that would be sent."""
    snapshot = question.snapshot
    values = snapshot.arguments()
    sha = f"sha256 {snapshot.arguments_digest[:8]}"
    if not values:
        yield SheetLine((("Arguments  ", "strong"), (f"none are sent · {sha}", "dim")))
        return
    lines = pretty_spans(values)
    characters = len(pretty(values))
    facts = (
        f"{count(len(values), 'key')} · {count(characters, 'character')} · "
        f"{count(len(lines), 'line')} · {sha}"
    )
    used = set(question.origins.values())
    legend: list[Piece] = []
    for one, words in _LEGEND.items():
        if one in used:
            gap = "   " * bool(legend)
            role = "typed" if one.is_chosen else "dim"
            legend.append((f"{gap}{ORIGIN_SIGNS[one]} {words}", role))
    yield SheetLine((("Arguments  ", "strong"), (facts, "dim")), aside=tuple(legend))
    names = iter(values)
    reserve = 2 if used else 0
    for parts in lines:
        aside: tuple[Piece, ...] = ()
        # Line ends in strings are escaped, so only a top-level member begins like this.
        if parts and parts[0].text.startswith('  "') and not parts[0].mark:
            origin = question.origins.get(next(names))
            if origin is not None:
                role = "typed" if origin.is_chosen else "dim"
                aside = ((ORIGIN_SIGNS[origin], role),)
        yield SheetLine(pieces_of(parts), gutter=True, aside=aside, reserve=reserve, exact=True)
