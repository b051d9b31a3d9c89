"""`signoff measure`: what a host really does with tools, by a scripted model and a probe server."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, NamedTuple

from ...analysis.measured.values import (
    MeasuredCell,
    Measurement,
    RecordError,
    changes,
)
from ...content.json.jsonio import JsonValue
from ...content.suggest import did_you_mean
from ...content.text import count, visible
from ...headless.exit_status import ExitStatus
from ...headless.live import print_json, run
from ...headless.policies import chosen_policy
from ...headless.printing import say, tell
from ...headless.readable import print_sheet
from ...headless.targets import UsageError
from ...presentation.measured import change_lines, markdown_table, measurement_lines
from ...protocol.server import Trust
from ...storage.measured_files import read_measured_file, save_measurement
from ...testing.measuring.drivers import SURFACES, Driver, DriverError, driver_names, read_driver
from ...testing.measuring.in_pipe import InPipe
from ...testing.measuring.probe import Probe
from ...testing.measuring.probes import FAMILIES, all_probes, default_probes
from ...testing.measuring.reports import Expectation, exit_status, expected_cells, results_of
from ...testing.measuring.running import (
    STARTS_MAX,
    Person,
    Settings,
    Subject,
    measure,
)
from ...testing.measuring.short_runs import program_version
from ...testing.run.reports import html_page, junit_xml
from ..command import Command
from ..options.parser import Parser, number_up_to, picked, seconds
from ..options.server import add_json, add_report_files
from .flow import write_file

STARTS_MOST: Final = 100
OWN: Final = "agent"
"""The name of a host that is a command of the person's."""


class MeasureOptions(NamedTuple):
    """Options of `measure`."""

    host: str
    mode: str
    surface: str
    program: str
    only: str
    all: bool
    lists: bool
    save: bool
    starts: int
    limit: float | None
    expect_policy: str
    trust: bool
    compare: str
    json: bool
    markdown: bool
    junit: str
    html: str


class Measure(NamedTuple):
    """The command: the host, or the words of an agent's command."""

    own: MeasureOptions

    def run(self, argv: tuple[str, ...]) -> int:
        if self.own.compare and self.own.host.endswith(".json"):
            return _compare(_read_file(self.own.host), self.own)
        try:
            return self._run(argv)
        except DriverError as problem:
            raise UsageError(visible(str(problem))) from None

    def _run(self, argv: tuple[str, ...]) -> int:
        if self.own.lists:
            return run(_list(self.own))
        if bool(argv) == bool(self.own.host):
            raise UsageError(
                "give a host (signoff measure --list names them), or the command of an agent "
                "after --: signoff measure -- COMMAND"
            )
        return run(_measure(self.own, argv))


def add(measuring: Parser) -> None:
    name = measuring.prog
    measuring.usage = f"{name} [OPTIONS] HOST[:MODE]\n       {name} [OPTIONS] -- COMMAND [ARG...]"
    measuring.add_argument(
        "host", metavar="HOST[:MODE]", nargs="?", default="", help="a host of --list, and its mode"
    )
    measuring.add_argument(
        "--list",
        dest="lists",
        action="store_true",
        help="list hosts, their modes, and the versions found here",
    )
    measuring.add_argument("--mode", metavar="MODE", default="", help="the same as HOST:MODE")
    measuring.add_argument(
        "--surface",
        choices=SURFACES,
        default="",
        help="in a pipe, by the Agent Client Protocol, or on the host's own screen "
        "(default: the first that the mode has)",
    )
    measuring.add_argument(
        "--program",
        metavar="PATH",
        default="",
        help="the program of the host, if it is not in PATH; of a library, its Python",
    )
    measuring.add_argument(
        "--only",
        metavar="GLOB",
        default="",
        help=f"probes by family or id, separated by commas: {', '.join(FAMILIES)}, "
        "'hints/readOnly=*' (default: 16 combinations of hints, and answers)",
    )
    measuring.add_argument("--all", action="store_true", help="try every probe")
    measuring.add_argument(
        "--starts",
        metavar="N",
        type=number_up_to(STARTS_MOST),
        default=STARTS_MAX,
        help=f"start the host N times at most (default: {STARTS_MAX})",
    )
    measuring.add_argument(
        "--limit",
        metavar="S",
        type=seconds,
        default=None,
        help="give up a start in which the model is asked nothing for S seconds (default: 45, or "
        "that of the driver)",
    )
    measuring.add_argument(
        "--expect-policy",
        metavar="POLICY",
        default="",
        help="exit with 1 if the host ran what this policy (a name or a file) asks about",
    )
    measuring.add_argument(
        "--trust", action="store_true", help="the policy judges the probe server as trusted"
    )
    measuring.add_argument(
        "--save", action="store_true", help="keep the measurement for the matrix and signoff hosts"
    )
    measuring.add_argument(
        "--compare",
        metavar="FILE",
        default="",
        help="show what changed since the measurement in FILE; with a file in place of HOST, "
        "compare both and measure nothing",
    )
    add_json(measuring)
    measuring.add_argument("--markdown", action="store_true", help="print tables in Markdown")
    add_report_files(measuring)
    measuring.set_defaults(read_command=_read)


