"""The JSON-RPC peer by itself: ids, answers, progress, what is late, what is given up, its gate."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.rpc import CALL_METHOD, READ_METHOD, RpcError
from signoff.app.transport.events import (
    Answered,
    ConnectionClosed,
    NoResponse,
    Noticed,
    Reply,
    Requested,
    Withdrawn,
)
from signoff.app.transport.peer import FORGOTTEN_AFTER, PREFIX
from signoff.app.transport.protocol import CANCELLED, MODERN, PING, PROGRESS
from tests.transport.peer_wire import Call, Wire

LATER = 5.0


async def test_an_answer_goes_to_its_request_as_it_came() -> None:
    wire, call = Wire(), Call()
    task = await call.begun(wire)
    assert wire.sent == [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": CALL_METHOD,
            "params": {"name": "a", "arguments": {}, "_meta": {"progressToken": 1}},
        }
    ]
    assert call.compared == wire.sent
    wire.take({"id": 1, "result": {"odd": [1.0, None]}, "more": 1})
    assert await task == Reply(result={"odd": [1.0, None]}, has_result=True)
    assert wire.events == []


NEITHER = "the response has neither a result nor an error"


@pytest.mark.parametrize(
    ("body", "reply"),
    [
        ({"result": 7}, Reply(result=7, has_result=True)),
        ({"result": None}, Reply(result=None, has_result=True)),
        ({"error": {"code": -1, "message": "no"}}, Reply(error=RpcError(-1, "no"))),
        (
            {"error": {"code": -1, "message": "\x1b", "data": {"a": [1]}}},
            Reply(error=RpcError(-1, "\x1b", {"a": [1]})),
        ),
        ({"error": {"code": 1}}, Reply(error=RpcError(1, "(no message)"))),
        ({"error": "no"}, Reply(problem=NEITHER)),
        ({}, Reply(problem=NEITHER)),
    ],
)
async def test_what_is_no_result_is_an_error_or_a_problem(
    body: dict[str, Any], reply: Reply
) -> None:
    wire, call = Wire(), Call()
    task = await call.begun(wire)
    wire.take({"id": 1, **body})
    assert await task == reply
    # A second one is a finding and changes nothing.
    wire.take({"id": 1, "result": 2})
    assert (wire.codes, call.late) == (["answered-twice"], [])


async def test_the_revision_and_the_token_are_in_the_metadata_beside_what_was_given() -> None:
    wire, call = Wire(), Call()
    wire.peer.meta = lambda: {"version": "x"}
    task = asyncio.create_task(
        wire.peer.request(call.pending, {"name": "a", "_meta": {"mine": 1, "version": "y"}})
    )
    await asyncio.sleep(0)
    params: Any = wire.sent[0]["params"]
    assert params["_meta"] == {"mine": 1, "version": "x", "progressToken": 1}
    wire.take({"id": 1, "result": {}})
    await task
    assert wire.peer.made("a/b", {})["params"] == {"_meta": {"version": "x"}}


@pytest.mark.parametrize("wrong", [True, 1.0, "1", None, [1], 2, "signoff-1"])
async def test_an_answer_under_another_id_is_none(wrong: JsonValue) -> None:
    wire, call = Wire(), Call()
    task = await call.begun(wire)
    wire.take({"id": wrong, "result": "forged"})
    wire.take({"id": 1, "result": "real"})
    assert (await task).result == "real"
    assert len(wire.codes) == 1
    assert (wire.codes == ["answer-other-id"]) is (wrong == "1")


@pytest.mark.parametrize("wrong", [True, "1", None, 1.0, 2])
async def test_progress_is_known_by_type_and_value_of_its_token(wrong: JsonValue) -> None:
    wire, call = Wire(), Call()
    task = await call.begun(wire)
    wire.take({"method": PROGRESS, "params": {"progressToken": wrong, "progress": 1}})
    assert (wire.codes, call.progress) == (["progress-unknown"], [])
    wire.take({"method": PROGRESS, "params": {"progressToken": 1, "progress": "odd"}})
    assert call.progress == [{"progressToken": 1, "progress": "odd"}]
    wire.take({"id": 1, "result": 1})
    await task
    wire.take({"method": PROGRESS, "params": {"progressToken": 1, "progress": 2}})
    assert (wire.codes[1:], len(call.progress)) == (["progress-late"], 1)


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("1", 'of the call 1 came back as "1", a string: that is another token, so it has no call'),
        ("x\u202e", 'progress with the token "x<U+202E>", which no call has'),
        (True, "progress with the token true, which no call has"),
        (None, "progress with the token null, which no call has"),
    ],
)
async def test_a_token_that_no_call_has_is_quoted(token: JsonValue, words: str) -> None:
    wire, call = Wire(), Call()
    task = await call.begun(wire)
    wire.take({"method": PROGRESS, "params": {"progressToken": token, "progress": 1}})
    wire.take({"id": 1, "result": 1})
    await task
    (found,) = [one.finding.message for one in wire.events if isinstance(one, Noticed)]
    assert found.endswith(words)


async def test_progress_of_a_task_goes_on_after_the_answer_that_it_began() -> None:
    """Spec 2025-11-25, basic/utilities/tasks: the token is good for as long as the task lasts."""
    wire, call = Wire(), Call(is_followed=True)
    report = {"method": PROGRESS, "params": {"progressToken": 1, "progress": 1}}
    task = await call.begun(wire)
    wire.take({"id": 1, "result": {"task": {"taskId": "t"}}})
    await task
    wire.take(report)
    assert (len(call.progress), wire.codes) == (1, [])
    call.pending.is_followed = False
    wire.take(report)
    assert (len(call.progress), wire.codes) == (1, ["progress-late"])


async def test_a_request_that_is_no_call_has_no_progress() -> None:
    wire = Wire(prefix="")
    asking = asyncio.create_task(wire.peer.ask("a/b", {}))
    await asyncio.sleep(0)
    wire.take({"method": PROGRESS, "params": {"progressToken": 1, "progress": 1}})
    wire.take({"id": 1, "result": {}})
    assert await asking == {}
    assert wire.codes == ["progress-unknown"]


async def test_giving_up_is_told_to_the_server_and_what_comes_then_is_late() -> None:
    wire, call = Wire(), Call()
    task = await call.begun(wire)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert wire.sent[1] == {"jsonrpc": "2.0", "method": CANCELLED, "params": {"requestId": 1}}
    wire.take({"method": PROGRESS, "params": {"progressToken": 1, "progress": 1}})
    assert (call.progress, wire.codes) == ([], []), "it may not have heard of it yet"
    wire.peer.fail(1, "too large")
    assert (call.late, wire.codes) == ([], []), "nor is a failure of it told"
    wire, call = Wire(), Call()
    task = await call.begun(wire)
    task.cancel()
    await asyncio.wait({task})
    wire.take({"id": 1, "result": "done anyway"})
    assert (call.late, wire.codes) == (["done anyway"], [])
    wire.take({"id": 1, "result": "again"})
    assert (call.late, wire.codes) == (["done anyway"], ["answered-twice"])


@pytest.mark.parametrize("method", ["initialize", "server/discover"])
async def test_a_greeting_is_never_cancelled(method: str) -> None:
    """Spec, basic/utilities/cancellation."""
    wire = Wire()
    assert await wire.peer.ask(method, {}, 0.01) == NoResponse()
    assert [message["method"] for message in wire.sent] == [method]


async def test_what_is_not_answered_in_time_is_cancelled_and_late() -> None:
    wire = Wire()
    assert await wire.peer.ask("a/b", {}, 0.01) == NoResponse()
    assert [message["method"] for message in wire.sent] == ["a/b", CANCELLED]
    wire.take({"id": "signoff-1", "result": {}})
    assert wire.codes == ["response-late"]
    wire.peer.input_ends()
    assert not wire.peer.held_back


@pytest.mark.parametrize(
    ("method", "is_held_back"), [("initialize", True), ("subscriptions/listen", False)]
)
def test_what_comes_only_when_stdin_ends_was_held_back(method: str, is_held_back: bool) -> None:
    wire = Wire()
    assert wire.peer.wait(method, {}, 0.01) == NoResponse()
    wire.peer.input_ends()
    wire.take({"id": "signoff-1", "result": {}})
    assert wire.codes == (["answer-held-back"] if is_held_back else [])
    assert wire.peer.held_back is is_held_back


def test_each_answer_is_handed_over_once_and_to_nobody_else() -> None:
    wire, got = Wire(), list[Answered]()
    assert wire.peer.wait("never", {}, 0.01) == NoResponse()
    identity = wire.peer.begin("asked", {}, got.append)
    for known in (identity, identity, f"{PREFIX}1", f"{PREFIX}1", f"{PREFIX}99", f"{PREFIX}02", 2):
        wire.take({"id": known, "result": {"by": known}})
    assert got == [{"by": identity}]
    assert wire.codes == [
        *("answered-twice", "response-late", "answered-twice"),
        *["answer-unknown"] * 3,
    ]
    assert len(wire.sent) == 2


@pytest.mark.parametrize("on_the_loop", [False, True])
async def test_an_answer_from_another_thread_ends_the_wait(on_the_loop: bool) -> None:
    wire = Wire()
    timer = threading.Timer(0.02, lambda: wire.take({"id": "signoff-1", "result": {"a": 1}}))
    timer.start()
    if on_the_loop:
        found = await wire.peer.ask("a/b", {}, LATER)
    else:
        found = await asyncio.to_thread(wire.peer.wait, "a/b", {}, LATER)
    assert found == {"a": 1}
    timer.join()


def test_an_error_without_an_id_answers_the_only_greeting() -> None:
    wire, got = Wire(), list[Answered]()
    wire.peer.begin("server/discover", {}, got.append)
    wire.take({"id": None, "error": {"code": -32700, "message": "what?"}})
    assert got == [RpcError(-32700, "what?")]
    wire.peer.begin("a/b", {}, got.append)
    wire.take({"error": {"code": -32700, "message": "what?"}})
    assert (len(got), wire.codes) == (1, ["answer-without-id"])


def test_the_words_of_an_error_without_an_id_are_kept_and_safe() -> None:
    wire = Wire()
    wire.take({"id": None, "error": {"code": -32602, "message": "no \x1b[31mkey" + "y" * 400}})
    wire.take({"id": None, "error": {"code": 1, "message": ["x"]}})
    first, second = (one.finding.message for one in wire.events)
    assert "“no ␛[31mkey" in first
    assert len(first) < 400
    assert second.endswith("its request is not known")


async def test_an_unreadable_answer_without_an_id_ends_nothing() -> None:
    wire, call, other = Wire(), Call(), Call(READ_METHOD)
    one = await call.begun(wire)
    wire.peer.fail(None, "half of it")
    assert not one.done()
    two = await other.begun(wire)
    wire.peer.fail(2, "broke", ending="server-failed")
    assert (await two).ending == "server-failed"
    wire.take({"id": 1, "result": {"content": []}})
    assert (await one).result == {"content": []}


async def test_the_end_of_the_connection_ends_every_wait_once() -> None:
    wire, call = Wire(), Call()
    one, two = await call.begun(wire), asyncio.create_task(wire.peer.ask("a/b", {}, None))
    await asyncio.sleep(0)
    wire.peer.close("it is gone")
    wire.peer.close("again")
    assert await one == Reply(lost=True, problem="it is gone")
    assert await two == ConnectionClosed()
    assert (await wire.peer.request(Call().pending, {})).problem == "it is gone"
    assert await wire.peer.ask("a/b", {}) == ConnectionClosed()
    assert len(wire.sent) == 2


async def test_the_table_stays_small_even_behind_a_call_that_never_ends() -> None:
    wire, first = Wire(), Call()
    task = await first.begun(wire)
    for _ in range(FORGOTTEN_AFTER * 2):
        wire.peer.begin("a/b", {}, lambda answer: None)
        wire.take({"id": wire.newest, "result": {}})
    assert len(wire.peer._requests) == FORGOTTEN_AFTER
    wire.take({"id": "signoff-1", "result": {}})
    assert wire.codes == ["answered-twice"], "also what is forgotten is no forgery"
    wire.take({"id": 1, "result": "at last"})
    assert (await task).result == "at last"


@pytest.mark.parametrize("identity", [5, "theirs"])
async def test_what_the_server_asks_for_and_withdraws_is_told(identity: str | int) -> None:
    wire = Wire()
    asked = {"id": identity, "method": "roots/list", "params": {"a": 1}}
    wire.take(asked)
    wire.take({"method": CANCELLED, "params": {"requestId": identity}})
    assert wire.events == [Requested(identity, "roots/list", {"a": 1}), Withdrawn(identity)]
    assert wire.sent == []


async def test_a_ping_is_answered_but_not_since_2026_07_28() -> None:
    wire = Wire()
    wire.take({"id": 1, "method": PING})
    assert wire.sent == [{"jsonrpc": "2.0", "id": 1, "result": {}}]
    # One that is taken back is no finding.
    wire.take({"method": CANCELLED, "params": {"requestId": 1}})
    wire.peer.version = MODERN
    wire.take({"id": 2, "method": PING})
    assert wire.events == [Requested(2, PING, None)]
    assert len(wire.sent) == 1


async def test_requests_are_dropped_while_the_answers_are_not_read() -> None:
    wire = Wire(drops_requests=lambda: True)
    wire.take({"id": 1, "method": PING})
    wire.take({"id": 2, "method": "roots/list"})
    assert (wire.sent, wire.events) == ([], [])


async def test_a_server_cancels_only_its_own_requests_and_subscriptions() -> None:
    wire, call = Wire(), Call()
    task = await call.begun(wire)
    wire.peer.begin("subscriptions/listen", {}, lambda answer: None)
    for identity in (wire.newest, 1, 99, None, [1], True):
        wire.take({"method": CANCELLED, "params": {"requestId": identity}})
    assert wire.codes == ["cancel-unknown"] * 5
    wire.take({"id": 1, "result": 1})
    assert (await task).result == 1
