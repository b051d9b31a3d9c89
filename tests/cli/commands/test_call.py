"""`signoff call`: exit statuses, the JSON, approval without a screen, signals."""

from __future__ import annotations

import json
import shlex
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.approved import approved
from tests.cli.running import Command, Ended, call, run
from tests.e2e.processes import wait_gone
from tests.engine.test_definitions import STUBBORN_SERVER
from tests.servers import pids, recorded
from tests.tiers import first_quick
from tests.transport.linked import received

PROSE = approved("cli-call")

pytestmark = pytest.mark.timeout(240)

KEYS = [
    *("server", "tool", "arguments", "hints", "effect", "verdict", "decision", "sent"),
    *("rounds", "outcome", "reason", "result", "schema", "findings", "progress"),
    *("duration_ms", "log", "masked"),
]
CALLS: dict[str, tuple[list[str], str]] = {
    "ok": (call("slow", "--trust", "--json", "-a", "steps=2", "-a", "seconds=0.1"), ""),
    "protocol error": (call("error", "--trust", "--json"), ""),
    "asked": (call("delete_thing", "-a", "name=x", "--json"), ""),
    "policy": (call("read_thing", "--approve", "policy", "--json"), ""),
    "never": (call("read_thing", "--trust", "--approve", "never", "--json"), ""),
    "always": (
        call("delete_thing", "--approve", "always", "--args", "-", "-a", "really=true", "--json"),
        '{"name": "00123", "note": "half \\ud83d \\u001b"}',
    ),
    "invalid": (call("structured_mismatch", "--trust", "--json"), ""),
    "missing": (call("structured_missing", "--trust", "--json"), ""),
    "not listed": (
        [
            *("call", "thing", "--approve", "always", "--json", "--"),
            *(sys.executable, "-S", "-c", STUBBORN_SERVER, "refuses"),
        ],
        "",
    ),
    "hostile": (call("hostile_answer", "--trust"), ""),
    "demo last": (["call", "calculate_sum", "--args", '{"a": 1, "b": 2}', "demo", "--json"], ""),
}
STATUSES = {
    0: ("ok", "always", "demo last"),
    1: ("protocol error",),
    3: ("asked", "policy", "never"),
    4: ("invalid", "missing", "hostile"),
    5: ("not listed",),
}
OUTCOMES = {
    "ok": "ok",
    "protocol error": "protocol-error",
    "asked": "denied",
    "not listed": "not-sent",
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    """All calls, a few side by side: what takes time is starting Python."""
    folder = tmp_path_factory.mktemp("calls")
    waiting = list(CALLS.items())
    found: dict[str, Ended] = {}
    while waiting:
        some, waiting = waiting[:4], waiting[4:]
        commands = {name: Command(folder, *words, stdin=stdin) for name, (words, stdin) in some}
        found |= {name: command.end() for name, command in commands.items()}
    return found


@pytest.mark.parametrize("name", first_quick(CALLS, 3))
def test_the_exit_status_says_how_it_went(name: str, ended: dict[str, Ended]) -> None:
    assert name in STATUSES[ended[name].status], ended[name]
    assert ended[name].stderr == ""


@pytest.mark.parametrize("name", OUTCOMES)
def test_the_outcome_has_its_word(name: str, ended: dict[str, Ended]) -> None:
    assert ended[name].report["outcome"] == OUTCOMES[name]


def test_the_json_has_the_documented_shape(ended: dict[str, Ended]) -> None:
    report = ended["ok"].report
    assert list(report) == KEYS
    assert report["tool"] == "slow"
    assert report["arguments"] == {"steps": 2, "seconds": 0.1}
    assert report["effect"] == "read-only"
    assert set(report["hints"]) == {"readOnly", "destructive", "idempotent", "openWorld"}
    assert report["verdict"]["answer"] == "allow"
    assert report["verdict"]["reasons"]
    assert (report["decision"]["answer"], report["decision"]["by"]) == ("approve", "policy")
    assert report["sent"] is True
    assert report["result"] == {"content": [{"type": "text", "text": "2 steps"}]}
    assert report["schema"] == {"answer": "no-schema", "errors": []}
    assert [one["progress"] for one in report["progress"]] == [1, 2]
    assert report["duration_ms"] > 90
    assert report["server"]["trust"] == "trusted"


def test_schema_errors_say_where_and_why(ended: dict[str, Ended]) -> None:
    schema = ended["invalid"].report["schema"]
    assert schema["answer"] == "invalid"
    assert {"path", "message", "schema_path"} == set(schema["errors"][0])
    assert {error["path"] for error in schema["errors"]} == {"$.count", "$.names"}
    assert ended["missing"].report["schema"]["answer"] == "missing"
    codes = [finding["code"] for finding in ended["invalid"].report["findings"]]
    assert "schema-mismatch" in codes
    assert set(ended["invalid"].report["findings"][0]) == {"code", "severity", "message", "path"}


def test_what_nobody_denied_is_not_called_denied(ended: dict[str, Ended]) -> None:
    report = ended["not listed"].report
    assert report["decision"] == {"answer": "approve", "by": "script", "reason": "--approve always"}
    assert report["sent"] is False
    PROSE.holds("call: tools not listed again", report["reason"])


def test_a_protocol_error_is_in_the_report(ended: dict[str, Ended]) -> None:
    report = ended["protocol error"].report
    assert {*KEYS, "error"} == set(report)
    assert report["error"]["code"] == -32000
    assert "\x1b" not in ended["protocol error"].stdout


def test_without_a_terminal_only_the_policy_or_the_script_approves(
    ended: dict[str, Ended],
) -> None:
    by = {name: ended[name].report["decision"]["by"] for name in ("asked", "policy", "never")}
    assert by == {"asked": "no approver", "policy": "no approver", "never": "script"}
    for name in by:
        assert ended[name].report["sent"] is False
        assert ended[name].report["duration_ms"] is None
    always = ended["always"].report
    assert (always["decision"]["by"], always["sent"]) == ("script", True)
    assert always["verdict"]["strong"] is True


def test_arguments_are_typed_by_the_schema(ended: dict[str, Ended]) -> None:
    assert ended["always"].report["arguments"] == {
        "name": "00123",
        "note": "half \ud83d \x1b",
        "really": True,
    }


def test_a_hostile_answer_prints_no_control_characters(ended: dict[str, Ended]) -> None:
    text = ended["hostile"].stdout
    assert "hostile_answer" in text
    assert "[@click=app.quit]x[/]" in text
    assert [c for c in text if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0] == []
    assert not set("\u202e\u200b") & set(text)


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (["call", "x"], "usage: a call of no server"),
        (["call", "demo"], "usage: a call of no tool"),
        (["read", "demo", "--json"], "usage: a read of no resource"),
        (["prompt", "demo"], "usage: no prompt"),
        (["policy", "explain", "demo"], "usage: an explanation of no tool"),
        (["call", "x", "demo", "--", "cat"], "usage: two targets"),
        (["call", "x", "y", "demo"], "usage: an unknown server"),
        (["call", "x", "a=1", "demo"], "usage: an argument without -a, before the server"),
        (["call", "x", "demo", "a=1"], "usage: an argument without -a, after the server"),
        (["call", "demo", "x", "a=1", "--json"], "usage: a server before the tool"),
        (["matrix", "demo", "--host", "vscode"], "usage: another name of --as"),
        (["call", "x", "--timeout", "-3", "demo"], "usage: seconds"),
        (["call", "x", "--args", "[1]", "demo"], "usage: arguments that are a list"),
        (["call", "x", "--args", "{", "demo"], "usage: arguments that are not JSON"),
        (["call", "x", "--args", '{"a":1,"a":2}', "demo"], "usage: a name given twice"),
        (["call", "x", "--args", "@/nowhere", "demo"], "usage: no file of arguments"),
        (["--url", "ftp://x"], "usage: a URL of another scheme"),
        ([], "usage: no server"),
        (["demo"], "usage: no terminal"),
        (["completion", "tcsh"], "usage: an unknown shell"),
    ],
)
def test_wrong_usage_is_said(words: list[str], key: str, tmp_path: Path) -> None:
    found = run(tmp_path, *words)
    assert found.status == 2
    PROSE.holds(key, found.stderr)
    assert found.stdout == ""


