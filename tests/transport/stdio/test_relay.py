"""A relay between host and server: nothing changes on its way, and nothing unapproved leaves."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from signoff.app.protocol.rpc import RpcError
from signoff.app.transport.events import Blocked, Ended, Listing
from signoff.app.transport.gate import SendRefused
from signoff.app.transport.stdio import process as process_module
from signoff.app.transport.stdio.relay import RelayLink
from tests.servers import named, raw
from tests.tiers import examples
from tests.transport.stdio.hosted import Held, Host, echo, holding, watched

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes cannot be waited for")
CALL = {"name": "delete_file", "arguments": {"path": "a"}}
IDS: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.floats(), st.just([1])
)
METHODS = st.sampled_from(
    ["tools/call", "resources/read", "prompts/get", "tools/list", "initialize", "ping", "x", ""]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
MESSAGES = st.builds(
    lambda identity, method, params, ends: {
        "jsonrpc": "2.0",
        **({} if identity is None else {"id": identity}),
        **({"result": params} if ends else {"method": method, "params": params}),
    },
    IDS,
    METHODS,
    VALUES | st.just({**CALL, "_meta": {"progressToken": 1}}),
    st.booleans(),
)
LINES = st.one_of(
    MESSAGES.map(lambda one: json.dumps(one).encode()),
    st.lists(MESSAGES, max_size=3).map(lambda one: json.dumps(one).encode()),
    MESSAGES.map(lambda one: json.dumps(one, ensure_ascii=False).encode("utf-8", "surrogatepass")),
    MESSAGES.map(lambda one: json.dumps(one).encode() + b"\r"),
    st.binary(max_size=60).map(lambda one: one.replace(b"\n", b"")),
    st.sampled_from(
        [
            b"",
            b"  ",
            b"\r",
            b"\xef\xbb\xbf{}",
            "{}\u2028{}".encode(),
            b'{"id":1,"id":2,"method":"tools/call"}',
            b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a","name":"b"}}',
            b'{"a":' * 300,
            b'{"id":' + b"9" * 5_000 + b',"method":"ping"}',
            b'{"jsonrpc":"2.0","id":9,"result":{"text":"' + b"x" * 300_000 + b'"}}',
            b"\x00" * 40,
        ]
    ),
)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "STDIN_CLOSE_SECONDS", 0.3)


@pytest.fixture
def echoed(tmp_path: Path) -> Iterator[tuple[Host, RelayLink, Path]]:
    record = tmp_path / "record"
    with watched(echo(record)) as (host, link):
        yield host, link, record


def test_every_line_passes_byte_for_byte_in_both_directions(
    echoed: tuple[Host, RelayLink, Path],
) -> None:
    host, _, record = echoed
    rounds = 0

    @examples(200, suppress_health_check=list(HealthCheck))
    @given(st.lists(LINES, max_size=8))
    def pass_(lines: list[bytes]) -> None:
        nonlocal rounds
        rounds += 1
        end = b"end %d" % rounds
        before = record.stat().st_size if record.exists() else 0
        host.write(*lines, end)
        sent = b"".join(line + b"\n" for line in (*lines, end))
        assert host.read_until(lambda kept: kept.endswith(end + b"\n")) == sent
        assert record.read_bytes()[before:] == sent

    pass_()


@pytest.mark.parametrize(
    "bytes_given",
    [b"{}\n\n[]", b"\n", b'{"half', b"a\r\nb\r\n", b'{"jsonrpc":"2.0"}', b"x" * 300_000],
    ids=["no end", "blank", "half", "crlf", "one line", "long"],
)
def test_what_a_host_wrote_before_its_end_arrives(
    echoed: tuple[Host, RelayLink, Path], bytes_given: bytes
) -> None:
    host, link, record = echoed
    host.write_bytes(bytes_given)
    host.end()
    wanted = bytes_given if bytes_given.endswith(b"\n") else bytes_given + b"\n"
    assert host.read_until(lambda kept: len(kept) >= len(wanted)) == wanted
    assert record.read_bytes() == wanted
    while link.passed[1] < wanted.count(b"\n"):
        time.sleep(0.005)
    assert link.passed == [wanted.count(b"\n")] * 2


@pytest.mark.slow
def test_a_line_over_the_limit_passes_whole(echoed: tuple[Host, RelayLink, Path]) -> None:
    host, _, _ = echoed
    line = b'{"jsonrpc":"2.0","id":1,"result":"' + b"x" * 70_000_000 + b'"}'

    writing = threading.Thread(target=host.write, args=(line,))
    writing.start()
    found = host.read_until(lambda kept: len(kept) > len(line))
    writing.join()
    assert found == line + b"\n"


def test_a_large_line_with_the_mark_of_signoffs_own_requests_passes(
    echoed: tuple[Host, RelayLink, Path],
) -> None:
    host, link, _ = echoed
    for size in (10, 2_000_000):
        text = link.ours + "x" * size
        line = json.dumps({"jsonrpc": "2.0", "method": "note", "params": text}).encode()

        writing = threading.Thread(target=host.write, args=(line,))
        writing.start()
        assert host.read_until(lambda kept: kept.endswith(b"\n")) == line + b"\n"
        writing.join()


# Holding


async def test_a_call_leaves_only_after_its_gate_agreed(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with holding(raw("--received", str(record), "--with", "all")) as held:
        held.host.send(id=1, method="tools/call", params={"name": "echo", "arguments": {"a": 1}})
        call = await held.called()
        held.host.send(method="notifications/x", params={})
        await held.until(lambda: _methods(record) == ["notifications/x"])
        seen = []

        def gate(message: dict[str, Any]) -> None:
            seen.append(message)
            assert _methods(record) == ["notifications/x"]

        reply = await held.approve(call, gate)
        assert seen == [json.loads(call.line)]
        assert reply.has_result
        assert _methods(record) == ["notifications/x", "tools/call"]
        assert held.host.line()["id"] == 1


@pytest.mark.parametrize(
    ("params", "method"),
    [
        (CALL, "tools/call"),
        ({"uri": "file:///a"}, "resources/read"),
        ({"name": "p", "arguments": {}}, "prompts/get"),
    ],
)
async def test_a_gate_that_refuses_keeps_the_call_here(
    params: dict[str, Any], method: str, tmp_path: Path
) -> None:
    def refuse(message: dict[str, Any]) -> None:
        raise SendRefused("not this")

    record, denied = tmp_path / "record", {"code": -1, "message": "denied"}
    async with holding(echo(record)) as held:
        held.host.send(id="a", method=method, params=params)
        call = await held.called()
        assert (await held.approve(call, refuse)).problem == "not this"
        assert held.link.answer_host(call, RpcError(-1, "denied"))
        assert held.host.line() == {"jsonrpc": "2.0", "id": "a", "error": denied}
        assert not held.link.answer_host(call, RpcError(-1, "again"))
        await _reaches(held, record, [])


REFUSED = [
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":NaN}}', None),
    (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call"}', None),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}', None),
    (b'[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}]', None),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","Method":"ping"}', 1),
    (b'{"jsonrpc":"2.0","id":"x","method":["tools/call"]}', "x"),
    (b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a"}}', None),
    (b'{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"a"}}', None),
    (b'{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"a"}}', None),
    (b'{"jsonrpc":"2.0","id":true,"method":"prompts/get","params":{"name":"a"}}', None),
    (b'{"jsonrpc":"2.0","id":{},"method":"resources/read","params":{"uri":"a"}}', None),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"n":1e999}}', 1),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/ca', None),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping"}\r{"id":2,"method":"tools/call"}', None),
    (b"\xff\xfe", None),
    (b"[" * 2_000, None),
    (b'"tools/call"', None),
]


async def test_what_two_readers_could_take_differently_is_refused(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with holding(echo(record)) as held:
        for times, (line, identity) in enumerate(REFUSED, start=1):
            held.host.write(line)
            refused = held.host.line()
            assert (refused["id"], refused["error"]["code"]) == (identity, -32700), line
            assert refused["error"]["message"].startswith("signoff: not passed on: ")
            await held.until(lambda times=times: len(held.heard.of(Blocked)) == times)  # type: ignore[misc]
            assert held.link.refused == times
        assert held.calls == []
        await _reaches(held, record, [])


async def test_characters_at_which_some_readers_end_a_line_pass_as_escapes(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with holding(echo(record)) as held:
        held.host.write('{"jsonrpc":"2.0","method":"x","params":"ü\u2028"}'.encode())
        assert held.host.line()["params"] == "ü\u2028"
        await held.until(record.exists)
        assert record.read_bytes().isascii()


async def test_an_id_in_use_is_refused_and_the_first_call_stays(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with holding(raw("--received", str(record), "--with", "all")) as held:
        first = {"name": "echo", "arguments": {"is": "first"}}
        held.host.send(id=5, method="tools/call", params=first)
        call = await held.called()
        held.host.send(id=5, method="tools/call", params={**first, "arguments": {"is": "second"}})
        refused = held.host.line()
        # With the id of the first call it would be taken for the response to that.
        assert refused["id"] is None
        assert "another request" in refused["error"]["message"]
        held.host.send(id=5, method="ping")
        assert held.host.line()["id"] is None
        held.host.send(id="5", method="ping")
        assert held.host.line()["id"] == "5"
        assert (await held.approve(call)).has_result
        assert held.host.line()["result"]["structuredContent"] == {"is": "first"}
        # Answered, so that it is free again.
        held.host.send(id=5, method="ping")
        assert held.host.line()["id"] == 5


@pytest.mark.parametrize("identity", [3, "3", ""])
async def test_a_call_taken_back_while_held_is_neither_sent_nor_answered(
    identity: int | str, tmp_path: Path
) -> None:
    record = tmp_path / "record"
    async with holding(echo(record)) as held:
        held.host.send(id=identity, method="tools/call", params=CALL)
        call = await held.called()
        held.host.send(method="notifications/cancelled", params={"requestId": identity})
        await held.until(lambda: held.cancelled)
        assert held.cancelled[0].opened is call.opened
        assert held.link.waiting == 0
        # The same id is another call from now on.
        held.host.send(id=identity, method="tools/call", params={"name": "other"})
        await held.called(2)
        assert (await held.approve(call)).problem == "the host took it back"
        assert not held.link.answer_host(call, {"content": []})
        # The server need not hear of a call that it never got.
        await _reaches(held, record, [])
        assert held.link.waiting == 1


async def test_cancelling_a_sent_call_reaches_the_server(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with holding(raw("--received", str(record), "--with", "all")) as held:
        held.host.send(id=1, method="tools/call", params={"name": "never", "arguments": {}})
        running = asyncio.create_task(held.approve(await held.called()))
        await held.until(lambda: _methods(record) == ["tools/call"])
        held.host.send(method="notifications/cancelled", params={"requestId": 1})
        await held.until(lambda: _methods(record)[1:] == ["notifications/cancelled"])
        await held.until(lambda: held.cancelled)
        running.cancel()
        await asyncio.wait({running})
        assert held.link.waiting == 0


@pytest.mark.parametrize("form", ["alone", "batch", "unreadable"])
async def test_an_answer_to_a_call_that_the_server_has_not_got_stays_here(form: str) -> None:
    invented = {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}
    other = {"jsonrpc": "2.0", "id": 2, "result": {}}
    lines = {
        "alone": json.dumps(invented),
        "batch": json.dumps([other, invented]),
        "unreadable": '{"jsonrpc":"2.0","id":1,"result":{"a":1},}',
    }
    code = "import sys; sys.stdin.readline(); print(sys.argv[1], flush=True); sys.stdin.read()"
    async with holding([sys.executable, "-c", code, lines[form]]) as held:
        held.host.send(id=1, method="tools/call", params=CALL)
        await held.called()
        held.host.send(method="notifications/go")
        await held.until(lambda: "answer-invented" in held.heard.codes)
        if form == "batch":
            assert held.host.line() == other
        assert held.host.has_nothing()
        assert held.link.waiting == 1


async def test_requests_of_signoffs_own_are_answered_to_signoff_alone() -> None:
    async with holding(named("delete_file=d")) as held:
        held.host.send(id=1, method="initialize", params={"protocolVersion": "2025-11-25"})
        assert held.host.line()["id"] == 1
        await held.until(lambda: held.link.is_greeted)
        listing = await held.link.list_tools()
        assert isinstance(listing, Listing)
        held.host.send(id=2, method="ping")
        assert held.host.line()["id"] == 2
        await held.until(lambda: held.link.waiting == 0)


async def test_a_batch_with_a_response_for_signoff_gives_the_host_the_rest() -> None:
    code = """
