"""Tools beside the archetypes that their names suggest, in lines, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ...approval.archetypes import HINTS, ExpectedHint, Reading, archetypes, readings
from ...approval.archetypes.holding import (
    Held,
    Holding,
    holding_json,
    hosts_on,
    hosts_words,
    table_json,
)
from ...approval.policies.policy import Policy
from ...content.labels import some_named
from ...content.texts.sheet_line import Piece, SheetLine, labelled
from ...presentation.escapes import markdown, markdown_name, own_markdown

INDENT: Final = 11
"""Columns of the labels."""
CAUTION: Final = (
    "The table summarizes texts on annotations. It is not a rule of the specification: a tool may "
    "have good reasons to differ."
)
_NAMED: Final = 4
"""Tools that are named in one line."""


def holding_lines(holding: Holding, hosts: Sequence[Policy]) -> Iterator[SheetLine]:
    """Compare a tool with its archetype, hint by hint, and list the disputes about it."""
    archetype = holding.archetype
    if archetype is None:
        yield labelled("archetype", INDENT, ("none", "strong"))
        yield labelled("", INDENT, (holding.decided_words, ""))
        words = "Its hints are not compared. That is fine."
        yield labelled("", INDENT, (words, "dim"))
        return
    yield labelled("archetype", INDENT, (archetype.title, "strong"), (f"   {archetype.means}", ""))
    yield labelled("", INDENT, (holding.decided_words, "dim"))
    for at, held in enumerate(holding.hints):
        yield labelled("hints" if not at else "", INDENT, *_held(held))
    for reading in holding.readings:
        yield SheetLine()
        yield from reading_lines(reading, [hosts_words(hosts_on(holding.tool, reading, hosts))])
    yield SheetLine()
    yield labelled("", INDENT, (CAUTION, "dim"))


def table_lines(holdings: Sequence[Holding], hosts: Sequence[Policy]) -> Iterator[SheetLine]:
    """List tools with what differs, then each dispute about any of them."""
    for one in holdings:
        title = one.archetype.title if one.archetype else "no archetype"
        yield SheetLine(
            ((one.tool.display_name, "strong"), (f"   {title}   ", ""), (one.summary, ""))
        )
        yield labelled("", INDENT, (one.decided_words, "dim"))
        for held in one.differing:
            yield labelled("", INDENT, *_held(held))
        yield SheetLine()
    for reading, words in _disputes(holdings, hosts):
        yield from reading_lines(reading, words)
        yield SheetLine()
    yield SheetLine(((CAUTION, "dim"),))


def reading_lines(reading: Reading, hosts: Sequence[str]) -> Iterator[SheetLine]:
    """State both readings of a disputed hint with their sources; `hosts` is what hosts do."""
    yield labelled("disputed", INDENT, (reading.question, "strong"))
    for value, side in (("true", reading.if_true), ("false", reading.if_false)):
        yield labelled("", INDENT, (f"{reading.hint} {value}  ", "strong"), (side.words, ""))
        for source in side.sources:
            yield labelled("", INDENT, (f"- {source}", "dim"))
    for at, words in enumerate(hosts):
        yield labelled("hosts" if not at else "", INDENT, (words, ""))


def archetypes_json(
    server: str, holdings: Sequence[Holding], hosts: Sequence[Policy]
) -> dict[str, Any]:
    """Return tools, archetypes and disputes as JSON."""
    return {
        "server": server,
        "tools": [holding_json(one, hosts) for one in holdings],
        **table_json(),
    }


def archetypes_markdown(holdings: Sequence[Holding], hosts: Sequence[Policy]) -> Iterator[str]:
    """Write two tables, the differences, and the disputes."""
    yield "# Archetypes"
    yield ""
    yield "| tool | archetype | differs | decided by |"
    yield "| --- | --- | --- | --- |"
    for one in holdings:
        title = one.archetype.title if one.archetype else "none"
        names = ", ".join(held.hint for held in one.differing) or "-"
        cells = map(markdown, (title, names, one.decided_words))
        yield f"| {markdown_name(one.tool.display_name)} | {' | '.join(cells)} |"
    differing = [one for one in holdings if one.differing]
    if differing:
        yield ""
        yield "## What differs"
        yield ""
        for one in differing:
            for held in one.differing:
                yield f"- {markdown_name(one.tool.display_name)}: {markdown(held.words)}"
    yield ""
    yield "## The table"
    yield ""
    yield f"| archetype | {' | '.join(HINTS)} |"
    yield f"| --- |{' --- |' * len(HINTS)}"
    for row in archetypes():
        yield f"| {row.title} | {' | '.join(row.hints[hint].value for hint in HINTS)} |"
    disputed = dict(_disputes(holdings, hosts))
    for reading in readings():
        yield ""
        yield f"## {reading.question}"
        yield ""
        for value, side in (("true", reading.if_true), ("false", reading.if_false)):
            yield f"- `{reading.hint}: {value}` - {side.words}"
            yield from (f"  - {own_markdown(source)}" for source in side.sources)
        yield from (f"- hosts: {markdown(words)}" for words in disputed.get(reading, ()))
    yield ""
    yield CAUTION


def _held(held: Held) -> tuple[Piece, ...]:
    if held.differs:
        return (("≠ ", "warning"), (held.words, "noticed"))
    is_open = held.expected in (ExpectedHint.EITHER, ExpectedHint.NOT_APPLICABLE)
    return (("· " if is_open else "= ", "dim"), (held.words, "dim" if is_open else ""))


def _disputes(
    holdings: Sequence[Holding], hosts: Sequence[Policy]
) -> Iterator[tuple[Reading, list[str]]]:
    """Yield each reading that touches a tool, and what the hosts do with all of these tools."""
    for reading in readings():
        by_words: dict[str, list[str]] = {}
        for one in holdings:
            if reading in one.readings:
                words = hosts_words(hosts_on(one.tool, reading, hosts))
                by_words.setdefault(words, []).append(one.tool.display_name)
        if by_words:
            yield (
                reading,
                [f"{some_named(names, _NAMED)}: {words}" for words, names in by_words.items()],
            )
