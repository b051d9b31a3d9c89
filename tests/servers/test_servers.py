"""The scripted servers do what their switches say."""

from __future__ import annotations

import json
import signal
import subprocess
import urllib.request
from pathlib import Path

import pytest

from tests.e2e.processes import is_alive, kill, wait_gone
from tests.servers import http, pids, raw, recorded
from tests.servers._wire import META, JsonObject
from tests.servers.peer import Peer
from tests.tiers import first_quick

_MODERN = {"_meta": {f"{META}protocolVersion": "2026-07-28"}}


def test_a_legacy_server_refuses_the_probe_and_greets() -> None:
    with Peer(raw()) as peer:
        assert peer.request("server/discover")["error"]["code"] == -32601
        assert peer.connect()["protocolVersion"] == "2025-11-25"
        assert "delete_thing" in [tool["name"] for tool in peer.tools()]


def test_a_modern_server_needs_no_handshake() -> None:
    with Peer(raw("--era", "modern")) as peer:
        found = peer.request("server/discover", _MODERN)["result"]
        assert found["supportedVersions"] == ["2026-07-28"]
        assert peer.request("tools/list", _MODERN)["result"]["resultType"] == "complete"
        assert peer.request("initialize", {})["error"]["code"] == -32022
        assert peer.call("echo", modern=True)[-1]["result"]["resultType"] == "complete"


def test_a_probe_is_met_with_silence_or_death() -> None:
    with Peer(raw("--probe", "silent")) as peer:
        peer.send("server/discover", id="probe")
        assert peer.connect()
    with Peer(raw("--probe", "dies")) as peer:
        peer.send("server/discover", id="probe")
        assert peer.ends() == 3
        assert "unknown first method" in peer.stderr()


def test_death_at_the_start_has_last_words() -> None:
    with Peer(raw("--die-at-start", "9", "--stderr-flood")) as peer:
        assert peer.ends() == 9
        words = peer.stderr()
    assert len(words) > 20_000
    assert words.rstrip().endswith("RuntimeError: the flux capacitor is empty")


def test_lists_come_in_pages_or_circles() -> None:
    with Peer(raw("--only", "echo", "--tools", "5", "--page-size", "4")) as peer:
        first = peer.request("tools/list")["result"]
        rest = peer.request("tools/list", {"cursor": first["nextCursor"]})["result"]
        assert (len(first["tools"]), len(rest["tools"]), "nextCursor" in rest) == (4, 2, False)
    with Peer(raw("--loop-cursor")) as peer:
        first = peer.request("tools/list")["result"]["nextCursor"]
        assert peer.request("tools/list", {"cursor": first})["result"]["nextCursor"] == first


def test_hostile_and_malformed_tools_are_listed() -> None:
    with Peer(raw("--only", "", "--hostile", "--malformed-tool")) as peer:
        text = json.dumps(tools := peer.tools(), ensure_ascii=False)
    assert 42 in tools
    for attack in ("[@click=app.quit]", r"\u001b]52;", "\u202e", "\u200b", "\U000e0061", " " * 600):
        assert attack in text
    assert (
        max(len(tool.get("description", "")) for tool in tools if isinstance(tool, dict)) == 13_000
    )


def test_a_changed_list_is_announced_or_not() -> None:
    with Peer(raw()) as peer:
        peer.connect()
        before = peer.tools()
        assert len(peer.call("change_silently")) == 1
        after = peer.tools()
        announcement, _ = peer.call("change_tools")
        assert announcement["method"] == "notifications/tools/list_changed"
        assert peer.tools() == before
    names = {tool["name"] for tool in before} ^ {tool["name"] for tool in after}
    assert names == {"add_thing", "new_thing"}
    assert after[2]["name"] == "delete_thing"
    assert after[2]["annotations"] == {"readOnlyHint": True}


def test_a_burst_follows_the_handshake() -> None:
    with Peer(raw("--burst")) as peer:
        peer.connect()
        assert {peer.message()["method"] for _ in range(7)} == {"notifications/tools/list_changed"}


def test_every_call_is_recorded_as_it_came(tmp_path: Path) -> None:
    record = tmp_path / "calls"
    with Peer(raw("--record", str(record))) as peer:
        peer.call("delete_thing", name="Ä", really=True)
        peer.call("read_thing")
    calls = recorded(record)
    assert [(call["tool"], call["arguments"]) for call in calls] == [
        ("delete_thing", {"name": "Ä", "really": True}),
        ("read_thing", {}),
    ]
    assert json.loads(calls[0]["line"])["params"]["name"] == "delete_thing"