import json, sys
for line in sys.stdin:
    one = json.loads(line)
    result = {"tools": []}
    if one["method"] == "initialize":
        result = {"protocolVersion": "2025-03-26", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "s", "version": "1"}}
    answer = {"jsonrpc": "2.0", "id": one["id"], "result": result}
    batch = [answer, {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": 1}}]
    print(json.dumps(batch if one["method"] == "tools/list" else answer), flush=True)
"""
    async with holding([sys.executable, "-c", code]) as held:
        held.host.send(id=1, method="initialize", params={"protocolVersion": "2025-03-26"})
        assert held.host.line()["id"] == 1
        await held.until(lambda: held.link.is_greeted)
        assert await held.link.list_tools() is not None
        assert held.host.line()["params"] == {"data": 1}


# Ends


@pytest.mark.parametrize("holds", [False, True])
async def test_a_server_that_dies_loses_the_calls_that_are_open(holds: bool) -> None:
    code = "import sys; sys.stdin.readline(); sys.exit(3)"
    async with holding([sys.executable, "-c", code], holds=holds) as held:
        for identity in (1, 2):
            held.host.send(id=identity, method="tools/call", params=CALL)
        calls = [await held.called(count) for count in (1, 2)]
        replies = await asyncio.wait_for(
            asyncio.gather(*(held.approve(one, number=n) for n, one in enumerate(calls))), 60
        )
        assert [one.lost for one in replies] == [True, True]
        assert (await held.heard.one(Ended)).code == 3


@pytest.mark.parametrize("holds", [False, True])
async def test_a_host_that_vanishes_is_noticed(holds: bool, tmp_path: Path) -> None:
    async with holding(echo(tmp_path / "record"), holds=holds) as held:
        held.host.send(id=1, method="tools/call", params=CALL)
        await held.called()
        assert not held.host.pipe.is_broken
        held.host.vanish()
        await held.until(lambda: held.ended and held.host.pipe.is_broken)


async def test_a_watched_call_whose_id_is_used_again_ends() -> None:
    async with holding(raw("--with", "all"), holds=False) as held:
        held.host.send(id=1, method="tools/call", params={"name": "never", "arguments": {}})
        waiting = asyncio.create_task(held.approve(await held.called()))
        await asyncio.sleep(0)
        held.host.send(id=1, method="ping")
        reply = await asyncio.wait_for(waiting, 60)
        assert "its id" in reply.problem


async def test_calls_before_there_is_an_event_loop_are_not_lost(tmp_path: Path) -> None:
    host = Host()
    link = RelayLink(echo(tmp_path / "record"), host.pipe, holds=True)
    held = Held(host, link)
    link.on_host.called = held.calls.append
    link.begin()
    for identity in range(50):
        host.send(id=identity, method="tools/call", params=CALL)
    await asyncio.to_thread(_wait_for, link, 50)
    assert held.calls == []
    link.attach(held.heard)
    for identity in range(50, 60):
        host.send(id=identity, method="tools/call", params=CALL)
    await held.called(60)
    assert [one.id for one in held.calls] == list(range(60))
    host.vanish()
    await link.close()
    host.close()


async def test_what_signoff_tells_the_host_keeps_its_order(tmp_path: Path) -> None:
    async with holding(echo(tmp_path / "record")) as held:
        params = {**CALL, "_meta": {"progressToken": "t"}}
        held.host.send(id=1, method="tools/call", params=params)
        call = await held.called()
        for step in range(100):
            held.link.tell_progress(call, step, "waiting")
        held.link.answer_host(call, {"content": []})
        held.link.tell_progress(call, 100, "late")
        for step in range(100):
            assert held.host.line()["params"]["progress"] == step
        assert held.host.line()["id"] == 1
        assert held.host.has_nothing()


def _wait_for(link: RelayLink, count: int) -> None:
    while link.waiting < count:
        time.sleep(0.005)


def _methods(record: Path) -> list[str]:
    if not record.exists():
        return []
    whole = record.read_text(encoding="utf-8").splitlines()
    return [json.loads(line).get("method") for line in whole]


async def _reaches(held: Held, record: Path, lines: list[str]) -> None:
    """Assert that the server got these lines and no more, by one that follows them."""
    held.host.send(method="notifications/end")
    await held.until(lambda: "notifications/end" in _methods(record))
    assert _methods(record) == [*lines, "notifications/end"]
