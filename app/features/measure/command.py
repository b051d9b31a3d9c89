"""`signoff measure`: what a host really does with tools, by a scripted model and a probe server."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import time
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, NamedTuple

from ...cli.command import Command
from ...cli.options.declared import OptionGroup, add_options, opt, options, read_values
from ...cli.options.parser import OWN_AGENT, Parser, number_up_to, seconds
from ...cli.options.server import AS_JSON, report_file
from ...cli.options.session import LIMITS
from ...cli.output.printing import print_error, say
from ...cli.targets.given_files import given_text
from ...cli.targets.live import print_json, run
from ...cli.targets.own_environment import own_environment_words, tell_own_environment
from ...cli.targets.policies import chosen_policy, find_host
from ...cli.targets.targets import UsageError
from ...content.json.jsonio import JsonValue
from ...content.suggest import did_you_mean
from ...content.text import visible
from ...presentation.exit_status import ExitStatus
from ...protocol.server import Trust
from .choosing import ChosenHost, WantedHost, chosen_host, subject_of
from .consent import require_driver
from .drivers import SURFACES, DriverError
from .installed import ProgramHere, programs_here, usable_drivers
from .probes.patience import FAMILY as PATIENCE_FAMILY
from .probes.patience import PATIENCE
from .probes.probe import Probe
from .probes.probes import FAMILIES, all_probes, default_probes
from .progress import MeasureProgress
from .report import Outputs, compare_files, read_older, report
from .reports import Expectation, exit_status
from .running.in_pipe import InPipe
from .running.naming import SERVER, TOOL
from .running.running import SurfaceRunner
from .running.scratch import not_isolated_here
from .running.screen_rules import ScreenRules, read_rules
from .running.short_runs import MeasureSubject
from .running.starts import STARTS_MAX, MeasureSettings, measure

STARTS_MOST: Final = 100
KEYS_BYTES: Final = 100_000
"""Bytes of a file of --keys."""


_OWN: Final = OptionGroup("options for an agent of your own", OWN_AGENT)
_DRIVER: Final = OptionGroup("options for a driver of your own", "a driver of your own")


@options
class MeasureOptions(NamedTuple):
    """Options of `measure`."""

    host: tuple[str, ...] = opt("HOST[:MODE]", "a host of --list, and its mode", nargs="*")
    lists: bool = opt("--list", "list hosts, their modes, and the versions found here")
    name: str = opt(
        "--name NAME",
        "the name of your agent (default: its script)",
        group=_OWN,
    )
    tool_name: str = opt(
        "--tool-name TEMPLATE",
        "how your agent names tools for its model, such as 'mcp__{server}__{tool}'; * is for "
        "any characters (default: found in what it offers)",
        group=_OWN,
    )
    mode: str = opt("--mode MODE", "the same as HOST:MODE")
    surface: str = opt(
        "--surface",
        "in a pipe, by the Agent Client Protocol, or on a screen (default: the first that "
        "the mode has; of an agent, headless)",
        choices=SURFACES,
    )
    keys: str = opt(
        "--keys FILE",
        "how your agent asks on its screen, as TOML: question (a regular expression), "
        "approve, deny (default: y/n, allow/deny, numbered choices)",
        group=_OWN,
    )
    program: str = opt(
        "--program PATH", "the program of the host, if it is not in PATH; of a library, its Python"
    )
    driver: str = opt(
        "--driver FILE",
        "measure the host of this driver.toml, once you agree to its programs",
        group=_DRIVER,
    )
    start: tuple[str, ...] = opt(
        "--start DIGEST",
        "run the programs of a driver of yours without a question if its digest is this one",
        group=_DRIVER,
    )
    only: str = opt(
        "--only GLOB",
        "try these probes, by family or id, separated by commas: "
        f"{', '.join(FAMILIES)}, "
        "'hints/readOnly=*' (default: 16 combinations of hints, and answers)",
    )
    all: bool = opt(
        "--all",
        "try every probe but those of patience, or every one of the families of --only; of "
        "hints all combinations",
    )
    starts: int = opt(
        "--starts N",
        "start the host N times at most, and again if it asks or if its model judges calls "
        f"(default: {STARTS_MAX})",
        default=STARTS_MAX,
        type=number_up_to(STARTS_MOST),
        group=LIMITS,
    )
    limit: float | None = opt(
        "--run-limit S",
        "end a run of the host that sends its model nothing for S seconds (default: 45; some "
        "hosts have a limit of their own)",
        type=seconds,
        group=LIMITS,
        earlier="--limit",
    )
    patience: float | None = opt(
        "--patience S",
        "of --only patience: seconds after which the slow tool answers (default: 900)",
        type=seconds,
        group=LIMITS,
    )
    isolated: bool = opt(
        "--isolated",
        "let it reach this machine alone, and measure nothing if that is not possible "
        "(default: a host of --list is isolated if possible, an agent of your own is not)",
        group=LIMITS,
    )
    network: bool = opt("--network", "let it reach other machines", group=LIMITS)
    through: str = opt(
        "--through COMMAND",
        "start the probe server behind this command, in one pair of quotes, such as "
        "'signoff proxy --policy cautious --hold 1 --'",
        group=LIMITS,
    )
    """The words before the command of the probe server, as one word."""
    http: bool = opt(
        "--http",
        "give your agent the probe server by Streamable HTTP (of a host, a mode decides that)",
        group=_OWN,
    )
    expect_policy: str = opt(
        "--expect-policy POLICY",
        "exit with 1 if the host ran what this policy (a name or a file) asks about",
    )
    trust: bool = opt("--trust", "the policy judges the probe server as trusted")
    save: bool = opt("--save", "keep a complete measurement for the matrix and hosts")
    compare: str = opt(
        "--compare FILE",
        "compare with the measurement in FILE; with a file in place of HOST, measure nothing",
    )
    json: bool = AS_JSON
    markdown: bool = opt("--markdown", "print tables in Markdown")
    junit: str = report_file("junit")
    sarif: str = report_file("sarif")
    html: str = report_file("html")


class Measure(NamedTuple):
    """The command: the host, or the words of an agent's command."""

    own: MeasureOptions

    @property
    def name(self) -> str:
        """The host and mode that was given; empty for an agent of the person's."""
        return self.own.host[0] if self.own.host else ""

    def run(self, argv: tuple[str, ...]) -> int:
        if len(self.own.host) > 1:
            raise UsageError(
                "it takes one host; to measure an agent of your own, put -- before its command: "
                "signoff measure -- python my_agent.py"
            )
        if self.own.compare and self.name.endswith(".json"):
            differs = compare_files(self.own.compare, self.name, as_json=self.own.json)
            return ExitStatus.FLOW_FAILED if differs else ExitStatus.OK
        try:
            return self._run(argv)
        except DriverError as problem:
            raise UsageError(visible(str(problem))) from None

    def _run(self, argv: tuple[str, ...]) -> int:
        if self.own.lists:
            return run(_list(self.own))
        if [bool(argv), bool(self.name), bool(self.own.driver)].count(True) != 1:
            raise UsageError(
                "give a host (signoff measure --list names them), the file of a driver with "
                "--driver, or the command of an agent after --: signoff measure -- COMMAND"
            )
        chosen = None
        if not argv:
            given = (("--name", self.own.name), ("--tool-name", self.own.tool_name))
            of_agents = (*given, ("--keys", self.own.keys), ("--http", self.own.http))
            chosen = chosen_host(self._wanted_host(), of_agents)
            # The question of a driver of the person's has a loop of its own.
            require_driver(chosen.driver, self.own.start)
        return run(_measure(self.own, argv, chosen))

    def _wanted_host(self) -> WantedHost:
        own = self.own
        return WantedHost(self.name, own.driver, own.mode, own.surface, own.program)