def test_wrong_words_about_a_tool_are_said(tmp_path: Path) -> None:
    (tmp_path / "arguments.json").write_text('{"steps": 1}')
    tool = run(tmp_path, *call("delete_thin", "--json"))
    value = run(tmp_path, *call("slow", "--args", "@arguments.json", "-a", "seconds=soon"))
    assert (tool.status, value.status) == (2, 2)
    PROSE.holds("call: no such tool", tool.stderr)
    assert "-a seconds=soon" in value.stderr
    assert (tool.stdout, value.stdout) == ("", "")


def test_missing_arguments_are_named_beside_wrong_ones(tmp_path: Path) -> None:
    words = ["calculate_sum", "-a", "a=x", "-a", "c=1", "--json", "demo"]
    found = run(tmp_path, "call", *words)
    assert found.status == 2
    assert [one["path"] for one in found.report["argument_errors"]] == ["$.a", "$.c", "$.b"]


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_cancels_on_the_wire_and_leaves_no_process(
    number: signal.Signals, status: int, tmp_path: Path
) -> None:
    wire, noted, record = (tmp_path / name for name in ("wire", "pids", "record"))
    server = ("--received", str(wire), "--pid-file", str(noted), "--record", str(record))
    command = Command(tmp_path, *call("never", "--trust", "--json", server=server))
    deadline = time.monotonic() + 20
    while not recorded(record):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    command.process.send_signal(number)
    found = command.end()
    assert found.status == status
    assert found.report["outcome"] == "cancelled"
    told: list[Any] = [m for m in received(wire) if m.get("method") == "notifications/cancelled"]
    assert len(told) == 1
    wait_gone(pids(noted)["server"][0])


