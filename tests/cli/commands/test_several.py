"""Commands on several servers of configuration files: each by itself, and named."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from signoff.app.presentation.exit_status import ExitStatus
from tests.approved import approved
from tests.cli.running import Command, Ended, run
from tests.servers import raw
from tests.tiers import first_quick

PROSE = approved("cli-several")
DIGEST = re.compile(r"\b[0-9a-f]{64}\b")


def entry(*switches: str, **more: Any) -> dict[str, Any]:
    words = raw(*switches)
    return {"command": words[0], "args": words[1:], **more}


DEAD = {"command": sys.executable, "args": ["-c", "import sys; sys.exit(3)"]}


class Machine:
    """A home with a file of servers, and consent to those that are named."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "servers.json"
        self.home = folder / "home"
        self.home.mkdir()

    def write(self, servers: Mapping[str, dict[str, Any]]) -> None:
        self.file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")

    def run(self, *words: str) -> Ended:
        home = str(self.home)
        given = (*words, "--config", str(self.file))
        return run(self.file.parent, *given, HOME=home, USERPROFILE=home)

    def starts(self, *but: str) -> list[str]:
        """Options that agree to the start of every server in the file, but for these."""
        report = self.run("servers", "--json").report
        names = [one["name"] for one in report["servers"] if one["name"] not in but]
        shown = [self.run("servers", "show", name, "--json").report["digest"] for name in names]
        return [word for digest in shown for word in ("--start", digest)]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_tools_of_all_servers_are_one_report(machine: Machine) -> None:
    machine.write({"a": entry(), "b": entry("--with", "all"), "dead": DEAD})
    ended = machine.run("tools", "--all", "--json", *machine.starts())
    assert ended.status == ExitStatus.LOST
    found = {one["name"]: one for one in ended.report["servers"]}
    assert list(found) == ["a", "b", "dead"]
    assert found["a"]["server"]["name"] == "a"
    assert found["b"]["tools"]
    assert "3" in found["dead"]["problem"]
    assert ended.report["namesakes"]["read_thing"] == ["a", "b"]
    parts = ended.report["combinations"]["parts"]
    assert set(parts) == {"private", "outside", "exit"}
    assert {one["server"] for one in parts["private"]} <= {"a", "b"}


def test_a_server_without_consent_holds_no_other_up(machine: Machine) -> None:
    machine.write({"a": entry(), "b": entry("--with", "all")})
    ended = machine.run("tools", "--all", "--json", *machine.starts("b"))
    assert ended.status == ExitStatus.NOT_APPROVED
    found = {one["name"]: one for one in ended.report["servers"]}
    assert found["a"]["tools"]
    assert "tools" not in found["b"]
    assert DIGEST.search(found["b"]["problem"])


def test_a_closed_pipe_ends_it_quietly(machine: Machine) -> None:
    machine.write({"a": entry("--with", "all"), "b": entry("--with", "all")})
    words = ("tools", "--all", *machine.starts(), "--config", str(machine.file))
    command = Command(machine.file.parent, *words, HOME=str(machine.home))
    assert command.process.stdout is not None
    command.process.stdout.readline()
    command.process.stdout.close()
    command.process.stdout = None
    ended = command.end()
    assert ended.status == ExitStatus.BROKEN_PIPE, ended.stderr
    assert not ended.stderr


def test_two_names_are_two_servers_and_a_name_twice_is_one(machine: Machine) -> None:
    machine.write({"a": entry(), "b": entry(), "c": entry()})
    names = ("--server", "b", "--server", "a", "--server", "b")
    ended = machine.run("tools", *names, "--json", *machine.starts())
    assert [one["name"] for one in ended.report["servers"]] == ["b", "a"]
    ended = machine.run("tools", "--server", "a", "--server", "other", "--json")
    assert ended.status == ExitStatus.USAGE


OF_ONE = (
    ("--all", "--server", "a"),
    ("--all", "--name", "x"),
    ("--all", "--trust"),
    ("--all", "--env", "X=1"),
    ("--all", "--value", "token=@file"),
    ("--all", "--header", "X=1"),
    ("--all", "--capture", "file"),
    ("--all", "--url", "http://localhost:1"),
    ("--server", "a", "--server", "b", "--record", "flow.yaml"),
)
"""What is for one server, beside several."""


def test_what_is_for_one_server_is_refused_for_several(machine: Machine) -> None:
    machine.write({"a": entry(), "b": entry()})
    said = []
    for words in OF_ONE:
        ended = machine.run("tools", *words)
        assert ended.status == ExitStatus.USAGE
        said.append(f"{' '.join(words)}\n{ended.stderr}")
    PROSE.holds("for one server", "".join(said))


def test_a_command_for_one_server_refuses_several(machine: Machine) -> None:
    machine.write({"a": entry(), "b": entry()})
    ended = machine.run("call", "read_thing", "--all")
    assert ended.status == ExitStatus.USAGE
    PROSE.holds("a command for one", ended.stderr)


