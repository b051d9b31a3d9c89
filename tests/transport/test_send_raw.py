"""A message that a person wrote goes over the wire as it is, and its answer comes back."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import pytest

from signoff.app.protocol.rpc import RpcError
from signoff.app.protocol.wire.frames import CLIENT
from signoff.app.transport.events import ConnectionClosed, Ended, NoResponse
from tests.servers import raw
from tests.transport.linked import call, linked
from tests.transport.webbed import scripted, to_listed

PING: dict[str, Any] = {"jsonrpc": "2.0", "id": "signoff-raw-1", "method": "ping", "params": {}}
NOTE: dict[str, Any] = {"jsonrpc": "2.0", "method": "notifications/x", "params": {"b": [1, "é"]}}
ODD: dict[str, Any] = {"jsonrpc": "2.0", "id": "signoff-raw-2", "method": "no/such", "params": {}}
SILENT = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    result = {"protocolVersion": "2025-11-25", "capabilities": {},
              "serverInfo": {"name": "x", "version": "1"}, "tools": []}
    if asked.get("method") in ("initialize", "tools/list"):
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def sent(link: Any) -> list[Any]:
    return [json.loads(one.raw) for one in link.wire.since(0) if one.sender == CLIENT and one.raw]


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_over_pipes(era: str) -> None:
    async with linked(raw("--era", era), protocol=era) as (link, heard):
        await heard.settled()
        meta = link.request_meta()
        assert bool(meta) is (era == "modern")
        ping = PING | {"params": {"_meta": meta}}
        assert await link.send_raw(NOTE) is None
        answer, odd = await asyncio.gather(link.send_raw(ping), link.send_raw(ODD))
        assert isinstance(answer, dict | RpcError)
        assert isinstance(odd, RpcError)
        assert [one for one in sent(link) if one in (NOTE, ping, ODD)] == [NOTE, ping, ODD]
        assert (await call(link, "echo", {"text": "hi"})).has_result
        assert heard.codes == []


async def test_over_http() -> None:
    with scripted() as (url, _):
        async with to_listed(url) as (link, heard):
            meta = link.request_meta()
            ping = PING | ({"params": {"_meta": meta}} if meta else {})
            assert await link.send_raw(NOTE) is None
            answer, odd = await asyncio.gather(link.send_raw(ping), link.send_raw(ODD))
            assert isinstance(answer, dict | RpcError)
            assert isinstance(odd, RpcError)
            assert (await call(link, "echo", {"text": "hi"})).has_result
            there = [one for one in sent(link) if one in (NOTE, ping, ODD)]
            assert there[0] == NOTE
            assert len(there) == 3
            assert heard.codes == []


async def test_who_waits_is_told_that_the_server_is_gone() -> None:
    async with linked(raw("--with", "all")) as (link, heard):
        await heard.settled()
        link.kill()
        await heard.one(Ended)
        assert await link.send_raw(PING) == ConnectionClosed()


async def test_what_gets_no_answer_is_given_up_and_cancelled() -> None:
    async with linked([sys.executable, "-c", SILENT], protocol="legacy") as (link, heard):
        await heard.settled()
        assert await link.send_raw(ODD, 0.2) == NoResponse()
        async with asyncio.timeout(60):
            while sent(link)[-1]["method"] != "notifications/cancelled":
                await asyncio.sleep(0.01)
        assert sent(link)[-1]["params"] == {"requestId": ODD["id"]}
