"""`signoff decide`: who is asked before each tool runs, and what a change of definitions changes.

The baseline is a file that is reviewed with the code. Without one the decisions are printed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.text import Text

from ...approval.matrix import build_matrix
from ...cli.command import OnOpen, on_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.options.server import (
    JSON,
    MARKDOWN,
    hosts_option,
    report_file,
    shapes,
)
from ...cli.options.session import LISTS, Use
from ...cli.output.finding_reports import print_markdown
from ...cli.output.printing import PlainConsole, tell
from ...cli.output.report_files import write_report
from ...cli.targets.given_files import given_path, given_text, write_given
from ...cli.targets.live import NoTools, Options, check_whole, json_text, opened, print_json, run
from ...cli.targets.policies import columns_named
from ...cli.targets.targets import UsageError
from ...content.json.jsonio import JsonError
from ...content.suggest import did_you_mean
from ...content.text import visible
from ...engine.draft_effects import effects_on
from ...engine.findings import KeptFrames, readings_of
from ...platforms.files import why
from ...presentation.exit_status import ExitStatus
from ...presentation.report_pages import page_html
from ...protocol.clients.session import session_of
from ...protocol.extensions.register import not_in_use
from ...protocol.extensions.tool_resolution import NAME as RESOLUTION
from ...protocol.server import Trust
from ...protocol.wire.frames import Frame
from ...storage.state_dir import shown
from .baseline import (
    LONGEST,
    LONGEST_LINE,
    Baseline,
    BaselineError,
    baseline_of,
    is_baseline,
    read_baseline,
    write_baseline,
)
from .changes import ChangeKind, compare
from .decisions import DEFAULT_HOSTS, Decisions, library_readings
from .lines import report_lines
from .page import badge_json, comment_markdown, report_page
from .reports import report_json, report_junit, report_sarif
from .words import Report

if TYPE_CHECKING:
    from ...approval.policies.policy import Policy
    from ...engine.engine import Engine

_STYLES: Final = {"strong": "bold", "dim": "dim"}


_KINDS: Final = ", ".join(ChangeKind)


@options
class DecideOptions(NamedTuple):
    """Options of `decide`."""

    baseline: str = opt(
        "--baseline FILE", "compare with the decisions in FILE (default: only print the decisions)"
    )
    """The file that is compared with; empty for none."""
    write_baseline: str = opt(
        "--write-baseline FILE", "write the decisions to FILE, for review with the code"
    )
    """The file that is written; empty for none."""
    columns: tuple[str, ...] = hosts_option(
        "show only these hosts and policies, separated by commas, such as vscode,codex:exec,"
        "cautious (default: those of the baseline, else twelve usual ones)"
    )
    """Hosts, modes and policies; empty for those of the baseline, or the usual ones."""
    fail_on: tuple[str, ...] = opt(
        "--fail-on KIND",
        f"exit with 4 if a difference is of this kind; several with commas: {_KINDS} "
        "(new-runs: a new tool runs without a question; lost: a client library no longer accepts "
        "the list of tools; new includes new-runs, and gone includes renamed)",
    )
    """Kinds of difference that end it with a status of their own."""
    comment: str = opt(
        "--comment FILE",
        "write the comment for a pull request to FILE; empty if no decision changed",
    )
    badge: str = opt("--badge FILE", "write a badge for shields.io to FILE")
    shape: str = shapes(JSON, MARKDOWN)
    """lines, json or markdown."""
    junit: str = report_file("junit")
    sarif: str = report_file("sarif")
    html: str = report_file("html")


def add(decide: Parser) -> None:
    on_server(decide, DecideOptions, run_decide, uses=LISTS | {Use.TRUST})


_INCLUDED: Final = {ChangeKind.NEW: (ChangeKind.NEW_RUNS,), ChangeKind.GONE: (ChangeKind.RENAMED,)}
"""Kinds that are meant by another one, too."""


class _ReadyDecide(NamedTuple):
    """The options, with the file and the names in them."""

    wanted: DecideOptions
    failing: frozenset[ChangeKind]
    baseline: Baseline | None
    columns: Sequence[Policy]


def _ready(wanted: DecideOptions) -> _ReadyDecide:
    """Read the baseline and the names. Raises UsageError."""
    failing = _failing(wanted)
    if wanted.write_baseline:
        _check_replaced(wanted.write_baseline)
    is_written = wanted.baseline == wanted.write_baseline
    baseline = _read(wanted.baseline, may_be_missing=is_written) if wanted.baseline else None
    return _ReadyDecide(wanted, failing, baseline, _columns(wanted, baseline))


def _alone(options: Options, wanted: DecideOptions) -> int:
    """Open a server, and keep what it sends from the first message on."""
    ready = _ready(wanted)
    kept = KeptFrames(options.config.target.wire.sink)
    options.config.target.wire.sink = kept

    async def work() -> int:
        async with opened(options) as engine:
            return await _decided(options, engine, ready, kept.frames)

    return run(work())


async def _on_open(options: Options, engine: Engine, ready: _ReadyDecide) -> int:
    """The same on a server that was opened before, whose list is requested again."""
    await engine.definitions.recheck()
    return await _decided(options, engine, ready, engine.link.wire.since(0))


async def _decided(
    options: Options, engine: Engine, ready: _ReadyDecide, frames: Sequence[Frame]
) -> int:
    check_whole(engine, options)
    has_earlier = ready.baseline is not None and bool(ready.baseline.tools)
    if not engine.tools and (ready.wanted.write_baseline or not has_earlier):
        raise NoTools("nothing is decided, compared or written")
    readings = await readings_of(session_of(frames), tell)
    matrix = build_matrix(engine.tools, ready.columns, server=engine.server.name)
    is_on = RESOLUTION in engine.link.capabilities.experimental
    is_resolving = is_on and not_in_use(RESOLUTION, engine.server.capabilities) is None
    decisions = Decisions(
        matrix,
        engine.server.trust,
        library_readings(readings),
        is_resolving=is_resolving,
        drafts=effects_on(engine, ready.columns, engine.server.trust),
    )
    return _finish(options, engine, ready, decisions)


async def write_session_baseline(engine: Engine, frames: Sequence[Frame], path: str) -> None:
    """Write the decisions on the tools of a session that ends, as `--write-baseline` does.

    Results of calls are left out: `decide` makes no calls, so they would differ in each comparison.
    Prints why nothing is written.
    """
    if not engine.tools:
        tell("signoff: --write-baseline: the host listed no tools; nothing is written")
        return
    session = session_of(frames)
    session.calls.clear()
    readings = await readings_of(session, tell)
    matrix = build_matrix(
        engine.tools, columns_named(",".join(DEFAULT_HOSTS)), server=engine.server.name
    )
    try:
        text = _text(Decisions(matrix, engine.server.trust, library_readings(readings)))
        write_given("--write-baseline", path, text)
    except (JsonError, UsageError) as problem:
        tell(f"signoff: --write-baseline: {visible(str(problem))}")


run_decide = OnOpen(_on_open, before=_ready, alone=_alone)
"""Print the decisions or their differences; returns the exit status. Raises UsageError."""


def _finish(options: Options, engine: Engine, ready: _ReadyDecide, decisions: Decisions) -> int:
    wanted, failing, baseline, _ = ready
    if baseline is not None and baseline.trust is not decisions.trust:
        is_trusted = baseline.trust is Trust.TRUSTED
        kind, option = ("a trusted", "--trust") if is_trusted else ("an untrusted", "--no-trust")
        raise UsageError(
            f"{shown(Path(wanted.baseline))} was written for {kind} server: give {option}"
        )
    try:
        difference = None if baseline is None else compare(baseline, decisions)
        report = Report(
            visible(options.hiding(engine).said(engine.server.name)),
            decisions,
            difference,
            visible(wanted.baseline),
            failing,
            options.hiding(engine).said,
        )
        status = ExitStatus.BROKEN if report.failed else ExitStatus.OK
        if wanted.write_baseline:
            write_given("--write-baseline", wanted.write_baseline, _text(decisions))
            tell(f"written: {shown(Path(wanted.write_baseline).expanduser())}")
    except JsonError as problem:
        raise UsageError(f"a definition has no digest: {problem.reason}") from None
    for option, file, make in (
        ("--html", wanted.html, lambda one: page_html(report_page(one))),
        ("--comment", wanted.comment, comment_markdown),
        ("--badge", wanted.badge, badge_json),
        ("--junit", wanted.junit, report_junit),
    ):
        if file:
            write_report(option, file, make(report))
    if not engine.tools and status is ExitStatus.OK:
        tell("signoff: the server lists no tools: all of the baseline count as gone")
        status = ExitStatus.LOST
    if wanted.sarif:
        write_report("--sarif", wanted.sarif, json_text(report_sarif(report, int(status))))
    _print(report, wanted.shape, status)
    return status


def _text(decisions: Decisions) -> str:
    try:
        return write_baseline(baseline_of(decisions))
    except JsonError:
        raise
    except ValueError as problem:
        raise UsageError(f"--write-baseline: {problem}") from None


def _print(report: Report, shape: str, status: ExitStatus) -> None:
    if shape == "json":
        print_json(report_json(report, int(status)))
    elif shape == "markdown":
        print_markdown(report_page(report))
    else:
        out = PlainConsole()
        for line, style in report_lines(report):
            out.tell(Text(line, style=_STYLES.get(style, "")))


def _failing(wanted: DecideOptions) -> frozenset[ChangeKind]:
    given = [one.strip() for words in wanted.fail_on for one in words.split(",") if one.strip()]
    for one in given:
        if one not in list(ChangeKind):
            hint = did_you_mean(one, list(ChangeKind))
            raise UsageError(f"--fail-on: unknown kind {visible(one)!r}{hint} (known: {_KINDS})")
    if given and not wanted.baseline:
        raise UsageError("--fail-on needs something to compare with: give --baseline FILE")
    return frozenset(
        kind for one in given for kind in (ChangeKind(one), *_INCLUDED.get(ChangeKind(one), ()))
    )


def _columns(wanted: DecideOptions, baseline: Baseline | None) -> tuple[Policy, ...]:
    """The hosts that are named, those of the baseline, or the usual ones. Raises UsageError."""
    names = [one for words in wanted.columns for one in words.split(",") if one.strip()]
    if names:
        return columns_named(",".join(names))
    if baseline is None or not baseline.hosts:
        return columns_named(",".join(DEFAULT_HOSTS))
    found: list[Policy] = []
    for name in baseline.hosts:
        try:
            found += columns_named(name.replace(",", " "))
        except UsageError as problem:
            tell(f"signoff: left out: {visible(wanted.baseline)}: {problem}")
    if not found:
        raise UsageError(f"{visible(wanted.baseline)}: no known host; give --hosts HOST[:MODE]")
    usual = {name: at for at, name in enumerate(DEFAULT_HOSTS)}
    return tuple(sorted(found, key=lambda one: (usual.get(one.name, len(usual)), one.name)))


def _read(path: str, *, may_be_missing: bool) -> Baseline | None:
    """The baseline in a file; None if there is none and one is going to be written."""
    place = given_path(path, "--baseline")
    if not os.path.lexists(place):
        if may_be_missing:
            return None
        raise UsageError(f"{shown(place)}: no such baseline; --write-baseline FILE writes one")
    try:
        return read_baseline(given_text(place, 4 * LONGEST))
    except BaselineError as problem:
        lines = "\n".join(f"{shown(place)} {line}" for line in problem.lines)
        raise UsageError(lines) from None


def _check_replaced(path: str) -> None:
    """Raise UsageError for a file with anything but a baseline, which would be lost."""
    place = given_path(path, "--write-baseline")
    if not place.is_file():
        return
    try:
        with place.open("rb") as file:
            line = file.readline(LONGEST_LINE)
    except OSError as problem:
        raise UsageError(
            f"--write-baseline: {shown(place)} cannot be read: {why(problem)}"
        ) from None
    if line and not is_baseline(line.decode("utf-8", "replace")):
        words = "is not a baseline and would be overwritten: give another file, or remove it"
        raise UsageError(f"--write-baseline: {shown(place)} {words}")
