"""Plain mode runs the commands of the command line on its own server."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from signoff.app.cli.command import AlsoOnOpen, OnOpen
from signoff.app.cli.options.parser import Parser
from signoff.app.cli.plain.commands import own_verbs
from signoff.app.cli.plain.running import entries, parser_of
from tests.approved import approved
from tests.cli.plain.test_offer_lines import said
from tests.cli.running import run
from tests.servers import raw, recorded
from tests.tiers import first_quick

PROSE = approved("cli-plain")
OPENING = ("--url", "--config", "--policy", "--approve", "--show-secrets", "--connect-timeout")


def leaves(parser: Parser) -> list[Parser]:
    return [one for inner in parser.commands.values() for one in leaves(inner)] or [parser]


@pytest.mark.parametrize("name", entries())
def test_a_command_for_an_open_server_has_work_on_one(name: str) -> None:
    for parser in leaves(parser_of(name)):
        given, _ = parser.parse_known_args(["1", "2"][: positionals(parser)])
        given.mode = name
        assert isinstance(given.read_command(given).work, OnOpen | AlsoOnOpen)


def positionals(parser: Parser) -> int:
    return sum(not one.option_strings and one.nargs is None for one in parser._actions)


@pytest.mark.parametrize("name", entries())
def test_options_about_opening_a_server_are_not_offered(name: str) -> None:
    for parser in leaves(parser_of(name)):
        assert not set(OPENING) & set(parser._option_string_actions)
        assert "[demo" not in (parser.usage or "")
        assert parser.format_help() == parser.format_whole_help()


def test_the_kinds_that_are_taken_are_listed_once() -> None:
    lists = [one.lists for one in entries().values() if one.lists]
    assert len(lists) == len(set(lists))
    assert {one.takes for one in entries().values()} - {""} <= set(lists)


def test_the_help_has_every_command_once(tmp_path: Path) -> None:
    (text,) = said(tmp_path, "help")
    names = [line.split()[0].rstrip(":") for line in text.splitlines() if line.startswith("  ")]
    assert sorted(names) == sorted({*own_verbs(), *entries()})


def test_a_command_has_its_own_help_and_errors(tmp_path: Path) -> None:
    found = said(
        tmp_path,
        "help resources",
        "resources --josn",
        "resources --url x",
        "read",
        "tasks look",
        "read 'x",
        "call show_text --args -",
        "tools --json stock",
        "call --help",
        "prompt --help",
        "help call",
    )
    PROSE.holds("commands: help of one", found[0])
    PROSE.holds("commands: errors", "".join(found[1:8]))
    assert "--although-invalid" in found[8]
    assert "--although-invalid" in found[9]
    assert "call --help: its options" in found[10]


def test_a_call_takes_the_options_of_the_command(tmp_path: Path) -> None:
    one, twice, json_, wrong, calls, again = said(
        tmp_path,
        "call calculate_sum -a a=2 -a b=40",
        "call calculate_sum -a a=2 -a b=40 --twice",
        'call calculate_sum --json --args {"a": 1, "b": 2}'.replace(
            '{"a": 1, "b": 2}', '\'{"a":1,"b":2}\''
        ),
        "call calculate_sum -a a=x -a b=1",
        "calls",
        "response",
    )
    assert one.startswith("call 1\n")
    assert "┃ 42" in one
    assert "first\n" in twice
    assert "\n  repeat   " in twice
    assert json.loads(json_)["arguments"] == {"a": 1, "b": 2}
    PROSE.holds("commands: invalid arguments", wrong)
    assert calls.count("answered") == 4
    # The last call is the one that the next lines are about.
    assert again.startswith("call 4\n")


def test_the_manual_and_explanations_are_printed(tmp_path: Path) -> None:
    page, pages, code, status, unknown = said(
        tmp_path, "manual lint", "manual", "explain batch", "explain 4", "explain \x1b[2Jbatc"
    )
    assert "# Lint tool definitions" in page
    assert "how-to/plain-mode" in pages
    assert "Why    Only 2025-03-26 has batches." in code
    assert "breaks the output schema" in status
    assert "no such code" in unknown
    assert "\x1b" not in unknown


def test_a_number_stands_for_a_name(tmp_path: Path) -> None:
    listed, by_number, explained, quoted, codex, chosen = said(
        tmp_path,
        "list calculate_sum",
        "call 1 -a a=2 -a b=40",
        "policy explain 1",
        "read 'demo://kitchen/menu.md'",
        "policy list codex",
        "policy 9",
    )
    assert "  1  calculate_sum" in listed
    assert "1 of 89 tools" in listed
    assert "calculate_sum" in by_number
    assert "calculate_sum" in explained
    assert "┃ # Menu" in quoted
    assert "\n  9  codex" in codex
    assert "as Codex decides now" in chosen


def test_a_policy_may_be_a_file_and_the_list_names_the_one_that_decides(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('name = "mine"\nsummary = "Asks."\n[[rule]]\nthen = "ask"\n', "utf-8")
    checked, chosen, listed, none = said(
        tmp_path, f"policy check {file}", f"policy {file}", "policy", "policy 999"
    )
    assert "mine: sound, with 1 rule" in checked
    assert chosen == "mine decides now: Asks.\n"
    assert listed.endswith("mine decides in this session\n")
    assert none.startswith("No policy has the number 999: policy lists ")


def test_every_number_of_a_list_stands_for_its_row(tmp_path: Path) -> None:
    listed, *shown = said(tmp_path, "list", *(f"show {number}" for number in (1, 40, 89)))
    rows = dict(line.split()[:2] for line in listed.splitlines() if line[:5].strip().isdigit())
    assert list(rows) == [str(number) for number in range(1, 90)]
    for number, text in zip((1, 40, 89), shown, strict=True):
        assert text.split()[:3] == ["tool", str(number), rows[str(number)]]


def test_grants_and_denials_of_the_session_are_listed(tmp_path: Path) -> None:
    empty, cleared, gone, reset = said(
        tmp_path, "grants", "grants clear", "grants revoke 1", "grants clear --reset"
    )
    PROSE.holds("commands: grants", f"{empty}{cleared}{gone}{reset}")


def test_the_audit_log_is_that_of_the_session(tmp_path: Path) -> None:
    log = tmp_path / "own.jsonl"
    shown, verified, path = said(
        tmp_path,
        "audit show --event opened",
        "audit verify",
        "audit",
        words=("--plain", "demo", "--audit", str(log)),
    )
    assert str(log) in path.splitlines()[0]
    assert " opened " in shown
    assert " listed " not in shown
    assert "intact" in verified
    (none,) = said(tmp_path, "audit", words=("--plain", "demo", "--no-audit"))
    assert none == "signoff: no audit log is kept (--no-audit)\n"


def test_doctor_tells_no_lies_about_a_session_and_knows_a_lost_server(tmp_path: Path) -> None:
    words = ("--plain", "--trust", "--name", "raw", "--", *raw("--with", "all"))
    typed = "doctor\ncall crash !{}\ndoctor\nfindings\nquit\n"
    shown = run(tmp_path, *words, stdin=typed).stdout.split("raw> ")
    assert "no tool was called" not in shown[1] + shown[3]
    assert "not-examined" not in shown[1]
    assert "not-examined" in shown[3]
    assert shown[4].partition("\n")[2] == shown[3].partition("\n")[2]


def test_a_server_is_not_asked_for_what_a_command_line_has_wrong(tmp_path: Path) -> None:
    record = tmp_path / "calls"
    words = ("--plain", "--policy", "allow-all", "--name", "raw", "--")
    server = raw("--record", str(record), "--with", "all")
    typed = "call read_thing -a nmae=x\ncall delete_thing --pages 2 --twice -a name=x\nquit\n"
    run(tmp_path, *words, *server, stdin=typed)
    assert not record.exists() or recorded(record) == []


@pytest.mark.parametrize("line", ["resources", "doctor", "tools", "prompts", "diff", "policy list"])
def test_what_a_command_prints_is_safe_to_show(tmp_path: Path, line: str) -> None:
    words = ("--plain", "--name", "raw", "--", *raw("--with", "all", "--hostile"))
    shown = run(tmp_path, *words, stdin=f"{line}\nquit\n").stdout
    odd = [c for c in shown if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0]
    assert odd == []
    assert not {"\u202e", "\u200b"} & set(shown)


def test_a_policy_of_ones_own_is_shown_without_its_controls(tmp_path: Path) -> None:
    policy = tmp_path / "own.toml"
    policy.write_text(
        'name = "own"\nsummary = "a"\n# \u202e\x1b[31m\n[[rule]]\nthen = "ask"\n', "utf-8"
    )
    (shown,) = said(tmp_path, f"policy show {policy}")
    assert "\u202e" not in shown
    assert "\x1b" not in shown


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="this is for POSIX")
def test_a_watched_server_goes_on_after_a_call_of_a_command(tmp_path: Path) -> None:
    words = ("--plain", "--trust", "--evidence", "--evidence-by", "folders", "--name", "raw", "--")
    typed = "call read_thing -a name=x\ncall read_thing -a name=y\nserver\nquit\n"
    shown = run(tmp_path, *words, *raw(), stdin=typed).stdout
    assert "┃ read x" in shown
    assert "┃ read y" in shown
    assert "state         connected" in shown
    assert shown.replace("signoff-evidence-", "").count("evidence") == 2


def test_colours_are_not_forced_on_lines(tmp_path: Path) -> None:
    typed = "tools stock\nresources menu\nread 1\nquit\n"
    shown = run(tmp_path, "--plain", "demo", stdin=typed, FORCE_COLOR="1").stdout
    assert "count_stock" in shown
    assert not {"\x1b", "\u241b"} & set(shown)


def test_a_name_may_be_in_quotes(tmp_path: Path) -> None:
    tool, prompt, read = said(
        tmp_path, "call 'show_text' !{}", 'prompt "explain_hints"', 'read "clock://now" --json'
    )
    assert "outcome  answered" in tool
    assert "prompt   explain_hints" in prompt
    assert json.loads(read)["arguments"] == {"uri": "clock://now"}


def test_secrets_of_the_server_are_masked(tmp_path: Path) -> None:
    token = "ghp_" + "a" * 36
    server = raw("--with", "all")
    words = ("--plain", "--name", "raw", "--", *server, "--token", token)
    shown = run(tmp_path, *words, stdin="tools\ndoctor\nserver\nquit\n").stdout
    assert token not in shown


SERVER = """\
import json, sys
tools = [{"name": name, "inputSchema": {"type": "object"}} for name in json.loads(sys.argv[1])]
for line in sys.stdin:
    asked = json.loads(line)
    content = {"type": "text", "text": "ran " + str(asked.get("params", {}).get("name"))}
    found = {
        "initialize": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "n", "version": "1"},
        },
        "tools/list": {"tools": tools},
        "tools/call": {"content": [content]},
    }
    said = {"jsonrpc": "2.0", "id": asked.get("id")}
    if asked.get("method") in found:
        print(json.dumps({**said, "result": found[asked["method"]]}), flush=True)
    elif "id" in asked:
        print(json.dumps({**said, "error": {"code": -32601, "message": "no"}}), flush=True)
