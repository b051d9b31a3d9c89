"""The words about one tool beside its archetype, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...analysis.archetypes import Expected, Reading
from ...analysis.archetypes.holding import Held, Holding, hosts_on, hosts_words
from ...approval.policies.policy import Policy
from ...content.texts.sheet_line import SheetLine, labelled

INDENT = 11
CAUTION = "The table is a summary, and no rule: a tool may have good reasons to differ."


def detail_lines(holding: Holding, hosts: Sequence[Policy]) -> list[SheetLine]:
    """What the tool was held against, hint by hint, and the disputes that touch it."""
    return list(_lines(holding, hosts))


def _lines(holding: Holding, hosts: Sequence[Policy]) -> Iterator[SheetLine]:
    archetype = holding.archetype
    if archetype is None:
        yield labelled("archetype", INDENT, ("none", "strong"))
        yield labelled("", INDENT, (holding.decided_words, ""))
        words = "Nothing is said of its hints: a name of other words is no mistake."
        yield labelled("", INDENT, (words, "dim"))
        return
    yield labelled("archetype", INDENT, (archetype.title, "strong"), (f"   {archetype.means}", ""))
    yield labelled("", INDENT, (holding.decided_words, "dim"))
    for at, held in enumerate(holding.hints):
        yield labelled("hints" if not at else "", INDENT, *_held(held))
    for reading in holding.readings:
        yield SheetLine()
        yield from _reading(holding, reading, hosts)
    yield SheetLine()
    yield labelled("", INDENT, (CAUTION, "dim"))


def _held(held: Held) -> tuple[tuple[str, str], ...]:
    if held.differs:
        return (("≠ ", "warning"), (held.words, "noticed"))
    is_open = held.expected in (Expected.EITHER, Expected.MOOT)
    return (("· " if is_open else "= ", "dim"), (held.words, "dim" if is_open else ""))


def _reading(holding: Holding, reading: Reading, hosts: Sequence[Policy]) -> Iterator[SheetLine]:
    yield labelled("disputed", INDENT, (reading.question, "strong"))
    for value, side in (("true", reading.if_true), ("false", reading.if_false)):
        yield labelled("", INDENT, (f"{reading.hint} {value}  ", "strong"), (side.words, ""))
        for source in side.sources:
            yield labelled("", INDENT, (f"- {source}", "dim"))
    said = hosts_words(hosts_on(holding.tool, reading, hosts))
    yield labelled("hosts", INDENT, (said, ""))
