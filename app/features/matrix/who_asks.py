"""The hosts of this machine for the main screen: their rules, as configured here where they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...approval.policies.policy import Policy
from ...approval.who_asks import WhoAsks
from ...cli.targets.configured import read_files, this_machine
from ...engine.session_config import Target
from ...hosts.approvals.as_configured import (
    NO_HOSTS,
    ConfiguredColumn,
    Wanted,
    columns_here,
    entries_of,
)
from ...hosts.files.servers import as_read_by_all
from ...protocol.tool import ToolDefinition
from ...storage.policy_files import find_hosts


def who_asks(tools: Sequence[ToolDefinition], target: Target, first: Sequence[str] = ()) -> WhoAsks:
    """Read the files of all hosts, and find the server in them; may run in a thread.

    A host with several entries of this server has a column for each. Hosts named by `first` come
    before all others.
    """
    machine = this_machine()
    files = as_read_by_all(read_files((), "", machine))
    wanted = Wanted(target.argv, target.url, target.configured)
    entries = entries_of(files, wanted) if wanted != Wanted() else []
    hosts = find_hosts().hosts
    found: dict[str, list[ConfiguredColumn]] = {}
    for one in columns_here(tools, entries, files, hosts, machine):
        found.setdefault(one.server.host, []).append(one)
    columns = [column for host in hosts for column in _columns(host, found.get(host.name, []))]
    here = {file.host for file in files if file.host not in NO_HOSTS}
    server = target.configured[1] if target.configured else target.name
    return WhoAsks(columns, here, server, first)


def _columns(host: Policy, configured: Sequence[ConfiguredColumn]) -> Sequence[Policy]:
    if not configured:
        return [host]
    title = host.title or host.name
    is_only = len(configured) == 1
    return [
        replace(
            one.policy, name=host.name, title=title if is_only else f"{title} {one.server.name}"
        )
        for one in configured
    ]