"""
"""A server with tools of these names."""


def with_tools(folder: Path, names: list[str], *typed: str) -> list[str]:
    argv = (sys.executable, "-c", SERVER, json.dumps(names))
    words = ("--plain", "--policy", "allow-all", "--name", "demo", "--", *argv)
    return said(folder, *typed, words=words)


def test_a_tool_whose_name_begins_with_a_dash_is_called(tmp_path: Path) -> None:
    by_name, by_number, as_json = with_tools(
        tmp_path, ["-x y"], "call -x y !{}", "call 1 !{}", "call 1 --json"
    )
    assert "┃ ran -x y" in by_name
    assert "┃ ran -x y" in by_number
    assert json.loads(as_json)["tool"] == "-x y"


def test_a_number_is_looked_up_once_and_no_other_tool_is_called(tmp_path: Path) -> None:
    names = ["3", "1", "2"]
    found = with_tools(tmp_path, names, *(f"call {number} !{{}}" for number in (1, 2, 3)))
    for name, text in zip(names, found, strict=True):
        assert f"┃ ran {name}\n" in text
    (explained,) = with_tools(tmp_path, names, "policy explain 1")
    assert "tool       3\n" in explained


def test_of_tools_with_the_same_name_none_is_taken_for_the_other(tmp_path: Path) -> None:
    _, first, second = with_tools(tmp_path, ["a", "a"], "list", "call 1 !{}", "call 2 !{}")
    assert "┃ ran a" not in first + second or "Several tools" in second


@pytest.mark.parametrize(
    "line", first_quick(["call show_text !-", "prompt 2 !-", "policy explain 1 --args -"])
)
def test_standard_input_is_no_value(tmp_path: Path, line: str) -> None:
    refused, after = said(tmp_path, line, "calls")
    assert "standard input has the commands" in refused
    assert after == "No calls yet.\n"


def test_a_number_on_a_lost_server_is_an_error_of_one_line(tmp_path: Path) -> None:
    words = ("--plain", "--trust", "--name", "demo", "--", *raw("--with", "all"))
    _, read, prompt, tools = said(
        tmp_path, "call crash !{}", "read 1", "prompt 1", "tools echo", words=words
    )
    assert "No resource has the number 1" in read
    assert "No prompt has the number 1" in prompt
    assert "echo" in tools
