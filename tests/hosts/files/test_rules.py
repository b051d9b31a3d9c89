"""Rules on entries and files: each with an entry that breaks it, and one that does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.hosts.files.given import codes, entry, found, read, switches

RULES: Final[dict[str, list[list[Any]]]] = json.loads(
    Path(__file__).with_name("rules.json").read_text("utf-8")
)
"""Entries: a name, host, keys, code and level. Files: a text, host, code and level."""

SOUND: Final[list[tuple[str, str, dict[str, Any]]]] = [
    ("plain", "claude-code", {"command": "a-mcp", "args": ["--root", "/srv"]}),
    ("default", "claude-code", {"command": "a-mcp", "env": {"K": "${TOK:-none}"}}),
    ("price", "claude-code", {"command": "a-mcp", "args": ["costs $5", "a$b"]}),
    ("http", "claude-code", {"type": "http", "url": "https://h.example/mcp"}),
    ("local http", "cursor", {"url": "http://127.0.0.1:9/mcp"}),
    ("path with blanks", "cursor", {"command": "/opt/My Tools/bin/a-mcp"}),
    ("windows path", "claude-desktop", {"command": "a-mcp", "args": ["--max-tokens", "4000"]}),
    ("pinned", "cursor", {"command": "npx", "args": ["-y", "@acme/a@1.2.3"]}),
    ("pinned python", "cursor", {"command": "uvx", "args": ["--python", "3.12", "a-mcp==1.2"]}),
    ("own script", "cursor", {"command": "node", "args": ["${workspaceFolder}/a.js"]}),
    ("digest", "cursor", {"command": "docker", "args": ["run", "-i", f"a@sha256:{'0a' * 32}"]}),
    ("tag", "cursor", {"command": "docker", "args": ["run", "-e", "A", "reg:5000/a:1.2"]}),
    ("node memory", "cursor", {"command": "a", "env": {"NODE_OPTIONS": "--max-old-space-size=9"}}),
    ("counts", "cursor", {"command": "a", "env": {"MAX_TOKENS": "400", "TOKENS": "12"}}),
    ("opencode", "opencode", {"type": "local", "command": ["a"], "environment": {"K": "1"}}),
    ("zed", "zed", {"source": "custom", "command": "a-mcp", "args": []}),
    ("crush", "crush", {"type": "stdio", "command": "a-mcp"}),
    ("copilot", "copilot-cli", {"type": "local", "command": "a-mcp", "tools": ["*"]}),
    ("gemini", "gemini-cli", {"httpUrl": "https://h.example/mcp"}),
    ("cline", "cline", {"type": "sse", "url": "https://h.example/sse", "autoApprove": ["x"]}),
]
FINE: Final = {"one-line-file"}
"""What the entries of these tests have because they are written on one line."""


@pytest.mark.parametrize(("name", "host", "keys", "code", "level"), RULES["entries"])
def test_a_broken_rule_is_reported(
    name: str, host: str, keys: dict[str, Any], code: str, level: str
) -> None:
    problems = found(entry(host, **keys))
    assert (code, "a") in problems, [*problems]
    assert problems[code, "a"].level.value == level
    assert problems[code, "a"].line == 1


@pytest.mark.parametrize(("name", "host", "keys"), SOUND)
def test_a_sound_entry_has_no_problem(name: str, host: str, keys: dict[str, Any]) -> None:
    assert codes(entry(host, **keys)) - FINE == set()


@pytest.mark.parametrize(("text", "host", "code", "level"), RULES["files"])
def test_a_problem_of_the_file_is_reported(text: str, host: str, code: str, level: str) -> None:
    problems = found(read(text, host))
    assert (code, None) in problems, [*problems]
    assert problems[code, None].level.value == level


def test_one_bad_entry_hides_no_other() -> None:
    text = (
        '{"mcpServers": {"a": 5, "b": {"command": []}, "c": {"args": {}}, "d": {"command": "x"}}}'
    )
    report = read(text)
    assert [one.name for one in report.servers] == ["a", "b", "c", "d"]
    assert report.servers[-1].transport == "stdio"


def test_a_name_that_is_given_twice_is_reported_with_both_lines() -> None:
    report = read('{"mcpServers": {\n"a": {"command": "x"},\n"a": {"command": "y"}}}')
    (server,) = report.servers
    assert (server.command, server.spot.line) == ("y", 3)
    assert found(report)["duplicate-key", "a"].level.value == "error"


def test_a_key_that_is_given_twice_is_a_warning_of_its_server() -> None:
    report = read('{"mcpServers": {"a": {"command": "x", "command": "y"}}}')
    assert found(report)["duplicate-key", "a"].level.value == "warning"


def test_a_strict_host_loads_nothing_of_a_file_with_comments() -> None:
    report = read('{"mcpServers": {"a": {"command": "x"}}} // x')
    assert not report.servers[0].is_effective
    assert read('{"servers": {"a": {"command": "x"}}} // x', "vscode").servers[0].is_effective


def test_servers_of_another_container_are_read_and_not_effective() -> None:
    (server,) = read('{"servers": {"a": {"type": "http", "url": "https://h.example"}}}').servers
    assert (server.transport, server.is_effective) == ("http", False)
    assert server.details["container"] == "servers"


def test_codex_knows_layers_and_modes() -> None:
    text = (
        'approval_policy = "never"\nmodel_provider = "x"\n[mcp_servers.a]\nenabled = false\n'
        '[mcp_servers.b]\ncommand = "x"\ndefault_tools_approval_mode = "approve"\n'
    )
    report = read(text, "codex", "/home/ada/project/.codex/config.toml")
    problems = found(report)
    assert report.servers[0].transport == "none"
    assert {"overlay-only", "approvals-off", "ignored-in-project"} <= codes(report)
    assert problems["approvals-off", "b"].line == 7
    assert switches(report)["b"] == {"mode": "approve"}


def test_goose_reads_the_yaml_of_old_and_new_readers() -> None:
    text = (
        "extensions:\n  a: &base\n    type: stdio\n    cmd: x\n    enabled: yes\n"
        "    envs: {PATH: /x}\n  b:\n    <<: *base\n    enabled: off\n"
    )
    report = read(text, "goose", "/home/ada/.config/goose/config.yaml")
    assert [(one.name, one.is_enabled) for one in report.servers] == [("a", True), ("b", False)]
    assert {"yaml-anchor", "yaml-boolean", "env-loads-code"} <= codes(report)


@pytest.mark.slow
def test_an_alias_that_unfolds_to_much_is_refused() -> None:
    lines = ["a: &a [1,1,1,1,1,1,1,1,1,1]"]
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]")
    report = read("\n".join(lines), "goose", "/home/ada/.config/goose/config.yaml")
    assert codes(report) == {"parse-error", "yaml-anchor"}


def test_the_program_of_crush_is_not_read() -> None:
    report = read("export A=1", "crush", "/home/ada/project/.crushrc")
    assert (codes(report), report.servers) == ({"cannot-read-without-running"}, ())


def test_switches_of_an_agent_of_amazon_q() -> None:
    text = '{"mcpServers": {"a": {"command": "x"}}, "allowedTools": ["@a/read", "@b", "fs_read"]}'
    report = read(text, "amazon-q")
    assert switches(report) == {"_file": {"allow": ["@a/read", "@b"]}}
    assert "rule-without-server" in codes(report)


def test_an_old_bundle_has_an_entry_point() -> None:
    text = json.dumps(
        {"dxt_version": "0.1", "name": "w", "server": {"type": "node", "entry_point": "i.js"}}
    )
    (server,) = read(text, "mcpb").servers
    assert (server.command, server.args) == ("node", ("${__dirname}/i.js",))


@pytest.mark.parametrize(
    ("path", "host", "scope"),
    [
        ("/home/ada/.cursor/mcp.json", "cursor", "user"),
        ("/home/ada/project/.cursor/mcp.json", "cursor", "project"),
        ("/home/ada/project/.vscode/mcp.json", "vscode", "project"),
        ("C:\\Users\\ada\\work\\.vscode\\mcp.json", "vscode", "project"),
        ("/x/.codex/config.toml", "codex", "project"),
        ("/home/ada/.codex/config.toml", "codex", "user"),
        ("/home/ada/.config/Code/User/profiles/7f/mcp.json", "vscode", "profile"),
        ("/x/claude_desktop_config.json", "claude-desktop", "user"),
        ("/x/settings.json", "any", "file"),
    ],
)
def test_the_host_is_guessed_by_the_path(path: str, host: str, scope: str) -> None:
    report = read("{}" if "toml" not in path else "", "", path)
    assert (report.host, report.scope) == (host, scope)


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ('{"servers": {"a": {"command": "x"}}}', "vscode"),
        ('{"context_servers": {"a": {"command": "x"}}}', "zed"),
        ('{"mcp": {"a": {"type": "remote", "url": "x"}}}', "opencode"),
        ('{"mcp": {"a": {"type": "stdio", "command": "x"}}}', "crush"),
        ('{"manifest_version": "0.3", "name": "a", "server": {}}', "mcpb"),
        ('{"mcpServers": {"a": {"command": "x"}}}', "any"),
    ],
)
def test_the_host_is_guessed_by_the_container(text: str, host: str) -> None:
    assert read(text, "", "/x/y.json").host == host


BOTH = {
    "mcp.servers": {"dotted": {"type": "stdio", "command": "a"}},
    "mcp": {"servers": {"nested": {"type": "stdio", "command": "b"}}},
}


@pytest.mark.parametrize(
    ("path", "whole"),
    [
        (".vscode/settings.json", BOTH),
        ("a.code-workspace", {"settings": BOTH}),
        (".devcontainer/devcontainer.json", {"customizations": {"vscode": BOTH}}),
        (".devcontainer/devcontainer.json", {"customizations.vscode": BOTH}),
    ],
)
def test_each_way_to_write_a_container_of_settings_is_read(path: str, whole: object) -> None:
    report = read(json.dumps(whole), "", f"/home/ada/project/{path}")
    assert {one.name: one.is_effective for one in report.servers} == {
        "dotted": True,
        "nested": True,
    }
    assert "old-place" in codes(report)
