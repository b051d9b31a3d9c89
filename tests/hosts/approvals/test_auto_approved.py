"""What runs without asking: each known switch with its line, and no other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from signoff.app.features.servers.auto_approved import auto_approved_json, auto_approved_lines
from signoff.app.hosts.approvals.auto_approved import ApprovalsHere, AutoApproved, approvals_here
from signoff.app.hosts.files.servers import FileReport
from signoff.app.hosts.settings import EVERY
from tests.approved import approved
from tests.hosts.files.given import HOME, cases, read
from tests.hosts.files.machine import MODELS

PROSE = approved("auto-approved")


def here(files: Sequence[FileReport], platform: str = "linux") -> ApprovalsHere:
    return approvals_here(files, MODELS, platform=platform, folder=f"{HOME}/project")


def found(text: str, host: str, path: str = "") -> list[AutoApproved]:
    return [*here([read(text, host, path or f"{HOME}/file.json")]).found]


def brief(text: str, host: str, path: str = "") -> list[tuple[str, tuple[str, ...], str, int]]:
    return [(one.server, one.tools, one.key, one.line) for one in found(text, host, path)]


def servers(**entries: dict[str, Any]) -> str:
    whole = {name: {"command": "x", **one} for name, one in entries.items()}
    return json.dumps({"mcpServers": whole}, indent=1)


@pytest.mark.parametrize(
    ("host", "keys", "tools"),
    [
        ("cline", {"autoApprove": ["a", "b"]}, ("a", "b")),
        ("roo", {"alwaysAllow": ["a"]}, ("a",)),
        ("kiro", {"autoApprove": ["*"]}, ("*",)),
        ("gemini-cli", {"trust": True}, (EVERY,)),
        ("qwen-code", {"trust": True}, (EVERY,)),
        ("cline", {"autoApprove": []}, None),
        ("gemini-cli", {"trust": False}, None),
        ("gemini-cli", {"autoApprove": ["a"]}, None),
        ("cline", {"autoApprove": ["a"], "disabled": True}, None),
        ("cursor", {"trust": True}, None),
    ],
)
def test_switches_of_an_entry(host: str, keys: dict[str, Any], tools: tuple[str, ...]) -> None:
    shown = [(one.server, one.tools) for one in found(servers(s=keys), host)]
    assert shown == ([] if tools is None else [("s", tools)])


def test_the_command_line_program_of_cline_runs_everything_and_its_extension_does_not() -> None:
    path = f"{HOME}/.cline/data/settings/cline_mcp_settings.json"
    text = servers(s={}, off={"disabled": True})
    (one,) = found(text, "cline", path)
    assert (one.server, one.tools, one.key) == ("s", (EVERY,), "")
    assert "--auto-approve false" in one.fix
    assert not found(text, "cline", f"{HOME}/.config/Code/User/cline_mcp_settings.json")


def test_vs_code_in_the_sandbox_and_everywhere() -> None:
    entry = '{"servers": {"s": {"command": "x", "sandboxEnabled": true}}}'
    (one,) = found(entry, "vscode")
    assert one.condition
    settings = '{"chat.tools.autoApprove": true, "mcp": {"servers": {}}}'
    user = f"{HOME}/.config/Code/User/settings.json"
    assert [(one.server, one.tools) for one in found(settings, "vscode", user)] == [
        (EVERY, (EVERY,))
    ]


def test_codex_by_server_and_by_tool() -> None:
    text = (
        '[mcp_servers.a]\ncommand = "x"\ndefault_tools_approval_mode = "approve"\n'
        '[mcp_servers.b]\ncommand = "x"\ndefault_tools_approval_mode = "writes"\n'
        '[mcp_servers.c]\ncommand = "x"\ndefault_tools_approval_mode = "prompt"\n'
        '[mcp_servers.c.tools.t]\napproval_mode = "approve"\n'
        '[mcp_servers.c.tools.u]\napproval_mode = "prompt"\n'
    )
    path = f"{HOME}/.codex/config.toml"
    mode = "default_tools_approval_mode"
    assert brief(text, "codex", path) == [
        ("a", (EVERY,), mode, 3),
        ("b", (EVERY,), mode, 6),
        ("c", ("t",), "approval_mode", 11),
    ]
    assert found(text, "codex", path)[1].condition


def test_claude_code_by_rules_modes_and_projects() -> None:
    rules = '{"permissions": {"allow": ["mcp__a__t",\n"mcp__b", "Bash(ls)"], "deny": ["mcp__c"]}}'
    path = f"{HOME}/.claude/settings.json"
    assert brief(rules, "claude-settings", path) == [
        ("a", ("t",), "allow", 1),
        ("b", (EVERY,), "allow", 2),
    ]
    for mode, count in (("bypassPermissions", 1), ("plan", 0), ("dontAsk", 0)):
        text = json.dumps({"permissions": {"defaultMode": mode}})
        assert len(found(text, "claude-settings", path)) == count
    user = json.dumps({"mcpServers": {}, "projects": {"/p": {"allowedTools": ["mcp__a__t", "Ls"]}}})
    (one,) = found(user, "claude-user", f"{HOME}/.claude.json")
    assert (one.server, one.tools, one.condition) == ("a", ("t",), "in /p")


def test_modes_of_whole_files() -> None:
    goose = "GOOSE_MODE: {}\nextensions:\n  a:\n    type: stdio\n    cmd: x\n"
    path = f"{HOME}/.config/goose/config.yaml"
    assert [len(found(goose.format(mode), "goose", path)) for mode in ("auto", "approve")] == [1, 0]
    yolo = json.dumps({"general": {"defaultApprovalMode": "yolo"}, "mcpServers": {}})
    assert len(found(yolo, "gemini-cli")) == 1


def test_opencode_runs_what_no_rule_restricts() -> None:
    def runs(permission: object) -> list[tuple[str, tuple[str, ...], str]]:
        mcp = {"a": {"type": "local", "command": ["x"]}, "b": {"type": "local", "command": ["y"]}}
        whole = {"mcp": mcp} | ({"permission": permission} if permission is not None else {})
        shown = found(json.dumps(whole), "opencode", f"{HOME}/.config/opencode/opencode.json")
        return [(one.server, one.tools, one.condition) for one in shown]

    both = [("a", (EVERY,), ""), ("b", (EVERY,), "")]
    assert runs(None) == runs({"bash": "ask"}) == both
    assert runs("allow") == [(EVERY, (EVERY,), "")]
    assert runs("ask") == runs({"*": "ask"}) == runs({"a_*": "deny", "b_*": "ask"}) == []
    assert runs({"*": "ask", "a_read": "allow"}) == [("a", ("read",), "")]
    assert runs({"a_drop": "ask"}) == [("a", (EVERY,), "except drop"), both[1]]


def test_rules_of_cursor_crush_and_amazon_q() -> None:
    cursor = '{"permissions": {"allow": ["Mcp(a:t)", "Mcp(b:*)", "Shell(ls)"], "deny": []}}'
    path = f"{HOME}/.cursor/cli-config.json"
    assert [(one.server, one.tools) for one in found(cursor, "cursor-permissions", path)] == [
        ("a", ("t",)),
        ("b", ("*",)),
    ]
    crush = (
        '{"mcp": {"a": {"type": "stdio", "command": "x"}},'
        ' "permissions": {"allowed_tools": ["mcp_a_t", "view", "mcp_gone_t"]}}'
    )
    assert [(one.server, one.tools) for one in found(crush, "crush")] == [("a", ("t",))]
    amazon = '{"mcpServers": {"a": {"command": "x"}}, "allowedTools": ["@a/t", "@b", "fs_read"]}'
    path = f"{HOME}/.aws/amazonq/cli-agents/agent.json"
    assert [(one.server, one.tools) for one in found(amazon, "amazon-q", path)] == [
        ("a", ("t",)),
        ("b", (EVERY,)),
    ]


def test_an_entry_that_its_host_does_not_load_runs_nothing() -> None:
    report = read(servers(s={"trust": True}), "gemini-cli")
    hidden = replace(report.servers[0], is_effective=False)
    assert here([replace(report, servers=(hidden,))]).found == ()


def test_the_cases_have_no_secret_in_it() -> None:
    for case in cases().values():
        report = case.read()
        shown = [*auto_approved_lines(here([report]), HOME, HOME)]
        shown.append(json.dumps(auto_approved_json(here([report]))))
        assert not [secret for secret in case.secrets if any(secret in one for one in shown)]


def test_the_lines_name_the_switch_its_place_and_the_edit() -> None:
    files: list[FileReport] = [
        read(servers(s={"autoApprove": ["a", "b\u202e"]}), "cline", f"{HOME}/c.json"),
        read("GOOSE_MODE: auto\n", "goose", f"{HOME}/.config/goose/config.yaml"),
        read(
            '{"mcp": {"o": {"type": "local", "command": ["x"]}}, "permission": {"o_x": "ask"}}',
            "opencode",
            f"{HOME}/.config/opencode/opencode.json",
        ),
    ]
    lines = [*auto_approved_lines(here(files), HOME, f"{HOME}/project")]
    assert all(one.isprintable() for one in lines)
    PROSE.holds("auto-approved tools", "\n".join(lines))
    PROSE.holds(
        "no auto-approved tools", "\n".join(auto_approved_lines(ApprovalsHere((), ()), HOME, HOME))
    )
