"""The settings of hosts as data: each file is valid, each mistake is named, each row is used."""

from __future__ import annotations

import re
from typing import Any

import pytest

from signoff.app.hosts.approvals.algorithms import DECIDING, REPORTING
from signoff.app.hosts.approvals.auto_approved import approvals_here
from signoff.app.hosts.folders import hosts_with
from signoff.app.hosts.rules import host_names, read_host
from signoff.app.hosts.settings import (
    EVERY,
    BadSettings,
    DecidingRow,
    read_settings,
    settings_of_host,
)
from signoff.app.hosts.table import hosts
from tests.hosts.files.given import HOME
from tests.hosts.files.machine import (
    CLAUDE,
    CODEX,
    CRUSH,
    CURSOR,
    ENTRY,
    GEMINI,
    GOOSE,
    MODELS,
    OPENCODE,
    SETTINGS,
    Files,
    codex,
    columns,
    goose,
    mcp,
    opencode,
    reports,
    rules,
    words,
)

WITH_SETTINGS = hosts_with("settings.toml")
NO_RULES = {("qwen-code", "plan")}
"""Modes whose rules are not known."""


@pytest.mark.parametrize("host", WITH_SETTINGS)
def test_every_row_names_what_there_is(host: str) -> None:
    known = settings_of_host(host)
    modes = {one.mode for one in read_host(host).variants} if host in host_names() else set()
    kinds = {one.id for one in hosts().values() if one.host == host}
    for row in known.setting:
        assert {*row.files} <= kinds, row
        chosen = {row.mode, *row.modes.values(), *(one.mode for one in row.together)} - {"", "="}
        assert {one for one in chosen if (host, one) not in NO_RULES} <= modes, row
        assert row.read in ("", *DECIDING), row
        assert row.report in ("", *REPORTING), row
        assert row.value != "rules" or known.rules is not None, row
        assert bool(row.modes) is bool(row.asks) or row.decisions, row
        assert row.entry == "" or row.name, row
    assert known.program is None or known.program.mode in modes


def test_every_function_is_named_by_a_row() -> None:
    rows = [row for host in WITH_SETTINGS for row in settings_of_host(host).setting]
    assert {row.read for row in rows} - {""} == {*DECIDING}
    assert {row.report for row in rows} - {""} == {*REPORTING}


def test_a_row_takes_the_place_of_that_of_a_similar_host() -> None:
    ours, theirs = settings_of_host("qwen-code"), settings_of_host("gemini-cli")
    assert [row.at or row.entry for row in ours.setting] == [
        row.at or row.entry for row in theirs.setting
    ]
    differing = [row for row in ours.setting if row not in theirs.setting]
    assert (ours.rules, len(differing)) == (theirs.rules, 3)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ('at = "a", value = "word", mods = { b = "c" }', "unknown key mods; did you mean modes?"),
        ('at = "a"', "value is missing"),
        ('at = "a", value = "flags"', "value has an unknown value flags"),
        ('at = "a", value = "flag", then = "run"', "then has an unknown value run"),
        ('at = "a", value = "flag", trusts = "yes"', "trusts has a value of another type"),
        ('at = 3, value = "flag"', "at has a value of another type"),
        ('at = [3], value = "flag"', "at has a value of another type"),
        ('at = "a", value = "word", modes = { b = 1 }', "modes has a value of another type"),
        ('value = "flag"', "either at or entry is needed"),
        ('at = "a", value = "flag", problem = ["b"]', "problem: expected a table"),
        ('at = "a", value = "flag", problem = 3', "problem has a value of another type"),
        ('at = "a", value = "table", decisions = { b = "c" }', "decisions has an unknown value c"),
        ('at = "a", value = "word", modes = { b = "c" }', "asks is missing"),
        ('at = "a", entry = "b", value = "flag"', "either at or entry is needed"),
        ('at = "a", value = "flag", says = "{keys} is true"', "says has an unknown value"),
        (
            'at = "a", value = "flag", problem = [{ when = "true", code = "odd", level = "note", '
            'says = "b" }]',
            "problem: code has an unknown value odd",
        ),
        (
            'at = "a", value = "word", together = [{ word = "b", at = "c", mode = "d" }]',
            "together: text is missing",
        ),
    ],
)
def test_a_mistake_in_a_row_is_named_with_file_and_key(row: str, words: str) -> None:
    with pytest.raises(BadSettings, match=re.escape(words)) as caught:
        read_settings(f"setting = [{{ {row} }}]", "tea-room")
    assert str(caught.value).startswith("tea-room/settings.toml: setting 1: ")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("setings = []", "unknown key setings; did you mean setting?"),
        ("setting = [", "Invalid value"),
        ("setting = 3", "setting 1: expected a table"),
        ("setting = [3]", "setting 1: expected a table"),
        ("rules = 3", "[rules]: expected a table"),
        ('like = "nowhere"', "like names nowhere, a host without settings"),
        ('setting = [{ at = "a", value = "rules", then = "allow" }]', "rules is missing"),
        ("[rules]\nform = '('", "[rules]: form has an unknown value"),
        ("[rules]\nform = 'mcp_.+'", "[rules]: form has an unknown value"),
        ('[asks]\nadd = "a"\nbehind = "b"\nsays = ""', "[asks]: behind has an unknown value b"),
        ('[program]\nfolder = "a"', "[program]: mode is missing"),
    ],
)
def test_a_mistake_in_a_file_is_named(text: str, words: str) -> None:
    with pytest.raises(BadSettings, match=re.escape(words)) as caught:
        read_settings(text, "tea-room")
    assert str(caught.value).startswith("tea-room/settings.toml: ")