def add(measuring: Parser) -> None:
    name = measuring.prog
    measuring.claims_all = True
    measuring.usage = f"{name} [OPTIONS] HOST[:MODE]\n       {name} [OPTIONS] -- COMMAND [ARG...]"
    add_options(measuring, MeasureOptions)
    measuring.set_defaults(read_command=_read)


def _read(given: argparse.Namespace) -> Command:
    return Measure(read_values(MeasureOptions, given))


async def _measure(wanted: MeasureOptions, argv: tuple[str, ...], chosen: ChosenHost | None) -> int:
    began = time.monotonic()
    expectation = _expectation(wanted)
    probes = probes_of(wanted)
    if expectation is not None and not any(one.family == "hints" for one in probes):
        raise UsageError("--expect-policy compares probes of hints, and --only has none of them")
    if wanted.trust and expectation is None:
        raise UsageError("--trust goes with --expect-policy")
    if wanted.json and wanted.markdown:
        raise UsageError("give only one of --json and --markdown")
    is_slow = any(one.family == PATIENCE_FAMILY for one in probes)
    if wanted.patience is not None and not is_slow:
        raise UsageError("--patience goes with --only patience")
    older = read_older(wanted.compare)
    _check_isolation(wanted)
    subject = await _subject(wanted, argv, chosen)
    patience = wanted.patience or PATIENCE
    subject = replace(
        subject,
        quiet=wanted.limit,
        isolates=_isolates(wanted),
        patience=patience,
        through=_through(wanted),
    )
    person = _person(subject, wanted.keys)
    progress = MeasureProgress(is_quiet=wanted.json)
    settings = MeasureSettings(
        *(probes, wanted.starts, True, progress.on_step, progress.on_call, progress.on_wait)
    )
    async with progress.line.ticking():
        found = await measure(subject, person, settings)
    outputs = Outputs(
        wanted.json, wanted.markdown, wanted.junit, wanted.sarif, wanted.html, wanted.save
    )
    differs = report(found, outputs, expectation, older, time.monotonic() - began)
    status = exit_status([found], expectation)
    return ExitStatus.FLOW_FAILED if status is ExitStatus.OK and differs else status


