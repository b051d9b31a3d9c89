"""`signoff experimental`: lists the drafts, and checks how a server follows them.

The check calls no tool. It sends each server what the draft sends before a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...approval.if_resolved import changes_words
from ...cli.command import on_server, without_server
from ...cli.options.calling import tools_opt
from ...cli.options.declared import opt, options, within
from ...cli.options.parser import VERB, Parser, add_described
from ...cli.options.server import AS_JSON, STRICT, FindingReports
from ...cli.options.session import LISTS, Use
from ...cli.output.finding_reports import print_markdown, write_reports
from ...cli.output.printing import say
from ...cli.output.readable import Out, finding_line
from ...cli.targets.live import Options, opened, print_json, run, status_with_list
from ...cli.tool_inputs import check_names, read_inputs, wanted_tools
from ...content.text import count, visible
from ...engine.all_findings import LocatedFinding, in_order
from ...presentation.exit_status import ExitStatus
from ...presentation.junit import Ending, TestCase, TestSuite
from ...presentation.report_pages import page_of_suites
from ...presentation.server import as_json as server_json
from ...protocol.extensions.on_tools import DRAFTS_OF_DEFINITIONS
from ...protocol.extensions.register import EXTENSIONS, not_in_use
from ...protocol.findings.findings import Severity, reported
from ...protocol.findings.spec_sections import section_behind
from .digest_command import DigestOptions, run_digest
from .resolution_check import CheckedTool, ResolutionCheck

if TYPE_CHECKING:
    from ...cli.output.printing import Hiding
    from ...engine.engine import Engine

_REVISION: Final = 10
IN_USE: Final = "in use"
ELSEWHERE: Final = {
    "server-cards": "not checked here: signoff card",
    "trust-annotations": "not checked here: it is in results, and no tool is called",
}


@options
class DraftsOptions(NamedTuple):
    """Options of `experimental` without a verb."""

    json: bool = AS_JSON


@options
class CheckOptions(NamedTuple):
    """Options of `experimental check`."""

    tools: str = tools_opt()
    inputs: str = opt(
        "--inputs FILE", "JSON file of arguments by tool for tools/resolve (default: samples)"
    )
    strict: bool = STRICT
    reports: FindingReports = within(FindingReports)


def add(parser: Parser) -> None:
    """Add the options of `signoff experimental`."""
    parser.usage = f"{parser.prog} [--json]\n       {parser.prog} check [OPTIONS] SERVER"
    parser.usage += f"\n       {parser.prog} digest [OPTIONS] FILE"
    without_server(parser, DraftsOptions, run_drafts)
    kinds = parser.add_subparsers(dest="verb", metavar=VERB, prog=parser.prog)
    add_described(
        kinds, "check", "check how a server follows the drafts (calls no tools)", _add_check
    )
    add_described(kinds, "digest", "compute the digests of a record of evidence", _add_digest)


def _add_check(parser: Parser) -> None:
    uses = LISTS | {Use.WATCHED}
    on_server(parser, CheckOptions, run_check, uses=uses, watches=True)


def _add_digest(parser: Parser) -> None:
    without_server(parser, DigestOptions, run_digest)


def run_drafts(wanted: DraftsOptions) -> int:
    """List the drafts that `--experimental` turns on; returns the exit status."""
    if wanted.json:
        print_json({"drafts": [_draft(name) for name in EXTENSIONS]})
        return ExitStatus.OK
    for name, one in EXTENSIONS.items():
        say(f"{name}   {one.stage.value}, revision {one.revision[:_REVISION]}")
        for words in (one.about, one.identifier, one.source):
            say(f"  {words}")
    say("")
    say("Turn one on: --experimental NAME. Check a server: signoff experimental check.")
    return ExitStatus.OK


def _draft(name: str) -> dict[str, Any]:
    one = EXTENSIONS[name]
    return {
        "name": name,
        "identifier": one.identifier,
        "stage": one.stage.value,
        "revision": one.revision,
        "source": one.source,
        "about": one.about,
    }


def run_check(options: Options, wanted: CheckOptions) -> int:
    """Open a server with all drafts turned on, and check it; returns the exit status."""
    inputs = read_inputs(wanted.inputs)
    target = replace(options.config.target, experimental=frozenset(EXTENSIONS))
    options = replace(options, config=replace(options.config, target=target))

    async def work() -> int:
        async with opened(options, asks_person=False) as engine:
            listed = engine.definitions.findings
            check_names(engine.tools, inputs, listed)
            check = ResolutionCheck(
                engine, inputs, wanted_tools(engine.tools, wanted.tools, listed)
            )
            await check.run()
            return _tell(options, engine, check, wanted)

    return run(work())


def _standing(engine: Engine, check: ResolutionCheck) -> dict[str, str]:
    """Whether each draft is in use with a server, in words."""
    found = {}
    for name in EXTENSIONS:
        missing = not_in_use(name, engine.server.capabilities)
        if name in check.following:
            found[name] = f"{IN_USE}: {count(check.following[name], 'tool')}"
        elif name in DRAFTS_OF_DEFINITIONS:
            found[name] = "no checked tool has it"
        elif name in ELSEWHERE:
            found[name] = ELSEWHERE[name]
        else:
            found[name] = IN_USE if missing is None else missing.value
    return found


def _status(check: ResolutionCheck, *, is_strict: bool) -> ExitStatus:
    """The worst finding; LOST if nothing was checked, since that passes nothing."""
    severities = {one.finding.severity for one in check.found}
    if Severity.ERROR in severities:
        return ExitStatus.BROKEN
    if is_strict and Severity.WARNING in severities:
        return ExitStatus.DOUBTFUL
    return ExitStatus.OK if check.has_checked else ExitStatus.LOST


def _tell(options: Options, engine: Engine, check: ResolutionCheck, wanted: CheckOptions) -> int:
    hiding, reports = options.hiding(engine), wanted.reports
    found = in_order(check.found)
    status = status_with_list(engine, options, _status(check, is_strict=wanted.strict))
    suites = [_suite(engine.server.name, found, check.tools, is_strict=wanted.strict)]
    number = len(engine.tools)
    write_reports("experimental", suites, reports, hiding.text, tools=number, status=int(status))
    if options.as_json:
        print_json(_report(engine, hiding, found, check, status))
    elif reports.markdown:
        print_markdown(page_of_suites("experimental", suites), hiding.text)
    else:
        _print(engine, hiding, found, check)
    return status


def _clause_of(code: str) -> str:
    """The section of the draft behind a finding, for people; empty for other codes."""
    section = section_behind(code)
    return "" if section is None else section.clause


def _suite(
    name: str, found: Sequence[LocatedFinding], tools: Sequence[CheckedTool], *, is_strict: bool
) -> TestSuite:
    """A test case for each finding, and one for each resolved tool without any."""
    failing = {Severity.ERROR, Severity.WARNING} if is_strict else {Severity.ERROR}
    cases = []
    for one in found:
        finding = one.finding
        ending = Ending.FAILED if finding.severity in failing else Ending.PASSED
        words = f"{reported(finding, one.where)} ({_clause_of(finding.code)})"
        cases.append(
            TestCase("signoff.experimental", finding.code, ending, finding.code, words, words)
        )
    bad = {one.where for one in found}
    cases += [TestCase("signoff.experimental", one.where) for one in tools if one.where not in bad]
    none = TestCase(
        "signoff.experimental", "all drafts", Ending.SKIPPED, message="nothing to check"
    )
    return TestSuite(name, tuple(cases) or (none,))


def _report(
    engine: Engine,
    hiding: Hiding,
    found: Sequence[LocatedFinding],
    check: ResolutionCheck,
    status: ExitStatus,
) -> dict[str, Any]:
    return {
        "server": server_json(engine, hiding),
        "drafts": [
            _draft(name) | {"with_server": words}
            for name, words in _standing(engine, check).items()
        ],
        "tools": hiding.value([one.as_json() for one in check.tools]),
        "not_checked": [hiding.text(words) for words in check.not_checked],
        "findings": hiding.value(
            [
                {
                    "about": one.where,
                    **one.finding.as_json(),
                    "clause": _clause_of(one.finding.code),
                }
                for one in found
            ]
        ),
        "exit_status": int(status),
        "masked": hiding.report(),
    }


def _print(
    engine: Engine, hiding: Hiding, found: Sequence[LocatedFinding], check: ResolutionCheck
) -> None:
    out = Out(hiding)
    out.line(("server   ", "dim"), (visible(engine.server.name), "bold"))
    for name, words in _standing(engine, check).items():
        out.line(
            ("draft    ", "dim"),
            (name, ""),
            (f"   {words}", "" if words.startswith(IN_USE) else "dim"),
        )
    out.line(("watched  ", "dim"), (check.watched_by, "dim"))
    for one in check.tools:
        out.line(("resolved ", "dim"), (one.name, "bold"), (f"   {one.words}", ""))
        if one.hosts:
            out.line(
                ("         ", ""), (f"hosts, if they resolved: {changes_words(one.hosts)}", "dim")
            )
    for words in check.not_checked:
        out.line(("skipped  ", "dim"), (words, "dim"))
    out.blank()
    for located in found:
        finding_line(out, located.finding, located.where, engine.server.version)
    failed = sum(one.finding.severity is Severity.ERROR for one in found)
    told = (
        f"{count(len(check.tools), 'tool')} resolved, {count(failed, 'error')}; no tool was called"
    )
    out.line((told if check.has_checked else "nothing was checked; no tool was called", "bold"))