def found(files: Files) -> list[tuple[str, tuple[str, ...], str]]:
    here = approvals_here(reports(files), MODELS, platform="linux", folder=f"{HOME}/project")
    return [(one.server, one.tools, one.key) for one in here.found]


@pytest.mark.parametrize(
    "files",
    [
        {CODEX: codex("[mcp_servers.notes.tools.t]", 'approval_mode = "{key}"')},
        {GEMINI: {**mcp(), **rules(allow=["mcp__notes__{key}", "mcp__{0}__t"])}},
        {SETTINGS: rules(allow=["mcp__a__{x}"], deny=["mcp__{0}"], defaultMode="{word}")},
        {OPENCODE: opencode(permission={"notes_{x}": "allow", "*": "{x}"}, tools={"{": False})},
        {CRUSH: {"mcp": {"{}": ENTRY}, "permissions": {"allowed_tools": ["mcp_{}_{x}"]}}},
        {GOOSE: goose('GOOSE_MODE: "{key}"')},
    ],
)
def test_braces_of_a_file_are_not_filled(files: Files) -> None:
    assert columns(files) or reports(files)[0].switches


def test_rules_count_only_in_the_kind_of_file_in_which_their_host_reads_them() -> None:
    project = f"{HOME}/project/.mcp.json"
    denying = {**mcp(), **rules(deny=["mcp__notes"], defaultMode="plan")}
    files = {project: denying, SETTINGS: rules(defaultMode="bypassPermissions")}
    assert [words(one) for one in columns(files)] == [["run"] * 3]
    assert found(files) == [(EVERY, (EVERY,), "defaultMode")]
    for odd in (
        {CLAUDE: {**mcp(), **rules(allow=["*"])}},
        {CURSOR: {**mcp(), **rules(allow=["*"])}},
    ):
        assert (found(odd), [dict(one.switches) for one in reports(odd)]) == ([], [{}])


def test_both_spellings_of_a_list_let_a_server_run() -> None:
    for key in ("mcp.allowed", "allowMCPServers"):
        assert found({GEMINI: {**mcp(), key: ["notes"]}}) == [("notes", (EVERY,), key)]
    both: dict[str, Any] = {"mcp": {"allowed": ["other"]}, "allowMCPServers": ["notes"]}
    assert found({GEMINI: {**mcp(), **both}}) == [("other", (EVERY,), "mcp.allowed")]


def test_the_own_tools_of_amazon_q_are_no_server() -> None:
    path = f"{HOME}/.aws/amazonq/cli-agents/agent.json"
    files = {path: {**mcp(), "allowedTools": ["@builtin", "@builtin/fs_read", "@notes/t"]}}
    assert found(files) == [("notes", ("t",), "allowedTools")]


def test_the_mode_that_is_reported_is_the_one_that_decides() -> None:
    files = {GEMINI: {**mcp(), "general": {"defaultApprovalMode": "yolo"}, "approvalMode": "plan"}}
    (report,) = reports(files)
    assert report.switches["approval_mode"] == "yolo"
    assert found(files) == [(EVERY, (EVERY,), "defaultApprovalMode")]


@pytest.mark.parametrize(
    ("form", "rule", "tool"),
    [
        (r"\*|a_{server}_(?P<tool>.*)", "a_x.y_t", "t"),
        (r"\*|a_{server}_(?P<tool>.*)", "a_xzy_t", ""),
        (r"\*|a_{server}_(?P<tool>.*)", "a_x.y_", ""),
        (r"\*|a_{server}_(?P<tool>.*)", "*", EVERY),
        (r"@(?P<server>[^/]+)(?:/(?P<tool>.+))?", "@x.y", EVERY),
        (r"@(?P<server>[^/]+)(?:/(?P<tool>.+))?", "@other/t", ""),
    ],
)
def test_a_rule_is_about_a_server_by_its_exact_name(form: str, rule: str, tool: str) -> None:
    known = read_settings(f"[rules]\nform = '{form}'", "tea-room").rules
    assert known is not None
    assert known.tool_of(rule, ("x.y",)) == tool


def test_a_key_is_shown_by_its_last_part() -> None:
    assert DecidingRow("flag", at=("a.b",)).key_of("a.b") == "b"
    assert DecidingRow("flag", at=("a.b",), whole_path=True).key_of("a.b") == "a.b"
