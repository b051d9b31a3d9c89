"""Columns of the hosts that have a server on this machine: each verdict by its setting and line."""

from __future__ import annotations

import pytest

from signoff.app.analysis.matrix.matrix import cell_word
from signoff.app.approval.policies.policy import PolicyKind
from signoff.app.approval.policies.verdicts import Case, VerdictAnswer
from signoff.app.configuration.approvals.as_configured import Wanted, columns_here, entries_of
from signoff.app.configuration.discovery import Machine
from signoff.app.protocol.server import Trust
from tests.configuration.given import HOME, read
from tests.configuration.machine import (
    CLAUDE,
    CLINE,
    CLINE_CLI,
    CODE,
    CODEX,
    COPILOT,
    CRUSH,
    CURSOR,
    ENTRY,
    GEMINI,
    GOOSE,
    KILO,
    KIRO,
    MODELS,
    OPENCODE,
    QWEN,
    SETTINGS,
    TOOLS,
    WORDS,
    ZED,
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

RUNS, ASKS, HIDDEN, NOT_KNOWN = ([one] * 3 for one in ("run", "ask", "hidden", "not known"))
READ = ["run", "ask", "ask"]


@pytest.mark.parametrize(
    ("files", "found"),
    [
        # The rules of the host, if no setting decides.
        ({CURSOR: mcp()}, ASKS),
        ({GOOSE: goose()}, RUNS),
        ({CODEX: codex()}, ["run", "ask", "run"]),
        ({OPENCODE: opencode()}, RUNS),
        ({COPILOT: mcp()}, ["not known", "ask", "ask"]),
        # Hosts without a model.
        ({KIRO: mcp()}, NOT_KNOWN),
        ({KIRO: mcp(autoApprove=["drop"])}, ["not known", "run", "not known"]),
        ({KIRO: mcp(disabledTools=["drop"])}, ["not known", "hidden", "not known"]),
        # Modes that a file chooses.
        ({GOOSE: goose("GOOSE_MODE: auto")}, RUNS),
        ({GOOSE: goose("GOOSE_MODE: approve")}, ASKS),
        ({GOOSE: goose("GOOSE_MODE: smart_approve")}, ["run", "not known", "ask"]),
        ({GOOSE: goose("GOOSE_MODE: chat")}, HIDDEN),
        ({GOOSE: goose("GOOSE_MODE: brave")}, NOT_KNOWN),
        ({GEMINI: {**mcp(), "general": {"defaultApprovalMode": "yolo"}}}, RUNS),
        ({GEMINI: {**mcp(), "general": {"defaultApprovalMode": "auto_edit"}}}, ASKS),
        (
            {GEMINI: {**mcp(), "general": {"defaultApprovalMode": "plan"}}},
            ["ask", "hidden", "hidden"],
        ),
        ({GEMINI: {**mcp(), "general": {"defaultApprovalMode": "fast"}}}, NOT_KNOWN),
        ({QWEN: {**mcp(), "tools": {"approvalMode": "yolo"}}}, RUNS),
        ({QWEN: {**mcp(), "tools": {"approvalMode": "plan"}}}, NOT_KNOWN),
        # Trust, which does not count in the plan mode.
        ({GEMINI: mcp()}, ASKS),
        ({GEMINI: mcp(trust=True)}, RUNS),
        ({GEMINI: mcp(trust=False)}, ASKS),
        (
            {GEMINI: {**mcp(trust=True), "general": {"defaultApprovalMode": "plan"}}},
            ["ask", "hidden", "hidden"],
        ),
        ({GEMINI: {**mcp(), "mcp": {"allowed": ["notes"]}}}, RUNS),
        ({GEMINI: {**mcp(), "mcp": {"allowed": ["other"]}}}, HIDDEN),
        ({GEMINI: mcp(includeTools=["list"])}, ["ask", "hidden", "hidden"]),
        ({GEMINI: mcp(trust=True, excludeTools=["drop"])}, ["run", "hidden", "run"]),
        ({QWEN: mcp()}, READ),
        ({QWEN: mcp(trust=True)}, RUNS),
        ({QWEN: {**mcp(), **rules(allow=["mcp__notes__drop"])}}, ["run", "run", "ask"]),
        ({QWEN: {**mcp(), **rules(deny=["mcp__notes__drop"])}}, ["run", "not known", "ask"]),
        # Codex: the mode of a tool, of the server, and the policy of the whole file.
        ({CODEX: codex('default_tools_approval_mode = "writes"')}, READ),
        ({CODEX: codex('default_tools_approval_mode = "prompt"')}, ASKS),
        ({CODEX: codex('default_tools_approval_mode = "approve"')}, RUNS),
        ({CODEX: codex('default_tools_approval_mode = "bold"')}, NOT_KNOWN),
        (
            {
                CODEX: codex(
                    'default_tools_approval_mode = "prompt"',
                    "[mcp_servers.notes.tools.drop]",
                    'approval_mode = "approve"',
                )
            },
            ["ask", "run", "ask"],
        ),
        (
            {CODEX: codex("[mcp_servers.notes.tools.list]", 'approval_mode = "prompt"')},
            ["ask", "ask", "run"],
        ),
        ({CODEX: codex('disabled_tools = ["drop"]')}, ["run", "hidden", "run"]),
        ({CODEX: codex('enabled_tools = ["drop"]')}, ["hidden", "ask", "hidden"]),
        ({CODEX: codex(top='approval_policy = "on-request"')}, ["run", "ask", "run"]),
        ({CODEX: codex(top='approval_policy = "never"')}, ["run", "refused", "run"]),
        ({CODEX: codex(top='approval_policy = "odd"')}, NOT_KNOWN),
        (
            {CODEX: codex(top='approval_policy = "never"\nsandbox_mode = "danger-full-access"')},
            RUNS,
        ),
        (
            {
                CODEX: codex(
                    'default_tools_approval_mode = "prompt"',
                    top='approval_policy = "never"\nsandbox_mode = "danger-full-access"',
                )
            },
            RUNS,
        ),
        (
            {
                CODEX: codex(
                    'default_tools_approval_mode = "writes"', top='approval_policy = "never"'
                )
            },
            ["run", "not known", "not known"],
        ),
        ({CODEX: codex("enabled = false")}, HIDDEN),
        # Claude Code: deny, ask, allow, and the mode.
        ({CLAUDE: mcp(), SETTINGS: rules(allow=["mcp__notes"])}, RUNS),
        ({CLAUDE: mcp(), SETTINGS: rules(allow=["mcp__notes__*"])}, RUNS),
        ({CLAUDE: mcp(), SETTINGS: rules(allow=["mcp__other"])}, ASKS),
        ({CLAUDE: mcp(), SETTINGS: rules(allow=["mcp__notes__d*"])}, ["ask", "not known", "ask"]),
        (
            {
                CLAUDE: mcp(),
                SETTINGS: rules(
                    allow=["mcp__notes"], ask=["mcp__notes__add"], deny=["mcp__notes__drop"]
                ),
            },
            ["run", "refused", "ask"],
        ),
        ({CLAUDE: mcp(), SETTINGS: rules(defaultMode="bypassPermissions")}, RUNS),
        (
            {
                CLAUDE: mcp(),
                SETTINGS: rules(defaultMode="bypassPermissions", deny=["mcp__notes__drop"]),
            },
            ["run", "refused", "run"],
        ),
        ({CLAUDE: mcp(), SETTINGS: rules(defaultMode="plan", allow=["mcp__notes"])}, READ),
        (
            {CLAUDE: mcp(), SETTINGS: rules(defaultMode="dontAsk", allow=["mcp__notes__list"])},
            ["run", "refused", "refused"],
        ),
        (
            {CLAUDE: mcp(), SETTINGS: rules(defaultMode="auto", allow=["mcp__notes__list"])},
            ["run", "not known", "not known"],
        ),
        ({CLAUDE: mcp(), SETTINGS: rules(defaultMode="acceptEdits")}, ASKS),
        (
            {
                CLAUDE: {
                    **mcp(),
                    "projects": {f"{HOME}/project": {"allowedTools": ["mcp__notes__add"]}},
                }
            },
            ["ask", "ask", "run"],
        ),
        (
            {
                CLAUDE: {
                    **mcp(),
                    "projects": {f"{HOME}/other": {"allowedTools": ["mcp__notes__add"]}},
                }
            },
            ASKS,
        ),
        # VS Code.
        ({f"{CODE}/mcp.json": {"servers": {"notes": ENTRY}}}, READ),
        ({f"{CODE}/mcp.json": {"servers": {"notes": {**ENTRY, "sandboxEnabled": True}}}}, RUNS),
        (
            {
                f"{CODE}/mcp.json": {"servers": {"notes": ENTRY}},
                f"{CODE}/settings.json": {"chat.tools.autoApprove": True},
            },
            RUNS,
        ),
        (
            {
                f"{CODE}/mcp.json": {"servers": {"notes": ENTRY}},
                f"{CODE}/settings.json": {
                    "chat.tools.eligibleForAutoApproval": {"mcp_notes_list": False}
                },
            },
            ["not known", "ask", "ask"],
        ),
        # Values that are no words.
        ({GEMINI: {**mcp(), "general": {"defaultApprovalMode": {"a": 1}}}}, NOT_KNOWN),
        ({CODEX: codex(top="approval_policy = { granular = { rules = true } }")}, NOT_KNOWN),
        ({CODEX: codex("default_tools_approval_mode = 3")}, NOT_KNOWN),
        (
            {OPENCODE: opencode(permission={"notes_drop": {"*": "ask"}})},
            ["run", "not known", "run"],
        ),
        # OpenCode and Kilo: the more exact name counts.
        ({OPENCODE: opencode(permission="ask")}, ASKS),
        ({OPENCODE: opencode(permission={"*": "ask", "notes_list": "allow"})}, READ),
        ({OPENCODE: opencode(permission={"*": "allow", "notes_*": "ask"})}, ASKS),
        # The last rule that matches decides.
        ({OPENCODE: opencode(permission={"notes_*": "ask", "*": "allow"})}, RUNS),
        ({OPENCODE: opencode(permission={"notes_drop": "deny"})}, ["run", "refused", "run"]),
        ({OPENCODE: opencode(permission={"other_*": "ask"})}, RUNS),
        ({OPENCODE: opencode(tools={"notes_drop": False})}, ["run", "hidden", "run"]),
        ({KILO: opencode(permission={"notes_drop": "deny"})}, ["run", "hidden", "run"]),
        # Lists of names.
        ({CLINE: mcp(autoApprove=["drop"])}, ["ask", "run", "ask"]),
        # The command line program has another default than the extension.
        ({CLINE_CLI: mcp()}, RUNS),
        ({CLINE_CLI: mcp(disabled=True)}, HIDDEN),
        ({CLINE: mcp(disabled=True, autoApprove=["drop"])}, HIDDEN),
        (
            {
                CRUSH: {
                    "mcp": {"notes": {"type": "stdio", **ENTRY}},
                    "permissions": {"allowed_tools": ["mcp_notes_drop", "mcp_other_add"]},
                }
            },
            ["ask", "run", "ask"],
        ),
        ({COPILOT: mcp(tools=["add"])}, ["hidden", "hidden", "ask"]),
        ({COPILOT: mcp(tools=["*"])}, ["not known", "ask", "ask"]),
        (
            {
                CURSOR: mcp(),
                f"{HOME}/.cursor/cli-config.json": rules(
                    allow=["Mcp(notes:drop)"], deny=["Mcp(notes:list)"]
                ),
            },
            ["refused", "run", "ask"],
        ),
        (
            {
                ZED: {
                    "context_servers": {"notes": ENTRY},
                    "agent": {"always_allow_tool_actions": True},
                }
            },
            NOT_KNOWN,
        ),
    ],
)
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
