"""The findings of `signoff lint`: as lines, JSON, Markdown, SARIF and JUnit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from ...content.frozen import frozen
from ...content.labels import some_named
from ...content.text import count
from ...presentation.exit_status import ExitStatus
from ...presentation.junit import Ending, TestCase, TestSuite, junit_text
from ...presentation.report_pages import ReportPage, ReportSection, named_entry
from ...presentation.sarif import SarifResult, SarifRule, file_uri, sarif_log, sarif_run
from ...protocol.findings.findings import Severity
from ...protocol.tool import ToolDefinition
from .linting import SEVERITIES, Hit
from .list_rules import HOW_COUNTED
from .rule import LintRule

TOOLS_NAMED: Final = 12
_NAMED_IN_BRIEF: Final = 3
LINES_MOST: Final = 26
TOOLS_IN_FULL: Final = 5
"""A report on more tools that would have more lines than these has each kind of note in one."""
NOTHING_CHECKED: Final = "nothing was checked: no tools are listed"
Styled = tuple[str, str]


@frozen
class ShownFinding:
    """One finding. All but `name`, which is exact, is safe to show."""

    rule: LintRule
    severity: Severity
    tool: str
    """Empty for a hit about the list."""
    name: str | None
    message: str
    path: str
    hosts: str
    says: tuple[dict[str, str], ...]
    """What hosts do, one by one."""
    line: int = 0
    """Its line in the file of the definition; 0 without a file."""
    effect: Mapping[str, Any] | None = None
    """What a draft changes, with the names of the tools, masked; None for any other finding."""
    lead: str = ""
    """The message without tools and decisions, for a finding on a draft; else empty."""
    details: tuple[str, ...] = ()
    """These tools and decisions, a line each."""

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
            **self.rule.review_json(),
            **({"effect": dict(self.effect)} if self.effect is not None else {}),
        }


@frozen
class LintReport:
    """A whole run. `source` is the server's name or the file, safe to show."""

    source: str
    file: str
    """The path of the file as it was given; empty for a server."""
    tools: int
    tokens: int
    found: tuple[ShownFinding, ...]
    status: ExitStatus
    masked: dict[str, Any] | None = None
    """What was masked of a server's command and variables; None where nothing was."""
    masked_words: str = ""
    tip: str = ""
    """A line about the whole list that is not a finding; empty for none."""
    model_view: Mapping[str, Any] = field(default_factory=dict)
    """The same for `--json`."""

    @property
    def is_empty(self) -> bool:
        """True if no tool was checked, and nothing else was found."""
        return not self.tools and not self.found

    @property
    def counts(self) -> dict[str, int]:
        counted = Counter(one.severity for one in self.found)
        return {severity.value: counted[severity] for severity in SEVERITIES}

    @property
    def summary(self) -> str:
        """Number of findings of each severity, in words."""
        if self.is_empty:
            return NOTHING_CHECKED
        told = [count(number, word) for word, number in self.counts.items() if number]
        return ", ".join(told) or "no problems found"


def told(problem: Hit, line: int, mask: Callable[[str], str]) -> ShownFinding:
    """A problem as it may be printed."""
    tool, effect = problem.tool, problem.effect

    def shown(one: ToolDefinition) -> str:
        return mask(one.display_name)

    return ShownFinding(
        problem.rule,
        problem.severity,
        "" if tool is None else mask(tool.display_name),
        None if tool is None else mask(tool.name),
        mask(problem.message),
        mask(problem.path),
        mask(problem.hosts_words),
        tuple({"host": one.host, "does": one.does, "would": one.would} for one in problem.hosts),
        line,
        None if effect is None else effect.as_json(mask),
        effect.lead if effect is not None else "" if problem.rule.is_brief else problem.message,
        () if effect is None else effect.details(shown, mask),
    )


def status_of(problems: Sequence[Hit], *, tools: int, is_strict: bool) -> ExitStatus:
    """4 for an error; with `is_strict` 1 for a warning, and 5 without tools; else 0."""
    if is_strict and not tools and not problems:
        return ExitStatus.LOST
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
        "model_view": dict(report.model_view),
        "counts": report.counts,
        "findings": [one.as_json() for one in report.found],
        "exit_status": int(report.status),
        "masked": report.masked,
    }


