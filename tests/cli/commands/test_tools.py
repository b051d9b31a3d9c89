"""`signoff tools`, `signoff --version`, and servers that cannot be reached."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.approved import approved
from tests.cli.running import ROOT, Command, run
from tests.servers import filed, named, raw

PROSE = approved("cli-tools")


def test_the_json_lists_definitions_hints_effects_and_verdicts(tmp_path: Path) -> None:
    found = run(tmp_path, "tools", "--json", "--", *raw("--malformed-tool", "--hostile"))
    assert found.status == 0
    report = found.report
    assert set(report) == {"server", "tools", "findings", "masked"}
    by_name = {tool["name"]: tool for tool in report["tools"]}
    delete = by_name["delete_thing"]
    assert set(delete) == {
        *("name", "title", "definition", "digest", "hints", "effect", "verdict", "findings"),
        *("task_support", "needs_task", "app_only", "deprecated"),
    }
    assert delete["effect"] == "destructive"
    assert delete["verdict"]["answer"] == "ask"
    assert delete["verdict"]["strong"] is True
    assert delete["definition"]["annotations"]["destructiveHint"] is True
    assert len(delete["digest"]) == 64
    assert by_name["undeclared_thing"]["effect"] == "undeclared"
    assert by_name[""]["verdict"]["answer"] == "refuse"
    assert [c for c in found.stdout if ord(c) > 126 or (ord(c) < 32 and c != "\n")] == []


def test_trust_that_was_asked_for_is_said_to_let_tools_run(tmp_path: Path) -> None:
    server = raw("--only", "read_thing,add_thing")
    found = run(tmp_path, "tools", "--json", "--trust", "--", *server)
    PROSE.holds("tools: trust", found.stderr)
    assert found.report["tools"][0]["verdict"]["answer"] == "allow"
    as_host = run(tmp_path, "tools", "--json", "--trust", "--as", "vscode", "--", *server)
    PROSE.holds("tools: trust as a host", as_host.stderr)
    for switch in ("--no-trust", "--json"):
        assert run(tmp_path, "tools", switch, "--", *server).stderr == ""


def test_a_name_that_belies_its_hint_is_a_finding(tmp_path: Path) -> None:
    server = named("delete_all=r", "look=r")
    report = run(tmp_path, "tools", "--json", "--", *server).report
    (found,) = report["tools"][0]["findings"]
    assert report["tools"][1]["findings"] == []
    assert (found["code"], found["severity"]) == ("name-contradicts-read-only", "warning")
    lines = run(tmp_path, "tools", "--", *server).stdout
    PROSE.holds("tools: a misleading name", lines.partition("\nfindings\n")[2])


def test_what_is_not_called_like_other_tools_is_said(tmp_path: Path) -> None:
    server = raw("--only", "only_as_task,for_the_app,read_thing", "--era", "legacy")
    listed = run(tmp_path, "tools", "--", *server)
    report = run(tmp_path, "tools", "--json", "--", *server).report
    told = {one["name"]: (one["needs_task"], one["app_only"]) for one in report["tools"]}
    assert told == {
        "only_as_task": (True, False),
        "for_the_app": (False, True),
        "read_thing": (False, False),
    }
    assert report["tools"][0]["task_support"] == "required"
    lines = listed.stdout.splitlines()
    rows = [line for line in lines if line.strip().startswith(("only_as_task", "for_the_app"))]
    PROSE.holds("tools: not like other tools", "\n".join(rows))
    assert any("task-only" in line for line in lines)
    assert any("app-only" in line for line in lines)


def test_an_entry_that_cannot_be_read_is_listed_with_its_reason(tmp_path: Path) -> None:
    found = run(tmp_path, "tools", "--json", "--", *raw("--only", "echo", "--monstrous", "deep"))
    assert found.status == 0
    echo, deep = found.report["tools"]
    assert echo["findings"] == []
    assert (deep["name"], deep["definition"]) == ("deep", {"name": "deep"})
    assert deep["verdict"]["answer"] == "refuse"
    (finding,) = deep["findings"]
    assert finding["code"] == "definition-unreadable"
    assert "100 levels" in finding["message"]


@pytest.mark.parametrize(
    ("protocol", "version", "basis"),
    [
        ("auto", "2026-07-28", "said"),
        ("legacy", "2025-11-25", "chosen"),
        ("2026-07-28", "2026-07-28", "chosen"),
    ],
)
def test_the_protocol_is_found_out_or_chosen(
    protocol: str, version: str, basis: str, tmp_path: Path
) -> None:
    server = raw("--era", "both", "--only", "echo")
    found = run(tmp_path, "tools", "--json", "--protocol", protocol, "--", *server)
    about = found.report["server"]
    assert (about["protocol_version"], about["protocol_basis"]) == (version, basis)


def test_a_protocol_that_the_server_does_not_speak_is_said(tmp_path: Path) -> None:
    old = run(tmp_path, "tools", "--protocol", "2026-07-28", "--", *raw())
    assert old.status == 5
    PROSE.holds("tools: a protocol not supported", old.stderr.partition(" (pid")[0])
    new = run(tmp_path, "tools", "--protocol", "legacy", "--", *raw("--era", "modern"))
    assert new.status == 5
    PROSE.holds("tools: a protocol refused", new.stderr.partition(" (pid")[0])
    odd = run(tmp_path, "tools", "--protocol", "2025-11-25", "--", *raw())
    assert odd.status == 2


def test_a_guess_is_printed_as_one(tmp_path: Path) -> None:
    found = run(tmp_path, "tools", "--", *raw("--probe", "dies", "--only", "echo"))
    PROSE.holds("tools: a guessed protocol", found.stdout.splitlines()[2])


def test_readable_output_has_no_control_characters_and_no_colour_in_a_pipe(
    tmp_path: Path,
) -> None:
    server = raw("--malformed-tool", "--hostile")
    ascii_only = Command(tmp_path, "tools", "--", *server, PYTHONIOENCODING="ascii")
    text = run(tmp_path, "tools", "--", *server)
    assert text.status == 0
    bad = [c for c in text.stdout if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0]
    assert bad == []
    assert "delete_thing" in text.stdout
    other = ascii_only.end()
    assert other.status == 0
    assert other.stdout.isascii()


def test_a_server_that_cannot_be_reached_is_status_5_with_its_last_words(tmp_path: Path) -> None:
    found = run(tmp_path, "tools", "--json", "--", *raw("--die-at-start", "9"))
    assert (found.status, found.stdout) == (5, "")
    assert "exit code 9" in found.stderr
    PROSE.holds("tools: a server that exits", re.sub(r" \(pid \d+\)", "", found.stderr))
    found = run(tmp_path, "tools", "--", "/nowhere/at-all")
    assert (found.status, found.stdout) == (5, "")
    PROSE.holds("tools: a program that is not there", found.stderr)
    silent = ("--connect-timeout", "0.3", "--", *raw("--list-never"))
    found = run(tmp_path, "tools", *silent)
    assert found.status == 5
    PROSE.holds("tools: no list in time", found.stderr)


def test_a_server_that_prints_on_stdout_is_told_so(tmp_path: Path) -> None:
    found = Command(tmp_path, "tools", "--", "echo", "hello you").end()
    assert found.status == 5
    assert "the server exited" in found.stderr
    assert "): hello you" in found.stderr


@pytest.mark.slow
def test_a_reader_that_leaves_is_no_traceback(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "signoff.app", "tools", "--json", "--", *raw("--tools", "3000")]
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=tmp_path
    )
    assert process.stdout
    assert process.stderr
    process.stdout.read(10)
    process.stdout.close()
    assert process.wait(20) == 141
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.started_anew
def test_the_version_needs_neither_textual_nor_the_sdk() -> None:
    code = (
        "import sys\nfrom signoff.app.cli.main import main\n"
        "try: main(['--version'])\n"
        "except SystemExit as end: print(end.code)\n"
        "heavy = {'textual', 'mcp', 'pydantic', 'jsonschema', 'PIL', 'rich', 'asyncio', 'anyio'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    version, status, heavy = found.stdout.splitlines()
    assert version.startswith("signoff ")
    assert (status, heavy) == ("0", "[]")


def test_a_deprecated_tool_is_marked_and_names_its_successor(tmp_path: Path) -> None:
    server = raw("--only", "old_echo,old_look,old_silent,echo")
    tools = run(tmp_path, "tools", "--json", "--", *server).report["tools"]
    assert [tool["deprecated"] for tool in tools] == [
        {
            "place": "$.description",
            "words": "[DEPRECATED] Use echo instead. Will be removed in v2.0.",
            "successor": "echo",
            "unknown": None,
        },
        {
            "place": "$._meta.example.com/deprecated",
            "words": "Replaced by `look_␛[31mfurther`",
            "successor": None,
            "unknown": "look_",
        },
        {"place": "$._meta.deprecated", "words": None, "successor": None, "unknown": None},
        None,
    ]
    shown = run(tmp_path, "tools", "--", *server).stdout
    assert sum(line.endswith("  deprecated") for line in shown.split("\n")) == 3


def test_a_verdict_that_depends_on_earlier_runs_says_so(tmp_path: Path) -> None:
    listed = tmp_path / "listed.json"

    def tools(*words: str, **definition: str) -> str:
        entry = {"name": "read_row", "inputSchema": {"type": "object"}, **definition}
        annotations = {"readOnlyHint": True, "openWorldHint": False}
        listed.write_text(json.dumps([{**entry, "annotations": annotations}]))
        server = (sys.executable, "-S", filed.__file__, str(listed))
        return run(tmp_path, "tools", "--trust", *words, "--", *server).stdout

    assert "an earlier run" not in tools(description="Reads.")
    assert "an earlier run" not in tools(description="Reads.")
    [line] = [one for one in tools(description="Reads a row.").splitlines() if "read_row" in one]
    assert "asks" in line
    assert "changed since an earlier run" in line
    assert "an earlier run" not in tools("--no-memory", description="Reads it.")