def _through(wanted: MeasureOptions) -> tuple[str, ...]:
    """The words before the probe server, with the whole path of the program. Raises UsageError."""
    try:
        words = tuple(shlex.split(wanted.through))
    except ValueError as problem:
        raise UsageError(f"--through: {problem}".lower()) from None
    if not words:
        return ()
    if wanted.http:
        raise UsageError("--through is for a server on stdio: leave out --http")
    if wanted.save:
        raise UsageError("--save keeps what a host does by itself: leave out --through")
    program = shutil.which(words[0])
    if program is None:
        raise UsageError(f"--through: {visible(words[0])} is not in PATH")
    return (os.path.abspath(program), *words[1:])


def _isolates(wanted: MeasureOptions) -> bool:
    """Whether it is to be isolated; an agent of the person's may need others, as its libraries."""
    is_known = bool(wanted.host or wanted.driver)
    return wanted.isolated or (is_known and not wanted.network)


def _check_isolation(wanted: MeasureOptions) -> None:
    """Raises UsageError if it must be isolated and cannot be."""
    if not wanted.isolated:
        return
    if wanted.network:
        raise UsageError("give only one of --isolated and --network")
    if problem := not_isolated_here():
        raise UsageError(f"--isolated: not possible here: {visible(problem)}")


def _expectation(wanted: MeasureOptions) -> Expectation | None:
    if not wanted.expect_policy:
        return None
    host = find_host(wanted.expect_policy)
    policy = host if host is not None else chosen_policy(wanted.expect_policy, "")
    return Expectation(policy, Trust.TRUSTED if wanted.trust else Trust.UNTRUSTED)


def probes_of(wanted: MeasureOptions) -> tuple[Probe, ...]:
    """The probes that these options choose. Raises UsageError."""
    known = all_probes()
    if not wanted.only:
        quick = tuple(one for one in known.values() if one.family != PATIENCE_FAMILY)
        return quick if wanted.all else default_probes()
    found: dict[str, Probe] = {}
    parts = wanted.only.split(",")
    while parts:
        # An id may have commas in it: the longest one that is known counts.
        for length in range(len(parts), 0, -1):
            pattern = ",".join(parts[:length]).strip()
            if same := _matching(pattern, takes_all=wanted.all):
                break
        else:
            hint = did_you_mean(pattern, [*FAMILIES, *known])
            raise UsageError(f"--only: no probe matches “{visible(pattern)}”{hint}")
        found.update((one.id, one) for one in same)
        del parts[:length]
    return tuple(found.values())


def _matching(pattern: str, *, takes_all: bool) -> list[Probe]:
    """The probes of a family - of `hints` the telling ones - or those whose ids match."""
    known = all_probes().values()
    usual = [] if takes_all else [one for one in default_probes() if one.family == pattern]
    same = usual or [one for one in known if one.family == pattern]
    matching = [one for one in known if fnmatchcase(one.id, pattern)]
    is_named = pattern.startswith(PATIENCE_FAMILY)
    return same or [one for one in matching if is_named or one.family != PATIENCE_FAMILY]


