"""Files of each host in which every row of its `settings.toml` has a value."""

from __future__ import annotations

from typing import Final

from tests.hosts.files.given import HOME
from tests.hosts.files.machine import (
    CLAUDE,
    CLINE,
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

MODE: Final = "default_tools_approval_mode"
PROJECT: Final = f"{HOME}/project"
WINDSURF: Final = f"{HOME}/.codeium/windsurf/mcp_config.json"
AMAZON: Final = f"{HOME}/.aws/amazonq/cli-agents/agent.json"
LISTS: Final = {"allow": ["mcp__notes__a", "*"], "ask": ["mcp__notes__b"], "deny": ["mcp__notes"]}

EVERY_SETTING: Final[dict[str, list[Files]]] = {
    "amazon-q": [
        {
            AMAZON: {
                **mcp(autoApprove=["drop"], disabledTools=["list"]),
                "allowedTools": ["@notes/add", "@notes/d*", "@builtin", "@gone", "fs_read"],
                "useLegacyMcpJson": True,
            }
        }
    ],
    "claude-code": [
        {
            CLAUDE: {
                **mcp(),
                "projects": {
                    PROJECT: {
                        "allowedTools": ["mcp__notes__add", "Bash(ls)"],
                        "disabledMcpServers": ["web"],
                        "hasTrustDialogAccepted": True,
                        "mcpServers": {"notes": ENTRY, "web": ENTRY},
                    }
                },
            },
            SETTINGS: rules(**LISTS, defaultMode="bypassPermissions"),
            f"{PROJECT}/.mcp.json": {"mcpServers": {"notes": ENTRY, "both": ENTRY}},
            f"{PROJECT}/.claude/settings.json": {
                "enableAllProjectMcpServers": True,
                "enabledMcpjsonServers": ["notes"],
                "disabledMcpjsonServers": ["both", "notes"],
                **rules(allow=["mcp__both__t"], deny=["mcp__both__t"], defaultMode="acceptEdits"),
            },
        },
        {
            SETTINGS: rules(allow=["mcp__a b__t", "mcp__a_b__u"]),
            CLAUDE: {"mcpServers": {"a b": ENTRY}},
        },
        {CLAUDE: mcp(), SETTINGS: rules(defaultMode="odd")},
    ],
    "cline": [{CLINE: mcp(autoApprove=["drop", "*"])}],
    "codex": [
        {
            CODEX: codex(
                'enabled_tools = ["list", "drop"]',
                'disabled_tools = ["list"]',
                f'{MODE} = "approve"',
                "[mcp_servers.notes.tools.drop]",
                'approval_mode = "writes"',
                '[projects."/p"]',
                'trust_level = "trusted"',
                top='approval_policy = "never"\nsandbox_mode = "danger-full-access"',
            )
        },
        *[
            {
                CODEX: codex(
                    f'default_tools_approval_mode = "{mode}"', top=f'approval_policy = "{one}"'
                )
            }
            for mode, one in (("auto", "on-failure"), ("bold", "untrusted"), ("prompt", "never"))
        ],
    ],
    "copilot-cli": [{COPILOT: mcp(tools=["add"])}, {COPILOT: mcp(tools=[])}, {COPILOT: mcp()}],
    "crush": [
        {
            CRUSH: {
                "mcp": {
                    "a": {"type": "stdio", **ENTRY, "enabled_tools": ["b_t", "u"]},
                    "a_b": {"type": "stdio", **ENTRY, "disabled_tools": ["u"]},
                },
                "permissions": {"allowed_tools": ["mcp_a_b_t", "mcp_gone_t", "view", "*"]},
            }
        }
    ],
    "cursor": [
        {
            CURSOR: mcp(),
            f"{HOME}/.cursor/cli-config.json": rules(
                allow=["Mcp(notes:add)", "Mcp(*:t)", "Shell(ls)"], deny=["Mcp(notes:list)"]
            ),
        }
    ],
    "gemini-cli": [
        {
            GEMINI: {
                "mcpServers": {
                    "notes": {**ENTRY, "trust": True, "includeTools": ["a"], "excludeTools": ["b"]},
                    "other": ENTRY,
                    "out": ENTRY,
                },
                "mcp": {"allowed": ["notes", "out"], "excluded": ["out"]},
                "autoAccept": True,
                "tools": {"autoAccept": False},
                "general": {"defaultApprovalMode": mode},
                **rules(allow=["mcp__notes__a", "mcp__gone"], ask=["mcp__notes__b"], deny=["*"]),
                "$version": 3,
            }
        }
        for mode in ("yolo", "auto_edit", "plan", "odd")
    ]
    + [{GEMINI: {"mcpServers": {"a b": ENTRY}, **rules(allow=["mcp__a_b__t", "mcp__a b__u"])}}],
    "goose": [
        *[
            {GOOSE: goose(f"GOOSE_MODE: {mode}", available_tools=["add"])}
            for mode in ("chat", "odd")
        ],
        {GOOSE: goose("GOOSE_MODE: approve", available_tools=[])},
        {GOOSE: goose()},
    ],
    "kilo": [
        {
            KILO: opencode(
                permission={"notes_*": "allow", "notes_a": "deny"},
                tools={"notes_b": False},
                agent={"bold": {"permission": {"notes_a": "allow"}}},
            ),
            f"{PROJECT}/.kilocode/mcp.json": mcp(alwaysAllow=["add"], disabledTools=["list"]),
        }
    ],
    "kiro": [{KIRO: mcp(autoApprove=["*", "add"], disabledTools=["list"])}],
    "opencode": [
        {
            OPENCODE: opencode(
                permission={
                    "*": "ask",
                    "notes_a": "allow",
                    "notes_b": "deny",
                    "notes_c": {"*": "ask"},
                },
                tools={"notes_d": False, "notes_a": True},
                agent={"bold": {"permission": {"*": "allow"}, "tools": {"notes_a": True}}},
                mode={"plan": {"permission": {"notes_*": "deny"}}},
            )
        },
        {OPENCODE: opencode(permission="allow")},
    ],
    "qwen-code": [
        {
            QWEN: {
                **mcp(trust=True, includeTools=["a"], excludeTools=["b"]),
                "mcp": {"allowed": ["notes"], "excluded": ["other"]},
                "autoAccept": True,
                "tools": {"approvalMode": mode},
                **rules(allow=["mcp__notes__a"], ask=["mcp__notes__b"], deny=["mcp__notes__c"]),
                "$version": 3,
            }
        }
        for mode in ("auto", "default")
    ],
    "roo": [{f"{PROJECT}/.roo/mcp.json": mcp(alwaysAllow=["add"], disabledTools=["list"])}],
    "vscode": [
        {
            f"{CODE}/mcp.json": {"servers": {"notes": {**ENTRY, "sandboxEnabled": True}}},
            f"{CODE}/settings.json": {
                "chat.tools.global.autoApprove": False,
                "chat.tools.eligibleForAutoApproval": {"mcp_notes_list": False, "x_add": True},
                "chat.mcp.discovery.enabled": {"cursor": True},
            },
            f"{PROJECT}/.vscode/settings.json": {"chat.tools.autoApprove": True},
        },
        {
            f"{CODE}/mcp.json": {"servers": {"notes": ENTRY}},
            f"{CODE}/settings.json": {"chat": {"tools": {"autoApprove": True}}},
        },
    ],
    "windsurf": [
        {
            f"{HOME}/.codeium/windsurf/mcp_config.json": mcp(
                disabledTools=["list"], autoApprove=["a"]
            )
        }
    ],
    "zed": [
        {
            ZED: {
                "context_servers": {"notes": ENTRY},
                "agent": {"always_allow_tool_actions": True, "tool_permissions": {}},
            }
        }
    ],
}
