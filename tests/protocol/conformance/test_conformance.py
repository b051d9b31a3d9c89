"""What a log of the wire shows of how a server keeps to the specification."""

from __future__ import annotations

import json
from typing import Any

import pytest

from signoff.app.protocol.conformance.results import check_key
from signoff.app.protocol.conformance.watcher import FOUND_MAX, Watcher
from signoff.app.protocol.findings.codes_of_servers import PROTOCOL
from signoff.app.protocol.wire.frames import BEGAN, CLIENT, FRAMES_KEPT, SERVER, Sender, WireLog
from tests.servers.lawless import FAULTS

MODERN = "2026-07-28"
FRESH = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
Message = dict[str, Any]


class Wire:
    """Writes a log, message by message."""

    def __init__(self, frames: int = FRAMES_KEPT) -> None:
        self.log = WireLog(frames=frames)
        self.log.note(f"{BEGAN}: started")

    def client(self, **message: Any) -> Wire:
        return self._add(CLIENT, message)

    def server(self, **message: Any) -> Wire:
        return self._add(SERVER, message)

    def asked(self, identity: Any, method: str, result: Any, **params: Any) -> Wire:
        self.client(id=identity, method=method, params=params)
        return self.server(id=identity, result=result)

    def legacy(self, *, declared: Any = None, **capabilities: Any) -> Wire:
        info = {"name": "x", "version": "1"}
        version = "2025-11-25"
        greeting = {"protocolVersion": version, "serverInfo": info, "capabilities": capabilities}
        return self.asked(
            "g", "initialize", greeting, protocolVersion=version, capabilities=declared or {}
        )

    def modern(self, **capabilities: Any) -> Wire:
        found = {"supportedVersions": [MODERN], "capabilities": capabilities, **FRESH}
        return self.asked("g", "server/discover", found)

    def codes(self) -> list[str]:
        watcher = Watcher(self.log)
        watcher.catch_up()
        return [one.code for one in watcher.findings]

    def places(self) -> list[str]:
        watcher = Watcher(self.log)
        watcher.catch_up()
        return [one.path for one in watcher.findings]

    def _add(self, sender: Sender, message: Message) -> Wire:
        self.log.add(sender, json.dumps({"jsonrpc": "2.0", **message}).encode())
        return self


def test_nothing_is_said_of_who_keeps_to_it() -> None:
    tools = {"tools": [{"name": "x", "_meta": {"org.example/y": 1, "plain": 2}}]}
    assert Wire().legacy(tools={}).asked(1, "tools/list", tools).codes() == []
    assert Wire().modern(tools={}).asked(1, "tools/list", tools | FRESH).codes() == []


@pytest.mark.parametrize("result", [{}, {"tools": []}, {"anything": 1}])
def test_before_the_greeting_nothing_is_judged(result: Message) -> None:
    wire = Wire().asked(1, "server/discover", result).server(method="notifications/message")
    assert wire.codes() == []


BROKEN: Message = {"jsonrpc": "2.0", "id": 1, "error": {"code": "x", "message": "no"}}
BROKEN_LINE = json.dumps(BROKEN).encode()
GOOD_LINE = b'{"jsonrpc":"2.0","id":9,"result":{}}'


@pytest.mark.parametrize(
    "line",
    [
        *(b"[" + GOOD_LINE + b"," + BROKEN_LINE + b"]", b"INFO it's ready " + BROKEN_LINE),
        *(GOOD_LINE + BROKEN_LINE, BROKEN_LINE + b"\0"),
    ],
)
def test_each_message_of_a_batch_and_of_a_mixed_line_is_judged(line: bytes) -> None:
    wire = Wire().legacy(tools={}).client(id=1, method="tools/list")
    wire.log.add(SERVER, line)
    assert wire.places() == ["/error/code"]


@pytest.mark.parametrize(
    "line",
    [
        b"sent: " + json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/list"}).encode(),
        b'{"quoted": ' + BROKEN_LINE + b"} and more",
        b'["quoted", {"a": ' + BROKEN_LINE + b"}]",
        b'[[{"jsonrpc": "2.0"}]]',
    ],
)
def test_what_a_log_quotes_is_judged_as_no_message(line: bytes) -> None:
    wire = Wire().legacy(tools={}).client(id=1, method="tools/list")
    wire.log.add(SERVER, line)
    assert wire.codes() == []


def test_a_late_discovery_before_the_handshake_leaves_the_server_to_the_handshake() -> None:
    tools = {"tools": [{"name": "x"}]}
    wire = Wire().modern(tools={}).legacy(tools={}).asked(1, "tools/list", tools)
    assert wire.codes() == []
    assert "missing-field" in Wire().modern(tools={}).asked(1, "tools/list", tools).codes()