def test_progress_comes_before_the_answer_unless_late() -> None:
    with Peer(raw()) as peer:
        *progress, answer = peer.call("slow", steps=3, seconds=0.03)
        assert [step["params"]["progress"] for step in progress] == [1, 2, 3]
        assert answer["result"]["content"][0]["text"] == "3 steps"
        assert len(peer.call("progress_late")) == 2
        assert peer.message()["params"]["message"] == "too late"


def test_a_cancelled_call_may_answer_late() -> None:
    with Peer(raw()) as peer:
        peer.send("tools/call", {"name": "late_after_cancel"}, id="call")
        peer.send("notifications/cancelled", {"requestId": "call"})
        assert peer.message()["result"]["content"][0]["text"] == "finished anyway"


_ODD_BYTES = {
    "invalid_utf8": b"\xff\xfe",
    "byte_order_mark": b"\xef\xbb\xbf{",
    "huge_integer": b"9" * 5000,
    "deep": b'{"a":' * 5000,
    "lone_surrogate": rb"\ud83d ",
    "duplicate_keys": b'"isError":true,"isError":false',
    "noise": b"DEBUG: working on it",
    "not_jsonrpc": b'{"level":"info"',
}


@pytest.mark.parametrize("tool", first_quick(_ODD_BYTES, 2))
def test_odd_bytes_are_on_the_wire(tool: str) -> None:
    with Peer(raw()) as peer:
        peer.send("tools/call", {"name": tool}, id=1)
        assert _ODD_BYTES[tool] in peer.line()


@pytest.mark.slow
def test_long_lines_are_as_long_as_they_say() -> None:
    with Peer(raw()) as peer:
        peer.send("tools/call", {"name": "too_big"}, id=1)
        assert len(peer.line(20)) > 64 * 1024 * 1024


def test_a_question_waits_for_its_response() -> None:
    with Peer(raw()) as peer:
        peer.send("tools/call", {"name": "asks_roots"}, id=1)
        question = peer.message()
        assert question["method"] == "roots/list"
        reply = {"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}}
        peer.write(json.dumps(reply).encode() + b"\n")
        assert "roots" in peer.message()["result"]["content"][0]["text"]


def test_a_crash_ends_the_process_in_a_call_or_idle() -> None:
    with Peer(raw()) as peer:
        peer.send("tools/call", {"name": "crash"}, id=1)
        assert peer.ends() == 7
    with Peer(raw("--crash-after", "0.05")) as peer:
        peer.tools()
        assert peer.ends() == 7
        assert "flux capacitor" in peer.stderr()


def test_a_stubborn_server_stays_until_it_is_killed() -> None:
    with Peer(raw("--ignore-eof", "--ignore-sigterm")) as peer:
        peer.connect()
        peer.close_stdin()
        peer.process.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            peer.ends(0.3)


def test_a_grandchild_outlives_the_leader_and_holds_stdout(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    with Peer(raw("--grandchild", "--pid-file", str(file), "--exit-code", "1")) as peer:
        peer.connect()
        peer.close_stdin()
        assert peer.ends() == 1
        (grandchild,) = pids(file)["grandchild"]
        assert pids(file)["server"] == [peer.process.pid]
        try:
            with pytest.raises(AssertionError, match="no line"):
                peer.line(0.2)
            assert is_alive(grandchild)
        finally:
            kill([grandchild])
        assert peer.line() == b""
        wait_gone(grandchild)


def test_all_tools_can_be_listed() -> None:
    with Peer(raw("--with", "all")) as peer:
        names = [tool["name"] for tool in peer.tools()]
    assert len(names) == len(set(names)) > 50


def test_http_streams_progress_and_records(tmp_path: Path) -> None:
    record = tmp_path / "calls"
    pipe = subprocess.PIPE
    argv = http("--record", str(record))
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout
        assert process.stdin
        url = process.stdout.readline().strip()
        slow = _post(url, "slow", {"steps": 2, "seconds": 0.02})
        assert [message.get("method") for message in slow] == ["notifications/progress"] * 2 + [
            None
        ]
        assert _post(url, "delete_thing", {"name": "x"})[-1]["id"] == 1
        process.stdin.close()
        assert process.wait(60) == 0
    assert [call["tool"] for call in recorded(record)] == ["slow", "delete_thing"]


def _post(url: str, tool: str, arguments: JsonObject) -> list[JsonObject]:
    params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": 1}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    request = urllib.request.Request(url, json.dumps(message).encode())
    with urllib.request.urlopen(request, timeout=60) as response:
        lines = response.read().decode().splitlines()
    return [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
