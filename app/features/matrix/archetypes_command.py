"""`signoff archetypes`: each tool beside the archetype that its name suggests."""

from __future__ import annotations

from typing import NamedTuple

from ...approval.archetypes.holding import hold
from ...cli.command import on_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.options.server import JSON, shapes
from ...cli.options.session import LISTS
from ...cli.output.printing import print_error, say
from ...cli.output.readable import Out
from ...cli.targets.live import Options, opened, print_json, run, status_with_list
from ...engine.policy_state import read_rulebook
from .archetypes import archetypes_json, archetypes_markdown, table_lines


@options
class ArchetypesOptions(NamedTuple):
    """Options of `archetypes`."""

    shape: str = shapes(JSON, ("markdown", "print Markdown"))
    """lines, json or markdown."""
    only_differing: bool = opt("--only-differing", "show only tools with a hint that differs")


def add(archetypes: Parser) -> None:
    on_server(archetypes, ArchetypesOptions, run_archetypes, uses=LISTS)


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
        status = status_with_list(engine, options)
    if wanted.only_differing:
        holdings = [one for one in holdings if one.differing]
    if wanted.shape == "json":
        print_json(archetypes_json(server, holdings, rulebook.hosts))
    elif wanted.shape == "markdown":
        for line in archetypes_markdown(holdings, rulebook.hosts):
            say(line)
    else:
        Out(options.hiding(engine)).sheet(table_lines(holdings, rulebook.hosts))
    return status
