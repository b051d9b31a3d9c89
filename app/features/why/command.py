"""`signoff why TOOL`: the files, lines and rules that decide about a tool in the hosts of here."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...cli.command import OnOpen, on_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.options.server import AS_JSON
from ...cli.options.session import LISTS
from ...cli.output.printing import say
from ...cli.targets.live import Options, find_tool, print_json
from ...presentation.exit_status import ExitStatus
from .answers import ExplainedHost, answers_of, wanted_host
from .words import full_lines, overview_lines, why_json

if TYPE_CHECKING:
    from ...engine.engine import Engine


@options
class WhyOptions(NamedTuple):
    """Why hosts of this machine treat a tool as they do."""

    tool: str = opt("TOOL", "the tool, by its exact name")
    explained: str = opt(
        "--as HOST[:MODE]",
        "show one host in full, in the mode that its files choose, or in MODE (default: a line "
        "for each host that has files on this machine)",
    )
    """The host, maybe with a mode; empty for all of this machine."""
    json: bool = AS_JSON


class _ReadyWhy(NamedTuple):
    tool: str
    host: ExplainedHost


def add(why: Parser) -> None:
    on_server(why, WhyOptions, run_why, uses=LISTS)


def _ready(wanted: WhyOptions) -> _ReadyWhy:
    """Find the host. Raises UsageError for an unknown one."""
    return _ReadyWhy(wanted.tool, wanted_host(wanted.explained))


async def _why(options: Options, engine: Engine, ready: _ReadyWhy) -> int:
    """Explain the decision of one host, or name those of all."""
    tool, server = find_tool(engine, ready.tool), engine.server.name
    answers, found = answers_of(tool, engine.tools, server, options.config.target, ready.host)
    if options.as_json:
        print_json(why_json(tool, server, answers))
        return ExitStatus.OK
    make = full_lines if ready.host.host else overview_lines
    for line in make(tool, answers, found.machine.home, found.machine.folder):
        say(line)
    return ExitStatus.OK


run_why = OnOpen(_why, before=_ready)
"""Explain why hosts treat a tool as they do; returns the exit status."""