def test_lines_name_each_server_and_end_with_what_they_could_do_together(machine: Machine) -> None:
    machine.write({"a": entry("--only", "read_thing"), "dead": DEAD})
    ended = machine.run("tools", "--all", *machine.starts())
    text = ended.stdout.replace(str(machine.file.parent), "FOLDER")
    command = shlex.join(raw("--only", "read_thing"))
    PROSE.holds("tools of two", text, COMMAND=command)
    assert ended.stderr.startswith("signoff: dead: ")


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["--json", "--sarif=-", "--junit=-", ""])
def test_lint_reports_each_server(machine: Machine, shape: str) -> None:
    machine.write({"a": entry(), "b": entry("--malformed-tool"), "dead": DEAD})
    ended = machine.run("lint", "--all", *filter(None, [shape]), *machine.starts())
    # The errors of a server count before one that could not be reached.
    assert ended.status == ExitStatus.BROKEN
    match shape:
        case "--json":
            sources = [one.get("source") or one["name"] for one in ended.report["servers"]]
            assert sources == ["a", "b", "dead"]
        case "--sarif=-":
            runs = ended.report["runs"]
            assert [one["properties"]["source"] for one in runs] == ["a", "b"]
        case "--junit=-":
            assert ended.stdout.count("<testsuite ") == 2
            assert ended.stdout.count("<testsuites ") == 1
        case _:
            assert "dead" in ended.stderr


def test_lint_compares_no_baseline_with_several(machine: Machine) -> None:
    machine.write({"a": entry(), "b": entry()})
    assert machine.run("lint", "--all", "--pin", "x", *machine.starts()).status == ExitStatus.USAGE


@pytest.mark.slow
def test_one_page_has_all_servers(machine: Machine, tmp_path: Path) -> None:
    machine.write({"a": entry(), "b<script>": entry("--hostile"), "dead": DEAD})
    page = tmp_path / "page.html"
    ended = machine.run("report", "--all", "--html", str(page), *machine.starts())
    assert ended.status == ExitStatus.LOST
    text = page.read_text(encoding="utf-8")
    assert text.count("<html") == 1
    assert "<script" not in text
    assert "\x1b" not in text
    for name in ("Server a", "Server b", "dead"):
        assert name in text


class TestMatrix:
    def auto_approved(self, machine: Machine) -> list[str]:
        """A home in which Cline runs a tool of one of two servers without asking."""
        cline = machine.home / ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings"
        cline.mkdir(parents=True)
        one = entry("--only", "read_thing,delete_thing", autoApprove=["delete_thing"])
        servers = {"one": one, "two": entry("--only", "read_thing")}
        whole = json.dumps({"mcpServers": servers})
        (cline / "cline_mcp_settings.json").write_text(whole, encoding="utf-8")
        home = str(machine.home)
        words = []
        for name in servers:
            shown = run(
                machine.home, "servers", "show", name, "--json", HOME=home, USERPROFILE=home
            )
            words += ["--start", shown.report["digest"]]
        return words

    @pytest.mark.slow
    def test_here_means_all_servers_of_this_machine(self, machine: Machine) -> None:
        if not sys.platform.startswith("linux"):
            pytest.skip("the place of the file is that of Linux")
        starts = self.auto_approved(machine)
        home = str(machine.home)
        words = ("matrix", "--here", "--json", *starts)
        ended = run(machine.home, *words, HOME=home, USERPROFILE=home)
        assert ended.status == 0
        found = {one["name"]: one["here"] for one in ended.report["servers"]}
        assert [one["tool"] for one in found["one"]["runs"]] == ["delete_thing"]
        assert found["one"]["runs"][0]["switch"] == "autoApprove"
        assert found["one"]["runs"][0]["patch"]
        assert found["two"]["runs"] == []
        page = run(
            machine.home, *words[:2], "--html=-", *starts, HOME=home, USERPROFILE=home
        ).stdout
        places = re.findall(r'id="(why-[0-9]+)"', page)
        assert len(places) == len(set(places)) > 2
        assert set(re.findall(r'href="#(why-[0-9]+)"', page)) <= set(places)
        lines = run(machine.home, *words[:2], *starts, HOME=home, USERPROFILE=home).stdout
        head = lines.split("\n\n")[0].replace(home, "HOME")
        PROSE.holds("runs here", head)

    @pytest.mark.parametrize("shape", first_quick(["--json", "--markdown", "--html=-", "--here"]))
    def test_each_server_has_its_matrix(self, machine: Machine, shape: str) -> None:
        machine.write({"a": entry(), "b": entry(), "dead": DEAD})
        ended = machine.run("matrix", "--all", shape, *machine.starts())
        assert ended.status == ExitStatus.LOST
        text = ended.stdout + ended.stderr
        assert all(name in text for name in ("a", "b", "dead"))
        if shape == "--json":
            names = [one["name"] for one in ended.report["servers"]]
            assert names == ["a", "b", "dead"]


def test_the_start_after_a_change_needs_a_screen_and_one_server(machine: Machine) -> None:
    machine.write({"a": entry(), "b": entry()})
    said = []
    for words in (
        ("--plain", "--restart-on", "."),
        ("--plain", "--on-change", "call"),
    ):
        ended = machine.run(*words, "--server", "a")
        assert ended.status == ExitStatus.USAGE
        said.append(ended.stderr)
    PROSE.holds("a start after a change", "".join(said))


def test_a_name_that_no_file_has_is_told_with_the_broken_files(machine: Machine) -> None:
    machine.write({"a": entry()})
    broken = machine.file.with_name("broken.json")
    broken.write_text("{", encoding="utf-8")
    ended = machine.run("tools", "--server", "other", "--config", str(broken))
    assert ended.status == ExitStatus.USAGE
    PROSE.holds("no such server", ended.stderr)


def test_nothing_is_found_to_start(machine: Machine) -> None:
    machine.write({})
    ended = machine.run("tools", "--all")
    assert ended.status == ExitStatus.USAGE
    PROSE.holds("no servers", ended.stderr)
