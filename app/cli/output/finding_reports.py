"""The reports of a command on its findings, all made of the same cases."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from ...presentation.junit import TestSuite, junit_text
from ...presentation.report_pages import ReportPage, page_html, page_markdown, page_of_suites
from ...presentation.sarif import suites_sarif
from ..options.server import FindingReports
from ..targets.live import json_text
from .printing import encodable
from .report_files import write_report


def write_reports(
    command: str,
    suites: Sequence[TestSuite],
    wanted: FindingReports,
    mask: Callable[[str], str] = str,
    *,
    tools: int,
    status: int,
) -> None:
    """Write the files that are wanted; `mask` hides the secrets of each text."""
    write_cases(command, suites, wanted, mask)
    write_sarif(command, suites, wanted.sarif, mask, tools=tools, status=status)


def write_cases(
    command: str,
    suites: Sequence[TestSuite],
    wanted: FindingReports,
    mask: Callable[[str], str] = str,
) -> None:
    """The same without SARIF, for a command with one of its own."""
    if wanted.junit:
        write_report("--junit", wanted.junit, junit_text(command, suites, mask))
    if wanted.html:
        write_report("--html", wanted.html, page_html(page_of_suites(command, suites), mask))


def write_sarif(
    command: str,
    suites: Sequence[TestSuite],
    file: str,
    mask: Callable[[str], str] = str,
    *,
    tools: int,
    status: int,
) -> None:
    """The cases that failed as SARIF; `file` is empty for none."""
    if file:
        log = suites_sarif(command, suites, mask, tools=tools, status=status)
        write_report("--sarif", file, json_text(log))


def print_markdown(page: ReportPage, mask: Callable[[str], str] = str) -> None:
    """Print a report in Markdown."""
    print(encodable(page_markdown(page, mask), sys.stdout), end="")