def grouped(found: Sequence[ShownFinding]) -> Iterator[tuple[ShownFinding, list[ShownFinding]]]:
    """Findings by rule and severity, the first of each before all of them."""
    groups: dict[tuple[Severity, str], list[ShownFinding]] = {}
    for one in found:
        groups.setdefault((one.severity, one.rule.code), []).append(one)
    yield from ((group[0], group) for group in groups.values())


def alike(group: Sequence[ShownFinding], total: int) -> Iterator[tuple[ShownFinding, str, str]]:
    """Group equal findings of one rule: the first, its tools out of `total`, the words on hosts.

    The words on hosts are with the last of those that have the same ones.
    """
    by_hosts: dict[str, dict[str, list[ShownFinding]]] = {}
    for one in group:
        by_hosts.setdefault(one.hosts, {}).setdefault(one.message, []).append(one)
    for hosts in sorted(by_hosts, key=lambda hosts: not hosts):
        same = list(by_hosts[hosts].values())
        tools = sum(len(listed) for listed in same)
        number = f"for these {tools:,} tools, " if tools > 1 else ""
        words = f"{number}hosts {hosts}" if hosts else ""
        for listed in same:
            yield listed[0], _names(listed, total), words if listed is same[-1] else ""


def _names(listed: Sequence[ShownFinding], total: int, most: int = TOOLS_NAMED) -> str:
    if len({one.tool for one in listed if one.tool}) == total > 1:
        return f"each of the {total:,} tools"
    return some_named(listed, most, lambda one: one.tool or "the list")


def report_lines(report: LintReport) -> Iterator[list[Styled]]:
    """The report for people, as pieces with styles; safe to show."""
    whole = list(_lines(report, in_brief=False))
    is_long = len(whole) > LINES_MOST and report.tools > TOOLS_IN_FULL
    yield from _lines(report, in_brief=True) if is_long else whole


def _lines(report: LintReport, *, in_brief: bool) -> Iterator[list[Styled]]:
    """All lines; `in_brief`: each kind of note in one."""
    styles = {Severity.NOTE: "dim", Severity.WARNING: "yellow", Severity.ERROR: "red"}
    yield [("linted   ", "dim"), (report.source, "bold")]
    told = f"{count(report.tools, 'tool')}, about {report.tokens:,} tokens of a model's context"
    yield [("         ", ""), (told, "dim")]
    if report.tip:
        yield [("         ", ""), (report.tip, "dim")]
    is_after_note = False
    for first, group in grouped(report.found):
        is_brief = in_brief and first.severity is Severity.NOTE and first.rule.is_brief
        if not (is_brief and is_after_note):
            yield []
        is_after_note = is_brief
        head = f"{first.severity.value:<7}  {first.rule.code}"
        if is_brief:
            tools = {one.tool: one for one in group}
            names = _names(list(tools.values()), report.tools, _NAMED_IN_BRIEF)
            yield [
                (head, styles[Severity.NOTE]),
                (f"  {first.rule.title}", "bold"),
                (f": {names}", ""),
            ]
            continue
        yield [(head, styles[first.severity]), (f"  {first.rule.title}", "bold")]
        for one, names, hosts in alike(group, report.tools):
            if one.lead:
                yield [("         ", ""), (one.lead, "")]
                yield from ([("           ", ""), (words, "dim")] for words in one.details)
                continue
            place = f"  {one.path}" if names == one.tool and one.path not in ("", "$") else ""
            yield [("         ", ""), (names, ""), (f": {one.message}", ""), (place, "dim")]
            if hosts:
                yield [("           ", ""), (hosts, "dim")]
        yield [("         ", ""), ("fix: ", "dim"), (first.rule.fix, "")]
        if first.rule.clause:
            yield [("         ", ""), ("clause: ", "dim"), (first.rule.clause_words, "")]
    yield []
    yield [(report.summary, "bold")]
    if report.found:
        more = "; --markdown or --json: all notes in full" if in_brief else ""
        yield [(f"signoff lint explain CODE: the reason, with an example{more}", "dim")]
    if report.masked_words:
        yield [(report.masked_words, "dim")]


