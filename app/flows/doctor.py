"""`signoff doctor`: all that is odd about a server before anything is called, for people and CI.

It greets the server, lists every page of all that it offers, and pings it. Tools are not called,
prompts not asked for and resources not read: nobody would have approved that.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from signoff.app.bench.bench import Bench
from signoff.app.core.exit_status import ExitStatus
from signoff.app.core.findings import Finding, Severity, error, rank
from signoff.app.core.offers.values import Kind
from signoff.app.core.spec_sections import section_behind
from signoff.app.core.text import count, visible
from signoff.app.core.wire.frames import CLIENT
from signoff.app.core.wire.frames import Kind as FrameKind
from signoff.app.core.wire.reading import read
from signoff.app.flows.hiding import Hiding
from signoff.app.flows.live import NotConnected, Options, opened, print_json, run
from signoff.app.flows.readable import Out, finding_line
from signoff.app.flows.reports import server_report
from signoff.app.options.live import Doctor

SEVERITIES: Final = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
CALLED_NOTHING: Final = "no tool was called, no prompt asked for, no resource read"


@dataclass(frozen=True, slots=True)
class Seen:
    """A finding, and what it is about: `tool NAME`, `prompt NAME`, `the connection`."""

    where: str
    finding: Finding


def run_doctor(options: Options, wanted: Doctor) -> int:
    """Greet a server, list all that it offers, and tell what is odd; returns the exit status."""
    return run(_examine(options, wanted))


async def _examine(options: Options, wanted: Doctor) -> int:
    failed: list[Bench] = []
    try:
        async with opened(options, failed.append) as bench:
            await bench.offers.listed()
            pinged = await _pinged(bench)
            bench.catch_up()
            seen = in_order([*found(bench), *pinged])
            status = status_of(seen, is_strict=wanted.strict)
            _tell(options, bench, seen, status)
    except NotConnected:
        for bench in failed:
            bench.catch_up()
            _tell(options, bench, in_order(found(bench)), ExitStatus.LOST)
        raise
    return status


async def _pinged(bench: Bench) -> list[Seen]:
    took, problem = await bench.offers.ping()
    if not problem:
        return []
    words = f"the server gave no sign of life for {took:.0f} s: {problem}"
    return [Seen("the connection", error("ping-unanswered", words))]


def found(bench: Bench) -> list[Seen]:
    """Every finding on the connection, the definitions and whatever else the server offers."""
    seen = [Seen("the connection", one) for one in bench.all_findings()]
    seen += [Seen("the lists", one) for one in bench.offers.findings]
    for tool in bench.tools:
        seen += [Seen(f"tool {tool.name_shown}", one) for one in tool.findings]
    for kind in Kind:
        for offer in bench.offers.of(kind):
            where = f"{kind.word} {offer.name_shown}"
            seen += [Seen(where, one) for one in offer.findings]
    return seen


def in_order(seen: list[Seen]) -> list[Seen]:
    """Those that matter most first."""
    return sorted(seen, key=lambda one: -rank(one.finding.severity))


def status_of(seen: list[Seen], *, is_strict: bool) -> ExitStatus:
    """4 for an error; with `is_strict` 1 for a warning; else 0."""
    severities = {one.finding.severity for one in seen}
    if Severity.ERROR in severities:
        return ExitStatus.BROKEN
    is_worn = is_strict and Severity.WARNING in severities
    return ExitStatus.DOUBTFUL if is_worn else ExitStatus.OK


def _tell(options: Options, bench: Bench, seen: list[Seen], status: ExitStatus) -> None:
    hiding = options.hiding(bench)
    if options.as_json:
        print_json(_report(bench, hiding, seen, status))
    else:
        _print(bench, hiding, seen)


def _report(bench: Bench, hiding: Hiding, seen: list[Seen], status: ExitStatus) -> dict[str, Any]:
    version = bench.server.version
    findings = [
        {"about": one.where, **one.finding.as_json(), "specification": _cited(one, version)}
        for one in seen
    ]
    return {
        "server": server_report(bench, hiding),
        "offers": {"tools": len(bench.tools)}
        | {kind.plural: len(bench.offers.of(kind)) for kind in Kind},
        "requests": _requests(bench),
        "counts": _counts(seen),
        "findings": hiding.value(findings),
        "exit_status": int(status),
        "masked": hiding.report(),
    }


def _print(bench: Bench, hiding: Hiding, seen: list[Seen]) -> None:
    out = Out(hiding)
    server = bench.server
    out.line(("server   ", "dim"), (visible(server.name), "bold"))
    if server.version:
        out.line(("         ", ""), (f"protocol {server.protocol_words}", "dim"))
    listed = [count(len(bench.tools), "tool")]
    listed += [count(len(bench.offers.of(kind)), kind.word) for kind in Kind]
    out.line(("         ", ""), (", ".join(listed), "dim"))
    asked = (f"{name} ×{times}" if times > 1 else name for name, times in _requests(bench).items())
    out.line(("asked    ", "dim"), (", ".join(asked), "dim"))
    out.line(("         ", ""), (CALLED_NOTHING, "dim"))
    out.blank()
    for one in seen:
        section = section_behind(one.finding.code, server.version, one.finding.path)
        finding_line(out, one.finding, one.where, section)
    told = ", ".join(count(number, name) for name, number in _counts(seen).items() if number)
    out.line((told or "nothing is odd about it", "bold"))


def _requests(bench: Bench) -> dict[str, int]:
    """How often the server was asked what, as it went over the wire."""
    frames = bench.link.wire.since(0)
    sent = (read(one) for one in frames if one.sender == CLIENT and not one.is_http_only)
    return dict(Counter(one.method for one in sent if one.kind is FrameKind.REQUEST))


def _cited(seen: Seen, version: str) -> dict[str, str] | None:
    section = section_behind(seen.finding.code, version, seen.finding.path)
    return None if section is None else section.as_json()


def _counts(seen: list[Seen]) -> dict[str, int]:
    counted = Counter(one.finding.severity for one in seen)
    return {severity.value: counted[severity] for severity in SEVERITIES}
