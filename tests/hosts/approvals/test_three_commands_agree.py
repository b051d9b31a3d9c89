"""`servers`, `servers --auto-approved` and `matrix --here` never contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.policies.verdicts import Case, VerdictAnswer
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.hosts.approvals.as_configured import NO_HOSTS, columns_here
from signoff.app.hosts.approvals.auto_approved import ApprovalsHere, approvals_here
from signoff.app.hosts.files.servers import FileReport, Machine, as_read_by_all
from signoff.app.hosts.settings import EVERY
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool_reading import read_tools
from tests.hosts.approvals.configured import CONFIGURED, covers
from tests.hosts.approvals.every_setting import EVERY_SETTING
from tests.hosts.files.given import HOME, cases
from tests.hosts.files.machine import (
    CODEX,
    CRUSH,
    GEMINI,
    KILO,
    MODELS,
    SETTINGS,
    Files,
    codex,
    mcp,
    opencode,
    reports,
    rules,
)
from tests.tiers import examples, first_quick

HINTS: list[dict[str, JsonValue]] = [
    {},
    {"readOnlyHint": True},
    {"destructiveHint": True},
    {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False},
]
FOLDER = f"{HOME}/project"
MACHINES: Final[list[Files]] = [
    *(files for files, _ in CONFIGURED),
    *(files for several in EVERY_SETTING.values() for files in several),
]


def approved(files: Sequence[FileReport], platform: str = "linux") -> ApprovalsHere:
    return approvals_here(files, MODELS, platform=platform, folder=FOLDER)


def agree(given_files: Sequence[FileReport], platform: str = "linux") -> None:
    """Compare the three for tools of every kind, with each name that a setting has."""
    files = as_read_by_all(given_files)
    found = approved(files, platform)
    machine = Machine(HOME, FOLDER, {"HOME": HOME}, platform)
    servers = [
        one
        for file in files
        for one in file.servers
        if one.is_effective and one.is_enabled and one.host not in NO_HOSTS
    ]
    names = {"fresh", *(name for row in found.found for name in row.tools if name != EVERY)}
    whole: list[JsonValue] = [
        {"name": name, "inputSchema": {"type": "object"}, "annotations": hints}
        for name in sorted(names)
        for hints in HINTS
    ]
    tools = [read_tools([one])[0] for one in whole]
    for column in columns_here(tools, servers, files, MODELS, machine):
        rows = [
            row
            for row in found.found
            if row.host == column.server.host and row.server in (EVERY, column.server.name)
        ]
        for tool in tools:
            verdict = column.policy.judge(Case(tool, Trust.UNTRUSTED, column.server.name))
            runs = verdict.answer is VerdictAnswer.ALLOW
            covering = [row for row in rows if covers(row.tools, tool.name)]
            if runs and not covering:
                setting = column.settings.get(verdict.rule)
                assert setting is None or setting.is_default_mode, (column.policy.name, verdict)
                assert column.server.host in found.by_own_rules, (column.policy.name, verdict)
            if not runs:
                assert not [row for row in covering if not row.condition], (tool.name, verdict)
    said(files, found)
    errors = {
        (file.host, one.line)
        for file in files
        for one in (*file.problems, *(each for by in file.servers for each in by.problems))
        if one.code == "approvals-off" and one.level.value == "error"
    }
    for row in found.found:
        if row.key and not row.is_rule and not row.condition and EVERY in row.tools:
            assert [one for one in errors if one[0] == row.host], row


def said(files: Sequence[FileReport], found: ApprovalsHere) -> None:
    """Compare the problems of `servers` with the rows, both ways."""
    for file in files:
        of_servers = [(each.name, one) for each in file.servers for one in each.problems]
        for server, one in [*((None, one) for one in file.problems), *of_servers]:
            rows = [row for row in found.found if (row.file, row.line) == (file.file, one.line)]
            if one.code == "approvals-off" and "not known" not in one.message:
                whole = [row for row in rows if EVERY in row.tools]
                names = {row.server for row in whole}
                assert names & {EVERY, server} if server else names, (file.host, server, one)
            if one.code == "broad-rule":
                assert any(row.is_rule for row in rows), (file.host, one)
    broad = {
        (file.file, one.line) for file in files for one in file.problems if one.code == "broad-rule"
    }
    for row in found.found:
        if row.is_rule and row.key and (row.server, row.tools) == (EVERY, (EVERY,)):
            assert (row.file, row.line) in broad, row


@pytest.mark.parametrize("files", first_quick(MACHINES, 40))
def test_they_agree_on_each_setting(files: Files) -> None:
    for platform in ("linux", "win32"):
        agree(reports(files, platform), platform)


@pytest.mark.parametrize("name", first_quick(cases(), 12))
def test_they_agree_on_each_file(name: str) -> None:
    agree([cases()[name].read()])


@examples(40)
@given(st.lists(st.sampled_from(MACHINES), min_size=2, max_size=4))
def test_they_agree_on_several_files(several: list[Files]) -> None:
    whole: dict[str, object] = {}
    for files in several:
        for path, one in files.items():
            known = whole.get(path)
            both = isinstance(known, dict) and isinstance(one, dict)
            whole[path] = {**known, **one} if both else one  # type: ignore[dict-item]
    agree(reports(whole))


FULL = 'approval_policy = "never"\nsandbox_mode = "danger-full-access"'


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({CODEX: codex(top=FULL)}, [(EVERY, (EVERY,), "approval_policy")]),
        (
            {GEMINI: {**mcp(), "mcp": {"allowed": ["notes"]}}},
            [("notes", (EVERY,), "mcp.allowed")],
        ),
        ({KILO: opencode(permission="allow")}, [(EVERY, (EVERY,), "permission")]),
        (
            {
                CRUSH: {
                    "mcp": {name: {"type": "stdio", "command": "x"} for name in ("a", "a_b")},
                    "permissions": {"allowed_tools": ["mcp_a_b_t"]},
                }
            },
            [("a", ("b_t",), "allowed_tools"), ("a_b", ("t",), "allowed_tools")],
        ),
        ({SETTINGS: rules(defaultMode="dontAsk")}, []),
        # An exact denial leaves nothing of an exact rule.
        ({SETTINGS: rules(allow=["mcp__a__t"], deny=["mcp__a__t"])}, []),
    ],
)
def test_a_setting_is_in_the_list(files: Files, found: list[object]) -> None:
    rows = approved(reports(files)).found
    assert [(one.server, one.tools, one.key) for one in rows] == found


def test_a_mode_that_refuses_is_no_error_of_approval() -> None:
    (report,) = reports({SETTINGS: rules(defaultMode="dontAsk")})
    assert "approvals-off" not in {one.code for one in report.problems}


OFF: Final = rules(defaultMode="bypassPermissions")
PROJECT: Final = f"{FOLDER}/.claude/settings.json"


@pytest.mark.parametrize(
    ("files", "off"),
    [
        ({SETTINGS: OFF}, [SETTINGS]),
        ({SETTINGS: OFF, PROJECT: rules(defaultMode="default")}, []),
        ({SETTINGS: OFF, PROJECT: rules(defaultMode="plan")}, []),
        ({SETTINGS: OFF, PROJECT: rules(allow=["mcp__a__t"])}, [SETTINGS]),
    ],
)
def test_a_mode_that_a_stronger_file_replaces_is_no_error(files: Files, off: list[str]) -> None:
    found = reports(files)
    agree(found)
    codes = [(one.file, each.code) for one in found for each in one.problems]
    assert [file for file, code in codes if code == "approvals-off"] == off
