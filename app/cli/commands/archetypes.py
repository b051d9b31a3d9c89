"""`signoff archetypes`: each tool beside the archetype that its name suggests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...analysis.archetypes import HINTS, Reading, archetypes, readings
from ...analysis.archetypes.holding import (
    Holding,
    hold,
    holding_json,
    hosts_on,
    hosts_words,
    table_json,
)
from ...approval.policies.policy import Policy
from ...engine.policy_state import read_rulebook
from ...headless.exit_status import ExitStatus
from ...headless.live import Options, opened, print_json, run
from ...headless.printing import print_error, say
from ..command import on_server
from ..options.parser import Parser
from ..options.server import JSON, add_bundled, add_shape

CAUTION = (
    "The table is a summary of what texts on annotations say, and no rule of the specification: "
    "a tool may have good reasons to differ."
)


class ArchetypesOptions(NamedTuple):
    """Options of `archetypes`."""

    shape: str
    """lines, json or markdown."""
    only_differing: bool


def add(archetypes: Parser) -> None:
    add_bundled(archetypes)
    add_shape(archetypes, (JSON, ("markdown", "print Markdown")))
    archetypes.add_argument(
        "--only-differing", action="store_true", help="only tools with a hint that differs"
    )
    on_server(archetypes, ArchetypesOptions, run_archetypes)


def run_archetypes(options: Options, wanted: ArchetypesOptions) -> int:
    """Hold each tool of a server against the table.

    Nothing is called. Returns the exit status.
    """
    return run(_archetypes(options, wanted))


async def _archetypes(options: Options, wanted: ArchetypesOptions) -> int:
    rulebook = read_rulebook()
    for problem in rulebook.host_problems:
        print_error(f"left out: {problem}")
    async with opened(options) as engine:
        holdings = [hold(tool) for tool in engine.tools]
        server = engine.server.name
    if wanted.only_differing:
        holdings = [one for one in holdings if one.differing]
    if wanted.shape == "json":
        print_json(report(server, holdings, rulebook.hosts))
    else:
        lines = markdown if wanted.shape == "markdown" else plain
        for line in lines(holdings, rulebook.hosts):
            say(line)
    return ExitStatus.OK


def report(server: str, holdings: Sequence[Holding], hosts: Sequence[Policy]) -> dict[str, Any]:
    """`signoff archetypes --json`."""
    return {
        "server": server,
        "tools": [holding_json(one, hosts) for one in holdings],
        **table_json(),
    }


def plain(holdings: Sequence[Holding], hosts: Sequence[Policy]) -> Iterator[str]:
    """Lines for people; safe to show."""
    for one in holdings:
        title = one.archetype.title if one.archetype else "no archetype"
        yield f"{one.tool.display_name}   {title}   {one.summary}"
        yield f"    {one.decided_words}"
        for held in one.differing:
            yield f"    ≠ {held.words}"
        yield ""
    for reading in readings():
        touched = [one for one in holdings if reading in one.readings]
        if not touched:
            continue
        yield reading.question
        for value, side in (("true", reading.if_true), ("false", reading.if_false)):
            yield f"    {reading.hint} {value}   {side.words}"
            yield from (f"        {source}" for source in side.sources)
        yield from (f"    hosts: {words}" for words in _host_lines(touched, reading, hosts))
        yield ""
    yield CAUTION


def markdown(holdings: Sequence[Holding], hosts: Sequence[Policy]) -> Iterator[str]:
    """Two tables, the differences, and the disputes."""
    yield "# Archetypes"
    yield ""
    yield "| tool | archetype | differs | decided by |"
    yield "| --- | --- | --- | --- |"
    for one in holdings:
        title = one.archetype.title if one.archetype else "none"
        names = ", ".join(held.hint for held in one.differing) or "-"
        cells = (one.tool.display_name, title, names, one.decided_words)
        yield f"| {' | '.join(map(_cell, cells))} |"
    differing = [one for one in holdings if one.differing]
    if differing:
        yield ""
        yield "## What differs"
        yield ""
        for one in differing:
            for held in one.differing:
                yield f"- {_cell(one.tool.display_name)}: {_cell(held.words)}"
    yield ""
    yield "## The table"
    yield ""
    yield f"| archetype | {' | '.join(HINTS)} |"
    yield f"| --- |{' --- |' * len(HINTS)}"
    for row in archetypes():
        yield f"| {row.title} | {' | '.join(row.hints[hint].value for hint in HINTS)} |"
    for reading in readings():
        yield ""
        yield f"## {reading.question}"
        yield ""
        for value, side in (("true", reading.if_true), ("false", reading.if_false)):
            yield f"- `{reading.hint}: {value}` - {side.words}"
            yield from (f"  - {_cell(source)}" for source in side.sources)
        touched = [one for one in holdings if reading in one.readings]
        yield from (f"- hosts: {_cell(words)}" for words in _host_lines(touched, reading, hosts))
    yield ""
    yield CAUTION


def _host_lines(
    touched: Sequence[Holding], reading: Reading, hosts: Sequence[Policy]
) -> Iterator[str]:
    """Describe the hosts' verdicts under a reading, each different one once with its tools."""
    told: dict[str, list[str]] = {}
    for one in touched:
        words = hosts_words(hosts_on(one.tool, reading, hosts))
        told.setdefault(words, []).append(one.tool.display_name)
    for words, names in told.items():
        shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        yield f"{shown}: {words}"


def _cell(text: str) -> str:
    """Text that cannot end a cell or begin a markup."""
    escaped = "".join(f"\\{sign}" if sign in "\\`*_{}[]<>|#~!" else sign for sign in text)
    return escaped.replace("\n", " ")
