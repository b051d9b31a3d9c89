"""A server in the files of hosts on this machine, each entry as a column of the matrix."""

from __future__ import annotations

from collections.abc import Sequence

from ...approval.policies.policy import Policy
from ...content.frozen import frozen
from ...engine.session_config import Target
from ...hosts.approvals.as_configured import (
    ConfiguredColumn,
    Wanted,
    columns_here,
    entries_of,
)
from ...hosts.files.discovery import read_given
from ...hosts.files.servers import ConfiguredServer, FileReport, Machine, as_read_by_all
from ...protocol.tool import ToolDefinition
from ...storage.policy_files import find_hosts
from .configured import read_files, this_machine


@frozen
class HostsHere:
    """The files of all hosts, and the columns of the entries that have the server."""

    files: tuple[FileReport, ...]
    columns: tuple[ConfiguredColumn, ...]
    not_loaded: tuple[ConfiguredServer, ...]
    """Entries of the server that their hosts would not load."""
    machine: Machine
    hosts: tuple[Policy, ...]
    """The rules of all hosts that are known."""


def hosts_here(
    tools: Sequence[ToolDefinition],
    target: Target,
    *,
    host: str = "",
    mode: Policy | None = None,
) -> HostsHere:
    """Read the files of all hosts and find the server in them; nothing is started.

    `host` keeps the columns of one host, and `mode` has the rules that count for it in place of
    the mode that its settings choose.
    """
    machine = this_machine()
    files = read_files((), "", machine)
    known = {file.file for file in files}
    if target.configured and target.configured[0] not in known:
        files.append(read_given(target.configured[0], None, machine))
    files = as_read_by_all(files)
    wanted = Wanted(target.argv, target.url, target.configured)
    entries = entries_of(files, wanted)
    off = entries_of(files, wanted, is_loaded=False)
    kept = [one for one in entries if not host or one.host == host]
    policies = find_hosts().hosts
    columns = columns_here(tools, kept, files, policies, machine, mode=mode)
    return HostsHere(tuple(files), tuple(columns), tuple(off), machine, tuple(policies))
