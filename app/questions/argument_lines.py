"""All arguments of a call, as they would be sent, and who put each of them there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..approval.snapshot import Snapshot
from ..content.json.jsonio import pretty, pretty_spans
from ..content.text import count
from ..content.texts.sheet_line import Piece, SheetLine, labelled
from ..schemas.form.entries import Origin
from .question_words import exact_name
from .sheet_text import pieces_of

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
_IN_WORDS: Mapping[Origin, str] = {
    Origin.EXAMPLE: "the server's own examples, taken by you",
    Origin.DEFAULT: "the server's own defaults",
    Origin.FILLED: "filled by Signoff, not chosen by anyone",
}
INDENT = 11
HEADING = "Arguments  "


def argument_lines(
    snapshot: Snapshot,
    origins: Mapping[str, Origin],
    *,
    has_signs: bool = True,
    heading: str = HEADING,
    nothing: str = "none are sent",
) -> Iterator[SheetLine]:
    """All arguments, drawn from the very values that would be sent.

    Who put each of them there is said by a sign beside it, or without `has_signs` in words below.
    `nothing` is said where there are none.
    """
    values = snapshot.arguments()
    sha = f"sha256 {snapshot.arguments_digest[:8]}"
    if not values:
        yield SheetLine(((heading, "strong"), (f"{nothing} · {sha}", "dim")))
        return
    lines = pretty_spans(values)
    characters = len(pretty(values))
    facts = (
        f"{count(len(values), 'key')} · {count(characters, 'character')} · "
        f"{count(len(lines), 'line')} · {sha}"
    )
    used = set(origins.values()) if has_signs else set()
    legend: list[Piece] = []
    for one, words in _LEGEND.items():
        if one in used:
            gap = "   " * bool(legend)
            role = "typed" if one.is_chosen else "dim"
            legend.append((f"{gap}{ORIGIN_SIGNS[one]} {words}", role))
    yield SheetLine(((heading, "strong"), (facts, "dim")), aside=tuple(legend))
    names = iter(values)
    reserve = 2 if used else 0
    for parts in lines:
        aside: tuple[Piece, ...] = ()
        # Line ends in strings are escaped, so only a top-level member begins like this.
        if parts and parts[0].text.startswith('  "') and not parts[0].mark:
            origin = origins.get(next(names))
            if origin is not None and has_signs:
                role = "typed" if origin.is_chosen else "dim"
                aside = ((ORIGIN_SIGNS[origin], role),)
        yield SheetLine(pieces_of(parts), gutter=True, aside=aside, reserve=reserve, exact=True)
    if not has_signs:
        yield from _origin_lines(origins)


def _origin_lines(origins: Mapping[str, Origin]) -> Iterator[SheetLine]:
    for origin, words in _IN_WORDS.items():
        names = [name for name, one in origins.items() if one is origin]
        if names:
            yield labelled("", INDENT, (f"{words}: {', '.join(map(exact_name, names))}", "dim"))
