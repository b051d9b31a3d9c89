"""`signoff hosts`: rules and measurements of each host."""

from __future__ import annotations

from typing import NamedTuple

from ...approval.policies.modes import policy_named, unknown_mode
from ...cli.command import without_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.options.server import AS_JSON
from ...cli.output.printing import print_error
from ...cli.output.readable import print_sheet
from ...cli.targets.live import print_json
from ...cli.targets.targets import UsageError
from ...content.suggest import did_you_mean
from ...content.text import visible
from ...hosts.measured.patience import packaged_slow_calls, patience_of
from ...hosts.measured.records import measured_modes
from ...presentation.exit_status import ExitStatus
from ...storage.policy_files import all_measurements, find_hosts
from .hosts_words import host_lines, hosts_json, hosts_lines
from .patience_words import patience_markdown
from .words import overview_markdown


@options
class HostsOptions(NamedTuple):
    """Options of `hosts`."""

    name: str = opt("NAME", "show only this host", nargs="?")
    json: bool = AS_JSON
    markdown: bool = opt("--markdown", "print the measured tables in Markdown")


def add(hosts: Parser) -> None:
    without_server(hosts, HostsOptions, run_hosts)


def run_hosts(wanted: HostsOptions) -> int:
    """List hosts; returns the exit status."""
    problems: list[str] = []
    found = find_hosts()
    records = all_measurements(problems)
    measured = measured_modes(found.hosts, records)
    slow = patience_of((*packaged_slow_calls(), *records))
    for problem in (*found.problems, *problems):
        print_error(f"left out: {visible(problem)}")
    hosts = list(found.hosts)
    if wanted.name:
        name, _, mode = wanted.name.partition(":")
        hosts = [one for one in hosts if one.name == name]
        known = dict.fromkeys(
            (
                *(one.name for one in found.hosts),
                *(one.measurement.host for one in measured),
                *(one.measurement.host for one in slow),
            )
        )
        measured = tuple(one for one in measured if one.measurement.host == name)
        slow = tuple(one for one in slow if one.measurement.host == name)
        if not hosts and not measured and not slow:
            raise UsageError(f"unknown host {visible(name)}{did_you_mean(name, list(known))}")
        if mode:
            one_mode = policy_named(hosts, wanted.name)
            if one_mode is None:
                raise UsageError(unknown_mode(hosts, wanted.name))
            hosts = [one_mode]
            measured = tuple(
                one for one in measured if one.policy and one.policy.name == wanted.name
            )
            slow = tuple(one for one in slow if one.measurement.model == wanted.name)
    if wanted.json:
        print_json(hosts_json(hosts, measured, slow))
    elif wanted.markdown:
        tables = [overview_markdown([one.measurement for one in measured]), patience_markdown(slow)]
        print("\n".join(filter(None, tables)), end="")
    elif wanted.name:
        print_sheet(host_lines(wanted.name, hosts[0] if hosts else None, measured, slow))
    else:
        print_sheet(hosts_lines(hosts, measured))
    return ExitStatus.OK
