"""Each row of each `settings.toml` has a file, and what becomes of it is read and approved."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from signoff.app.content.files.tree import Tree
from signoff.app.features.servers.auto_approved import auto_approved_lines
from signoff.app.hosts.approvals.auto_approved import approvals_here
from signoff.app.hosts.approvals.by_rows import settings_of
from signoff.app.hosts.approvals.deciding import DecidingSetting, values_at
from signoff.app.hosts.files.problems import GROUP_OF, ConfigProblem
from signoff.app.hosts.files.servers import FileReport
from signoff.app.hosts.folders import hosts_with
from signoff.app.hosts.settings import EVERY, DecidingRow, settings_of_host
from tests.approved import approved
from tests.hosts.approvals.every_setting import EVERY_SETTING
from tests.hosts.files.given import HOME
from tests.hosts.files.machine import MODELS, Files, reports

PROSE = approved("host-settings")
TOOLS = ("list", "drop", "add")
FOLDER = f"{HOME}/project"


def has(row: DecidingRow, file: FileReport) -> bool:
    """True if a setting has a value in a file."""
    if row.entry:
        key = row.entry.partition(".")[0]
        fitting = [one for one in file.servers if row.fits(one.entry.host.id)]
        return any(key in one.entry.tree.members for one in fitting)
    return row.fits(file.id) and any(values_at(file.tree or Tree({}), row))


@pytest.mark.parametrize("host", hosts_with("settings.toml"))
def test_every_row_has_a_file(host: str) -> None:
    files = [one for some in EVERY_SETTING[host] for one in reports(some) if one.host == host]
    for row in settings_of_host(host).setting:
        assert any(has(row, file) for file in files), row


def problem_words(one: ConfigProblem, server: str = "") -> str:
    whose = f"{server}: " if server else ""
    fix = f" ({one.suggestion})" if one.suggestion else ""
    return f"  {one.level} {one.code}, line {one.line}: {whose}{one.message}{fix}"


def setting_words(one: DecidingSetting) -> str:
    what = one.then or ("trusted" if one.trusts else f"mode {one.mode}")
    tools = (
        "" if one.tools == (EVERY,) else f" {'not ' if one.is_other else ''}{','.join(one.tools)}"
    )
    edit = "" if one.edit is None else f" [{one.edit.key or '-'} {one.edit.old} > {one.edit.new}]"
    fix = f"; {one.fix}{edit}" if one.fix else ""
    return f"    {one.rank.name} {what}{tools}: {one.reason}, line {one.spot.line}{fix}"


def report_lines(files: Files, platform: str) -> Iterator[str]:
    """Switches, problems about approval, settings and what runs, of each file and server."""
    found = reports(files, platform)
    for file in found:
        yield f"{file.file.removeprefix(HOME)}: {dict(file.switches)}"
        yield from (problem_words(one) for one in file.problems if is_told(one))
        for server in file.servers:
            off = "" if server.is_enabled else ", off"
            yield f"  {server.name}{off}: {dict(server.switches)}"
            told = [one for one in server.problems if is_told(one)]
            yield from (problem_words(one, server.name) for one in told)
            of_host = [one for one in found if one.host == server.host]
            read = settings_of(server, of_host, TOOLS, platform=platform, folder=FOLDER)
            yield from map(setting_words, read)
    here = approvals_here(found, MODELS, platform=platform, folder=FOLDER)
    yield from list(auto_approved_lines(here, HOME, FOLDER))[:-1]


def is_told(one: ConfigProblem) -> bool:
    return GROUP_OF[one.code] == "approval" or one.code in ("value-not-known", "ignored-in-project")


def test_what_becomes_of_every_setting() -> None:
    lines: list[str] = []
    for host in hosts_with("settings.toml"):
        platforms = ("linux", "win32") if host == "vscode" else ("linux",)
        for number, files in enumerate(EVERY_SETTING[host], start=1):
            for platform in platforms:
                lines += ["", f"{host} {number}, {platform}", *report_lines(files, platform)]
    PROSE.holds("every setting", "\n".join(lines))
