"""`signoff doctor`: findings on a server before any call, for people and CI.

It initializes the server, lists every page of all its offers, and pings it. Tools are not called,
prompts not requested and resources not read: that would need approval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from ...cli.command import OnOpen, on_server
from ...cli.options.declared import opt, options, within
from ...cli.options.parser import Parser
from ...cli.options.server import STRICT, FindingReports
from ...cli.options.session import LISTS
from ...cli.output.finding_reports import print_markdown, write_cases
from ...cli.output.located import status_of
from ...cli.output.printing import Hiding
from ...cli.output.readable import Out, finding_line
from ...cli.output.report_files import write_report
from ...cli.targets.live import NotConnected, Options, json_text, opened, print_json, run
from ...content.labels import some_named
from ...content.text import count, visible
from ...engine.all_findings import LocatedFinding, all_findings, in_order
from ...engine.definitions import SAME_LISTS_MAX
from ...engine.engine import Engine
from ...engine.schema_faults import faults_of
from ...presentation.exit_status import ExitStatus
from ...presentation.junit import Ending, TestCase, TestSuite
from ...presentation.report_pages import page_of_suites
from ...presentation.server import as_json as server_json
from ...protocol.findings.findings import Finding, Severity, error, reported
from ...protocol.findings.spec_sections import MODERN, section_behind
from ...protocol.resources.offers import OfferKind
from ...protocol.wire.frames import CLIENT, FrameKind
from ...protocol.wire.reading import read
from ...sandbox.worker import WorkerStopped
from ...transport.sign_in.values import Discovery
from .sarif import doctor_sarif
from .sign_in import WHERE as SIGN_IN
from .sign_in import (
    print_sign_in,
    print_signed_in,
    sign_in_cases,
    sign_in_findings,
    sign_in_of,
    sign_in_report,
    signed_in_of,
)
from .slow_calls import Longest, longest_calls

SEVERITIES: Final = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
SUBJECTS_NAMED: Final = 12
_TOOL: Final = "tool "
CALLED_NOTHING: Final = "no tool was called, no prompt requested, no resource read"


@options
class DoctorOptions(NamedTuple):
    """Options of `doctor`."""

    strict: bool = STRICT
    """Whether warnings end it with a status of their own."""
    reports: FindingReports = within(FindingReports)
    sign_in_only: bool = opt(
        "--sign-in-only", "check only the sign-in of a --url server: its tools may stay unexamined"
    )
    slow_calls: bool = opt(
        "--slow-calls", "compare the longest calls in the audit log with how long hosts wait"
    )


def add(doctor: Parser) -> None:
    on_server(doctor, DoctorOptions, run_doctor, uses=LISTS)


async def _examine(options: Options, engine: Engine, wanted: DoctorOptions) -> int:
    """Ping an open server, list its offers, and print findings; returns the exit status."""
    await engine.offers.listed()
    pinged = await _pinged(engine)
    for _ in range(SAME_LISTS_MAX):
        # What announces changes is asked for them: they may be none. Its announcement may
        # follow the list, but comes before the response to the next request.
        if engine.definitions.has_news:
            await engine.definitions.refresh()
            await engine.offers.ping()
    engine.observed.catch_up()
    schemas = await _schemas_found(engine)
    lost = [] if engine.server.is_open else [_not_examined(engine)]
    found = await sign_in_of(engine)
    signed = sign_in_findings(found)
    longest = longest_calls(engine.tools, options.config.audit) if wanted.slow_calls else None
    slow = [
        LocatedFinding(f"{_TOOL}{tool.display_name}", one)
        for tool, one in (longest.findings if longest is not None else ())
    ]
    seen = in_order([*all_findings(engine), *schemas, *pinged, *lost, *signed, *slow])
    status = status_of(seen, is_strict=wanted.strict)
    _tell(options, engine, Examined(seen, status, found, longest), wanted)
    return status


def _open_and_examine(options: Options, wanted: DoctorOptions) -> int:
    return run(_opened(options, wanted))


async def _opened(options: Options, wanted: DoctorOptions) -> int:
    """Open a server and examine it; also one that cannot be opened is reported."""
    failed: list[Engine] = []
    try:
        async with opened(options, failed.append, asks_person=False) as engine:
            return await _examine(options, engine, wanted)
    except NotConnected:
        for engine in failed:
            engine.observed.catch_up()
            found = await sign_in_of(engine)
            signed = sign_in_findings(found)
            is_enough = wanted.sign_in_only and found is not None
            lost = [] if is_enough else [_not_examined(engine, needs_sign_in=found is not None)]
            seen = in_order([*all_findings(engine), *lost, *signed])
            status = status_of(signed, is_strict=wanted.strict)
            if not is_enough and status is not ExitStatus.BROKEN:
                status = ExitStatus.LOST
            _tell(options, engine, Examined(seen, status, found), wanted)
            if status is not ExitStatus.LOST:
                return status
        raise


run_doctor = OnOpen(_examine, before=lambda wanted: wanted, alone=_open_and_examine)
"""Initialize a server, list its offers, and print findings; returns the exit status."""


def _not_examined(engine: Engine, *, needs_sign_in: bool = False) -> LocatedFinding:
    """Finding for a server that is gone, so that missing lists were not examined."""
    if needs_sign_in:
        # Its page is beside this finding.
        why = "the server requires a sign-in, and there is none that it accepts"
    else:
        why = engine.server.ended_words or "the server did not answer in time"
    return LocatedFinding(
        "the connection", error("not-examined", f"{why}; the rest was not examined")
    )


async def _schemas_found(engine: Engine) -> list[LocatedFinding]:
    """Findings on schemas and patterns that cannot be used."""
    try:
        faults = await faults_of(engine.tools)
    except WorkerStopped as stopped:
        words = f"no schema was checked: {stopped.reason}"
        return [LocatedFinding("the lists", error("unusable-schema", words))]
    found = []
    for tool in engine.tools:
        where = f"tool {tool.display_name}"
        unusable = faults.schemas.get(tool.index, ("", ""))
        for key, fault in zip(("inputSchema", "outputSchema"), unusable, strict=True):
            if fault:
                finding = error("unusable-schema", f"{key}: {fault}", f"$.{key}")
                found.append(LocatedFinding(where, finding))
        found += [LocatedFinding(where, one) for one in faults.patterns.get(tool.index, ())]
    return found


async def _pinged(engine: Engine) -> list[LocatedFinding]:
    took, problem = await engine.offers.ping()
    if not problem:
        return []
    words = f"the server gave no sign of life for {took:.0f} s: {problem}"
    return [LocatedFinding("the connection", error("ping-unanswered", words))]


class Examined(NamedTuple):
    """The result of an examination."""

    seen: list[LocatedFinding]
    """Those that matter most first."""
    status: ExitStatus
    sign_in: Discovery | None
    """None if the server required no sign-in."""
    longest: Longest | None = None
    """None without `--slow-calls`."""


def _tell(options: Options, engine: Engine, found: Examined, wanted: DoctorOptions) -> None:
    hiding = options.hiding(engine)
    reports = wanted.reports
    suites = [_suite(engine.server.name, found, is_strict=wanted.strict)]
    write_cases("doctor", suites, reports, hiding.text)
    if reports.sarif:
        log = doctor_sarif(engine, hiding, found.seen, found.status)
        write_report("--sarif", reports.sarif, json_text(log))
    if options.as_json:
        print_json(_report(engine, hiding, found))
    elif reports.markdown:
        print_markdown(page_of_suites("doctor", suites), hiding.text)
    else:
        _print(engine, hiding, found, wanted, is_fresh=options.session is None)


def _suite(name: str, found: Examined, *, is_strict: bool) -> TestSuite:
    """One test case for each code, with all its findings, and one for each check of the sign-in; it
    failed if it makes the command fail.

    Without findings there is one case that passed.
    """
    failing = {Severity.ERROR, Severity.WARNING} if is_strict else {Severity.ERROR}
    by_code: dict[str, list[LocatedFinding]] = {}
    for one in found.seen:
        if one.where != SIGN_IN:
            by_code.setdefault(one.finding.code, []).append(one)
    cases = []
    for code, some in by_code.items():
        lines = [reported(one.finding, one.where) for one in some]
        is_failed = any(one.finding.severity in failing for one in some)
        ending = Ending.FAILED if is_failed else Ending.PASSED
        cases.append(TestCase("signoff.doctor", code, ending, code, lines[0], "\n".join(lines)))
    if found.sign_in is not None:
        cases += sign_in_cases(found.sign_in, failing)
    none = TestCase("signoff.doctor", "all checks")
    return TestSuite(name, tuple(cases) or (none,))


def _report(engine: Engine, hiding: Hiding, found: Examined) -> dict[str, Any]:
    version = engine.server.version
    findings = [
        {"about": one.where, **one.finding.as_json(), "specification": _cited(one, version)}
        for one in found.seen
    ]
    sign_in = None if found.sign_in is None else sign_in_report(found.sign_in, version or MODERN)
    return {
        "server": server_json(engine, hiding),
        "offers": {"tools": len(engine.tools)}
        | {kind.plural: len(engine.offers.of(kind)) for kind in OfferKind},
        "requests": _requests(engine),
        "sign_in": hiding.value(sign_in),
        **({} if found.longest is None else {"slow_calls": hiding.value(found.longest.as_json())}),
        "counts": _counts(found.seen),
        "findings": hiding.value(findings),
        "exit_status": int(found.status),
        "masked": hiding.report(),
    }


def _print(
    engine: Engine, hiding: Hiding, found: Examined, wanted: DoctorOptions, *, is_fresh: bool
) -> None:
    out = Out(hiding)
    server = engine.server
    out.line(("server   ", "dim"), (visible(server.name), "bold"))
    if server.version:
        out.line(("         ", ""), (f"protocol {server.protocol_words}", "dim"))
        listed = [count(len(engine.tools), "tool")]
        listed += [count(len(engine.offers.of(kind)), kind.word) for kind in OfferKind]
        out.line(("         ", ""), (", ".join(listed), "dim"))
    asked = [f"{name} ×{times}" if times > 1 else name for name, times in _requests(engine).items()]
    out.line(("asked    ", "dim"), (", ".join(asked) or "nothing", "dim"))
    if is_fresh:
        out.line(("         ", ""), (CALLED_NOTHING, "dim"))
    if found.longest is not None:
        out.line(("slow     ", "dim"), (found.longest.words, "dim"))
    if (signed_in := signed_in_of(engine)) is not None:
        print_signed_in(out, signed_in)
    if found.sign_in is not None:
        print_sign_in(out, found.sign_in, server.version or MODERN)
    elif wanted.sign_in_only:
        out.line(("sign-in  ", "dim"), ("not required: the server answered without it", ""))
    out.blank()
    # The page of the sign-in has its own findings, with more about each.
    for subjects, finding in _by_finding(one for one in found.seen if one.where != SIGN_IN):
        finding_line(out, finding, _subjects_words(subjects), server.version)
    told = ", ".join(count(number, name) for name, number in _counts(found.seen).items() if number)
    has_lists = any((len(engine.tools), *(len(engine.offers.of(kind)) for kind in OfferKind)))
    has_more = has_lists or found.sign_in is not None
    nothing = "no problems found" if has_more else "no problems found; the server lists nothing"
    out.line((told or nothing, "bold"))


def _by_finding(seen: Iterable[LocatedFinding]) -> Iterator[tuple[list[str], Finding]]:
    """Each finding once, with all that it is about."""
    groups: dict[tuple[str, ...], tuple[list[str], Finding]] = {}
    for one in seen:
        finding = one.finding
        key = (finding.severity.value, finding.code, finding.message, finding.path)
        groups.setdefault(key, ([], finding))[0].append(one.where)
    yield from groups.values()


def _subjects_words(subjects: Sequence[str]) -> str:
    """`tool a`; `tools a, b and 9 more`; of other subjects all that are named."""
    if len(subjects) == 1:
        return subjects[0]
    if all(one.startswith(_TOOL) for one in subjects):
        names = some_named(subjects, SUBJECTS_NAMED, lambda one: one.removeprefix(_TOOL))
        return f"tools {names}"
    return some_named(subjects, SUBJECTS_NAMED)


def _requests(engine: Engine) -> dict[str, int]:
    """Count the requests on the wire, by method."""
    frames = engine.link.wire.since(0)
    sent = (read(one) for one in frames if one.sender == CLIENT and not one.is_http_only)
    return dict(Counter(one.method for one in sent if one.kind is FrameKind.REQUEST))


def _cited(seen: LocatedFinding, version: str) -> dict[str, str] | None:
    section = section_behind(seen.finding.code, version, seen.finding.path)
    return None if section is None else section.as_json()


def _counts(seen: list[LocatedFinding]) -> dict[str, int]:
    counted = Counter(one.finding.severity for one in seen)
    return {severity.value: counted[severity] for severity in SEVERITIES}
