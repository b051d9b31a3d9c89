"""The gate of the JSON-RPC peer: what is refused, what is sealed, and what kind a message is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.rpc import RpcError
from signoff.app.transport.events import (
    Answered,
    Blocked,
    ListChanged,
    Logged,
    NoResponse,
    Requested,
)
from signoff.app.transport.gate import LastGate, SendRefused, without_approval
from signoff.app.transport.messages import Cancelled, ProgressMessage, Response, Unused, classify
from signoff.app.transport.peer import PendingRequest
from signoff.app.transport.protocol import CANCELLED, PING, PROGRESS
from tests.tiers import examples
from tests.transport.peer_wire import Call, Wire


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (SendRefused("not this one"), "not this one"),
        (ValueError("of mine"), "internal error (ValueError)"),
    ],
)
async def test_what_its_gate_refuses_is_not_written_and_was_never_asked(
    fault: Exception, words: str
) -> None:
    def refuse(message: dict[str, JsonValue]) -> None:
        raise fault

    wire, call = Wire(), Call()
    reply = await wire.peer.request(PendingRequest(refuse), {"name": "a"})
    assert reply.problem.startswith(words)
    wire.take({"method": PROGRESS, "params": {"progressToken": 1, "progress": 1}})
    wire.take({"id": 1, "result": {}})
    assert (wire.sent, wire.codes) == ([], ["progress-unknown", "answer-unknown"])
    task = await call.begun(wire)
    wire.peer.fail(2, "half of it")
    assert (await task).problem == "half of it", "nothing else waits"


async def test_a_greeting_that_is_answered_late_is_no_finding() -> None:
    wire = Wire(prefix="")
    assert await wire.peer.ask("server/discover", {}, 0.01) == NoResponse()
    wire.take({"id": 1, "result": {}})
    assert wire.events == []


@pytest.mark.parametrize("method", ["tools/call", "resources/read", "prompts/get"])
async def test_what_needs_an_approval_has_no_way_round_its_comparison(method: str) -> None:
    wire = Wire()
    assert isinstance(await wire.peer.ask(method, {}), RpcError)
    message: dict[str, JsonValue] = {"jsonrpc": "2.0", "id": "x", "method": method}
    assert isinstance(await wire.peer.send(message), RpcError)
    got: list[Answered] = []
    wire.peer.begin(method, {}, got.append)
    assert isinstance(got[0], RpcError)
    with pytest.raises(SendRefused, match="not approved"):
        wire.peer.tell({"jsonrpc": "2.0", "method": method}, gate=without_approval)
    assert wire.sent == []
    assert [event.method for event in wire.events if isinstance(event, Blocked)] == [method] * 4


def test_the_gate_is_closed_by_default() -> None:
    told: list[Blocked] = []
    gate = LastGate(told.append)
    closed: list[Any] = [
        *({"id": 1, "method": "tools/call"}, {"id": 1, "method": "resources/list"}),
        *({"method": "tools/call"}, {"id": 1, "method": "notifications/cancelled"}),
        *({"id": None, "method": "x"}, {"id": 1, "method": ["tools/call"]}),
        *([{"id": 1, "result": {}}], "text", None),
    ]
    for message in closed:
        with pytest.raises(SendRefused):
            gate.seal(message)
    assert len(told) == len(closed)
    free: list[Any] = [
        *({"id": 1, "result": {}}, {"id": 1, "method": "tools/list"}),
        *({"method": "notifications/initialized"}, {"id": 1, "method": "ping"}),
    ]
    for message in free:
        assert gate.seal(message)
    assert gate.seal({"id": 1, "method": "resources/list"}, without_approval)


def test_what_is_sealed_is_one_line_of_ascii_that_says_the_same() -> None:
    text = "half \ud83d ü \n \u2028"
    sealed = LastGate(print).seal({"id": 1, "result": text})
    assert sealed == b'{"id":1,"result":"half \\ud83d \\u00fc \\n \\u2028"}'


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@examples(200)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "id": json_values,
            "method": st.sampled_from([PROGRESS, CANCELLED, PING, "x", "notifications/message"])
            | json_values,
            "params": json_values,
            "result": json_values,
            "error": json_values,
        },
    )
)
def test_whatever_comes_no_other_request_is_answered_and_nothing_breaks(body: Any) -> None:
    wire, got = Wire(), list[Answered]()
    wire.peer.begin("a/b", {}, got.append)
    wire.take(body)
    assert len(got) == (1 if "method" not in body and body.get("id") == "signoff-1" else 0)


KINDS: list[tuple[dict[str, Any], Callable[[Any], bool]]] = [
    ({"id": 1, "result": {}}, lambda found: isinstance(found, Response)),
    ({"error": {}}, lambda found: isinstance(found, Response)),
    ({"method": PROGRESS}, lambda found: found == ProgressMessage(None, None)),
    ({"method": PROGRESS, "id": 1, "params": []}, lambda found: found == ProgressMessage(None, [])),
    ({"method": CANCELLED, "params": {"requestId": 1}}, lambda found: found == Cancelled(1)),
    ({"method": "x"}, lambda found: isinstance(found, Unused)),
    ({"method": "x", "id": None}, lambda found: isinstance(found, Unused)),
    ({"method": "x", "id": True}, lambda found: isinstance(found, Unused)),
    ({"method": 7, "id": 1}, lambda found: isinstance(found, Unused)),
    ({"method": "x", "id": 1}, lambda found: found == Requested(1, "x", None)),
    ({"method": "notifications/message"}, lambda found: found == Logged(None, None, None)),
    ({"method": "notifications/message", "id": 1}, lambda found: isinstance(found, Requested)),
    ({"method": "notifications/tools/list_changed", "id": 1}, lambda found: found == ListChanged()),
    ({"method": "notifications/resources/updated"}, lambda found: isinstance(found, Unused)),
]


@pytest.mark.parametrize(("body", "is_right"), KINDS)
def test_a_message_has_one_kind(body: dict[str, Any], is_right: Callable[[Any], bool]) -> None:
    assert is_right(classify(body))
