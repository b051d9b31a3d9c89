"""`signoff archetypes`: each tool beside the archetype that its name suggests."""

from __future__ import annotations

from typing import NamedTuple

from ...approval.archetypes.holding import hold
from ...cli.command import OnOpen, on_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.options.server import JSON, shapes
from ...cli.options.session import LISTS
from ...cli.output.printing import print_error, say
from ...cli.output.readable import Out
from ...cli.targets.live import Options, print_json, status_with_list
from ...engine.engine import Engine
from ...engine.policy_state import PolicyCatalog, read_rulebook
from .archetypes import archetypes_json, archetypes_markdown, table_lines


@options
class ArchetypesOptions(NamedTuple):
    """Options of `archetypes`."""

    shape: str = shapes(JSON, ("markdown", "print Markdown"))
    """lines, json or markdown."""
    only_differing: bool = opt("--only-differing", "show only tools with a hint that differs")


def add(archetypes: Parser) -> None:
    on_server(archetypes, ArchetypesOptions, run_archetypes, uses=LISTS)


def _ready(wanted: ArchetypesOptions) -> tuple[ArchetypesOptions, PolicyCatalog]:
    rulebook = read_rulebook()
    for problem in rulebook.host_problems:
        print_error(f"left out: {problem}")
    return wanted, rulebook


async def _archetypes(
    options: Options, engine: Engine, ready: tuple[ArchetypesOptions, PolicyCatalog]
) -> int:
    wanted, rulebook = ready
    holdings = [hold(tool) for tool in engine.tools]
    status = status_with_list(engine, options)
    if wanted.only_differing:
        holdings = [one for one in holdings if one.differing]
    if wanted.shape == "json":
        print_json(archetypes_json(engine.server.name, holdings, rulebook.hosts))
    elif wanted.shape == "markdown":
        for line in archetypes_markdown(holdings, rulebook.hosts):
            say(line)
    else:
        Out(options.hiding(engine)).sheet(table_lines(holdings, rulebook.hosts))
    return status


run_archetypes = OnOpen(_archetypes, before=_ready)
"""Hold each tool of a server against the table; nothing is called. Returns the exit status."""