def test_a_signal_while_connecting_leaves_no_process(tmp_path: Path) -> None:
    noted = tmp_path / "pids"
    words = [
        "tools",
        "--",
        *("sh", "-c", f"echo server $$ > {shlex.quote(str(noted))}; exec wc -c"),
    ]
    command = Command(tmp_path, *words)
    deadline = time.monotonic() + 20
    while not noted.exists() or not pids(noted)["server"]:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(0.3)
    command.process.send_signal(signal.SIGINT)
    assert command.end().status == 130
    wait_gone(pids(noted)["server"][0])


def test_numbers_survive_as_they_were_given(ended: dict[str, Ended]) -> None:
    assert json.dumps(ended["demo last"].report["arguments"]) == '{"a": 1, "b": 2}'


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["legacy", "2026-07-28"])
def test_the_log_messages_of_the_server_are_told(tmp_path: Path, protocol: str) -> None:
    words = ("call", "log_every_level", "demo", "--log-level", "critical", "--protocol", protocol)
    ended = run(tmp_path, *words)
    PROSE.holds("call: log messages of the server", ended.stderr)
    log = run(tmp_path, *words, "--json").report["log"]
    assert (log["level"], log["count"], len(log["messages"])) == ("critical", 3, 3)


@pytest.mark.slow
def test_a_tool_that_may_run_as_a_task_does_with_the_option(tmp_path: Path) -> None:
    words = ("call", "bake_bread", "demo", "--protocol", "legacy", "--json")
    quick = {"SIGNOFF_DEMO_STEP_SECONDS": "0.01"}
    given = ("--env", "SIGNOFF_DEMO_STEP_SECONDS")
    assert "task" not in run(tmp_path, *words, *given, **quick).report
    ended = run(tmp_path, *words, *given, "--as-task", **quick)
    assert ended.report["task"]["status"] == "completed"
    assert ended.report["result"]["content"][0]["text"] == "The bread is done."
