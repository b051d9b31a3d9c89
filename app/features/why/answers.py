"""The answer of each host on this machine about one tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...approval.if_resolved import tool_if_resolved
from ...approval.policies.modes import SEPARATOR
from ...approval.policies.policy import Policy
from ...cli.targets.hosts_here import HostsHere, hosts_here
from ...cli.targets.policies import chosen_policy, find_host
from ...engine.session_config import Target
from ...hosts.approvals.as_configured import NO_HOSTS
from ...hosts.approvals.tracing import default_trace, trace_of
from ...hosts.table import hosts
from ...protocol.extensions.tool_resolution import Resolution
from ...protocol.tool import ToolDefinition
from .words import HostAnswer, full_lines


class ExplainedHost(NamedTuple):
    """The host that is to be explained."""

    host: str = ""
    """Its id; empty for all of this machine."""
    mode: Policy | None = None
    """The mode that was named."""
    default: Policy | None = None
    """The rules of the host, or of the mode, without any settings."""


def wanted_host(name: str) -> ExplainedHost:
    """Find a host by `HOST` or `HOST:MODE`; all if it is empty. Raises UsageError."""
    if not name:
        return ExplainedHost()
    policy, plain = find_host(name), name.casefold()
    known = [one.host for one in hosts().values() if plain in (one.host, one.title.casefold())]
    if policy is None and known and known[0] not in NO_HOSTS:
        return ExplainedHost(known[0])
    policy = policy or chosen_policy("", name)
    mode = policy if SEPARATOR in name else None
    return ExplainedHost(policy.name.partition(SEPARATOR)[0], mode, policy)


def answers_of(
    tool: ToolDefinition,
    tools: Sequence[ToolDefinition],
    server: str,
    target: Target,
    wanted: ExplainedHost,
    resolution: Resolution | None = None,
) -> tuple[list[HostAnswer], HostsHere]:
    """The answers, and what was read for them; may run in a thread.

    `resolution`: hints that the server resolved for arguments, if any are given.
    """
    resolved = None
    if resolution is not None and resolution.is_resolved and resolution.hints is not None:
        resolved = tool_if_resolved(tool, resolution.hints)
    found = hosts_here(tools, target, host=wanted.host, mode=wanted.mode)
    here = dict.fromkeys(one.host for one in found.files if one.host not in NO_HOSTS)
    answers: list[HostAnswer] = []
    for host in [wanted.host] if wanted.host else here:
        answers += _of_host(host, tool, server, found, wanted, resolved)
    return answers, found


def _of_host(
    host: str,
    tool: ToolDefinition,
    server: str,
    found: HostsHere,
    wanted: ExplainedHost,
    resolved: ToolDefinition | None,
) -> list[HostAnswer]:
    """The answer of each entry of a host, or that of its rules if it has no entry."""
    columns = [one for one in found.columns if one.server.host == host]
    files = [one for one in found.files if one.host == host]
    unread = tuple(one for one in files if one.tree is None)
    policy = next((one for one in found.hosts if one.name == host), None)
    variants = [] if policy is None else policy.variants
    answers = []
    for column in columns:
        rules = next((one for one in variants if one.name == column.mode), wanted.default)
        trace = trace_of(column, tool)
        would = None if resolved is None else trace_of(column, resolved).verdict
        answers.append(
            HostAnswer(host, column.host, trace, rules, unread, column, if_resolved=would)
        )
    if not columns:
        rules = wanted.default or policy
        known = hosts().get(host)
        title = rules.title if rules else known.title if known else host
        made = None if rules is None else default_trace(rules, tool, server)
        would = None
        if rules is not None and resolved is not None:
            would = default_trace(rules, resolved, server).verdict
        off = next((one for one in found.not_loaded if one.host == host), None)
        answers.append(HostAnswer(host, title, made, rules, unread, None, bool(files), off, would))
    return answers


def lines_here(
    tools: Sequence[ToolDefinition], server: str, target: Target, tool: ToolDefinition, host: str
) -> list[str]:
    """All steps of a host, `HOST` or `HOST:MODE`, as lines; may run in a thread."""
    answers, found = answers_of(tool, tools, server, target, wanted_host(host))
    return list(full_lines(tool, answers, found.machine.home, found.machine.folder))
