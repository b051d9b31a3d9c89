"""`signoff lint`: the definitions of a server, or of a file, held against the rules."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from rich.text import Text

from ...analysis.lint.linting import GROUPS, RULES, Weighing, explained, lint
from ...analysis.lint.list_rules import tokens
from ...analysis.lint.rule import Subject
from ...content.json.jsonio import JsonValue
from ...content.suggest import did_you_mean, shown_name
from ...content.text import shortened, visible
from ...engine.policy_state import read_rulebook
from ...headless.exit_status import ExitStatus
from ...headless.live import Options, opened, print_json, run
from ...headless.plain_console import PlainConsole
from ...headless.printing import complain, encodable, say
from ...headless.targets import UsageError
from ...protocol.definitions.lists import compare_lists
from ...protocol.tool import ToolDefinition
from ...protocol.tool_reading import read_tools
from ...sandbox.worker import shut_down
from ..options.lint import Lint, LintFile
from .lint_evidence import (
    answers_that_broke,
    entries_of_file,
    faults_of,
    pinned_entries,
    weighing_of_file,
)
from .lint_formats import report_junit, report_markdown, report_sarif
from .lint_report import (
    LintReport,
    report_json,
    report_lines,
    status_of,
    told,
)

_SHOWN: Final = 60


def run_lint(options: Options, wanted: Lint) -> int:
    """Hold a server's definitions against the rules; nothing is called.

    Returns the exit status. Raises UsageError for a baseline or rules that cannot be read.
    """
    weighing, pinned = weighing_of_file(wanted.rules), pinned_entries(wanted.pin)
    setup = options.setup
    broken_in = setup.audit, setup.keeps_audit

    async def work() -> int:
        async with opened(options) as bench:
            tools, hiding = bench.tools, options.hiding(bench)
            subject = await _subject(tools, weighing, pinned, broken_in)
            name = visible(bench.server.name)
            found = _report(subject, weighing, wanted, name, hiding.text)
            report = replace(found, masked=hiding.report(), masked_words=hiding.words())
            _print(report, wanted)
        return report.status

    return run(work())


def run_lint_file(wanted: LintFile) -> int:
    """The same for a file of definitions: no server is started."""
    given = wanted.lint
    weighing, pinned = weighing_of_file(given.rules), pinned_entries(given.pin)
    found = entries_of_file(wanted.file)
    tools = read_tools(found.entries, found.version)
    broken_in = Path(wanted.audit) if wanted.audit else None, not wanted.no_audit
    try:
        subject = asyncio.run(_subject(tools, weighing, pinned, broken_in))
    finally:
        shut_down()
    source = visible(wanted.file)
    report = _report(subject, weighing, given, source, str, wanted.file, found.lines)
    _print(report, given)
    return report.status


def run_lint_explain(code: str) -> int:
    """The page of a rule; the list of all, where no code is given."""
    if not code:
        for group, rules in GROUPS.items():
            say(group)
            for rule in rules:
                say(f"    {rule.severity.value:<7}  {rule.code}   {rule.title}")
        return ExitStatus.OK
    if code not in RULES:
        hint = did_you_mean(code, RULES) or "; signoff lint explain lists them"
        raise UsageError(f"there is no rule {shown_name(shortened(code, _SHOWN))}{hint}")
    for line in explained(RULES[code]):
        say(line)
    return ExitStatus.OK


async def _subject(
    tools: tuple[ToolDefinition, ...],
    weighing: Weighing,
    pinned: Sequence[JsonValue] | None,
    broken_in: tuple[Path | None, bool],
) -> Subject:
    log, is_read = broken_in
    raw = [tool.raw for tool in tools]
    faults = await faults_of(tools)
    return Subject(
        tools,
        weighing.limits,
        faults.schemas,
        faults.patterns,
        answers_that_broke(log) if is_read else {},
        None if pinned is None else compare_lists(pinned, raw),
    )


def _report(
    subject: Subject,
    weighing: Weighing,
    wanted: Lint,
    source: str,
    mask: Callable[[str], str],
    file: str = "",
    lines: Sequence[int] = (),
) -> LintReport:
    rulebook = read_rulebook()
    for problem in rulebook.host_problems:
        complain(f"left out: {problem}")
    found = lint(subject, weighing, rulebook.hosts)
    known = dict(enumerate(lines))
    return LintReport(
        source,
        file,
        len(subject.tools),
        sum(map(tokens, subject.tools)),
        tuple(told(one, known.get(one.tool.index, 0) if one.tool else 0, mask) for one in found),
        status_of(found, is_strict=wanted.strict),
    )


def _print(report: LintReport, wanted: Lint) -> None:
    match wanted.shape:
        case "json":
            print_json(report_json(report))
        case "sarif":
            print_json(report_sarif(report))
        case "junit":
            print(encodable(report_junit(report, is_strict=wanted.strict), sys.stdout), end="")
        case "markdown":
            print(encodable(report_markdown(report), sys.stdout), end="")
        case _:
            console = PlainConsole()
            for pieces in report_lines(report):
                console.tell(Text.assemble(*pieces))
