"""Columns of the hosts that have a server on this machine: each verdict by its setting and line."""

from __future__ import annotations

import pytest

from signoff.app.approval.matrix import cell_word
from signoff.app.approval.policies.policy import PolicyKind
from signoff.app.approval.policies.verdicts import Case, VerdictAnswer
from signoff.app.hosts.approvals.as_configured import Wanted, columns_here, entries_of
from signoff.app.hosts.files.servers import Machine
from signoff.app.protocol.server import Trust
from tests.hosts.approvals.configured import ASKS, CONFIGURED, HIDDEN, NOT_KNOWN, READ
from tests.hosts.files.given import HOME, read
from tests.hosts.files.machine import (
    CLAUDE,
    CLINE,
    CODE,
    CODEX,
    CURSOR,
    ENTRY,
    GEMINI,
    GOOSE,
    MODELS,
    OPENCODE,
    SETTINGS,
    TOOLS,
    WORDS,
    Files,
    codex,
    columns,
    goose,
    mcp,
    opencode,
    reports,
    rules,
    runs,
    words,
    written,
)


@pytest.mark.parametrize(("files", "found"), CONFIGURED)
def test_what_a_host_does_as_it_is_configured(files: Files, found: list[str]) -> None:
    (column,) = columns(files)
    assert words(column) == found
    assert column.policy.kind is PolicyKind.HOST


def test_a_server_of_the_project_that_is_disabled_is_hidden() -> None:
    project = f"{HOME}/project/.mcp.json"
    files = {project: mcp(), SETTINGS: {"disabledMcpjsonServers": ["notes"]}}
    assert [words(one) for one in columns(files)] == [HIDDEN]
    other = {project: mcp(), SETTINGS: {"disabledMcpjsonServers": ["other"]}}
    assert [words(one) for one in columns(other)] == [ASKS]


def test_no_secret_of_a_setting_is_in_a_reason() -> None:
    secret = "sk-4f9aB27cD81eF630aa19c2d47b85e6f0"
    files = {CLINE: mcp(autoApprove=[secret]), GOOSE: goose(f"GOOSE_MODE: {secret}")}
    for column in columns(files):
        for rule in column.policy.rules:
            assert secret not in f"{rule.name} {rule.reason} {rule.place}"


def test_the_sandbox_of_vs_code_is_on_no_other_system() -> None:
    files = {f"{CODE}/mcp.json": {"servers": {"notes": {**ENTRY, "sandboxEnabled": True}}}}
    # The place is one of Linux; the entry is judged as on Windows.
    (column,) = columns(files, "win32")
    assert words(column) == READ


@pytest.mark.parametrize(
    ("files", "tool", "place", "key"),
    [
        ({GEMINI: mcp(trust=True)}, "drop", f"{GEMINI}:9", "trust"),
        ({CLINE: mcp(autoApprove=["list", "drop"])}, "drop", f"{CLINE}:11", "autoApprove"),
        (
            {CODEX: codex('default_tools_approval_mode = "writes"')},
            "list",
            f"{CODEX}:5",
            "default_tools_approval_mode",
        ),
        ({GOOSE: goose("GOOSE_MODE: auto")}, "add", f"{GOOSE}:3", "GOOSE_MODE"),
        ({CLAUDE: mcp(), SETTINGS: rules(allow=["mcp__notes"])}, "add", f"{SETTINGS}:4", "allow"),
        (
            {OPENCODE: opencode(permission={"notes_add": "allow"})},
            "add",
            f"{OPENCODE}:13",
            "permission",
        ),
    ],
)
def test_the_line_that_decides_is_the_source(files: Files, tool: str, place: str, key: str) -> None:
    (run,) = (one for one in runs(files) if one.tool.name == tool)
    assert run.setting is not None
    assert (run.verdict.source, run.setting.key) == (place, key)
    assert run.verdict.rule in run.column.settings


def test_without_a_setting_the_source_is_that_of_the_model() -> None:
    (column,) = columns({CODEX: codex()})
    (reading, _) = runs({CODEX: codex()})
    assert reading.setting is None
    assert reading.otherwise is None
    assert reading.verdict.source.startswith("https://github.com/openai/codex, read on ")
    assert "default_tools_approval_mode" in reading.fix
    assert (column.policy.name, column.mode) == ("codex:here", "codex")
    assert column.policy.source == f"{CODEX}:2"


