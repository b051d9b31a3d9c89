"""Several servers in plain mode: each line names its server, and one is current."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.approved import approved
from tests.cli.running import Ended, run
from tests.servers import raw

PROSE = approved("cli-several")


def talked(folder: Path, *lines: str, words: Sequence[str] = ()) -> Ended:
    """Run these lines on three servers, the last of which ends at its start."""
    one, two = raw("--only", "read_thing"), raw("--only", "read_thing,delete_thing")
    servers = {
        "one": {"command": one[0], "args": one[1:]},
        "two": {"command": two[0], "args": two[1:]},
        "dead": {"command": sys.executable, "args": ["-c", "import sys; sys.exit(3)"]},
    }
    file = folder / "servers.json"
    file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    home = folder / "home"
    home.mkdir()
    given = {"HOME": str(home), "USERPROFILE": str(home)}
    starts = []
    for name in servers:
        show = ("servers", "show", name, "--json", "--config", str(file))
        starts += ["--start", run(folder, *show, **given).report["digest"]]
    whole = ("--plain", "--all", "--config", str(file), *starts, *words)
    return run(folder, *whole, stdin="".join(f"{line}\n" for line in lines), **given)


def test_a_line_goes_to_the_current_server(tmp_path: Path) -> None:
    ended = talked(tmp_path, "go two", "list", "go 1", "list", "go dead", "go nothing", "quit")
    text = "\n".join(
        line
        for line in ended.stdout.splitlines()
        if not (line.startswith("server ") or "raw.py" in line)
    )
    PROSE.holds("plain lines", re.sub(r"pid \d+", "pid PID", text))
    assert ended.status == 0


@pytest.mark.slow
def test_servers_are_listed_with_their_states(tmp_path: Path) -> None:
    ended = talked(tmp_path, "go dead", "go two", "servers", "quit")
    rows = [line for line in ended.stdout.splitlines() if line[2:5] in ("1  ", "2  ", "3  ")]
    assert [row[:2] for row in rows] == ["  ", "> ", "  "]
    assert "failed" in rows[2]


def test_a_call_is_of_the_current_server_alone(tmp_path: Path) -> None:
    ended = talked(tmp_path, "go two", "call read_thing !{}", "calls", "go one", "calls", "quit")
    first, second = ended.stdout.split("one> calls") if "one> calls" in ended.stdout else ("", "")
    assert "read_thing" in first
    assert "read_thing" not in second


@pytest.mark.slow
def test_the_question_names_the_other_server_with_the_tool(tmp_path: Path) -> None:
    # Going to a server waits until its tools are listed.
    lines = ("go two", "go one", "call read_thing !{}", "quit")
    ended = talked(tmp_path, *lines, words=("--person", "denies"))
    assert "≡" in ended.stdout
    assert "also on two" in ended.stdout