def test_a_discovery_after_the_handshake_changes_nothing() -> None:
    wire = Wire().legacy(tools={}).modern(tools={})
    assert wire.asked(1, "tools/list", {"tools": [{"name": "x"}]}).codes() == []


def test_a_new_connection_begins_anew() -> None:
    wire = Wire().modern()
    wire.log.note(f"{BEGAN}: started")
    assert wire.legacy().server(id=1, method="ping").codes() == []


@pytest.mark.parametrize(
    ("completion", "codes"),
    [
        ({"values": ["a"], "total": 1, "hasMore": False}, []),
        ({"values": ["a"] * 101}, ["too-many-completions"]),
        ({"values": [1]}, ["wrong-type"]),
        ({"values": "a"}, ["wrong-type"]),
        ({}, ["missing-field"]),
        ("a", ["wrong-type"]),
    ],
)
def test_what_is_suggested_has_a_shape(completion: Any, codes: list[str]) -> None:
    wire = Wire().legacy(completions={})
    assert wire.asked(1, "completion/complete", {"completion": completion}).codes() == codes


def test_a_capability_that_was_not_offered_is_asked_for() -> None:
    asking: Message = {"id": 1, "method": "roots/list", "params": {}}
    assert Wire().legacy().server(**asking).codes() == ["asked-undeclared"]
    assert Wire().legacy(declared={"roots": {}}).server(**asking).codes() == []


@pytest.mark.parametrize(
    ("error", "places"),
    [
        ({"code": -32601, "message": "no"}, []),
        ({"code": "x", "message": "no"}, ["/error/code"]),
        ({"code": 1.5, "message": "no"}, ["/error/code"]),
        ({"code": True, "message": "no"}, ["/error/code"]),
        ({"code": 1}, ["/error/message"]),
        ({"code": -32021, "message": "no"}, ["/error/data/requiredCapabilities"]),
        ({"code": -32022, "message": "no", "data": []}, ["/error/data/supported"]),
        ({"code": -32002, "message": "no"}, ["/error/code"]),
        ({"code": -32042, "message": "no"}, ["/error/code"]),
        ({"code": -32099, "message": "no"}, ["/error/code"]),
        ({"code": -32019, "message": "no"}, []),
        ({"code": -32100, "message": "no"}, []),
    ],
)
def test_an_error_has_a_shape(error: Message, places: list[str]) -> None:
    wire = Wire().modern().client(id=1, method="resources/read", params={})
    assert wire.server(id=1, error=error).places() == places


def test_a_handshake_is_rightly_refused_by_who_is_modern() -> None:
    refusal = {"code": -32022, "message": "no", "data": {"supported": [MODERN]}}
    wire = Wire().client(id=1, method="initialize", params={"protocolVersion": "2025-11-25"})
    assert wire.server(id=1, error=refusal).codes() == []
    wire.modern().client(id=2, method="tools/list", params={})
    assert wire.server(id=2, error=refusal).codes() == ["version-refused"]


def test_what_an_older_revision_may_say_is_no_finding() -> None:
    wire = Wire().legacy().client(id=1, method="resources/read", params={})
    assert wire.server(id=1, error={"code": -32002, "message": "not there"}).codes() == []


@pytest.mark.parametrize("method", ["sampling/createMessage", "roots/list"])
def test_input_that_is_deprecated_is_a_note(method: str) -> None:
    asks = {"resultType": "input_required", "inputRequests": {"a/b": {"method": method}}}
    wire = Wire().modern().asked(1, "tools/call", asks)
    assert wire.codes() == ["deprecated-feature"]
    assert wire.places() == ["/result/inputRequests/a~1b/method"]


def test_a_task_needs_a_capability() -> None:
    started = {"task": {"taskId": "1", "status": "working"}}
    assert Wire().legacy().asked(1, "tools/call", started).codes() == ["task-undeclared"]
    able: Message = {"requests": {"tools": {"call": {}}}}
    assert Wire().legacy(tasks=able).asked(1, "tools/call", started).codes() == []


def test_a_stream_that_was_opened_is_known_by_type_and_value() -> None:
    def told(given: Any) -> Wire:
        wire = Wire().modern(tools={"listChanged": True})
        wire.client(id=1, method="subscriptions/listen", params={})
        meta = {"io.modelcontextprotocol/subscriptionId": given}
        return wire.server(method="notifications/tools/list_changed", params={"_meta": meta})

    assert told(1).codes() == []
    assert told("1").codes() == ["subscription-unknown"]
    assert told(True).codes() == ["subscription-unknown"]


