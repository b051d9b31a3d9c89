"""`signoff why`: lines and JSON of a trace, and the command on a home with files of hosts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.session_config import Target
from signoff.app.features.why.words import HostAnswer, full_lines, overview_lines, why_json
from signoff.app.hosts.approvals.tracing import default_trace, trace_of
from signoff.app.presentation.feature import hook
from signoff.app.protocol.tool_reading import read_tools
from tests.approved import approved
from tests.features.matrix.hosts_home import HomeWithHosts
from tests.hosts.files.given import HOME
from tests.hosts.files.machine import (
    CLAUDE,
    CLINE,
    CODEX,
    GEMINI,
    GOOSE,
    MODELS,
    SETTINGS,
    TOOLS,
    Files,
    codex,
    columns,
    goose,
    mcp,
    rules,
)
from tests.servers import raw
from tests.tiers import first_quick

PROSE = approved("why")
SECRET = "sk-4f9aB27cD81eF630aa19c2d47b85e6f0"
FOLDER = f"{HOME}/project"
HOSTILE = "\x1b[31m<b>`x`</b>\u202e\nturn ended: ok"
IN_CLAUDE: Files = {
    CLAUDE: {**mcp(env={"API_KEY": SECRET}), **rules(allow=["mcp__notes"])},
    SETTINGS: rules(allow=["mcp__other", "Bash(ls)"], deny=["mcp__notes__add"]),
    f"{FOLDER}/.claude/settings.json": rules(allow=["mcp__notes__drop"], defaultMode="acceptEdits"),
}
IN_CODEX: Files = {
    CODEX: codex('default_tools_approval_mode = "writes"', top='approval_policy = "on-request"')
}


def answers(files: Files, tool: int = 1) -> list[HostAnswer]:
    found = []
    for one in columns(files):
        variants = [each for host in MODELS for each in host.variants]
        policy = next((each for each in variants if each.name == one.mode), None)
        trace = trace_of(one, TOOLS[tool])
        found.append(HostAnswer(one.server.host, one.host, trace, policy, (), one))
    return found


@pytest.mark.parametrize(
    ("key", "files", "tool"),
    [
        ("claude code", IN_CLAUDE, 1),
        ("codex, read-only", IN_CODEX, 0),
        ("goose, its own rules", {GOOSE: goose()}, 1),
        ("gemini cli, plan", {GEMINI: {**mcp(trust=True), "approvalMode": "plan"}}, 0),
    ],
)
def test_one_host_in_full(key: str, files: Files, tool: int) -> None:
    lines = full_lines(TOOLS[tool], answers(files, tool), HOME, FOLDER)
    PROSE.holds(key, "\n".join(lines))


def test_a_line_for_each_host() -> None:
    files = {**IN_CLAUDE, **IN_CODEX, GOOSE: goose()}
    found = answers(files)
    cursor = next(one for one in MODELS if one.name == "cursor")
    made = default_trace(cursor, TOOLS[1], "notes")
    found.append(HostAnswer("cursor", cursor.title, made, cursor, (), None))
    found.append(HostAnswer("kiro", "Kiro", None, None, (), None, has_files=False))
    PROSE.holds("a line for each host", "\n".join(overview_lines(TOOLS[1], found, HOME, FOLDER)))
    PROSE.holds("no host", "\n".join(overview_lines(TOOLS[1], [], HOME, FOLDER)))


def test_no_secret_and_no_sign_of_a_terminal_is_in_any_output() -> None:
    tools: list[JsonValue] = [{"name": "drop", "inputSchema": {"type": "object"}, "title": HOSTILE}]
    (tool,) = read_tools(tools)
    allow = [f"mcp__{HOSTILE}__x", f"mcp__notes__{HOSTILE}", SECRET]
    mode = f"odd{HOSTILE}"
    files = {
        CLAUDE: mcp(env={"API_KEY": SECRET}),
        SETTINGS: rules(allow=allow, defaultMode=mode),
        GOOSE: goose(f"GOOSE_MODE: {SECRET}"),
        CLINE: mcp(autoApprove=[SECRET, HOSTILE]),
    }
    found = [
        HostAnswer(one.server.host, one.host, trace_of(one, tool), None, (), one)
        for one in columns(files)
    ]
    texts = [*full_lines(tool, found, HOME, FOLDER), *overview_lines(tool, found, HOME, FOLDER)]
    texts.append(json.dumps(why_json(tool, "notes", found), ensure_ascii=False))
    for one in texts:
        assert SECRET not in one
        assert one.isprintable()
        assert not one.strip().startswith("turn ended")


def why(machine: HomeWithHosts, *words: str) -> dict[str, Any]:
    ended = machine.run("why", *words, "--json")
    assert ended.status == 0
    return {f"{one['host']}": one for one in ended.report["hosts"]}


@pytest.fixture
def machine(tmp_path: Path) -> HomeWithHosts:
    return HomeWithHosts(tmp_path)


def test_the_decisions_are_those_of_the_matrix(machine: HomeWithHosts) -> None:
    machine.write(".gemini/settings.json", {"mcpServers": {"a": {**machine.entry, "trust": True}}})
    machine.write(".claude.json", {"mcpServers": {"a": machine.entry}})
    machine.write(".claude/settings.json", {"permissions": {"deny": ["mcp__a__echo"]}})
    machine.write(".cursor/mcp.json", {"mcpServers": {"a": {"command": "other"}}})
    machine.write(".config/zed/settings.json", "{broken")
    found = why(machine, "echo")
    report = machine.run("matrix", "--here", "--json").report
    names = [one["name"] for one in report["columns"]]
    (row,) = [one for one in report["tools"] if one["name"] == "echo"]
    for host in ("gemini-cli", "claude-code"):
        cell = row["cells"][names.index(f"{host}:here")]["untrusted"]
        assert found[host]["decision"] == cell["word"]
        assert found[host]["entry"]["column"] == f"{host}:here"
        (decides,) = [one for one in found[host]["steps"] if one["outcome"] == "decides"]
        assert cell["source"] == f"{decides['file']}:{decides['line']}"
    assert found["gemini-cli"]["to_be_asked"][0]["edit"] == "set trust to false"
    assert found["cursor"]["missing"] == "none of its files here has this server"
    assert found["cursor"]["decision"] == "ask"
    assert found["zed"]["unread"][0]["reason"].startswith("not JSON")


def test_an_entry_that_its_host_does_not_load_is_named(machine: HomeWithHosts) -> None:
    whole = json.dumps({"mcpServers": {"a": machine.entry}})
    # Claude Code reads no comments.
    machine.write(".claude.json", f"{whole} // x")
    found = why(machine, "echo")["claude-code"]
    assert found["missing"] == "the host does not load its entry a"
    assert (found["entry"], found["decision"]) == (None, "ask")


def test_a_file_that_nobody_may_read_is_named(machine: HomeWithHosts) -> None:
    machine.write(".claude.json", {"mcpServers": {"a": machine.entry}})
    (machine.home / ".claude").mkdir()
    (machine.home / ".claude" / "settings.json").symlink_to("/dev/zero")
    lines = machine.run("why", "echo", "--as", "claude-code").stdout.splitlines()
    assert lines[0].endswith(": ask")
    assert lines[1].strip().startswith("~/.claude/settings.json  cannot be read: ")


def test_one_host_in_a_mode_that_is_named(machine: HomeWithHosts) -> None:
    machine.write(".claude.json", {"mcpServers": {"a": machine.entry, "b": machine.entry}})
    ended = machine.run("why", "echo", "--as", "claude-code:bypass")
    assert ended.status == 0
    heads = [one for one in ended.stdout.splitlines() if one.startswith("echo in Claude Code")]
    assert [one.rpartition(": ")[2] for one in heads] == ["run", "run"]
    assert "--as" in ended.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("why", "ech", "--as", "codex"), "did you mean echo?"),
        (("why", "echo", "--as", "codx"), "did you mean codex?"),
        (("why", "echo", "--as", "codex:exek"), "did you mean exec?"),
    ],
)
def test_an_unknown_name_is_an_error_with_a_suggestion(
    machine: HomeWithHosts, words: tuple[str, ...], said: str
) -> None:
    ended = machine.run(*words)
    assert ended.status == 2
    assert said in ended.stderr


def test_a_host_without_files_or_without_rules_has_a_sentence(machine: HomeWithHosts) -> None:
    assert "by default (no file of it was found on this machine): run" in (
        machine.run("why", "echo", "--as", "Goose").stdout
    )
    ended = machine.run("why", "echo", "--as", "kiro")
    assert ended.stdout.splitlines()[-1].strip() == "the rules of this host are not known"
    assert "no file of a host was found" in machine.run("why", "echo").stdout


def test_the_screen_has_the_lines_of_the_command(
    machine: HomeWithHosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.write(".gemini/settings.json", {"mcpServers": {"a": {**machine.entry, "trust": True}}})
    told = machine.run("why", "echo", "--as", "gemini-cli:plan").stdout.splitlines()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(machine.home))
    monkeypatch.chdir(machine.work)
    (tool,) = read_tools([{"name": "echo", "annotations": {"readOnlyHint": True}}])
    target = Target("raw", tuple(raw()))
    lines = hook("why, in lines")((tool,), "raw", target, tool, "gemini-cli:plan")
    assert lines[0] == told[0]
    assert lines[0].endswith(": ask")
    assert len(lines) == len(told)


RESOLVES = (*("--experimental", "tool-resolution"), "--", *raw("--resolution", "honest"))


@pytest.mark.parametrize(("action", "decision"), [("read", "run"), ("delete", "ask")])
def test_with_arguments_it_has_the_decision_by_resolved_hints(
    machine: HomeWithHosts, action: str, decision: str
) -> None:
    words = ("why", "manage", "--as", "vscode", "-a", f"action={action}")
    ended = machine.run(*words, "--json", server=RESOLVES)
    assert ended.status == 0
    assert ended.report["resolution"]["status"] == "resolved"
    (found,) = ended.report["hosts"]
    assert (found["decision"], found["if_resolved"]) == ("ask", decision)


def test_the_lines_have_both_decisions(machine: HomeWithHosts) -> None:
    machine.write(".codex/config.toml", 'model = "any"\n')
    machine.write(".cursor/mcp.json", {"mcpServers": {}})
    words = ("why", "manage", "-a", "action=read")
    PROSE.holds("resolved, every host", machine.run(*words, server=RESOLVES).stdout)
    PROSE.holds("resolved, one host", machine.run(*words, "--as", "codex", server=RESOLVES).stdout)


def test_arguments_are_sent_only_with_the_draft_and_if_they_are_valid(
    machine: HomeWithHosts,
) -> None:
    ended = machine.run("why", "manage", "--args", "{}", server=RESOLVES)
    assert (ended.status, "$.action" in ended.stderr) == (2, True)
    ended = machine.run("why", "echo", "-a", "text=a")
    assert ended.status == 2
    assert "--experimental tool-resolution" in ended.stderr
    ended = machine.run("why", "echo", "-a", "text=a", "--json", server=RESOLVES)
    assert ended.report["resolution"]["arguments_sent"] is False


@pytest.mark.parametrize("mode", first_quick(["weakens", "-32602", "-32603"]))
def test_a_failed_resolution_changes_no_decision(machine: HomeWithHosts, mode: str) -> None:
    server = (*RESOLVES[:3], *raw("--resolution", mode))
    words = ("why", "manage", "--as", "vscode", "-a", "action=read")
    report = machine.run(*words, "--json", server=server).report
    assert report["resolution"]["status"] in ("failed", "refused")
    assert report["hosts"][0]["if_resolved"] is None


def test_a_probable_secret_is_not_sent(machine: HomeWithHosts) -> None:
    words = ("-a", "action=read", "-a", f"password={SECRET}")
    ended = machine.run("why", "manage", *words, "--json", server=RESOLVES)
    assert ended.report["resolution"]["status"] == "not sent"
    assert SECRET not in ended.stdout
