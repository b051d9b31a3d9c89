"""What `signoff lint` found, as it may be printed: secrets masked, and safe to show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...analysis.lint.linting import SEVERITIES
from ...analysis.lint.linting import Hit as Problem
from ...analysis.lint.list_rules import HOW_COUNTED
from ...analysis.lint.rule import Rule
from ...content.text import count
from ...headless.exit_status import ExitStatus
from ...protocol.findings import Severity

TOOLS_NAMED: Final = 12
Styled = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Told:
    """One finding. All but `name`, which is exact, is safe to show."""

    rule: Rule
    severity: Severity
    tool: str
    """Empty where it is about the list."""
    name: str | None
    message: str
    path: str
    hosts: str
    says: tuple[dict[str, str], ...]
    """What hosts do, one by one."""
    line: int = 0
    """Of the file in which the definition stands; 0 where there is none."""

    @property
    def about(self) -> str:
        return f"tool {self.tool}" if self.tool else "the list"

    def as_json(self) -> dict[str, Any]:
        """The shape that `signoff lint --json` prints."""
        return {
            "code": self.rule.code,
            "severity": self.severity.value,
            "about": self.about,
            "tool": self.name,
            "message": self.message,
            "path": self.path,
            **({"line": self.line} if self.line else {}),
            "title": self.rule.title,
            "fix": self.rule.fix,
            "hosts": list(self.says),
            "hosts_if": self.rule.supposing if self.says and self.rule.supposing else None,
        }


@dataclass(frozen=True, slots=True)
class LintReport:
    """A whole run. `source` is the server's name or the file, safe to show."""

    source: str
    file: str
    """The path of the file as it was given; empty for a server."""
    tools: int
    tokens: int
    found: tuple[Told, ...]
    status: ExitStatus
    masked: dict[str, Any] | None = None
    """What was masked of a server's command and variables; None where nothing was."""
    masked_words: str = ""

    @property
    def counts(self) -> dict[str, int]:
        counted = Counter(one.severity for one in self.found)
        return {severity.value: counted[severity] for severity in SEVERITIES}

    @property
    def summary(self) -> str:
        """How many there are of each severity, in words."""
        told = [count(number, word) for word, number in self.counts.items() if number]
        return ", ".join(told) or "nothing is doubtful about it"


def told(problem: Problem, line: int, mask: Callable[[str], str]) -> Told:
    """A problem as it may be printed."""
    tool = problem.tool
    return Told(
        problem.rule,
        problem.severity,
        "" if tool is None else mask(tool.name_shown),
        None if tool is None else mask(tool.name),
        mask(problem.message),
        mask(problem.path),
        mask(problem.hosts_words),
        tuple({"host": one.host, "does": one.does, "would": one.would} for one in problem.hosts),
        line,
    )


def status_of(problems: Sequence[Problem], *, is_strict: bool) -> ExitStatus:
    """4 for an error; with `is_strict` 1 for a warning; else 0."""
    severities = {one.severity for one in problems}
    if Severity.ERROR in severities:
        return ExitStatus.BROKEN
    is_doubtful = is_strict and Severity.WARNING in severities
    return ExitStatus.DOUBTFUL if is_doubtful else ExitStatus.OK


def report_json(report: LintReport) -> dict[str, Any]:
    """`signoff lint --json`."""
    return {
        "source": report.source,
        "file": report.file or None,
        "tools": report.tools,
        "tokens": report.tokens,
        "tokens_counted": HOW_COUNTED,
        "counts": report.counts,
        "findings": [one.as_json() for one in report.found],
        "exit_status": int(report.status),
        "masked": report.masked,
    }


def grouped(found: Sequence[Told]) -> Iterator[tuple[Told, list[Told]]]:
    """Findings by rule and severity, the first of each before all of them."""
    groups: dict[tuple[Severity, str], list[Told]] = {}
    for one in found:
        groups.setdefault((one.severity, one.rule.code), []).append(one)
    yield from ((group[0], group) for group in groups.values())


def alike(group: Sequence[Told], total: int) -> Iterator[tuple[Told, str]]:
    """Findings of one rule that say the same, once, with the tools that they are about, out of so
    many."""
    same: dict[tuple[str, str], list[Told]] = {}
    for one in group:
        same.setdefault((one.message, one.hosts), []).append(one)
    for listed in same.values():
        if len({one.tool for one in listed if one.tool}) == total > 1:
            yield listed[0], f"each of the {total:,} tools"
            continue
        names = [one.tool or "the list" for one in listed[:TOOLS_NAMED]]
        more = len(listed) - TOOLS_NAMED
        yield listed[0], ", ".join(names) + (f" and {more:,} more" if more > 0 else "")


def report_lines(report: LintReport) -> Iterator[list[Styled]]:
    """The report for people, as pieces with styles; safe to show."""
    styles = {Severity.NOTE: "dim", Severity.WARNING: "yellow", Severity.ERROR: "red"}
    yield [("linted   ", "dim"), (report.source, "bold")]
    told = f"{count(report.tools, 'tool')}, about {report.tokens:,} tokens of a model's context"
    yield [("         ", ""), (told, "dim")]
    for first, group in grouped(report.found):
        yield []
        head = f"{first.severity.value:<7}  {first.rule.code}"
        yield [(head, styles[first.severity]), (f"  {first.rule.title}", "bold")]
        for one, names in alike(group, report.tools):
            place = f"  {one.path}" if names == one.tool and one.path not in ("", "$") else ""
            yield [("         ", ""), (names, ""), (f": {one.message}", ""), (place, "dim")]
            if one.hosts:
                yield [("           ", ""), (f"hosts {one.hosts}", "dim")]
        yield [("         ", ""), ("fix: ", "dim"), (first.rule.fix, "")]
    yield []
    yield [(report.summary, "bold")]
    if report.found:
        yield [("signoff lint explain CODE says why, with an example", "dim")]
    if report.masked_words:
        yield [(report.masked_words, "dim")]