async def _subject(
    wanted: MeasureOptions, argv: tuple[str, ...], chosen: ChosenHost | None
) -> MeasureSubject:
    """The host with its mode, surface and version, or the person's agent. Raises UsageError."""
    if argv:
        surface = wanted.surface or "headless"
        if wanted.keys and surface != "screen":
            raise UsageError("--keys goes with --surface screen")
        if wanted.mode:
            raise UsageError("--mode needs a known host; put options of an agent into its command")
        if wanted.tool_name and TOOL not in wanted.tool_name:
            raise UsageError(f"--tool-name needs {TOOL} in it: 'mcp__{SERVER}__{TOOL}'")
        _check_program(argv)
        tell_own_environment(own_environment_words(argv, os.environ))
        name = wanted.name or _agent_name(argv)
        tools = wanted.tool_name
        return MeasureSubject(
            None,
            None,
            surface,
            argv,
            name,
            name,
            "",
            Path.cwd(),
            by_http=wanted.http,
            tool_name=tools,
        )
    assert chosen is not None
    return await subject_of(chosen, isolates=_isolates(wanted))


def _agent_name(argv: tuple[str, ...]) -> str:
    """The name of an agent: its script without the ending, else its program."""
    scripts = (one for one in argv[1:] if one.endswith((".py", ".js", ".mjs", ".ts")))
    return Path(next(scripts, argv[0])).stem


_BLANKS_TRIED: Final = 20


def _check_program(argv: tuple[str, ...]) -> None:
    """Raises UsageError for a command that cannot be started."""
    program = argv[0]
    if "{" in program or shutil.which(program) is not None:
        return
    shown = visible(program)
    if Path(program).is_file():
        raise UsageError(
            f"{shown}: it cannot be executed: give its interpreter, such as python {shown}, or "
            "make it executable"
        )
    # The path of the program itself may have blanks.
    words = program.split(" ")[:_BLANKS_TRIED]
    if any(shutil.which(" ".join(words[:end])) for end in range(1, len(words))):
        raise UsageError(f"{shown}: program not found; give the command without quotes around it")
    raise UsageError(f"{shown}: program not found")


def _person(subject: MeasureSubject, keys: str) -> SurfaceRunner:
    if subject.surface == "acp":
        from .running.by_acp import ByAcp

        return ByAcp()
    if subject.surface == "screen" and subject.driver is None:
        from .running.on_terminal import OnTerminal

        return OnTerminal(_rules(keys))
    if subject.surface == "screen":
        from .running.on_screen import OnScreen

        return OnScreen()
    return InPipe()


def _rules(path: str) -> ScreenRules:
    """The rules in a file; the known forms without one. Raises UsageError, DriverError."""
    if not path:
        return ScreenRules()
    return read_rules(f"--keys: {path}", given_text(path, KEYS_BYTES, "--keys"))


async def _list(wanted: MeasureOptions) -> int:
    drivers, problems = usable_drivers()
    for problem in problems:
        print_error(f"left out: {visible(problem)}")
    here = await programs_here(drivers)
    if wanted.json:
        print_json({"hosts": [_listed_json(one) for one in here]})
        return ExitStatus.OK
    for one in here:
        driver = one.driver
        found = f"{visible(one.version)} here" if one.version else one.missing
        tried = "" if driver.is_tried else ", not tried with this program"
        yours = ", yours" if driver.file else ""
        title = visible(f"{driver.title}: {found} ({driver.licence}{tried}{yours})")
        say(f"{driver.name:<18} {title}")
        modes = (f"{each.name} ({', '.join(each.commands)})" for each in driver.modes)
        say(f"{'':<18} modes: {visible(', '.join(modes))}")
        if not one.version and one.is_looked_for:
            say(f"{'':<18} install: {visible(driver.get)}")
    return ExitStatus.OK


def _listed_json(one: ProgramHere) -> dict[str, JsonValue]:
    driver = one.driver
    return {
        "host": driver.name,
        "title": driver.title,
        "program": one.program if one.version else None,
        "version": one.version or None,
        "package": driver.package,
        "get": driver.get,
        "licence": driver.licence,
        "tried": driver.is_tried,
        "yours": bool(driver.file),
        "modes": [
            {"name": each.name, "title": each.title, "surfaces": list(each.commands)}
            for each in driver.modes
        ],
    }
