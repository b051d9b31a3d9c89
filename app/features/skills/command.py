"""`signoff skills`: list the skills of a server, show one, check or approve them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ...approval.skill_approvals import SkillState
from ...calls.call import Call
from ...cli.calling import answering
from ...cli.command import OnOpen, on_server
from ...cli.options.calling import ANSWER, APPROVE, PERSON_ASKED
from ...cli.options.declared import opt, options, within
from ...cli.options.parser import Parser
from ...cli.options.server import STRICT, FindingReports
from ...cli.options.session import REQUESTS
from ...cli.output.finding_reports import print_markdown, write_reports
from ...cli.output.located import located_json, print_located, status_of, suite_of
from ...cli.output.printing import Hiding
from ...cli.output.readable import Out
from ...cli.targets.given_files import given_data, write_given
from ...cli.targets.live import Options, print_json
from ...cli.targets.targets import UsageError
from ...content.text import count, shortened, visible
from ...engine.all_findings import LocatedFinding, in_order
from ...engine.engine import Engine
from ...presentation.exit_status import ExitStatus
from ...presentation.report_pages import page_of_suites
from ...presentation.server import as_json as server_json
from ...protocol.extensions.register import EXTENSIONS
from ...protocol.extensions.skills import MAIN, SKILLS, Skill
from ...protocol.findings.findings import Severity
from .approving import SkillStanding, approval_findings, standings_of
from .baseline import LONGEST, SkillBaselineError, baseline_text, read_baseline, standings_by
from .reading import THE_LIST, TURNED_OFF, SkillChecked, SkillFileRead, SkillReader, where, why_not
from .remembering import asker_of, remember_on_terminal
from .words import (
    change_json,
    change_lines,
    checked_lines,
    file_json,
    file_lines,
    skill_json,
    skill_lines,
)

_NOTHING_READ: Final = "no file was read: --check reads all, --show NAME one"


@options
class SkillOptions(NamedTuple):
    """Options of `skills`."""

    show: str = opt("--show NAME", f"read {MAIN} of this skill, by its name or URI", rivals="work")
    file: str = opt("--file PATH", f"with --show: read this file of it (default: {MAIN})")
    check: bool = opt("--check", "read every file of all skills, and verify it", rivals="work")
    remember: str = opt(
        "--remember NAME",
        "read this skill whole, then ask on the terminal to remember your approval of it",
        rivals="work",
    )
    approved: bool = opt(
        "--approved",
        "exit with 3 unless you approved every skill, with 4 if an approved one changed",
        rivals="approvals",
    )
    baseline: str = opt(
        "--baseline FILE",
        "the same with the skills in FILE as the approved ones",
        rivals="approvals",
    )
    write_baseline: str = opt(
        "--write-baseline FILE", "write the skills to FILE, for review with the code"
    )
    strict: bool = STRICT
    reports: FindingReports = within(FindingReports)
    approve: str = APPROVE
    person: str = PERSON_ASKED
    answer: str = ANSWER


def add(parser: Parser) -> None:
    on_server(parser, SkillOptions, run_skills, uses=REQUESTS)


class _ReadySkills(NamedTuple):
    """The options, with the baseline that they name."""

    wanted: SkillOptions
    baseline: Mapping[str, Skill] | None = None


def _ready(wanted: SkillOptions) -> _ReadySkills:
    """Read the baseline. Raises UsageError."""
    if wanted.file and not wanted.show:
        raise UsageError("--file is for --show NAME")
    compares = bool(wanted.approved or wanted.baseline or wanted.write_baseline)
    if compares and (wanted.show or wanted.remember):
        raise UsageError("--approved and baselines are for the list of skills, and for --check")
    if not wanted.baseline:
        return _ReadySkills(wanted)
    try:
        data = given_data(wanted.baseline, LONGEST, "--baseline")
        return _ReadySkills(wanted, read_baseline(data))
    except SkillBaselineError as problem:
        raise UsageError(f"--baseline {visible(wanted.baseline)}: {problem}") from None


async def _work(options: Options, engine: Engine, ready: _ReadySkills) -> int:
    """List, show, check or approve; returns the exit status."""
    wanted = ready.wanted
    if why := why_not(engine):
        if why == TURNED_OFF:
            raise UsageError(f"skills are a draft: {TURNED_OFF}")
        Out(options.hiding(engine)).line((f"no skills: {why}", ""))
        return ExitStatus.LOST
    reader = SkillReader(engine)
    await reader.look()
    with answering(options, engine, wanted):
        read = _reading(options, engine)
        if wanted.show:
            return await _show(options, engine, reader, wanted, read)
        if wanted.remember:
            skill = await _one(reader, wanted.remember)
            by_person = None if wanted.person else asker_of(options, engine)
            return await remember_on_terminal(options, engine, reader, skill, read, by_person)
        checked: list[SkillChecked] = []
        standings, gone = _standings(engine, reader, ready.baseline)
        is_required = wanted.approved or ready.baseline is not None
        of_approvals = [*approval_findings(standings, gone, is_required=is_required)]
        seen = [*reader.list_findings(), *of_approvals]
        if wanted.check:
            unknown = await reader.unknown_findings()
            for skill in reader.listing.skills:
                checked.append(await reader.check(skill, read))
                if checked[-1].stopped_by is not None:
                    break
            listed = [LocatedFinding(THE_LIST, one) for one in reader.listing.findings]
            listed += [LocatedFinding(THE_LIST, one) for one in unknown]
            found = [LocatedFinding(where(one.skill), f) for one in checked for f in one.findings]
            seen = [*listed, *found, *reader.change_findings(), *of_approvals]
            reader.keep()
    seen = in_order(list(dict.fromkeys(seen)))
    status = status_of(seen, is_strict=wanted.strict)
    is_missing = is_required and any(one.state is not SkillState.APPROVED for one in standings)
    is_stopped = any(one.stopped_by for one in checked)
    if status is not ExitStatus.BROKEN and (is_missing or is_stopped):
        status = ExitStatus.NOT_APPROVED
    is_whole = bool(reader.listing.skills) and not reader.listing.missing
    if status in (ExitStatus.OK, ExitStatus.DOUBTFUL) and not is_whole:
        status = ExitStatus.LOST
    _tell(options, engine, SkillReport(reader, checked, seen, status, standings), wanted)
    if wanted.write_baseline:
        _write_baseline(wanted.write_baseline, reader, checked)
    return status


run_skills = OnOpen(_work, before=_ready)
"""List, show, check or approve the skills of a server; returns the exit status."""


def _standings(
    engine: Engine, reader: SkillReader, baseline: Mapping[str, Skill] | None
) -> tuple[tuple[SkillStanding, ...], list[str]]:
    """The approval of each listed skill, and the URIs of a baseline that are not listed."""
    skills = reader.listing.skills
    if baseline is None:
        return standings_of(engine, skills, reader.runs), []
    listed = {one.uri for one in skills}
    gone = [] if reader.listing.missing else [uri for uri in baseline if uri not in listed]
    return standings_by(baseline, skills), gone


def _write_baseline(path: str, reader: SkillReader, checked: Sequence[SkillChecked]) -> None:
    """Write what was found, unless it is not whole or a check failed. Raises UsageError."""
    listing = reader.listing
    found = [*listing.findings, *(each for one in listing.skills for each in one.findings)]
    found += [each for one in checked for each in one.findings]
    why = ""
    if any(one.severity is Severity.ERROR for one in found) or listing.missing:
        why = "a check failed" if checked else "the list has errors"
    elif not listing.skills:
        why = "it would have no skill"
    elif any(one.stopped_by is not None for one in checked):
        why = "a read was not approved"
    if why:
        raise UsageError(f"--write-baseline: nothing is written, since {why}")
    try:
        text = baseline_text(reader.listing.skills)
    except SkillBaselineError as problem:
        raise UsageError(f"--write-baseline: nothing is written: {problem}") from None
    write_given("--write-baseline", path, text)


def _reading(options: Options, engine: Engine) -> Callable[[str], Awaitable[Call]]:
    async def read(uri: str) -> Call:
        if options.session is not None:
            return await options.session.ended(lambda: engine.read(uri), is_told=False)
        return await engine.ended(engine.read(uri))

    return read


class SkillReport(NamedTuple):
    """What a look at the skills found."""

    reader: SkillReader
    checked: Sequence[SkillChecked]
    """Empty without `--check`."""
    seen: Sequence[LocatedFinding]
    status: int
    standings: Sequence[SkillStanding]
    """In the order of the list."""


async def _show(
    options: Options,
    engine: Engine,
    reader: SkillReader,
    wanted: SkillOptions,
    read: Callable[[str], Awaitable[Call]],
) -> int:
    skill = await _one(reader, wanted.show)
    uri = f"{skill.root}/{wanted.file}" if wanted.file else skill.uri
    if uri != skill.uri and not skill.is_dynamic and skill.file(uri) is None:
        # A host must not read it either (skills.mdx, "The Acting Window and the Held Entry").
        raise UsageError(f"this skill lists no file {shortened(wanted.file, 100)!r}")
    call = await read(uri)
    file = await reader.file_of(skill, uri, call)
    reader.keep()
    found = [LocatedFinding(where(skill), one) for one in (*skill.findings, *file.findings)]
    status = status_of(found, is_strict=wanted.strict)
    if file.data is None and status is not ExitStatus.BROKEN:
        status = ExitStatus.NOT_APPROVED
    hiding = options.hiding(engine)
    [standing] = standings_of(engine, [skill], reader.runs)
    if options.as_json:
        print_json(_shown_json(engine, hiding, standing, file))
    else:
        out = Out(hiding)
        out.sheet(skill_lines(skill, standing=standing))
        out.blank()
        out.sheet(file_lines(file, skill))
    return status


async def _one(reader: SkillReader, word: str) -> Skill:
    """The skill of a name or URI, listed or not. Raises UsageError for none, and for several."""
    found = reader.listing.named(word)
    if not found and "://" in word and (skill := await reader.entry_of(word)) is not None:
        return skill
    if len(found) == 1:
        return found[0]
    if not found:
        known = ", ".join(shortened(one.name, 60) for one in reader.listing.skills[:8])
        raise UsageError(f"no skill {shortened(word, 100)!r}; listed: {known or 'none'}")
    uris = ", ".join(shortened(one.uri, 100) for one in found[:8])
    raise UsageError(f"several skills have this name, give one by its URI: {uris}")


def _shown_json(
    engine: Engine, hiding: Hiding, standing: SkillStanding, file: SkillFileRead
) -> dict[str, Any]:
    return {
        "server": server_json(engine, hiding),
        "skill": hiding.value(skill_json(standing)),
        "file": hiding.value(file_json(file, standing.skill)),
        "findings": hiding.value([one.as_json() for one in file.findings]),
        "masked": hiding.report(),
    }


def _tell(options: Options, engine: Engine, report: SkillReport, wanted: SkillOptions) -> None:
    hiding, reports = options.hiding(engine), wanted.reports
    subjects = [where(one) for one in report.reader.listing.skills]
    suite = suite_of("skills", engine.server.name, subjects, report.seen, is_strict=wanted.strict)
    tools = len(engine.tools)
    write_reports("skills", [suite], reports, hiding.text, tools=tools, status=report.status)
    if options.as_json:
        print_json(_report(engine, hiding, report))
    elif reports.markdown:
        print_markdown(page_of_suites("skills", [suite]), hiding.text)
    else:
        _print(engine, Out(hiding), report)


def _report(engine: Engine, hiding: Hiding, report: SkillReport) -> dict[str, Any]:
    reader = report.reader
    files = {one.skill.uri: [file_json(f, one.skill) for f in one.files] for one in report.checked}
    return {
        "server": server_json(engine, hiding),
        "revision": EXTENSIONS[SKILLS].revision,
        "skills": hiding.value([skill_json(one) for one in report.standings]),
        "files": hiding.value(files),
        "changes": hiding.value([change_json(one) for one in reader.changes]),
        "findings": hiding.value([located_json(one, engine.server.version) for one in report.seen]),
        "exit_status": int(report.status),
        "masked": hiding.report(),
    }


def _print(engine: Engine, out: Out, report: SkillReport) -> None:
    reader = report.reader
    draft = EXTENSIONS[SKILLS]
    out.line(("server   ", "dim"), (visible(engine.server.name), "bold"))
    listed = count(len(reader.listing.skills), "skill")
    out.line(("         ", ""), (f"{listed}; draft {draft.name} {draft.revision[:8]}", "dim"))
    if not report.checked:
        out.line(("         ", ""), (_NOTHING_READ, "dim"))
    by_uri = {one.skill.uri: one for one in report.standings}
    for checked in report.checked:
        out.blank()
        out.sheet(checked_lines(checked, by_uri.get(checked.skill.uri)))
    for standing in () if report.checked else report.standings:
        out.blank()
        out.sheet(skill_lines(standing.skill, is_short=True, standing=standing))
    changed = set()
    for standing in report.standings:
        if (change := standing.change) is not None and standing.before is not None:
            changed.add(change.uri)
            old, texts = standing.before, {**reader.texts, **standing.before.texts}
            out.blank()
            out.sheet(change_lines(change, standing.skill, old.skill, texts, since=standing.why))
    now = {one.uri: one for one in reader.listing.skills}
    for change in reader.changes:
        if change.uri in changed:
            continue
        out.blank()
        texts = reader.texts
        before = reader.old.get(change.uri)
        out.sheet(change_lines(change, now.get(change.uri), before, texts))
    out.blank()
    print_located(out, report.seen, engine.server.version)
