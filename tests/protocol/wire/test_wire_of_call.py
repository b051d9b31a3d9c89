"""The frames of one call among all others, on the connection on which it was made."""

from __future__ import annotations

import json
import time
from typing import Any

from signoff.app.protocol.wire.frames import BEGAN, CLIENT, SERVER, HttpPart, Sender, WireLog
from signoff.app.protocol.wire.rows import call_lines, frames_of_call


def add(log: WireLog, sender: Sender, body: dict[str, Any], call: int = 0) -> None:
    log.add(sender, json.dumps({"jsonrpc": "2.0", **body}).encode(), call)


def test_request_progress_and_answer_are_its_own_and_nothing_else() -> None:
    log = WireLog()
    asked = {"method": "tools/call", "params": {"name": "t"}}
    add(log, CLIENT, {"id": 1, **asked}, 7)
    add(log, CLIENT, {"id": 11, **asked}, 8)
    log.add(SERVER, b"", 0, HttpPart("200 OK", (), 1, 200))
    add(log, SERVER, {"method": "notifications/progress", "params": {"progressToken": 1}})
    add(log, SERVER, {"id": 11, "result": {"x": 1}})
    add(log, SERVER, {"id": "1", "result": {}})
    add(log, SERVER, {"id": 1, "result": {"isError": True}})
    add(log, CLIENT, {"method": "notifications/cancelled", "params": {"requestId": 1}}, 7)
    log.note(f"{BEGAN}: started anew")
    add(log, SERVER, {"id": 1, "result": {}})
    found = frames_of_call(log.since(0), 7)
    assert [frame.number for frame, _ in found] == [1, 3, 4, 7, 8]
    assert [request and request.number for _, request in found] == [None, 1, 1, 1, 1]
    lines = call_lines(log.since(0), 7)
    assert " → request      tools/call  (id 1, " in lines[0]
    assert " ← http         200 OK  (id 1)" in lines[1]
    assert " ← isError      tools/call  (id 1, " in lines[3]
    assert frames_of_call(log.since(0), 9) == []


def test_what_a_server_writes_is_safe_and_thousands_of_others_cost_no_time() -> None:
    log = WireLog()
    add(log, CLIENT, {"id": "\x1b[31m", "method": "tools/call"}, 1)
    for _ in range(19_000):
        add(log, SERVER, {"method": "notifications/message", "params": {"data": "x" * 200}})
    add(log, SERVER, {"id": "\x1b[31m", "result": {}})
    frames = log.since(0)
    started = time.process_time()
    lines = call_lines(frames, 1)
    assert time.process_time() - started < 1
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)
