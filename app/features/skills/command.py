"""`signoff skills`: list the skills of a server, show one, or check every file of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, NamedTuple

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
from .reading import THE_LIST, TURNED_OFF, SkillChecked, SkillFileRead, SkillReader, where, why_not
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
    strict: bool = STRICT
    reports: FindingReports = within(FindingReports)
    approve: str = APPROVE
    person: str = PERSON_ASKED
    answer: str = ANSWER


def add(parser: Parser) -> None:
    on_server(parser, SkillOptions, run_skills, uses=REQUESTS)


def _checked(wanted: SkillOptions) -> SkillOptions:
    if wanted.file and not wanted.show:
        raise UsageError("--file is for --show NAME")
    return wanted


async def _work(options: Options, engine: Engine, wanted: SkillOptions) -> int:
    """List, show or check; returns the exit status."""
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
        checked: list[SkillChecked] = []
        seen = [*reader.list_findings()]
        if wanted.check:
            unknown = await reader.unknown_findings()
            for skill in reader.listing.skills:
                checked.append(await reader.check(skill, read))
                if checked[-1].stopped_by is not None:
                    break
            listed = [LocatedFinding(THE_LIST, one) for one in reader.listing.findings]
            listed += [LocatedFinding(THE_LIST, one) for one in unknown]
            found = [LocatedFinding(where(one.skill), f) for one in checked for f in one.findings]
            seen = [*listed, *found, *reader.change_findings()]
            reader.keep()
    seen = in_order(list(dict.fromkeys(seen)))
    status = status_of(seen, is_strict=wanted.strict)
    if status is not ExitStatus.BROKEN and any(one.stopped_by for one in checked):
        status = ExitStatus.NOT_APPROVED
    if status is ExitStatus.OK and reader.listing.missing:
        status = ExitStatus.LOST
    _tell(options, engine, SkillReport(reader, checked, seen, status), wanted)
    return status


run_skills = OnOpen(_work, before=_checked)
"""List, show or check the skills of a server; returns the exit status."""


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
    if options.as_json:
        print_json(_shown_json(engine, hiding, skill, file))
    else:
        out = Out(hiding)
        out.sheet(skill_lines(skill))
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
    engine: Engine, hiding: Hiding, skill: Skill, file: SkillFileRead
) -> dict[str, Any]:
    return {
        "server": server_json(engine, hiding),
        "skill": hiding.value(skill_json(skill)),
        "file": hiding.value(file_json(file, skill)),
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
        "skills": hiding.value([skill_json(one) for one in reader.listing.skills]),
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
    if report.checked:
        for one in report.checked:
            out.blank()
            out.sheet(checked_lines(one))
    else:
        for skill in reader.listing.skills:
            out.blank()
            out.sheet(skill_lines(skill, is_short=True))
    now = {one.uri: one for one in reader.listing.skills}
    for change in reader.changes:
        out.blank()
        texts = reader.texts
        before = reader.old.get(change.uri)
        out.sheet(change_lines(change, now.get(change.uri), before, texts))
    out.blank()
    print_located(out, report.seen, engine.server.version)
