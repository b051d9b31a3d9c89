"""`signoff hosts`: rules and measurements of each host; new hosts; which versions are measured."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from ...approval.policies.modes import policy_named, unknown_mode
from ...approval.policies.policy import BUILT_IN_NAMES, Policy
from ...cli.command import without_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.options.server import AS_JSON, report_file
from ...cli.output.printing import print_error, say
from ...cli.output.readable import print_sheet
from ...cli.output.report_files import write_report
from ...cli.targets.live import print_json, run
from ...cli.targets.targets import UsageError
from ...content.suggest import did_you_mean
from ...content.text import visible
from ...hosts.folders import KNOWN
from ...hosts.measured import records
from ...hosts.measured.patience import Patience, packaged_slow_calls, patience_of
from ...hosts.measured.records import MeasuredMode, measured_modes
from ...hosts.new_folder import CannotMake, make_folder
from ...platforms.files import why
from ...presentation.exit_status import ExitStatus
from ...storage.policy_files import all_measurements, find_hosts
from .consent import require_driver
from .drivers import DriverError, driver_names, read_driver
from .hosts_check import are_fine, check_json, check_lines, checked
from .hosts_page import hosts_page
from .hosts_words import host_lines, hosts_json, hosts_lines
from .installed import programs_here, usable_drivers
from .patience_words import patience_markdown
from .words import overview_markdown

SCHEMA: Final = Path(records.__file__).with_name("record.schema.json")


@options
class HostsOptions(NamedTuple):
    """Options of `hosts`."""

    words: tuple[str, ...] = opt("NAME", "show only this host", nargs="*")
    json: bool = AS_JSON
    markdown: bool = opt("--markdown", "print the measured tables in Markdown")
    html: str = report_file("html")
    start: tuple[str, ...] = opt(
        "--start DIGEST",
        "of check: run the programs of a driver of yours without a question if its digest is this "
        "one",
    )


def add(hosts: Parser) -> None:
    name = hosts.prog
    hosts.usage = (
        f"{name} [NAME[:MODE]] [--json | --markdown] [--html FILE]\n"
        f"       {name} init NAME\n"
        f"       {name} check [NAME] [--json] [--start DIGEST]\n"
        f"       {name} schema"
    )
    without_server(hosts, HostsOptions, run_hosts)


def run_hosts(wanted: HostsOptions) -> int:
    """List hosts, or do the work of the first word; returns the exit status."""
    verb, *rest = wanted.words or ("",)
    work = VERBS.get(verb)
    if wanted.start and verb != "check":
        raise UsageError("--start goes with signoff hosts check")
    if work is not None:
        if wanted.markdown or wanted.html:
            raise UsageError(f"signoff hosts {verb} takes neither --markdown nor --html")
        return work(wanted, rest)
    if rest:
        raise UsageError(f"it takes one host{did_you_mean(verb, list(VERBS))}")
    return _show(wanted, verb)


def _show(wanted: HostsOptions, wanted_name: str) -> int:
    problems: list[str] = []
    found = find_hosts()
    every = all_measurements(problems)
    measured = measured_modes(found.hosts, every)
    slow = patience_of((*packaged_slow_calls(), *every))
    drivers, of_drivers = usable_drivers()
    for problem in (*found.problems, *problems, *of_drivers):
        print_error(f"left out: {visible(problem)}")
    hosts = list(found.hosts)
    if wanted_name:
        hosts, measured, slow = _of_one(wanted_name, hosts, measured, slow)
    if wanted.html:
        names = {one.measurement.host for one in measured}
        shown = [one for one in (*packaged_slow_calls(), *every) if one.host in names]
        page = hosts_page(hosts, shown, measured, {one.name: one for one in drivers})
        write_report("--html", wanted.html, page)
    if wanted.json:
        print_json(hosts_json(hosts, measured, slow))
    elif wanted.markdown:
        tables = [overview_markdown([one.measurement for one in measured]), patience_markdown(slow)]
        print("\n".join(filter(None, tables)), end="")
    elif wanted_name:
        print_sheet(host_lines(wanted_name, hosts[0] if hosts else None, measured, slow))
    else:
        print_sheet(hosts_lines(hosts, measured))
    return ExitStatus.OK


def _of_one(
    wanted: str,
    hosts: list[Policy],
    measured: tuple[MeasuredMode, ...],
    slow: tuple[Patience, ...],
) -> tuple[list[Policy], tuple[MeasuredMode, ...], tuple[Patience, ...]]:
    """The rules and measurements of one host, or of one of its modes. Raises UsageError."""
    name, _, mode = wanted.partition(":")
    known = dict.fromkeys(
        (
            *(one.name for one in hosts),
            *(one.measurement.host for one in measured),
            *(one.measurement.host for one in slow),
            *VERBS,
        )
    )
    hosts = [one for one in hosts if one.name == name]
    measured = tuple(one for one in measured if one.measurement.host == name)
    slow = tuple(one for one in slow if one.measurement.host == name)
    if not hosts and not measured and not slow:
        raise UsageError(f"unknown host {visible(name)}{did_you_mean(name, list(known))}")
    if mode:
        one_mode = policy_named(hosts, wanted)
        if one_mode is None:
            raise UsageError(unknown_mode(hosts, wanted))
        hosts = [one_mode]
        measured = tuple(one for one in measured if one.policy and one.policy.name == wanted)
        slow = tuple(one for one in slow if one.measurement.model == wanted)
    return hosts, measured, slow


def _init(wanted: HostsOptions, names: list[str]) -> int:
    """Write the folder of a new host."""
    if len(names) != 1:
        raise UsageError("give the name of the new host: signoff hosts init NAME")
    name = names[0]
    if name in VERBS or name in BUILT_IN_NAMES:
        raise UsageError(f"{name} is the name of a policy or a command: give the host another")
    try:
        folder = make_folder(name, datetime.date.today())
    except CannotMake as problem:
        raise UsageError(visible(str(problem))) from None
    except OSError as problem:
        place = visible(str(problem.filename or name))
        raise UsageError(f"{place} cannot be written: {why(problem)}") from None
    if wanted.json:
        print_json({"folder": str(folder), "files": sorted(one.name for one in folder.iterdir())})
        return ExitStatus.OK
    say(f"wrote {visible(str(folder))}")
    say(f"1. Edit {visible(str(folder / 'driver.toml'))}: program, version, command, servers file.")
    say(f"2. signoff measure {name} --only hints")
    say(f"3. signoff measure {name} --save, then signoff matrix demo --hosts cautious,{name}")
    if (KNOWN / name).is_dir():
        say("These are copies of the files of Signoff: yours count in their place.")
    return ExitStatus.OK


def _check(wanted: HostsOptions, names: list[str]) -> int:
    """Compare the versions on this machine with the measured ones."""
    if len(names) > 1:
        raise UsageError("it takes one host: signoff hosts check [NAME]")
    drivers, problems = usable_drivers()
    if names:
        try:
            drivers, problems = [read_driver(names[0])], []
        except DriverError as problem:
            hint = "" if names[0] in driver_names() else did_you_mean(names[0], driver_names())
            raise UsageError(f"{visible(str(problem))}{hint}") from None
        require_driver(drivers[0], wanted.start)
    measured = all_measurements(problems)
    for words in problems:
        print_error(f"left out: {visible(words)}")

    async def look() -> int:
        found = checked(await programs_here(drivers, wanted.start), measured)
        if wanted.json:
            print_json(check_json(found, is_named=bool(names)))
        else:
            for line in check_lines(found, is_named=bool(names)):
                say(line)
        is_fine = are_fine(found, is_named=bool(names))
        return ExitStatus.OK if is_fine else ExitStatus.DOUBTFUL

    return run(look())


def _schema(wanted: HostsOptions, names: list[str]) -> int:
    """Print the JSON Schema of records."""
    if names:
        raise UsageError("signoff hosts schema takes no name")
    print_json(json.loads(SCHEMA.read_text(encoding="utf-8")))
    return ExitStatus.OK


VERBS: Final[Mapping[str, Callable[[HostsOptions, list[str]], int]]] = {
    "init": _init,
    "check": _check,
    "schema": _schema,
}
"""The first words that name a work, in place of a host."""
