"""`signoff report`: a server as one HTML page for a reviewer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...content.text import visible
from ...engine.policy_state import read_rulebook
from ...engine.report import session_of, session_page, summary
from ...headless.exit_status import ExitStatus
from ...headless.live import Options, opened, run
from ...headless.printing import print_error, tell
from ...headless.targets import UsageError
from ..command import on_server
from ..options.parser import Parser
from ..options.server import add_bundled

if TYPE_CHECKING:
    pass


class ReportOptions(NamedTuple):
    """Write a server's offers as a page."""

    html: str
    """The file; empty for standard output."""


def add(report: Parser) -> None:
    report.add_argument(
        "--html",
        metavar="FILE",
        default="",
        help="write the page to FILE (default: standard output)",
    )
    add_bundled(report)
    on_server(report, ReportOptions, run_report)


def run_report(options: Options, wanted: ReportOptions) -> int:
    """Look at a server, and write the page; returns the exit status."""
    return run(_report(options, wanted))


async def _report(options: Options, wanted: ReportOptions) -> int:
    rulebook = read_rulebook()
    for problem in rulebook.problems:
        print_error(f"left out: {problem}")
    async with opened(options) as engine:
        await engine.offers.listed()
        session = session_of(engine, rulebook.columns)
    page = session_page(session)
    if not wanted.html:
        print(page, end="")
        return ExitStatus.OK
    try:
        Path(wanted.html).write_text(page, encoding="utf-8")
    except OSError as problem:
        shown = visible(wanted.html)
        raise UsageError(f"--html {shown} cannot be written: {problem.strerror}") from None
    tell(f"{visible(wanted.html)}: {summary(session)}")
    return ExitStatus.OK
