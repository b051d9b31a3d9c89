"""`signoff lint`: checks the definitions of a server, or of a file, against the rules.

Findings are printed with secrets masked, and safe to show; also as Markdown, SARIF 2.1.0 and JUnit
XML. Names and texts come from servers: each format gets them through its own escapes.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from rich.text import Text

from ...approval.draft_effects import DraftEffects, effects_of
from ...approval.draft_tools import DraftSubject
from ...cli.command import AlsoOnOpen, Command, OnOpen, WithoutServer, add_shared, read_on_server
from ...cli.options.declared import add_options, opt, options, read_values
from ...cli.options.meaning import ALL_VALUES
from ...cli.options.parser import DEMO, Parser
from ...cli.options.server import (
    JSON,
    MARKDOWN,
    STRICT,
    report_file,
    shapes,
)
from ...cli.options.session import LISTS, Targets
from ...cli.output.finding_reports import print_markdown
from ...cli.output.printing import PlainConsole, print_error, say
from ...cli.output.report_files import write_report
from ...cli.targets.live import (
    Options,
    check_whole,
    json_text,
    print_json,
    run,
    status_with_list,
)
from ...cli.targets.targets import UsageError
from ...content.json.jsonio import JsonValue
from ...content.suggest import did_you_mean, shown_name
from ...content.text import shortened, visible
from ...engine.draft_effects import effects_on, known_columns
from ...engine.policy_state import read_rulebook
from ...engine.schema_faults import faults_of
from ...presentation.exit_status import ExitStatus
from ...presentation.report_pages import joined_pages, page_html
from ...protocol.definitions.lists import compare_lists
from ...protocol.extensions.on_tools import with_drafts
from ...protocol.extensions.register import not_in_use
from ...protocol.extensions.tool_resolution import NAME as TOOL_RESOLUTION
from ...protocol.tool import ToolDefinition
from ...protocol.tool_reading import read_tools
from ...sandbox.worker import shut_down
from .linting import GROUPS, RULES, RuleWeights, explained, lint
from .list_rules import tokens
from .model_rules import model_view_json, model_view_tip
from .report import (
    LintReport,
    report_json,
    report_lines,
    report_page,
    reports_junit,
    reports_sarif,
    status_of,
    told,
)
from .rule import REVIEWS, Subject
from .sources import AnswersSeen, answers_seen, entries_of_file, pinned_entries, weighing_of_file

if TYPE_CHECKING:
    from ...cli.targets.live import SeveralOptions
    from ...engine.engine import Engine

_SHOWN: Final = 60


EXPLAIN = "explain"
_FOR_FILES = frozenset(
    (
        "mode",
        "words",
        "read_command",
        "adjust_words",
        "bundled",
        "alone",
        "strict",
        "pin",
        "rules",
        "reviews",
        "shape",
        "junit",
        "sarif",
        "html",
        "audit",
        "experimental",
    )
)
"""What counts for a file of definitions, of all that may have been given."""


@options
class LintOptions(NamedTuple):
    """Judge the definitions of a server by the rules."""

    words: tuple[str, ...] = opt(
        f"{DEMO} | FILE | {EXPLAIN} [CODE]",
        "the bundled server; a file with a tools/list response, `signoff tools --json` or a "
        "baseline; `explain`: describes a rule",
        nargs="*",
    )
    strict: bool = STRICT
    """Whether warnings end it with a status of their own."""
    pin: str = opt("--pin FILE", "report changes since this baseline, too")
    """The file of a baseline; empty for none."""
    rules: str = opt("--rules FILE", "TOML file that turns rules off or changes their severity")
    """The file that weighs the rules; empty for none."""
    reviews: tuple[str, ...] = opt(
        f"--review {'{' + ','.join(sorted(REVIEWS)) + '}'}",
        "check what the review of a directory refuses, too",
        choices=sorted(REVIEWS),
        earlier="--for",
    )
    """The reviews whose rules count, too."""
    shape: str = shapes(JSON, MARKDOWN)
    """lines, json or markdown."""
    junit: str = report_file("junit")
    sarif: str = report_file("sarif")
    html: str = report_file("html")
    """The files of further reports; empty for none."""
    audit: str | None = None
    """The log in which responses are looked up; without one nothing of earlier runs counts."""


class ExplainedCode(NamedTuple):
    """Explain one code, or list all."""

    code: str


class FileOptions(NamedTuple):
    """Judge the definitions in a file."""

    file: str
    lint: LintOptions
    drafts: tuple[str, ...] = ()
    """Names of drafts whose rules count, too."""


def add(lint: Parser) -> None:
    """Add the options of `signoff lint` beside those of every command with a server."""
    lint.target_usage = f"[{DEMO} | FILE | --url URL | -- COMMAND [ARG...]]"
    lint.usage = f"{lint.prog} [OPTIONS] {lint.target_usage}\n       {lint.prog} {EXPLAIN} [CODE]"
    add_options(lint, LintOptions)
    add_shared(lint, LISTS, Targets.SEVERAL)
    lint.set_defaults(adjust_words=_adjust_words, read_command=_read, alone=None)


def _read(given: argparse.Namespace) -> Command:
    if given.alone is not None:
        return cast("Command", given.alone)
    return read_on_server(given, LintOptions, run_lint, several=run_lint_on_several)


def _adjust_words(parser: Parser, given: argparse.Namespace, rest: list[str]) -> list[str]:
    """Find out which of the three commands is meant; returns unknown words."""
    words = [*given.words, *(word for word in rest if not word.startswith("-"))]
    given.bundled = DEMO if words == [DEMO] else None
    given.alone = None
    if words[:1] == [EXPLAIN]:
        if len(words) > 2:
            parser.error(f"lint {EXPLAIN} takes one code")
        code = words[1] if len(words) == 2 else ""
        given.alone = WithoutServer("lint of a file", ExplainedCode(code), _EXPLAINS)
    elif words and given.bundled is None:
        if len(words) > 1:
            parser.error(f"lint takes one target: {DEMO}, --url, a file, or -- COMMAND")
        useless = sorted(set(vars(given)) - _FOR_FILES - ALL_VALUES)
        if useless:
            names = ", ".join(f"--{name.replace('_', '-')}" for name in useless)
            parser.error(f"for a file no server is started: leave {names} out")
        drafts = tuple(getattr(given, "experimental", ()))
        own = FileOptions(words[0], read_values(LintOptions, given), drafts)
        given.alone = WithoutServer("lint of a file", own, run_lint_file)
    return [word for word in rest if word.startswith("-")]


class _ReadyLint(NamedTuple):
    """The options, with the files that they name."""

    wanted: LintOptions
    weighing: RuleWeights
    pinned: tuple[JsonValue, ...] | None
    seen: AnswersSeen


def _ready(wanted: LintOptions) -> _ReadyLint:
    """Read the files. Raises UsageError."""
    weighing, pinned = weighing_of_file(wanted.rules), pinned_entries(wanted.pin)
    return _ReadyLint(wanted, weighing, pinned, answers_seen(wanted.audit))


async def _lint(options: Options, engine: Engine, ready: _ReadyLint) -> int:
    wanted, weighing, pinned, seen = ready
    if pinned is not None:
        check_whole(engine, options, "nothing is compared with --pin")
    subject = await _subject(engine.tools, weighing, pinned, seen, wanted, *_drafts(engine))
    report = _of_engine(engine, options, subject, weighing, wanted)
    _write([report], wanted)
    _print(report, wanted)
    return report.status


run_lint = OnOpen(_lint, before=_ready)
"""Hold a server's definitions against the rules; nothing is called.

