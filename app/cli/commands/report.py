"""`signoff report`: a server, or several, as one HTML page for a reviewer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...content.text import visible
from ...engine.policy_state import read_rulebook
from ...engine.report import Session, session_of, session_page, summary
from ...headless.exit_status import ExitStatus
from ...headless.live import Options, opened, run
from ...headless.printing import print_error, tell
from ...headless.targets import UsageError
from ..command import on_server
from ..options.parser import Parser
from ..options.server import add_bundled

if TYPE_CHECKING:
    from ...approval.policies.verdicts import Verdict
    from ...engine.engine import Engine
    from ...engine.policy_state import PolicyCatalog
    from ...headless.several import SeveralOptions


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
    on_server(report, ReportOptions, run_report, several=run_on_several)


def run_report(options: Options, wanted: ReportOptions) -> int:
    """Look at a server, and write the page; returns the exit status."""
    return run(_report(options, wanted))


def _rulebook() -> PolicyCatalog:
    rulebook = read_rulebook()
    for problem in rulebook.problems:
        print_error(f"left out: {problem}")
    return rulebook


async def _report(options: Options, wanted: ReportOptions) -> int:
    rulebook = _rulebook()
    async with opened(options) as engine:
        await engine.offers.listed()
        session = session_of(engine, rulebook.columns)
    _write(session_page(session), wanted, summary(session))
    return ExitStatus.OK


def _write(page: str, wanted: ReportOptions, words: str) -> None:
    """Write a page, and report its contents in short. Raises UsageError if it cannot be written."""
    if not wanted.html:
        print(page, end="")
        return
    try:
        Path(wanted.html).write_text(page, encoding="utf-8")
    except OSError as problem:
        shown = visible(wanted.html)
        raise UsageError(f"--html {shown} cannot be written: {problem.strerror}") from None
    tell(f"{visible(wanted.html)}: {words}")


def run_on_several(several: SeveralOptions, wanted: ReportOptions) -> int:
    """Look at each server, and write one page about all of them."""
    return run(_of_several(several, wanted))


async def _of_several(several: SeveralOptions, wanted: ReportOptions) -> int:
    from ...analysis.combinations import combine
    from ...headless.several import on_each, print_problems, status_of_all
    from ...presentation.servers_page import ReportedServer, pages_summary, servers_page

    rulebook = _rulebook()

    async def reported(engine: Engine, options: Options) -> tuple[Session, Mapping[int, Verdict]]:
        await engine.offers.listed()
        verdicts = {tool.index: engine.verdict(tool) for tool in engine.tools}
        return session_of(engine, rulebook.columns), verdicts

    results = await on_each(several.servers, reported)
    found = {one.name: one.result for one in results if one.result is not None}
    servers = [
        ReportedServer(
            one.name, one.shown, one.result[0] if one.result is not None else None, one.problem
        )
        for one in results
    ]
    page = servers_page(
        servers,
        combine((name, session.tools) for name, (session, _) in found.items()),
        lambda one: found[one.server][1][one.tool.index],
    )
    _write(page, wanted, pages_summary(servers))
    print_problems(results)
    return status_of_all(results)
