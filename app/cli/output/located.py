"""Findings with their subjects, of a command that has nothing else: lines, JSON, reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from ...engine.all_findings import LocatedFinding
from ...presentation.exit_status import ExitStatus
from ...presentation.junit import Ending, TestCase, TestSuite
from ...protocol.findings.findings import Severity, reported
from ...protocol.findings.spec_sections import MODERN, section_behind
from .readable import Out, finding_line


def status_of(seen: Iterable[LocatedFinding], *, is_strict: bool) -> ExitStatus:
    """4 for an error; with `is_strict` 1 for a warning; else 0."""
    severities = {one.finding.severity for one in seen}
    if Severity.ERROR in severities:
        return ExitStatus.BROKEN
    is_worn = is_strict and Severity.WARNING in severities
    return ExitStatus.DOUBTFUL if is_worn else ExitStatus.OK


def print_located(out: Out, seen: Sequence[LocatedFinding], version: str) -> None:
    """A line for each finding, the section behind it, and the numbers at the end."""
    for one in seen:
        finding_line(out, one.finding, one.where, version)
    counted = Counter(one.finding.severity for one in seen)
    numbers = [f"{counted[one]:,} {one.value}" for one in reversed(Severity) if counted[one]]
    plural = [f"{words}s" if not words.startswith("1 ") else words for words in numbers]
    out.line((", ".join(plural) or "no problems found", "bold"))


def located_json(one: LocatedFinding, version: str = MODERN) -> dict[str, Any]:
    """A finding with its subject, and the section behind it."""
    section = section_behind(one.finding.code, version, one.finding.path)
    cited = None if section is None else section.as_json()
    return {"about": one.where, **one.finding.as_json(), "specification": cited}


def suite_of(
    command: str,
    name: str,
    subjects: Sequence[str],
    seen: Sequence[LocatedFinding],
    *,
    is_strict: bool,
) -> TestSuite:
    """A test case for each finding, and one that passed for each subject without any."""
    failing = {Severity.ERROR, Severity.WARNING} if is_strict else {Severity.ERROR}
    classname = f"signoff.{command}"
    cases = []
    for one in seen:
        is_failed = one.finding.severity in failing
        ending = Ending.FAILED if is_failed else Ending.PASSED
        code, words = one.finding.code, reported(one.finding)
        shown = words if is_failed else ""
        kind = code if is_failed else ""
        cases.append(TestCase(classname, f"{one.where}: {code}", ending, kind, shown, words))
    with_findings = {one.where for one in seen}
    cases += [TestCase(classname, one) for one in subjects if one not in with_findings]
    return TestSuite(name, tuple(cases) or (TestCase(classname, "all checks"),))
