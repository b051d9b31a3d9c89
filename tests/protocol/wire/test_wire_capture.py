"""Captures and scripts: what is written is read back, and what was said stands at its place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.features.wire.replay import Replayer
from signoff.app.protocol.wire.capture import (
    Capture,
    CapturedScript,
    NotACapture,
    frame_of,
    key_for,
    line_of,
    script_of,
)
from signoff.app.protocol.wire.frames import BEGAN, CLIENT, ENDED, SERVER, SIGNOFF, Frame, HttpPart


def frame(number: int, sender: Any, raw: Any, http: HttpPart | None = None) -> Frame:
    data = raw if isinstance(raw, bytes) else json.dumps({"jsonrpc": "2.0", **raw}).encode()
    return Frame(number, 1.5, 1.5, sender, data, len(data), 0, http)


def frames(*said: tuple[Any, Any]) -> list[Frame]:
    return [frame(number, *one) for number, one in enumerate(said, 1)]


@given(st.binary(max_size=200), st.sampled_from([CLIENT, SERVER, SIGNOFF]))
def test_what_is_written_is_read_back(raw: bytes, sender: Any) -> None:
    http = HttpPart("200 OK", (("a", "b"),), 3, 200)
    line = line_of(frame(7, sender, raw, http))
    assert b"\n" not in line
    again = frame_of(line)
    assert (again.raw, again.sender, again.number, again.http) == (raw, sender, 7, http)


def test_words_are_found_in_messages_and_nowhere_else() -> None:
    lines = frames((CLIENT, {"method": "ping", "id": 1}), (SERVER, {"id": 1, "result": 'Ü "x"\n'}))
    lines[1].raw = json.dumps({"result": 'Ü "x"'}, ensure_ascii=False).encode()
    capture = Capture(b"".join(line_of(one) + b"\n" for one in lines))
    assert capture.containing("PING") == [0]
    assert capture.containing('"result"') == [1]
    assert capture.containing("server") == []
    assert capture.containing("") == [0, 1]


def test_the_beginning_of_a_line_that_was_not_written_whole_is_left_out() -> None:
    one, two = (line_of(one) for one in frames((CLIENT, b"a"), (SERVER, b"b")))
    assert len(Capture(one + b"\n" + two[:20])) == 1
    with pytest.raises(NotACapture):
        Capture(b"hello")
    with pytest.raises(NotACapture, match="line 2"):
        Capture(one + b"\nhello\n" + two + b"\n").frames()


def played(script: CapturedScript, *lines: Any) -> tuple[list[Any], int]:
    written: list[bytes] = []
    status = Replayer(script, written.append).play(json.dumps(line).encode() for line in lines)
    return [json.loads(one) if one[:1] == b"{" else one for one in written], status


def call(identity: Any, token: Any = None, **arguments: Any) -> dict[str, Any]:
    params: dict[str, Any] = {"name": "t", "arguments": arguments}
    if token is not None:
        params["_meta"] = {"progressToken": token}
    return {"id": identity, "method": "tools/call", "params": params}


PROGRESS = {"method": "notifications/progress", "params": {"progressToken": 1, "progress": 5}}


def test_what_the_server_said_besides_stands_before_and_after_its_answers() -> None:
    script = script_of(
        frames(
            (SERVER, b"a banner"),
            (CLIENT, call(1, 1)),
            (SERVER, PROGRESS),
            (SERVER, b"noise \xff"),
            (SERVER, {"id": 1, "result": {"a": 1}}),
            (SERVER, {"method": "notifications/tools/list_changed"}),
            (CLIENT, call(2, 2)),
            (SERVER, {"id": 2, "result": {"a": 2}}),
        )
    )
    said, status = played(script, call("x", "y"), call("z"), call("u"))
    assert said[:2] == [
        b"a banner",
        {"jsonrpc": "2.0", **PROGRESS} | {"params": {"progressToken": "y", "progress": 5}},
    ]
    assert said[2] == b"noise \xff"
    assert said[3] == {"jsonrpc": "2.0", "id": "x", "result": {"a": 1}}
    assert said[4]["method"] == "notifications/tools/list_changed"
    assert [(one["id"], one["result"]["a"]) for one in said[5:]] == [("z", 2), ("u", 2)]
    assert status == 0


def test_what_follows_a_question_of_the_server_waits_for_its_answer() -> None:
    asked = {"id": "e1", "method": "elicitation/create", "params": {}}
    script = script_of(
        frames(
            (CLIENT, call(1)),
            (SERVER, asked),
            (CLIENT, {"id": "e1", "result": {"action": "accept"}}),
            (SERVER, {"id": 1, "result": {}}),
        )
    )
    said, _ = played(script, call(5))
    assert [one["id"] for one in said] == ["e1"]
    said, _ = played(script, call(5), {"id": "e1", "result": {}})
    assert [one["id"] for one in said] == ["e1", 5]


def test_the_end_of_a_server_is_played_too() -> None:
    script = script_of(
        frames(
            (SIGNOFF, BEGAN.encode()),
            (CLIENT, call(1)),
            (SIGNOFF, f"{ENDED}: exit code 3".encode()),
        )
    )
    assert played(script, call(1), call(2)) == ([], 3)


def test_a_cancelled_request_is_never_answered_and_an_unknown_one_is_told_so() -> None:
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": 1}}
    script = script_of(frames((CLIENT, call(1)), (CLIENT, cancelled)))
    said, _ = played(
        script, call(1), call(2, other=1), {"id": 3, "method": "x"}, {"id": 4, "method": "ping"}
    )
    assert [(one["id"], one.get("error", {}).get("code")) for one in said] == [
        (2, -32602),
        (3, -32601),
        (4, None),
    ]


def test_a_request_is_known_by_its_params_without_what_is_about_the_client() -> None:
    one = key_for("tools/call", {"_meta": {"progressToken": 1}, "name": "t", "arguments": {"a": 1}})
    assert one == key_for("tools/call", {"arguments": {"a": 1}, "name": "t"})
    assert key_for("tools/list", None) == key_for("tools/list", {})
    assert key_for("initialize", {"a": 1}) == key_for("initialize", {"b": 1})
