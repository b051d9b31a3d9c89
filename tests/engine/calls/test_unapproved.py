"""No call, read or prompt reaches a server without an approval, whichever way it is sent."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import mcp.types as types
import pytest

from signoff.app.calls.call import Outcome
from signoff.app.protocol.rpc import RpcError
from signoff.app.protocol.wire.frames import CLIENT
from tests.engine.opened import Approves, Denies, Opened, opened
from tests.servers import recorded
from tests.transport.webbed import scripted

GIVEN: dict[str, Any] = {"name": "a", "really": True}
CALL: dict[str, Any] = {"name": "delete_thing", "arguments": GIVEN}
PLACES = [(place, era) for place in ("stdio", "http") for era in ("legacy", "modern")]
places = pytest.mark.parametrize(("place", "era"), PLACES)


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


async def session_of(one: Opened) -> Any:
    """The SDK's session on the link of a bench: what a library behind it would send with."""
    link: Any = one.engine.link
    link.prepare()
    async with asyncio.timeout(60):
        while (held := getattr(link, "_session", None)) is None or not getattr(
            held, "is_open", True
        ):
            await asyncio.sleep(0)
    return getattr(held, "_session", held)


async def was_answered(sending: Any) -> bool:
    """Send from a task that knows of no call."""
    task = asyncio.create_task(sending, context=contextvars.Context())
    with contextlib.suppress(Exception):
        async with asyncio.timeout(30):
            await task
            return True
    return False


def blocked(one: Opened) -> int:
    return [finding.code for finding in one.engine.findings].count("unapproved-request")


def left(one: Opened) -> list[str]:
    """The methods of what was written to the server."""
    frames = one.engine.link.wire.since(0)
    sent = [json.loads(frame.raw) for frame in frames if frame.sender == CLIENT and frame.raw]
    return [str(message.get("method")) for message in sent if isinstance(message, dict)]


@places
async def test_the_session_sends_nothing_by_itself(place: str, era: str, tmp_path: Path) -> None:
    record, log = tmp_path / "calls", tmp_path / "log.jsonl"
    async with at(place, era, record, log) as one:
        session = await session_of(one)
        read = types.ReadResourceRequestParams(uri="file:///etc/passwd")
        task: Any = types.Request(method="tasks/result", params={"taskId": "one"})
        for sending in (
            session.call_tool("delete_thing", GIVEN, allow_input_required=True),
            session.send_request(types.ReadResourceRequest(params=read), types.EmptyResult),
            session.get_prompt("prompt", {"a": "b"}),
            session.send_request(task, types.EmptyResult),
        ):
            assert not await was_answered(sending)
        await one.watch.until(lambda: blocked(one) == 4)
        assert not one.engine.calls
        assert not {"tools/call", "resources/read", "prompts/get", "tasks/result"} & {*left(one)}
        one.engine.approver = Approves()
        assert (await one.call("delete_thing", **GIVEN)).outcome is Outcome.OK
    assert [call["arguments"] for call in recorded(record)] == [GIVEN]
    events = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [event["method"] for event in events if event["event"] == "send-blocked"] == [
        *("tools/call", "resources/read", "prompts/get", "tasks/result")
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


@places
async def test_what_a_library_alters_behind_the_comparison_is_not_sent(
    place: str, era: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SDK serialises a request after Signoff has compared it with what was approved."""
    record = tmp_path / "calls"
    really = types.JSONRPCRequest.model_dump

    def altered(self: Any, **given: Any) -> Any:
        plain = really(self, **given)
        if plain.get("method") == "tools/call":
            plain["params"]["arguments"] = {**GIVEN, "name": "b"}
        return plain

    async with at(place, era, record) as one:
        one.engine.approver = Approves()
        assert (await one.call("delete_thing", **GIVEN)).outcome is Outcome.OK
        with monkeypatch.context() as patched:
            patched.setattr(types.JSONRPCRequest, "model_dump", altered)
            call = await one.call("delete_thing", **GIVEN)
        assert call.outcome is not Outcome.OK
        await one.watch.until(lambda: blocked(one) == 1)
    assert [call["arguments"] for call in recorded(record)] == [GIVEN]


@places
async def test_an_approved_request_that_is_sent_again_stays_here(
    place: str, era: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transport that repeats a write has no second approval to do so."""
    record = tmp_path / "calls"
    async with at(place, era, record) as one:
        one.engine.approver = Approves()
        session = await session_of(one)
        stream = session._dispatcher._write_stream if hasattr(session, "_dispatcher") else None
        stream = stream or session._write_stream
        really = stream.send

        async def twice(item: Any) -> None:
            await really(item)
            if getattr(item.message, "method", "") == "tools/call":
                await asyncio.create_task(really(item), context=contextvars.Context())

        monkeypatch.setattr(stream, "send", twice)
        await one.call("delete_thing", **GIVEN)
        await one.watch.until(lambda: blocked(one) == 1)
    assert [call["arguments"] for call in recorded(record)] == [GIVEN]
