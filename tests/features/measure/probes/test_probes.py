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


def test_the_probes_and_their_names() -> None:
    probes = list(all_probes().values())
    combinations = {
        tuple(sorted(one.hints.items()))
        for one in hint_probes()
        if all(isinstance(value, bool) for value in one.hints.values())
        and not one.id.startswith("hints/name-")
    }
    assert len(combinations) == 81
    assert sum(one.family == "hints" for one in default_probes()) == 16
    assert len({one.id for one in probes}) == len(probes)
    assert {one.family for one in probes} == set(FAMILIES)
    assert all(one.id.startswith(f"{one.family}/") and ";" not in one.id for one in probes)
    for one, other in itertools.permutations({one.name for one in probes}, 2):
        assert not one.endswith(f"_{other}"), (one, other)
    # So that a name found in a question is the name.
    assert not [one for one in probes if one.name in json.dumps(one.arguments)]
    assert len(numbered(LARGE_ANSWER)) == LARGE_ANSWER


class Server:
    """The probe server in a process."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.log = folder / "log"
        module = "signoff.app.features.measure.probes.probe_server"
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, "--log", str(self.log), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        self._next = 0

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._in.close()
        assert self._process.wait(timeout=30) == 0
        self._out.close()

    def send(self, message: dict[str, Any]) -> None:
        self._in.write(json.dumps(message) + "\n")
        self._in.flush()

    def read(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._out.readline())
        return found

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self._next += 1
        self.send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params or {}})
        return self.read()


def test_the_server_lists_calls_and_logs(tmp_path: Path) -> None:
    before = time.time()
    with Server(tmp_path, "--probes", "hints/readOnly=true;answers/error") as server:
        greeted = server.ask("initialize", {"protocolVersion": "2025-06-18"})
        assert greeted["result"]["protocolVersion"] == "2025-06-18"
        tools = server.ask("tools/list")["result"]["tools"]
        assert [one["annotations"]["readOnlyHint"] for one in tools] == [True, True]
        answer = server.ask("tools/call", {"name": "probe_a_error", "arguments": {}})
        assert answer["result"]["isError"] is True
        assert "error" in server.ask("tools/call", {"name": "probe_absent"})
        assert server.ask("prompts/list")["error"]["code"] == -32601
    entries = [json.loads(line) for line in server.log.read_text().splitlines()]
    assert entries[0]["start"]["folder"]
    assert before - 1 < entries[0]["at"] <= time.time() + 1
    assert [one["in"]["method"] for one in entries if "in" in one][-1] == "prompts/list"


def test_the_server_asks_and_reports_the_answer(tmp_path: Path) -> None:
    with Server(tmp_path, "--probes", "requests/elicit-form") as server:
        server.ask("initialize")
        params = {"name": "probe_q_elicit_form", "arguments": {"note": "x"}}
        asked = server.ask("tools/call", params)
        assert asked["method"] == "elicitation/create"
        server.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}})
        assert "decline" in server.read()["result"]["content"][0]["text"]


def test_the_server_changes_its_definitions(tmp_path: Path) -> None:
    control = tmp_path / "control"
    with Server(tmp_path, "--control", str(control), "--probes", "remembered/first") as server:
        server.ask("initialize")
        assert "annotations" not in server.ask("tools/list")["result"]["tools"][0]
        control.write_text("change-hints\n")
        assert server.read()["method"] == "notifications/tools/list_changed"
        tool = server.ask("tools/list")["result"]["tools"][0]
        assert tool["annotations"]["destructiveHint"] is True


@pytest.mark.parametrize("probe", [one.id for one in reading_probes()][:2])
def test_an_oddity_has_two_ordinary_tools_beside_it(tmp_path: Path, probe: str) -> None:
    with Server(tmp_path, "--probes", probe) as server:
        assert len(server.ask("tools/list")["result"]["tools"]) == 3


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


def test_only_and_all_take_every_probe_of_the_families() -> None:
    def chosen(*words: str) -> tuple[Probe, ...]:
        command = read_options(["measure", *words])
        assert isinstance(command, Measure)
        return probes_of(command.own)

    every = chosen("--only", "hints", "--all")
    assert (len(chosen("--only", "hints")), len(every)) == (16, 85)
    assert {one.family for one in every} == {"hints"}
    assert {one.family for one in chosen("--all")} > {"hints", "answers"}
    assert chosen("--only", "answers", "--all") == chosen("--only", "answers")
