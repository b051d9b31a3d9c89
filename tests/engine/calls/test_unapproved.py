"""No call, read or prompt reaches a server without an approval, whichever way it is sent."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import ClientSession, MCPError

from signoff.app.calls.call import Outcome
from signoff.app.protocol.rpc import RpcError
from signoff.app.protocol.wire.frames import CLIENT
from signoff.app.transport import Link
from signoff.app.transport.gate import SendRefused
from tests.approved import approved
from tests.engine.opened import Approves, Denies, Opened, opened
from tests.servers import recorded
from tests.tiers import first_quick
from tests.transport.webbed import scripted

PROSE = approved("engine-calls")

GIVEN: dict[str, Any] = {"name": "a", "really": True}
CALL: dict[str, Any] = {"name": "delete_thing", "arguments": GIVEN}
PLACES = [("stdio", "legacy"), ("http", "modern"), ("stdio", "modern"), ("http", "legacy")]
places = pytest.mark.parametrize(("place", "era"), first_quick(PLACES, 2, several=True))


@contextlib.asynccontextmanager
async def at(place: str, era: str, record: Path, log: Path | None = None) -> AsyncIterator[Opened]:
    """A bench whose approver denies everything, on a server that records its calls."""
    if place == "stdio":
        async with opened("--record", str(record), "--era", era, protocol=era, log=log) as one:
            one.engine.approver = Denies()
            yield one
        return
    with scripted("--record", str(record), "--era", era) as (url, _):
        async with opened(url=url, protocol=era, log=log) as one:
            one.engine.approver = Denies()
            yield one


class OnLink:
    """The SDK's dispatcher on a link: what a library that has the link would send with."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: Any = None
    ) -> dict[str, Any]:
        answer = await self._link.ask(method, dict(params or {}))
        if isinstance(answer, dict):
            return answer
        raise MCPError(-32000, str(answer))

    async def notify(self, method: str, params: Any, opts: Any = None) -> None:
        await self._link.send_raw({"jsonrpc": "2.0", "method": method, "params": params})

    async def run(self, *handlers: Any, task_status: Any = anyio.TASK_STATUS_IGNORED) -> None:
        task_status.started()
        await anyio.sleep_forever()


def blocked(one: Opened) -> int:
    return [finding.code for finding in one.engine.findings].count("unapproved-request")


def left(one: Opened) -> list[str]:
    """The methods of what was written to the server."""
    frames = one.engine.link.wire.since(0)
    sent = [json.loads(frame.raw) for frame in frames if frame.sender == CLIENT and frame.raw]
    return [str(message.get("method")) for message in sent if isinstance(message, dict)]


@places
async def test_a_library_on_the_link_sends_nothing_by_itself(
    place: str, era: str, tmp_path: Path
) -> None:
    record, log = tmp_path / "calls", tmp_path / "log.jsonl"
    async with at(place, era, record, log) as one:
        async with ClientSession(dispatcher=OnLink(one.engine.link)) as session:
            for sending in (
                session.call_tool("delete_thing", GIVEN, allow_input_required=True),
                session.read_resource("file:///etc/passwd"),
                session.get_prompt("prompt", {"a": "b"}),
            ):
                with pytest.raises(MCPError, match="not approved"):
                    await sending
            assert "delete_thing" in {tool.name for tool in (await session.list_tools()).tools}
        await one.watch.until(lambda: blocked(one) == 3)
        assert not one.engine.calls
        assert not {"tools/call", "resources/read", "prompts/get"} & {*left(one)}
        one.engine.approver = Approves()
        assert (await one.call("delete_thing", **GIVEN)).outcome is Outcome.OK
    assert [call["arguments"] for call in recorded(record)] == [GIVEN]
    events = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [event["method"] for event in events if event["event"] == "send-blocked"] == [
        *("tools/call", "resources/read", "prompts/get")
    ]


@places
async def test_a_plain_request_or_a_written_message_is_no_way_round(
    place: str, era: str, tmp_path: Path
) -> None:
    record = tmp_path / "calls"
    async with at(place, era, record) as one:
        link = one.engine.link
        for method in ("tools/call", "resources/read", "prompts/get"):
            assert isinstance(await link.ask(method, dict(CALL)), RpcError)
            message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": dict(CALL)}
            assert isinstance(await link.send_raw(message), RpcError)
            assert isinstance(await link.send_raw({**message, "id": f"raw-{method}"}), RpcError)
        await one.watch.until(lambda: blocked(one) == 9)
        assert not {"tools/call", "resources/read", "prompts/get"} & {*left(one)}
    assert recorded(record) == []


ALTERED: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "arguments": lambda one: {**one, "params": {**one["params"], "arguments": {"name": "b"}}},
    "tool": lambda one: {**one, "params": {**one["params"], "name": "add_thing"}},
    "method": lambda one: {**one, "method": "prompts/get"},
    "nothing": lambda one: {**one, "params": {}},
    "kind": lambda one: {**one, "method": "tools/call ", "params": one["params"]},
}


def peer_of(one: Opened) -> Any:
    link: Any = one.engine.link
    return link._peer if hasattr(link, "_peer") else link._life.peer


@places
@pytest.mark.parametrize("what", first_quick(ALTERED, 3))
async def test_what_is_altered_on_its_way_to_the_wire_is_not_sent(
    place: str, era: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "calls"
    async with at(place, era, record) as one:
        one.engine.approver = Approves()
        assert (await one.call("delete_thing", **GIVEN)).outcome is Outcome.OK
        peer = peer_of(one)
        really = peer._write

        def altered(message: dict[str, Any], gate: Any, number: int) -> None:
            is_call = message.get("method") == "tools/call"
            really(ALTERED[what](message) if is_call else message, gate, number)

        with monkeypatch.context() as patched:
            patched.setattr(peer, "_write", altered)
            call = await one.call("delete_thing", **GIVEN)
        assert not call.sent
        PROSE.holds("not sent: not the approved one", call.reason)
        assert left(one).count("tools/call") == 1
    assert [call["arguments"] for call in recorded(record)] == [GIVEN]


@places
async def test_an_approved_request_that_is_written_again_stays_here(
    place: str, era: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transport that repeats a write has no second approval to do so."""
    record = tmp_path / "calls"
    async with at(place, era, record) as one:
        one.engine.approver = Approves()
        peer = peer_of(one)
        really = peer._write

        def twice(message: dict[str, Any], gate: Any, number: int) -> None:
            really(message, gate, number)
            if message.get("method") == "tools/call":
                with contextlib.suppress(SendRefused):
                    really(message, gate, number)

        monkeypatch.setattr(peer, "_write", twice)
        call = await one.call("delete_thing", **GIVEN)
        assert "sending-refused" in [finding.code for finding in call.findings]
        assert left(one).count("tools/call") == 1
        # The call may end by the refusal, while its first message is still on its way.
        async with asyncio.timeout(60):
            while not recorded(record):
                await asyncio.sleep(0.02)
    assert [call["arguments"] for call in recorded(record)] == [GIVEN]


@places
async def test_without_its_comparison_a_call_is_not_written(
    place: str, era: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A peer that loses the gate of a request on its way has nothing to write it with."""
    record = tmp_path / "calls"
    async with at(place, era, record) as one:
        one.engine.approver = Approves()
        peer = peer_of(one)
        really = peer._write
        monkeypatch.setattr(
            peer, "_write", lambda message, gate, number: really(message, None, number)
        )
        call = await one.call("delete_thing", **GIVEN)
        assert not call.sent
        await one.watch.until(lambda: blocked(one) == 1)
    assert not record.exists() or recorded(record) == []