Returns the exit status. Raises UsageError for a baseline, rules or a log that cannot be read.
"""


def run_lint_on_several(several: SeveralOptions, wanted: LintOptions) -> int:
    """Hold the definitions of several servers against the rules, one report for each of them."""
    from ...cli.targets.live import on_each, print_problems, status_of_all

    if wanted.pin:
        raise UsageError("--pin is for one server: give one --server NAME")
    weighing, seen = weighing_of_file(wanted.rules), answers_seen(wanted.audit)

    async def lint_one(engine: Engine, options: Options) -> LintReport:
        subject = await _subject(engine.tools, weighing, None, seen, wanted, *_drafts(engine))
        return _of_engine(engine, options, subject, weighing, wanted)

    async def work() -> int:
        results = await on_each(several.servers, lint_one)
        reports = [one.result for one in results if one.result is not None]
        _write(reports, wanted)
        if wanted.shape == "json":
            print_json(
                {
                    "servers": [
                        one.as_json() if one.result is None else report_json(one.result)
                        for one in results
                    ]
                }
            )
        else:
            for report in reports:
                _print(report, wanted)
            print_problems(results)
        return status_of_all(results, [one.status for one in reports])

    return run(work())


def _of_engine(
    engine: Engine, options: Options, subject: Subject, weighing: RuleWeights, wanted: LintOptions
) -> LintReport:
    hiding = options.hiding(engine)
    name = visible(engine.server.name)
    found = _report(subject, weighing, wanted, name, hiding.text)
    status = status_with_list(engine, options, found.status)
    return replace(found, status=status, masked=hiding.report(), masked_words=hiding.words())


def run_lint_file(wanted: FileOptions) -> int:
    """The same for a file of definitions: no server is started."""
    given = wanted.lint
    weighing, pinned = weighing_of_file(given.rules), pinned_entries(given.pin)
    found = entries_of_file(wanted.file)
    tools = with_drafts(read_tools(found.entries, found.version), wanted.drafts)
    seen = answers_seen(given.audit)
    try:
        columns = known_columns() if wanted.drafts else ()
        drafted = DraftSubject(tools, frozenset(wanted.drafts), None, None, columns)
        effects = effects_of(drafted)
        subject = asyncio.run(_subject(tools, weighing, pinned, seen, given, drafts=effects))
    finally:
        shut_down()
    source = visible(wanted.file)
    report = _report(subject, weighing, given, source, str, wanted.file, found.lines)
    _write([report], given)
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
        raise UsageError(f"no such rule: {shown_name(shortened(code, _SHOWN))}{hint}")
    for line in explained(RULES[code]):
        say(line)
    return ExitStatus.OK


async def _explain(options: Options, engine: Engine, wanted: ExplainedCode) -> int:
    return run_lint_explain(wanted.code)


_EXPLAINS: Final = AlsoOnOpen(lambda wanted: run_lint_explain(wanted.code), _explain)


async def _subject(
    tools: tuple[ToolDefinition, ...],
    weighing: RuleWeights,
    pinned: Sequence[JsonValue] | None,
    seen: AnswersSeen,
    wanted: LintOptions,
    not_resolved: str = "",
    drafts: tuple[DraftEffects, ...] = (),
) -> Subject:
    raw = [tool.raw for tool in tools]
    faults = await faults_of(tools)
    return Subject(
        tools,
        weighing.limits,
        faults.schemas,
        faults.patterns,
        seen.broken,
        seen.halves,
        None if pinned is None else compare_lists(pinned, raw),
        not_resolved,
        frozenset(wanted.reviews),
        drafts,
    )


def _drafts(engine: Engine) -> tuple[str, tuple[DraftEffects, ...]]:
    """Why the server resolves no hints, empty if it does; and what each draft changes."""
    missing = not_in_use(TOOL_RESOLUTION, engine.server.capabilities)
    return "" if missing is None else missing.value, effects_on(engine)


def _report(
    subject: Subject,
    weighing: RuleWeights,
    wanted: LintOptions,
    source: str,
    mask: Callable[[str], str],
    file: str = "",
    lines: Sequence[int] = (),
) -> LintReport:
    rulebook = read_rulebook()
    for problem in rulebook.host_problems:
        print_error(f"left out: {problem}")
    found = lint(subject, weighing, rulebook.hosts)
    known = dict(enumerate(lines))
    return LintReport(
        source,
        file,
        len(subject.tools),
        sum(map(tokens, subject.tools)),
        tuple(told(one, known.get(one.tool.index, 0) if one.tool else 0, mask) for one in found),
        status_of(found, tools=len(subject.tools), is_strict=wanted.strict),
        tip=model_view_tip(subject.tools),
        model_view=model_view_json(subject.tools),
    )


def _write(reports: Sequence[LintReport], wanted: LintOptions) -> None:
    """Write the reports that are files."""
    if wanted.junit:
        text = reports_junit(reports, is_strict=wanted.strict)
        write_report("--junit", wanted.junit, text)
    if wanted.sarif:
        write_report("--sarif", wanted.sarif, json_text(reports_sarif(reports)))
    if wanted.html:
        write_report("--html", wanted.html, page_html(joined_pages(map(report_page, reports))))


def _print(report: LintReport, wanted: LintOptions) -> None:
    match wanted.shape:
        case "json":
            print_json(report_json(report))
        case "markdown":
            print_markdown(report_page(report))
        case _:
            console = PlainConsole()
            for pieces in report_lines(report):
                console.tell(Text.assemble(*pieces))