def test_what_would_happen_without_the_setting() -> None:
    files = {CLAUDE: mcp(), SETTINGS: rules(allow=["mcp__notes__drop", "mcp__notes"])}
    drop = next(one for one in runs(files) if one.tool.name == "drop")
    assert drop.otherwise is not None
    # The other rule allows it, too.
    assert cell_word(drop.otherwise) == "run"
    add = next(one for one in runs(files) if one.tool.name == "add")
    assert add.otherwise is not None
    assert cell_word(add.otherwise) == "ask"


CHAINS: list[Files] = [
    {GEMINI: {**mcp(trust=True), "general": {"defaultApprovalMode": "yolo"}}},
    {GEMINI: {**mcp(trust=True), "mcp": {"allowed": ["notes"]}}},
    {
        CLAUDE: mcp(),
        SETTINGS: rules(allow=["mcp__notes"], defaultMode="bypassPermissions"),
    },
    {CODEX: codex('default_tools_approval_mode = "approve"', top='approval_policy = "never"')},
]
"""Two settings, each of which lets tools run."""


@pytest.mark.parametrize("files", CHAINS, ids=range(len(CHAINS)))
def test_every_setting_that_has_to_go_is_named(files: Files) -> None:
    found = [one for one in runs(files) if one.setting is not None]
    assert found
    assert any(one.further for one in found)
    for one in found:
        assert one.setting is not None
        settings = {one.setting, *(each.setting for each in one.further if each.setting)}
        policy, _ = one.column.without(frozenset(settings))
        answer = policy.judge(Case(one.tool, Trust.UNTRUSTED, "notes")).answer
        is_by_itself = any(each.setting is None for each in one.further)
        assert answer is not VerdictAnswer.ALLOW or is_by_itself or not one.column.fix


def test_the_stronger_file_chooses_the_mode() -> None:
    local = f"{HOME}/project/.claude/settings.local.json"
    files = {
        CLAUDE: mcp(),
        SETTINGS: rules(defaultMode="bypassPermissions"),
        local: rules(defaultMode="default"),
    }
    machine = Machine(HOME, f"{HOME}/project", {"HOME": HOME}, "linux")
    found = [*reports({CLAUDE: files[CLAUDE], SETTINGS: files[SETTINGS]})]
    found.append(read(written(files)[local], "", local))
    (column,) = columns_here(TOOLS, entries_of(found, Wanted(WORDS)), found, MODELS, machine)
    assert words(column) == ASKS


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        (Wanted(WORDS), ["a", "path"]),
        (Wanted(("/usr/bin/npx", "-y", "notes")), ["a", "path"]),
        (Wanted(("npx", "-y", "other")), ["b"]),
        (Wanted(url="https://example.com/mcp/"), ["web"]),
        (Wanted(configured=(CURSOR, "a")), ["a", "path"]),
        (Wanted(configured=(CURSOR, "web")), ["web"]),
        (Wanted(("npx",)), []),
        (Wanted(), []),
    ],
)
def test_the_same_server_in_other_files(wanted: Wanted, names: list[str]) -> None:
    cursor = {
        "a": ENTRY,
        "b": {**ENTRY, "args": ["-y", "other"]},
        "web": {"url": "https://example.com/mcp"},
    }
    other = {"path": {**ENTRY, "command": "/usr/bin/npx"}}
    found = reports({CURSOR: {"mcpServers": cursor}, CLINE: {"mcpServers": other}})
    assert [one.name for one in entries_of(found, wanted)] == names


def test_two_entries_of_a_host_are_two_columns() -> None:
    files = {CURSOR: {"mcpServers": {"a": ENTRY, "b": ENTRY}}}
    first, second = columns(files)
    assert (first.policy.name, second.policy.name) == ("cursor:here:a", "cursor:here:b")
    assert first.policy.title == "Cursor, as configured here (a)"


def test_what_a_host_does_not_load_is_no_column() -> None:
    wrong = {"servers": {"notes": ENTRY}}
    assert columns({CURSOR: wrong}) == []
    assert columns({f"{HOME}/project/server.json": "{}"}) == []


def test_a_model_of_ones_own_counts() -> None:
    found = reports({CURSOR: mcp()})
    machine = Machine(HOME, HOME, {"HOME": HOME}, "linux")
    (column,) = columns_here(TOOLS, entries_of(found, Wanted(WORDS)), found, [], machine)
    assert words(column) == NOT_KNOWN
    assert column.mode == ""
