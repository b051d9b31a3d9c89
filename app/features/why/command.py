"""`signoff why TOOL`: the files, lines and rules that decide about a tool in the hosts of here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ...cli.command import OnOpen, on_server
from ...cli.options.arguments import InvalidArguments, read_document, valid_arguments
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.options.server import AS_JSON
from ...cli.options.session import LISTS
from ...cli.output.printing import say
from ...cli.targets.live import Options, find_tool, print_json
from ...cli.targets.targets import UsageError
from ...cli.tool_inputs import check_resolving
from ...engine.calls.resolving import resolve_arguments
from ...presentation.exit_status import ExitStatus
from .answers import ExplainedHost, answers_of, wanted_host
from .words import full_lines, overview_lines, resolution_lines, why_json

if TYPE_CHECKING:
    from ...content.json.jsonio import JsonValue
    from ...engine.engine import Engine
    from ...protocol.extensions.tool_resolution import Resolution
    from ...protocol.tool import ToolDefinition


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
    assign: tuple[str, ...] = opt(
        "-a NAME=VALUE", "set one argument, as --args does (needs --experimental tool-resolution)"
    )
    """`NAME=VALUE`; they go over `args`."""
    args: str = opt(
        "--args JSON|@FILE|-",
        "set all arguments as a JSON object: show what each host would do with hints that the "
        "server resolves for them (needs --experimental tool-resolution)",
    )
    json: bool = AS_JSON


class _ReadyWhy(NamedTuple):
    tool: str
    host: ExplainedHost
    option: str
    """The option that has arguments; empty without any."""
    document: dict[str, JsonValue]
    assign: tuple[str, ...]


def add(why: Parser) -> None:
    on_server(why, WhyOptions, run_why, uses=LISTS)


def _ready(wanted: WhyOptions) -> _ReadyWhy:
    """Find the host, and read the arguments. Raises UsageError."""
    option = "--args" if wanted.args else "-a" if wanted.assign else ""
    document = read_document(wanted.args) if wanted.args else {}
    return _ReadyWhy(wanted.tool, wanted_host(wanted.explained), option, document, wanted.assign)


async def _resolved(
    options: Options, engine: Engine, tool: ToolDefinition, ready: _ReadyWhy
) -> Resolution | None:
    """Resolve the hints for the given arguments; None if there are none. Raises UsageError."""
    if not ready.option:
        return None
    check_resolving(engine, ready.option)
    try:
        arguments = await valid_arguments(tool, ready.document, ready.assign)
    except InvalidArguments as problem:
        raise UsageError(problem.told) from None
    found = await resolve_arguments(engine, tool, arguments)
    # The reason may quote an error of the server, which may repeat an argument.
    hiding = options.hiding(engine, tool, arguments)
    return replace(found, reason=hiding.text(found.reason))


async def _why(options: Options, engine: Engine, ready: _ReadyWhy) -> int:
    """Explain the decision of one host, or name those of all."""
    tool, server = find_tool(engine, ready.tool), engine.server.name
    resolution = await _resolved(options, engine, tool, ready)
    target = options.config.target
    answers, found = answers_of(tool, engine.tools, server, target, ready.host, resolution)
    if options.as_json:
        print_json(why_json(tool, server, answers, resolution))
        return ExitStatus.OK
    make = full_lines if ready.host.host else overview_lines
    for line in make(tool, answers, found.machine.home, found.machine.folder):
        say(line)
    for line in resolution_lines(tool, resolution):
        say(line)
    return ExitStatus.OK


run_why = OnOpen(_why, before=_ready)
"""Explain why hosts treat a tool as they do; returns the exit status."""
