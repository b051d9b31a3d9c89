"""Settings of hosts, and what becomes of the tools `list`, `drop` and `add` under them."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Final

from signoff.app.hosts.settings import star_glob
from tests.hosts.files.given import HOME
from tests.hosts.files.machine import (
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
    OPENCODE,
    QWEN,
    SETTINGS,
    ZED,
    Files,
    codex,
    goose,
    mcp,
    opencode,
    rules,
)

JUDGED = ["run if its model allows it"] * 3
RUNS, ASKS, HIDDEN, NOT_KNOWN = ([one] * 3 for one in ("run", "ask", "hidden", "not known"))
READ = ["run", "ask", "ask"]

CONFIGURED: Final[list[tuple[Files, list[str]]]] = [
    # The rules of the host, if no setting decides.
    ({CURSOR: mcp()}, ASKS),
    ({GOOSE: goose()}, RUNS),
    ({CODEX: codex()}, ["run", "ask", "run"]),
    ({OPENCODE: opencode()}, RUNS),
    ({COPILOT: mcp()}, ["run", "ask", "ask"]),
    # Hosts without a model.
    ({KIRO: mcp()}, NOT_KNOWN),
    ({KIRO: mcp(autoApprove=["drop"])}, ["not known", "run", "not known"]),
    ({KIRO: mcp(disabledTools=["drop"])}, ["not known", "hidden", "not known"]),
    # Modes that a file chooses.
    ({GOOSE: goose("GOOSE_MODE: auto")}, RUNS),
    ({GOOSE: goose("GOOSE_MODE: approve")}, ASKS),
    ({GOOSE: goose("GOOSE_MODE: smart_approve")}, ["run", JUDGED[0], "ask"]),
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
    ({QWEN: {**mcp(), "tools": {"approvalMode": "plan"}}}, ["refused"] * 3),
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
    ({QWEN: mcp()}, JUDGED),
    ({QWEN: {**mcp(), "tools": {"approvalMode": "auto"}}}, JUDGED),
    ({QWEN: {**mcp(), "tools": {"approvalMode": "default"}}}, ASKS),
    ({QWEN: {**mcp(), "tools": {"approvalMode": "auto-edit"}}}, ASKS),
    ({QWEN: mcp(trust=True)}, RUNS),
    ({QWEN: {**mcp(), **rules(allow=["mcp__notes__drop"])}}, [JUDGED[0], "run", JUDGED[0]]),
    (
        {QWEN: {**mcp(), **rules(deny=["mcp__notes__drop"])}},
        [JUDGED[0], "not known", JUDGED[0]],
    ),
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
        {CODEX: codex('default_tools_approval_mode = "writes"', top='approval_policy = "never"')},
        ["run", "not known", "not known"],
    ),
    ({CODEX: codex("enabled = false")}, HIDDEN),
    # Claude Code: deny, ask, allow, and the mode.
    ({CLAUDE: mcp(), SETTINGS: rules(allow=["mcp__notes"])}, RUNS),
    ({CLAUDE: mcp(), SETTINGS: rules(allow=["mcp__notes__*"])}, RUNS),
    ({CLAUDE: mcp(), SETTINGS: rules(allow=["mcp__other"])}, ASKS),
    ({CLAUDE: mcp(), SETTINGS: rules(allow=["mcp__notes__d*"])}, ["ask", "run", "ask"]),
    # Measured: a * for the server has no effect where a rule allows, nor have arguments anywhere.
    *(
        ({CLAUDE: mcp(), SETTINGS: rules(allow=[rule])}, ASKS)
        for rule in ("*", "mcp__*", "mcp__no*", "mcp__*__drop", "mcp__notes(*)", "mcp__NOTES")
    ),
    *(
        ({CLAUDE: mcp(), SETTINGS: rules(allow=["mcp__notes"], deny=[rule])}, HIDDEN)
        for rule in ("*", "mcp__*", "mcp__no*", "mcp__notes", "mcp__notes__*")
    ),
    *(
        ({CLAUDE: mcp(), SETTINGS: rules(allow=["mcp__notes"], deny=[rule])}, RUNS)
        for rule in ("mcp__notes(*)", "mcp__notes__drop(*)", "mcp__NOTES", "mcp__other*")
    ),
    (
        {CLAUDE: mcp(), SETTINGS: rules(allow=["mcp__notes"], ask=["mcp__*__d*p"])},
        ["run", "ask", "run"],
    ),
    (
        {
            CLAUDE: mcp(),
            SETTINGS: rules(
                allow=["mcp__notes"], ask=["mcp__notes__add"], deny=["mcp__notes__drop"]
            ),
        },
        ["run", "hidden", "ask"],
    ),
    ({CLAUDE: mcp(), SETTINGS: rules(defaultMode="bypassPermissions")}, RUNS),
    (
        {
            CLAUDE: mcp(),
            SETTINGS: rules(defaultMode="bypassPermissions", deny=["mcp__notes__drop"]),
        },
        ["run", "hidden", "run"],
    ),
    ({CLAUDE: mcp(), SETTINGS: rules(defaultMode="plan", allow=["mcp__notes"])}, READ),
    (
        {CLAUDE: mcp(), SETTINGS: rules(defaultMode="dontAsk", allow=["mcp__notes__list"])},
        ["run", "refused", "refused"],
    ),
    (
        {CLAUDE: mcp(), SETTINGS: rules(defaultMode="auto", allow=["mcp__notes__list"])},
        ["run", JUDGED[0], JUDGED[0]],
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
    ({COPILOT: mcp(tools=["*"])}, ["run", "ask", "ask"]),
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
]


def covers(names: Sequence[str], tool: str) -> bool:
    """True if one of the names, in which a * stands for any characters, is that of the tool."""
    return any(fnmatchcase(tool, star_glob(one)) for one in names)
