"""`signoff why TOOL`: the files, lines and rules that decide about a tool in the hosts of here."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...approval.policies.modes import SEPARATOR
from ...approval.policies.policy import Policy
from ...cli.command import OnOpen, on_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.options.server import AS_JSON
from ...cli.options.session import LISTS
from ...cli.output.printing import say
from ...cli.targets.hosts_here import HostsHere, hosts_here
from ...cli.targets.live import Options, find_tool, print_json
from ...cli.targets.policies import chosen_policy, find_host
from ...hosts.approvals.as_configured import NO_HOSTS
from ...hosts.approvals.tracing import default_trace, trace_of
from ...hosts.table import hosts
from ...presentation.exit_status import ExitStatus
from .words import HostAnswer, full_lines, overview_lines, why_json

if TYPE_CHECKING:
    from ...engine.engine import Engine
    from ...protocol.tool import ToolDefinition


@options
class WhyOptions(NamedTuple):
    """Why hosts of this machine treat a tool as they do."""

    tool: str = opt("TOOL", "the exact name of the tool")
    explained: str = opt(
        "--as HOST[:MODE]",
        "show one host in full, in the mode that its files choose, or in MODE (default: a line "
        "for each host that has files on this machine)",
    )
    """The host, maybe with a mode; empty for all of this machine."""
    json: bool = AS_JSON


class _Ready(NamedTuple):
    tool: str
    host: str
    """The id of the host; empty for all."""
    mode: Policy | None
    """The mode that was named."""
    default: Policy | None
    """The rules of the host, or of the mode, without any settings."""


def add(why: Parser) -> None:
    on_server(why, WhyOptions, run_why, uses=LISTS)


def _ready(wanted: WhyOptions) -> _Ready:
    """Find the host. Raises UsageError for an unknown one."""
    if not wanted.explained:
        return _Ready(wanted.tool, "", None, None)
    policy = find_host(wanted.explained)
    name = wanted.explained.casefold()
    known = [one.host for one in hosts().values() if name in (one.host, one.title.casefold())]
    if policy is None and known and known[0] not in NO_HOSTS:
        return _Ready(wanted.tool, known[0], None, None)
    policy = policy or chosen_policy("", wanted.explained)
    mode = policy if SEPARATOR in wanted.explained else None
    return _Ready(wanted.tool, policy.name.partition(SEPARATOR)[0], mode, policy)


async def _why(options: Options, engine: Engine, ready: _Ready) -> int:
    """Explain the decision of one host, or name those of all."""
    tool = find_tool(engine, ready.tool)
    found = hosts_here(engine.tools, options.config.target, host=ready.host, mode=ready.mode)
    answers = _answers(tool, engine.server.name, found, ready)
    home, folder = found.machine.home, found.machine.folder
    if options.as_json:
        print_json(why_json(tool, engine.server.name, answers))
        return ExitStatus.OK
    make = full_lines if ready.host else overview_lines
    for line in make(tool, answers, home, folder):
        say(line)
    return ExitStatus.OK


def _answers(
    tool: ToolDefinition, server: str, found: HostsHere, ready: _Ready
) -> list[HostAnswer]:
    """The answer of each entry, and of each host that has files but no entry of the server."""
    here = dict.fromkeys(one.host for one in found.files if one.host not in NO_HOSTS)
    answers = []
    for host in [ready.host] if ready.host else here:
        columns = [one for one in found.columns if one.server.host == host]
        unread = tuple(one for one in found.files if one.host == host and one.tree is None)
        policy = next((one for one in found.hosts if one.name == host), None)
        for column in columns:
            variants = [] if policy is None else policy.variants
            rules = next((one for one in variants if one.name == column.mode), ready.default)
            trace = trace_of(column, tool)
            answers.append(HostAnswer(host, column.host, trace, rules, unread, column))
        if not columns:
            rules = ready.default or policy
            known = hosts().get(host)
            title = rules.title if rules else known.title if known else host
            made = None if rules is None else default_trace(rules, tool, server)
            off = next((one for one in found.not_loaded if one.host == host), None)
            has_files = host in here
            answers.append(HostAnswer(host, title, made, rules, unread, None, has_files, off))
    return answers


run_why = OnOpen(_why, before=_ready)
"""Explain why hosts treat a tool as they do; returns the exit status."""
