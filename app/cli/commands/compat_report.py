"""What `signoff compat` prints: lines, JSON and JUnit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from ...content.text import count, visible
from ...protocol.clients.session import Problem, Reading, SessionSeen, reasons_in
from .compat_check import Differing

_SHOWN = 20


def report_lines(
    name: str, readings: Sequence[Reading], seen: SessionSeen, check: Sequence[Differing] | None
) -> Iterator[str]:
    """Each client with its verdict, then each problem with the clients that it costs something."""
    yield f"{name}: {count(len(seen.tools), 'tool')}, {_answers(seen)}"
    width = max(len(one.client.words) for one in readings)
    for one in readings:
        yield f"{one.client.words:<{width}}  {one.verdict(seen)}"
    reasons = reasons_in(readings)
    for costs, problem in reasons[:_SHOWN]:
        yield from ("", costs, *(f"  {line}" for line in problem.lines))
    if len(reasons) > _SHOWN:
        yield f"\nand {count(len(reasons) - _SHOWN, 'more problem')} (--json has all)"
    if check:
        yield ""
    for done in check or ():
        if not done.is_tried:
            yield f"check  {done.client}: {visible('; '.join(done.words))}"
        elif done.words:
            for words in done.words:
                yield f"check  {done.client} (installed {visible(done.version)}): {words}"
        else:
            yield f"check  {done.client} (installed {visible(done.version)}): as in the table"


def _answers(seen: SessionSeen) -> str:
    if not seen.calls:
        return "results not seen (--capture-file FILE gives some)"
    return f"{count(len(seen.calls), 'result')} seen"


def report_json(
    name: str, readings: Sequence[Reading], seen: SessionSeen, check: Sequence[Differing] | None
) -> dict[str, Any]:
    """The shape of `signoff compat --json`; null stands for what was not seen."""
    return {
        "server": name,
        "tools": len(seen.tools) if seen.pages else None,
        "results_seen": len(seen.calls),
        "clients": [_client(one, seen) for one in readings],
        "check": None if check is None else [_check(one) for one in check],
    }


def _client(reading: Reading, seen: SessionSeen) -> dict[str, Any]:
    client = reading.client
    listed = len(seen.tools) if reading.lists else 0
    return {
        "id": client.id,
        "name": client.name,
        "version": client.version,
        "package": client.package,
        "measured": client.measured,
        "connects": None if seen.greeting is None else reading.connects,
        "lists": listed if seen.pages else None,
        "results": [{"tool": one.tool, "taken": reading.takes_result(one)} for one in seen.calls],
        "problems": [
            {
                "rule": one.rule.code,
                "value": reading.value(one),
                "about": one.about,
                "path": one.path,
                "words": one.rule.words,
                "fix": one.rule.fix,
                "allowed": one.rule.is_allowed,
            }
            for one in reading.problems
        ],
    }


def _check(one: Differing) -> dict[str, Any]:
    return {
        "client": one.client,
        "installed": one.version or None,
        "tried": one.is_tried,
        "differs": one.is_wrong,
        "words": [visible(words) for words in one.words],
    }


def report_junit(
    name: str, readings: Sequence[Reading], seen: SessionSeen, *, is_strict: bool = False
) -> str:
    """One test case for each client; it fails if a problem costs something there.

    What the specification allows fails it only with `is_strict`.
    """
    failures = sum(bool(_failing(one, is_strict=is_strict)) for one in readings)
    numbers = f'tests="{len(readings)}" failures="{failures}" errors="0"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="signoff compat" {numbers}>',
        f'  <testsuite name={quoteattr(visible(name))} {numbers} skipped="0">',
    ]
    for one in readings:
        case = f'    <testcase classname="signoff.compat" name={quoteattr(one.client.words)}'
        if failing := _failing(one, is_strict=is_strict):
            words = "&#10;".join(
                quoteattr(visible(f"{one.value(problem)}: {problem.words}"))[1:-1]
                for problem in failing
            )
            message = quoteattr(one.verdict(seen))
            lines += [f"{case}>", f"      <failure message={message}>{words}</failure>"]
            lines += ["    </testcase>"]
        else:
            lines.append(f"{case}/>")
    return "\n".join((*lines, "  </testsuite>", "</testsuites>")) + "\n"


def _failing(reading: Reading, *, is_strict: bool) -> list[Problem]:
    return [one for one in reading.problems if is_strict or not one.rule.is_allowed]
