"""Probes: their number, their names, and the server that they make."""

from __future__ import annotations

import ast
import itertools
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from signoff.app.cli.command_line import read_options
from signoff.app.features.measure.command import Measure, probes_of
from signoff.app.features.measure.probes import (
    http_server,
    patience,
    probe,
    probe_server,
    probes,
    whole,
)
from signoff.app.features.measure.probes.probe import Probe
from signoff.app.features.measure.probes.probes import (
    FAMILIES,
    all_probes,
    default_probes,
    hint_probes,
    reading_probes,
)
from signoff.app.features.measure.probes.whole import LARGE_ANSWER, numbered


def test_there_are_81_combinations_and_16_telling_ones() -> None:
    combinations = {
        tuple(sorted(one.hints.items()))
        for one in hint_probes()
        if all(isinstance(value, bool) for value in one.hints.values())
        and not one.id.startswith("hints/name-")
    }
    assert len(combinations) == 81
    assert sum(one.family == "hints" for one in default_probes()) == 16


def test_ids_are_unique_and_families_known() -> None:
    probes = list(all_probes().values())
    assert len({one.id for one in probes}) == len(probes)
    assert {one.family for one in probes} == set(FAMILIES)
    assert all(one.id.startswith(f"{one.family}/") for one in probes)
    assert not any(";" in one.id for one in probes)


def test_no_name_is_the_end_of_another() -> None:
    names = {one.name for one in all_probes().values()}
    for one, other in itertools.permutations(names, 2):
        assert not one.endswith(f"_{other}"), (one, other)


def test_no_argument_names_its_tool() -> None:
    """So that a name found in a question is the name."""
    for one in all_probes().values():
        assert one.name not in json.dumps(one.arguments)


def test_a_long_answer_has_its_length() -> None:
    assert len(numbered(LARGE_ANSWER)) == LARGE_ANSWER


class Server:
    """The probe server in a process."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.log = folder / "log"
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "signoff.app.features.measure.probes.probe_server"),
                *("--log", str(self.log), *words),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._next = 0

    def send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self._next += 1
        message = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params or {}}
        self.send(message)
        return self.read()

    def close(self) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        status = self._process.wait(timeout=30)
        self._process.stdout.close()
        return status


def test_the_server_lists_calls_and_logs(tmp_path: Path) -> None:
    server = Server(tmp_path, "--probes", "hints/readOnly=true;answers/error")
    try:
        greeted = server.ask("initialize", {"protocolVersion": "2025-06-18"})
        assert greeted["result"]["protocolVersion"] == "2025-06-18"
        tools = server.ask("tools/list")["result"]["tools"]
        assert [one["annotations"]["readOnlyHint"] for one in tools] == [True, True]
        answer = server.ask("tools/call", {"name": "probe_a_error", "arguments": {}})
        assert answer["result"]["isError"] is True
        assert "error" in server.ask("tools/call", {"name": "probe_absent"})
        assert server.ask("prompts/list")["error"]["code"] == -32601
    finally:
        assert server.close() == 0
    entries = [json.loads(line) for line in server.log.read_text().splitlines()]
    assert entries[0]["start"]["folder"]
    assert [one["in"]["method"] for one in entries if "in" in one][-1] == "prompts/list"


def test_the_server_asks_and_reports_the_answer(tmp_path: Path) -> None:
    server = Server(tmp_path, "--probes", "requests/elicit-form")
    try:
        server.ask("initialize")
        params = {"name": "probe_q_elicit_form", "arguments": {"note": "x"}}
        asked = server.ask("tools/call", params)
        assert asked["method"] == "elicitation/create"
        server.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}})
        assert "decline" in server.read()["result"]["content"][0]["text"]
    finally:
        server.close()


def test_the_server_changes_its_definitions(tmp_path: Path) -> None:
    control = tmp_path / "control"
    server = Server(tmp_path, "--control", str(control), "--probes", "remembered/first")
    try:
        server.ask("initialize")
        assert "annotations" not in server.ask("tools/list")["result"]["tools"][0]
        control.write_text("change-hints\n")
        assert server.read()["method"] == "notifications/tools/list_changed"
        tool = server.ask("tools/list")["result"]["tools"][0]
        assert tool["annotations"]["destructiveHint"] is True
    finally:
        server.close()


@pytest.mark.parametrize("probe", [one.id for one in reading_probes()][:2])
def test_an_oddity_has_two_ordinary_tools_beside_it(tmp_path: Path, probe: str) -> None:
    server = Server(tmp_path, "--probes", probe)
    try:
        assert len(server.ask("tools/list")["result"]["tools"]) == 3
    finally:
        server.close()


def test_the_module_of_probes_imports_nothing_of_signoff() -> None:
    for module in (patience, probe, probes, probe_server, http_server, whole):
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.level:
                assert node.level == 1
                known = ("patience", "probe", "probes", "whole", "http_server", "probe_server")
                assert node.module in known
            elif isinstance(node, ast.ImportFrom):
                assert str(node.module).partition(".")[0] in sys.stdlib_module_names
            elif isinstance(node, ast.Import):
                assert {one.name for one in node.names} <= sys.stdlib_module_names


def test_time_is_that_of_this_machine(tmp_path: Path) -> None:
    before = time.time()
    server = Server(tmp_path)
    server.ask("ping")
    server.close()
    entry = json.loads(server.log.read_text().splitlines()[0])
    assert before - 1 < entry["at"] <= time.time() + 1


def test_only_and_all_take_every_probe_of_the_families() -> None:
    def chosen(*words: str) -> tuple[Probe, ...]:
        command = read_options(["measure", *words])
        assert isinstance(command, Measure)
        return probes_of(command.own)

    usual, every = chosen("--only", "hints"), chosen("--only", "hints", "--all")
    assert len(usual) == 16
    assert len(every) == 85
    assert {one.family for one in every} == {"hints"}
    assert {one.family for one in chosen("--all")} > {"hints", "answers"}
    assert chosen("--only", "answers", "--all") == chosen("--only", "answers")