def _read(given: argparse.Namespace) -> Command:
    return Measure(picked(MeasureOptions, given))


async def _measure(wanted: MeasureOptions, argv: tuple[str, ...]) -> int:
    began = time.monotonic()
    expectation = _expectation(wanted)
    probes = _probes(wanted)
    subject = replace(await _subject(wanted, argv), quiet=wanted.limit)
    person = _person(subject)
    total = len(probes)
    shown = sys.stderr.isatty() and not wanted.json
    done = 0

    def on_cell(cell: MeasuredCell) -> None:
        nonlocal done
        done += 1
        if shown:
            tell(f"{done} of {total}: {visible(cell.probe)}: {cell.did.value}")

    def on_start(number: int, left: int) -> None:
        if not wanted.json:
            tell(f"signoff: start {number}, {count(left, 'probe')} to try")

    settings = Settings(probes, wanted.starts, True, on_cell, on_start)
    found = await measure(subject, person, settings)
    if wanted.compare:
        if wanted.save:
            _save(found)
        return _compare([found], wanted)
    _report(found, wanted, expectation, time.monotonic() - began)
    return exit_status([found], expectation)


def _report(
    found: Measurement, wanted: MeasureOptions, expectation: Expectation | None, took: float
) -> None:
    results = tuple(results_of(found, expectation, took))
    if wanted.junit:
        write_file(wanted.junit, "--junit", junit_xml(results, took))
    if wanted.html:
        title = f"{found.title} {found.version} {found.mode} {found.surface}"
        write_file(wanted.html, "--html", html_page(results, took, "Measured", title))
    if wanted.json:
        print_json(found.as_json())
    elif wanted.markdown:
        print(markdown_table([found]), end="")
    else:
        print_sheet(measurement_lines(found))
        _print_broken(found, expectation)
        say(f"measured in {took:.1f} s")
    if wanted.save:
        _save(found)


def _save(found: Measurement) -> None:
    try:
        path = save_measurement(found)
    except OSError as problem:
        raise UsageError(f"--save: {problem.strerror or problem}") from None
    tell(f"signoff: saved as {visible(str(path))}")


def _print_broken(found: Measurement, expectation: Expectation | None) -> None:
    if expectation is None:
        return
    judged = expected_cells(found, expectation)
    broken = [one for one in judged if one.is_broken]
    name = visible(expectation.policy.name)
    for one in broken:
        say(
            f"BROKEN  {visible(one.cell.probe)}: it ran; the policy {name} expects {one.wanted} "
            f"({visible(one.reason)})"
        )
    say(f"{len(judged) - len(broken)} of {count(len(judged), 'decision')} as the policy {name}")


def _expectation(wanted: MeasureOptions) -> Expectation | None:
    if not wanted.expect_policy:
        return None
    policy = chosen_policy(wanted.expect_policy, "")
    return Expectation(policy, Trust.TRUSTED if wanted.trust else Trust.UNTRUSTED)


def _probes(wanted: MeasureOptions) -> tuple[Probe, ...]:
    known = all_probes()
    if wanted.all:
        return tuple(known.values())
    if not wanted.only:
        return default_probes()
    found: dict[str, Probe] = {}
    parts = wanted.only.split(",")
    while parts:
        # An id may have commas in it: the longest one that is known counts.
        for length in range(len(parts), 0, -1):
            pattern = ",".join(parts[:length]).strip()
            if same := _matching(pattern):
                break
        else:
            hint = did_you_mean(pattern, [*FAMILIES, *known])
            raise UsageError(f"--only: no probe matches “{visible(pattern)}”{hint}")
        found.update((one.id, one) for one in same)
        del parts[:length]
    return tuple(found.values())


def _matching(pattern: str) -> list[Probe]:
    """The probes of a family - of `hints` the telling ones - or those whose ids match."""
    known = all_probes().values()
    usual = [one for one in default_probes() if one.family == pattern]
    same = usual or [one for one in known if one.family == pattern]
    return same or [one for one in known if fnmatchcase(one.id, pattern)]