def test_a_part_of_what_was_subscribed_to_may_be_told_of() -> None:
    wire = Wire().legacy(resources={"subscribe": True})
    wire.asked(1, "resources/subscribe", {}, uri="shelf://a")
    updated = "notifications/resources/updated"
    assert wire.server(method=updated, params={"uri": "shelf://a/b"}).codes() == []
    assert wire.server(method=updated, params={"uri": "shelf://b"}).codes() == [
        "update-not-subscribed"
    ]


@pytest.mark.parametrize(
    ("method", "result", "places"),
    [
        ("resources/list", {"resources": [], "nextCursor": None}, ["/result/nextCursor"]),
        (
            "resources/list",
            {"resources": [{"size": None}, {"size": None, "_meta": None}]},
            ["/result/resources/0/size", "/result/resources/1/_meta"],
        ),
        (
            "resources/templates/list",
            {"resourceTemplates": [{"mimeType": None}]},
            ["/result/resourceTemplates/0/mimeType"],
        ),
        ("prompts/list", {"prompts": [{"arguments": None}]}, ["/result/prompts/0/arguments"]),
        (
            "prompts/list",
            {"prompts": [{"arguments": [{"name": "x"}, {"required": None}]}]},
            ["/result/prompts/0/arguments/1/required"],
        ),
        ("resources/read", {"contents": [{"mimeType": None}]}, ["/result/contents/0/mimeType"]),
        ("prompts/get", {"messages": [], "description": None}, ["/result/description"]),
        ("prompts/get", {"messages": [None, 5], "description": ""}, []),
        ("resources/read", {"contents": None}, []),
    ],
)
def test_null_in_the_place_of_nothing(method: str, result: Any, places: list[str]) -> None:
    wire = Wire().legacy(resources={}, prompts={}).asked(1, method, result)
    assert wire.places() == places
    assert set(wire.codes()) <= {"wrong-type"}


def test_of_a_notification_that_cannot_be_read_no_field_is_missed() -> None:
    wire = Wire().legacy(logging={})
    params = '{"level": "info", "data": NaN}'
    line = f'{{"jsonrpc": "2.0", "method": "notifications/message", "params": {params}}}'
    wire.log.add(SERVER, line.encode())
    assert wire.codes() == []
    wire.server(method="notifications/message", params={"data": 1})
    assert wire.codes() == ["missing-field"]


def test_templates_need_not_be_there() -> None:
    wire = Wire().legacy(resources={}).client(id=1, method="resources/templates/list", params={})
    assert wire.server(id=1, error={"code": -32601, "message": "no"}).codes() == []


def test_what_was_not_seen_has_no_verdict() -> None:
    wire = Wire(frames=3).legacy()
    for number in range(10):
        wire.asked(number, "ping", {})
    assert wire.server(method="notifications/message", params={"level": "x"}).codes() == []


def test_a_flood_of_different_faults_is_bounded() -> None:
    wire = Wire().legacy()
    for number in range(FOUND_MAX * 2):
        wire.server(id=number, method=f"notifications/{number}")
    assert len(wire.codes()) == FOUND_MAX


def test_texts_of_a_server_are_safe_to_show() -> None:
    wire = Wire().legacy().server(id=1, method="notifications/\x1b[31m\u202eevil")
    watcher = Watcher(wire.log)
    watcher.catch_up()
    assert not {"\x1b", "\u202e"} & set(watcher.findings[0].message)


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("plain", None),
        ("", None),
        ("a.b/c", None),
        ("io.modelcontextprotocol/related-task", None),
        ("com.example.mcp/x", None),
        ("mcp/x", None),
        ("com.mcp/x", "reserved-meta-key"),
        ("org.modelcontextprotocol.api/x", "reserved-meta-key"),
        ("-x", "malformed-meta-key"),
        ("x y", "malformed-meta-key"),
        ("1a/x", "malformed-meta-key"),
        ("a-/x", "malformed-meta-key"),
        ("a..b/x", "malformed-meta-key"),
        ("/x", "malformed-meta-key"),
    ],
)
def test_names_in_meta(key: str, code: str | None) -> None:
    found = check_key(key)
    assert (None if found is None else found.code) == code


def test_every_code_of_the_protocol_is_tested_on_a_server_or_here() -> None:
    on_servers = {code for faults in FAULTS.values() for codes in faults.values() for code in codes}
    assert set(PROTOCOL) - on_servers == {"too-many-completions"}
