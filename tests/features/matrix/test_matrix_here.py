"""`signoff matrix --here`: the hosts that have the server in their files on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.approved import approved
from tests.cli.running import Ended, run
from tests.features.matrix.hosts_home import HomeWithHosts

PROSE = approved("matrix-here")


class Machine(HomeWithHosts):
    def matrix(self, *words: str, server: tuple[str, ...] = ()) -> Ended:
        return self.run("matrix", "--here", *words, server=server)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_host_that_trusts_the_server_is_a_column_beside_its_model(machine: Machine) -> None:
    file = machine.write(
        ".gemini/settings.json", {"mcpServers": {"a": {**machine.entry, "trust": True}}}
    )
    before = file.read_bytes()
    report = machine.matrix("--json").report
    assert [one["name"] for one in report["columns"]] == ["gemini-cli", "gemini-cli:here"]
    assert report["compared"] == ["gemini-cli", "gemini-cli:here"]
    tools = report["tools"]
    assert tools
    for one in tools:
        cell = one["cells"][1]
        assert (cell["untrusted"]["word"], cell["trusted"]["word"]) == ("run", "run")
        assert cell["trusted"]["source"].startswith(f"{file.resolve()}:")
    assert {one["tool"] for one in report["here"]["runs"]} == {one["name"] for one in tools}
    assert {one["otherwise"] for one in report["here"]["runs"]} == {"ask"}
    assert file.read_bytes() == before


def test_named_columns_stay_beside_those_of_this_machine(machine: Machine) -> None:
    machine.write(".cursor/mcp.json", {"mcpServers": {"a": machine.entry}})
    report = machine.matrix("--json", "--as", "codex:exec").report
    assert [one["name"] for one in report["columns"]] == ["codex:exec", "cursor:here"]


def test_without_an_entry_there_are_all_columns_and_a_sentence(machine: Machine) -> None:
    machine.write(".cursor/mcp.json", {"mcpServers": {"a": {"command": "other"}}})
    ended = machine.matrix("--hosts", "cautious")
    assert ended.status == 0
    told = ended.stdout.splitlines()
    at = told.index("Runs without asking, as configured here")
    PROSE.holds("matrix: no entry", "\n".join(told[at : at + 2]))
    assert "Looked at these places" in ended.stdout


@pytest.mark.slow
def test_a_server_of_a_file_is_found_in_the_files_of_other_hosts(machine: Machine) -> None:
    machine.write(".cursor/mcp.json", {"mcpServers": {"a": machine.entry}})
    machine.write(".gemini/settings.json", {"mcpServers": {"b": {**machine.entry, "trust": True}}})
    home = str(machine.home)
    shown = run(
        machine.work, "servers", "show", "cursor/a", "--json", HOME=home, USERPROFILE=home
    ).report
    target = ("--server", "cursor/a", "--start", str(shown["digest"]))
    report = machine.matrix("--json", server=target).report
    names = [one["name"] for one in report["columns"]]
    assert {"cursor:here", "gemini-cli:here"} <= set(names)
    page = machine.matrix("--html", "-", server=target).stdout
    assert "trust true" in page
    assert page.rstrip().endswith("</html>")
    assert "trust true" in machine.matrix("--markdown", server=target).stdout