async def _subject(wanted: MeasureOptions, argv: tuple[str, ...]) -> Subject:
    """The host with its mode, surface and version, or the person's agent. Raises UsageError."""
    if argv:
        surface = wanted.surface or "headless"
        if surface == "screen":
            raise UsageError("--surface screen needs a known host: its keys are in its driver")
        if wanted.mode:
            raise UsageError("--mode needs a known host; put options of an agent into its command")
        name = Path(argv[0]).name
        return Subject(None, None, surface, argv, OWN, name, "", Path.cwd())
    name, _, mode_name = wanted.host.partition(":")
    if mode_name and wanted.mode and mode_name != wanted.mode:
        raise UsageError("give the mode once: HOST:MODE or --mode")
    try:
        driver = read_driver(name)
        mode = driver.mode(mode_name or wanted.mode)
    except DriverError as problem:
        hint = "" if name in driver_names() else did_you_mean(name, driver_names())
        raise UsageError(f"{visible(str(problem))}{hint}") from None
    surface = wanted.surface or next(iter(mode.commands))
    if surface not in mode.commands:
        known = ", ".join(mode.commands)
        raise UsageError(f"{driver.name}:{mode.name} has no surface {surface}; it has {known}")
    program = wanted.program or shutil.which(driver.program) or ""
    if not program or shutil.which(program) is None:
        looked = visible(wanted.program or driver.program)
        raise UsageError(
            f"{driver.title}: program {looked} not found; install it with: {driver.get}"
        )
    version = await program_version(driver, program)
    if driver.is_library and not version:
        raise UsageError(
            f"{driver.title} is not installed in the Python {visible(program)}; install it with: "
            f"{driver.get}; or give another Python with --program"
        )
    if not version:
        raise UsageError(
            f"{driver.title}: {visible(program)} prints no version, so it is not this host or "
            f"cannot run here; install it with: {driver.get}"
        )
    return Subject.of(driver, mode, surface, program, version)


def _person(subject: Subject) -> Person:
    if subject.surface == "acp":
        from ...testing.measuring.by_acp import ByAcp

        return ByAcp()
    if subject.surface == "screen":
        from ...testing.measuring.on_screen import OnScreen

        return OnScreen()
    return InPipe()


async def _list(wanted: MeasureOptions) -> int:
    drivers = [read_driver(name) for name in driver_names()]
    programs = [shutil.which(one.program) or "" for one in drivers]
    limit = asyncio.Semaphore(2)

    async def version_of(driver: Driver, program: str) -> str:
        async with limit:
            return await program_version(driver, program) if program else ""

    versions = await asyncio.gather(*map(version_of, drivers, programs))
    listed = [
        (one, "" if one.is_library and not version else program, version)
        for one, program, version in zip(drivers, programs, versions, strict=True)
    ]
    if wanted.json:
        print_json({"hosts": [_listed_json(*one) for one in listed]})
        return ExitStatus.OK
    for driver, _, found in listed:
        here = f"{visible(found)} here" if found else "not found here"
        tried = "" if driver.is_tried else ", driver not tried"
        say(f"{driver.name:<18} {driver.title}: {here} ({driver.licence}{tried})")
        modes = (f"{one.name} ({', '.join(one.commands)})" for one in driver.modes)
        say(f"{'':<18} modes: {', '.join(modes)}")
        if not found:
            say(f"{'':<18} install: {driver.get}")
    return ExitStatus.OK


def _listed_json(driver: Driver, program: str, version: str) -> dict[str, JsonValue]:
    return {
        "host": driver.name,
        "title": driver.title,
        "program": program if version else None,
        "version": version or None,
        "package": driver.package,
        "get": driver.get,
        "licence": driver.licence,
        "tried": driver.is_tried,
        "modes": [
            {"name": one.name, "title": one.title, "surfaces": list(one.commands)}
            for one in driver.modes
        ],
    }


def _read_file(path: str) -> tuple[Measurement, ...]:
    """The measurements in a file. Raises UsageError."""
    try:
        return read_measured_file(Path(path))
    except RecordError as problem:
        raise UsageError(f"--compare: {visible(str(problem))}") from None


def _compare(newer: Sequence[Measurement], wanted: MeasureOptions) -> int:
    """Compare each newer measurement with that of the same mode and surface in the older file."""
    older = _read_file(wanted.compare)
    differs = False
    report: list[Any] = []
    for after in newer:
        place = (after.host, after.mode, after.surface)
        same = [one for one in older if (one.host, one.mode, one.surface) == place]
        if not same:
            tell(f"signoff: {visible(str(after.key))}: not in {visible(wanted.compare)}")
            continue
        found = list(changes(same[-1], after))
        differs = differs or bool(found)
        report.append(
            {
                "before": str(same[-1].key),
                "after": str(after.key),
                "changes": [
                    {
                        "probe": one.probe,
                        "before": None if one.before is None else one.before.as_json(),
                        "after": None if one.after is None else one.after.as_json(),
                    }
                    for one in found
                ],
            }
        )
        if not wanted.json:
            for line in change_lines(same[-1], after, found):
                say(line)
    if wanted.json:
        print_json({"comparisons": report})
    return ExitStatus.FLOW_FAILED if differs else ExitStatus.OK
