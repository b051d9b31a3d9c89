"""`signoff report`: a server, or several, as one HTML page for a reviewer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from ...cli.command import OnOpen, on_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.options.session import JUDGES
from ...cli.output.printing import print_error
from ...cli.output.report_files import STANDARD_OUTPUT, write_page
from ...cli.targets.live import Options, run, status_with_list
from ...engine.policy_state import read_rulebook
from .page import Session, session_of, session_page, summary

if TYPE_CHECKING:
    from ...approval.policies.verdicts import Verdict
    from ...cli.targets.live import SeveralOptions
    from ...engine.engine import Engine
    from ...engine.policy_state import PolicyCatalog


@options
class ReportOptions(NamedTuple):
    """Write a server's offers as a page."""

    html: str = opt("--html FILE", "write the page to FILE (default: -, standard output)")
    """The file; empty for standard output."""


def add(report: Parser) -> None:
    on_server(report, ReportOptions, run_report, several=run_on_several, uses=JUDGES)


def _rulebook() -> PolicyCatalog:
    rulebook = read_rulebook()
    for problem in rulebook.problems:
        print_error(f"left out: {problem}")
    return rulebook


def write_session(engine: Engine, file: str) -> None:
    """Write the page of a session that others had. Raises UsageError."""
    session = session_of(engine, _rulebook().columns)
    write_page(session_page(session), file, summary(session))


async def _report(
    options: Options, engine: Engine, ready: tuple[ReportOptions, PolicyCatalog]
) -> int:
    wanted, rulebook = ready
    await engine.offers.listed()
    session = session_of(engine, rulebook.columns)
    status = status_with_list(engine, options)
    write_page(session_page(session), wanted.html or STANDARD_OUTPUT, summary(session))
    return status


run_report = OnOpen(_report, before=lambda wanted: (wanted, _rulebook()))
"""Look at a server, and write the page; returns the exit status."""


def run_on_several(several: SeveralOptions, wanted: ReportOptions) -> int:
    """Look at each server, and write one page about all of them."""
    return run(_of_several(several, wanted))


async def _of_several(several: SeveralOptions, wanted: ReportOptions) -> int:
    from ...approval.combinations import combine
    from ...cli.targets.live import on_each, print_problems, status_of_all
    from .servers_page import ReportedServer, pages_summary, servers_page

    rulebook = _rulebook()
    statuses: list[int] = []

    async def reported(engine: Engine, options: Options) -> tuple[Session, Mapping[int, Verdict]]:
        await engine.offers.listed()
        statuses.append(status_with_list(engine, options))
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
    write_page(page, wanted.html or STANDARD_OUTPUT, pages_summary(servers))
    print_problems(results)
    return status_of_all(results, statuses)
