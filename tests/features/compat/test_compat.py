"""`signoff compat`: each client by the table, from a server or a capture, with a status for CI."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from signoff.app.features.compat.real_clients import FOLDER, MARK, differences, driver_of
from signoff.app.protocol.clients.table import clients
from tests.cli.running import Command, Ended, run
from tests.servers import one_defect, raw
from tests.servers.discovered import EXITS
from tests.valid_client_cases import ALL as CASES

MEASURED: dict[str, dict[str, str]] = json.loads(
    (Path(__file__).parents[2] / "measured_clients.json").read_text(encoding="utf-8")
)
SERVER = (sys.executable, "-S", one_defect.__file__)
CLIENTS = os.environ.get("SIGNOFF_CLIENTS", "")
"""A folder with node_modules, and one with a virtual environment of `mcp` 1.x, by `os.pathsep`."""


def compat(folder: Path, *words: str, case: dict[str, Any] | None = None) -> Ended:
    server = () if case is None else ("--", *SERVER, json.dumps(case))
    quiet = () if case is None else ("--no-audit", "--no-memory")
    return run(folder, "compat", *words, *quiet, *server)


def test_a_plain_server_is_read_by_all(tmp_path: Path) -> None:
    ended = compat(tmp_path, "--json", case={})
    assert ended.status == 0
    report = json.loads(ended.stdout)
    assert [one["id"] for one in report["clients"]] == list(clients())
    assert all(one["connects"] and one["lists"] == 2 for one in report["clients"])
    assert report["results_seen"] == 0


def test_a_null_title_costs_the_list_where_it_was_measured(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    ended = compat(tmp_path, "--json", "--junit", str(report), case=CASES["null-member"]["title"])
    assert ended.status == 4
    listed = {one["id"]: one["lists"] for one in json.loads(ended.stdout)["clients"]}
    assert listed == {"ts1": 0, "ts2": 0, "ai": 0, "py2": 2, "py1": 2}
    assert len(ElementTree.parse(report).findall(".//failure")) == 3


def test_the_start_is_part_of_the_check(tmp_path: Path) -> None:
    server = tmp_path / "server.py"
    server.write_text(EXITS, encoding="utf-8")
    target = ("--no-audit", "--no-memory", "--", sys.executable, "-S", str(server), "exit")
    ended = run(tmp_path, "compat", "--json", "--run-clients", *target)
    report = json.loads(ended.stdout)
    connects = {one["id"]: one["connects"] for one in report["clients"]}
    assert connects == {"ts1": True, "ts2": True, "ai": True, "py2": False, "py1": True}
    (tried,) = [one for one in report["check"] if one["tried"]]
    assert not tried["differs"]
    assert ended.status == 4


def test_what_is_lost_is_an_error_of_lint_and_doctor(tmp_path: Path) -> None:
    server = ("--", *SERVER, json.dumps(CASES["null-cursor"]["nextCursor"]))
    doctor = run(tmp_path, "doctor", "--json", "--no-audit", "--no-memory", *server)
    assert doctor.status == 4
    found = {one["code"]: one for one in json.loads(doctor.stdout)["findings"]}
    assert "TypeScript SDK" in found["clients-lose-tools"]["message"]
    server = ("--", *SERVER, json.dumps(CASES["null-hint"]["title"]))
    lint = run(tmp_path, "lint", "--sarif", "--no-audit", "--no-memory", *server)
    assert lint.status == 4
    assert "clients-lose-tools" in lint.stdout


def test_a_refused_greeting_is_an_error_of_doctor(tmp_path: Path) -> None:
    server = ("--", *SERVER, json.dumps(CASES["null-in-greeting"]["instructions"]))
    words = ("doctor", "--json", "--protocol", "legacy", "--no-audit", "--no-memory")
    ended = run(tmp_path, *words, *server)
    assert "clients-cannot-connect" in ended.stdout


def test_results_come_from_a_capture_and_the_python_client_agrees(tmp_path: Path) -> None:
    capture = tmp_path / "session.jsonl"
    server = ("--", *SERVER, json.dumps(CASES["not-base64"]["image"]))
    words = ("call", "defect", "--json", "--approve", "always", "--protocol", "legacy")
    called = run(tmp_path, *words, "--no-audit", "--no-memory", "--capture", str(capture), *server)
    assert called.status == 4
    found = {one["code"]: one["message"] for one in json.loads(called.stdout)["findings"]}
    assert "TypeScript SDK" in found["malformed-block"]
    assert "clients-reject-answer" not in found
    ended = compat(tmp_path, "--json", "--run-clients", "--capture-file", str(capture))
    assert ended.status == 4
    report = json.loads(ended.stdout)
    taken = {one["id"]: one["results"][0]["taken"] for one in report["clients"]}
    assert taken == {"ts1": False, "ts2": False, "ai": False, "py2": True, "py1": True}
    (tried,) = [one for one in report["check"] if one["tried"]]
    assert tried["client"].startswith("Python SDK 2.")
    assert not tried["differs"]


@pytest.mark.parametrize(
    ("approve", "taken"), [("always", [["defect", False], ["plain", False]]), ("never", [])]
)
def test_results_come_from_calls_that_are_approved(
    approve: str, taken: list[list[Any]], tmp_path: Path
) -> None:
    case = CASES["null-in-block"]["size"]
    words = ("--json", "--approve", approve, "--tools", "defect,plain")
    ended = compat(tmp_path, *words, case=case)
    report = json.loads(ended.stdout)
    (ts1, *_) = report["clients"]
    assert [[one["tool"], one["taken"]] for one in ts1["results"]] == taken
    assert ended.status == (4 if taken else 0)


def test_arguments_come_from_a_file_or_from_the_schema(tmp_path: Path) -> None:
    (tmp_path / "inputs.json").write_text('{"defect": {"a": 1}, "plain": [{"b": 1}, {"b": 2}]}')
    capture = tmp_path / "session.jsonl"
    words = ("--approve", "always", "--tools", "*", "--inputs", "inputs.json")
    assert compat(tmp_path, *words, "--capture", str(capture), case={}).status == 0
    sent = [
        json.loads(one["raw"])["params"]
        for one in map(json.loads, capture.read_text().splitlines())
        if '"tools/call"' in one.get("raw", "")
    ]
    assert [one["arguments"] for one in sent] == [{"a": 1}, {"b": 1}, {"b": 2}]


@pytest.mark.parametrize(("words", "status"), [((), 0), (("--strict",), 1)])
def test_what_the_specification_allows_fails_only_strictly(
    words: tuple[str, ...], status: int, tmp_path: Path
) -> None:
    junit = tmp_path / "report.xml"
    given = ("--approve", "always", "--tools", "*", "--junit", str(junit), "--json")
    ended = compat(tmp_path, *given, *words, case=CASES["audio"]["audio"])
    assert ended.status == status
    found = [one["problems"] for one in json.loads(ended.stdout)["clients"]]
    assert [[one["allowed"] for one in of] for of in found] == [[], [], [True, True], [], []]
    assert len(ElementTree.parse(junit).findall(".//failure")) == status


@pytest.mark.parametrize(
    "words",
    [
        ("--approve", "always"),
        ("--tools", "defect"),
        ("--inputs", "inputs.json"),
        ("--approve", "policy", "--tools", "nothing*"),
        ("--approve", "policy", "--capture-file", "session.jsonl"),
        ("--run-clients", "--client-env", "no/such/folder"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_meant_is_refused_before_any_call(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "inputs.json").write_text("{}")
    line = {"n": 1, "at": 1.0, "from": "client", "raw": "{}"}
    (tmp_path / "session.jsonl").write_text(json.dumps(line) + "\n")
    assert compat(tmp_path, *words, case={}).status == 2


def test_a_client_that_differs_from_the_table_is_named(tmp_path: Path) -> None:
    """An empty list of calls in the capture is fine; a wrong table is told."""
    from signoff.app.protocol.clients.session import CallSeen, ClientReading, SessionSeen

    seen = SessionSeen(pages=[{"tools": []}], calls=[CallSeen("a", {}, {})])
    reading = ClientReading(clients()["py2"], ())
    report = {"connect": "", "list": "", "tools": [], "calls": ["ValueError"]}
    assert list(differences(reading, seen, report)) == [
        "result of a: ok in the table, refused in the client"
    ]


def test_a_file_that_is_no_capture_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_text("no")
    assert compat(tmp_path, "--capture-file", str(file)).status == 2
    assert compat(tmp_path, "--capture-file", str(tmp_path / "none")).status == 2


def measured(command: list[str], cases: dict[str, dict[str, Any]]) -> dict[str, str]:
    """What a real client makes of each case, by its name."""
    calls = [{"name": "defect", "arguments": {}}]
    runs = [
        {"command": [*SERVER, json.dumps(case)], "calls": calls, "seconds": 10}
        for case in cases.values()
    ]
    done = subprocess.run(
        command, input=json.dumps(runs) + "\n", capture_output=True, text=True, check=True
    )
    reports = [
        json.loads(line.removeprefix(MARK))
        for line in done.stdout.splitlines()
        if line.startswith(MARK)
    ]
    return {name: outcome(one) for name, one in zip(cases, reports, strict=True)}


def outcome(report: dict[str, Any]) -> str:
    for step, word in (("connect", "no-connection"), ("list", "lost")):
        if report[step]:
            return f"{word}-hangs" if report[step] == "timeout" else word
    (call,) = report["calls"]
    return "hangs" if call == "timeout" else "rejected" if call else "ok"


EACH = {f"{row}/{name}": case for row, cases in CASES.items() for name, case in cases.items()}
FIRST = {f"{row}/{name}": cases[name] for row, cases in CASES.items() for name in [*cases][:1]}


@pytest.mark.slow
@pytest.mark.parametrize(
    "cases", [FIRST, pytest.param(EACH, marks=pytest.mark.slow)], ids=["first", "each"]
)
def test_the_python_sdk_is_as_the_table_has_it(cases: dict[str, Any]) -> None:
    found = measured([sys.executable, str(FOLDER / "python_sdk.py")], cases)
    assert found == {name: MEASURED[name]["py2"] for name in cases}


@pytest.mark.slow
@pytest.mark.skipif(not CLIENTS, reason="SIGNOFF_CLIENTS names no folders with the clients")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("client", ["ts1", "ts2", "ai", "py1"])
def test_the_other_clients_are_as_the_table_has_them(client: str) -> None:
    one = clients()[client]
    command, version = driver_of(one.registry, one.package, one.version, CLIENTS.split(os.pathsep))
    if version != one.version:
        pytest.skip(f"{one.words} is not there")
    assert measured(command, EACH) == {name: MEASURED[name][client] for name in EACH}


@pytest.mark.slow
def test_calls_that_an_interrupt_left_out_pass_nothing(tmp_path: Path) -> None:
    record = tmp_path / "record"
    words = ("--approve", "always", "--tools", "never", "--json", "--no-memory", "--no-audit")
    server = raw("--only", "never", "--record", str(record))
    command = Command(tmp_path, "compat", *words, "--", *server)
    while not record.exists() or "tools/call" not in record.read_text():
        assert command.process.poll() is None
    command.process.send_signal(signal.SIGINT)
    ended = command.end()
    assert "interrupted: 1 of 1 tools were not called" in ended.stderr
    assert ended.report["exit_status"] == 5


@pytest.mark.slow
def test_a_list_without_its_end_is_not_judged_whole(tmp_path: Path) -> None:
    server = raw("--only", "echo", "--loop-cursor")
    ended = run(tmp_path, "compat", "--json", "--no-memory", "--no-audit", "--", *server)
    assert "the list of tools is not whole" in ended.stderr
    assert ended.status == ended.report["exit_status"] == 5