def report_page(report: LintReport) -> ReportPage:
    """Each rule with the tools that it is about, for Markdown and HTML."""
    lead = [f"{count(report.tools, 'tool')}: {report.summary}."]
    lead += [f"{report.tip}."] if report.tip else []
    lead += [report.masked_words] if report.masked_words else []
    sections = (_section(first, group, report) for first, group in grouped(report.found))
    return ReportPage(f"Lint: {report.source}", tuple(lead), tuple(sections))


def _section(
    first: ShownFinding, group: Sequence[ShownFinding], report: LintReport
) -> ReportSection:
    rule = first.rule
    facts = [("", f"{rule.title}."), ("", rule.why), ("Fix", rule.fix)]
    facts += [("Clause", rule.clause_words)] if rule.clause else []
    entries = (
        named_entry(one.lead, "", one.details)
        if one.lead
        else named_entry(names, one.message, (hosts,) if hosts else ())
        for one, names, hosts in alike(group, report.tools)
    )
    return ReportSection(f"{first.severity.value}: {rule.code}", tuple(entries), tuple(facts))


def reports_sarif(reports: Sequence[LintReport]) -> dict[str, Any]:
    """A log with one run for each server. A finding in a file has a place in it."""
    return sarif_log([_run(report) for report in reports])


def _run(report: LintReport) -> dict[str, Any]:
    return sarif_run(
        "lint",
        [_sarif_result(report, one) for one in report.found],
        source=report.source,
        tools=report.tools,
        status=int(report.status),
    )


def _sarif_rule(rule: LintRule) -> SarifRule:
    url = rule.review_json()["source"] if rule.review else ""
    return SarifRule(rule.code, rule.title, rule.why, rule.fix, rule.severity.value, url)


def _sarif_result(report: LintReport, one: ShownFinding) -> SarifResult:
    hosts = f" (hosts {one.hosts})" if one.hosts else ""
    return SarifResult(
        _sarif_rule(one.rule),
        one.severity.value,
        f"{one.about}: {one.message}{hosts}",
        one.tool,
        whole=f"{one.tool}{one.path.removeprefix('$')}",
        file=file_uri(report.file),
        line=one.line,
        same=(one.name or "", one.path, one.message),
    )


def reports_junit(reports: Sequence[LintReport], *, is_strict: bool) -> str:
    """One suite for each server, and one test case for each finding; it failed if it makes the
    command fail.

    Other findings are cases that passed, with their words as output. Without findings there is one
    case that passed, so that no reader takes the report for an empty one; without tools it is
    skipped, or failed if `is_strict`.
    """
    suites = [
        TestSuite(report.source, tuple(_junit_cases(report, is_strict=is_strict)))
        for report in reports
    ]
    return junit_text("lint", suites)


def _junit_cases(report: LintReport, *, is_strict: bool) -> Iterator[TestCase]:
    failing = {Severity.ERROR, Severity.WARNING} if is_strict else {Severity.ERROR}
    if report.is_empty:
        ending = Ending.FAILED if is_strict else Ending.SKIPPED
        yield TestCase("signoff.lint", "all rules", ending, message=NOTHING_CHECKED)
    elif not report.found:
        yield TestCase("signoff.lint", "all rules")
    for one in report.found:
        words = [f"{one.severity.value}: {one.message}", one.rule.why, f"fix: {one.rule.fix}"]
        if one.rule.clause:
            words.append(f"clause: {one.rule.clause_words}")
        words += [f"hosts {one.hosts}"] if one.hosts else []
        yield TestCase(
            f"signoff.lint.{one.rule.code}",
            f"{one.tool or 'the list'}{one.path.removeprefix('$')}",
            Ending.FAILED if one.severity in failing else Ending.PASSED,
            one.rule.code,
            one.message,
            "\n".join(words),
            report.file,
            one.line,
        )
