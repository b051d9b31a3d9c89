"""A server in hand-made files of hosts, and the columns that they make."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from signoff.app.approval.matrix import cell_word
from signoff.app.approval.policies.verdicts import Case
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.hosts.approvals.as_configured import (
    ConfiguredColumn,
    RunsUnasked,
    Wanted,
    columns_here,
    entries_of,
    runs_here,
)
from signoff.app.hosts.files.reading import judged_together
from signoff.app.hosts.files.servers import FileReport, Machine
from signoff.app.hosts.files.sharing import with_shadowed
from signoff.app.hosts.rules import host_names, read_host
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool_reading import read_tools
from tests.hosts.files.given import HOME, read

WORDS = ("npx", "-y", "notes")
ENTRY = {"command": "npx", "args": ["-y", "notes"]}
_HINTS: list[tuple[str, dict[str, JsonValue]]] = [
    ("list", {"readOnlyHint": True}),
    ("drop", {"destructiveHint": True}),
    ("add", {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False}),
]
TOOLS = read_tools(
    [
        {"name": name, "inputSchema": {"type": "object"}, "annotations": hints}
        for name, hints in _HINTS
    ]
)
MODELS = [read_host(name) for name in host_names()]
SETTINGS = f"{HOME}/.claude/settings.json"
CLAUDE = f"{HOME}/.claude.json"
GEMINI = f"{HOME}/.gemini/settings.json"
QWEN = f"{HOME}/.qwen/settings.json"
CODEX = f"{HOME}/.codex/config.toml"
GOOSE = f"{HOME}/.config/goose/config.yaml"
OPENCODE = f"{HOME}/.config/opencode/opencode.json"
KILO = f"{HOME}/.config/kilo/kilo.jsonc"
CRUSH = f"{HOME}/.config/crush/crush.json"
CODE = f"{HOME}/.config/Code/User"
CLINE = f"{CODE}/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
CLINE_CLI = f"{HOME}/.cline/data/settings/cline_mcp_settings.json"
ZED = f"{HOME}/.config/zed/settings.json"
CURSOR = f"{HOME}/.cursor/mcp.json"
KIRO = f"{HOME}/.kiro/settings/mcp.json"
COPILOT = f"{HOME}/.copilot/mcp-config.json"

Files = Mapping[str, object]


def written(files: Files) -> dict[str, str]:
    return {
        path: one if isinstance(one, str) else json.dumps(one, indent=1)
        for path, one in files.items()
    }


def reports(files: Files, platform: str = "linux") -> list[FileReport]:
    read_files = [read(text, "", path, platform) for path, text in written(files).items()]
    folder = f"{HOME}/project"
    return judged_together(with_shadowed(read_files), platform=platform, folder=folder)


def columns(files: Files, platform: str = "linux") -> list[ConfiguredColumn]:
    found = reports(files, platform)
    machine = Machine(HOME, f"{HOME}/project", {"HOME": HOME}, platform)
    return columns_here(TOOLS, entries_of(found, Wanted(WORDS)), found, MODELS, machine)


def words(column: ConfiguredColumn) -> list[str]:
    """The words for `list`, `drop` and `add`; trust in Signoff makes no difference."""
    cases = [[Case(tool, trust, "notes") for tool in TOOLS] for trust in Trust]
    both = [[cell_word(column.policy.judge(one)) for one in some] for some in cases]
    assert both[0] == both[1]
    return both[0]


def mcp(**keys: Any) -> dict[str, Any]:
    return {"mcpServers": {"notes": {**ENTRY, **keys}}}


def codex(*lines: str, top: str = "") -> str:
    return "\n".join(
        [top, "[mcp_servers.notes]", 'command = "npx"', 'args = ["-y", "notes"]', *lines]
    )


def goose(mode: str = "", **keys: Any) -> str:
    entry = {"type": "stdio", "enabled": True, "cmd": "npx", "args": ["-y", "notes"], **keys}
    return f"extensions:\n  notes: {json.dumps(entry)}\n{mode}\n"


def opencode(**keys: Any) -> dict[str, Any]:
    return {"mcp": {"notes": {"type": "local", "command": ["npx", "-y", "notes"]}}, **keys}


def rules(**kinds: Any) -> dict[str, Any]:
    return {"permissions": kinds}


def runs(files: Files) -> list[RunsUnasked]:
    return runs_here(TOOLS, columns(files))
