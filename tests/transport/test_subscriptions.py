"""Subscriptions of 2026-07-28 that are refused, ended or not acknowledged, on both transports."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from signoff.app.transport import listing
from signoff.app.transport.events import ListChanged, Listing, Noticed
from signoff.app.transport.http import greeting
from signoff.app.transport.http.streams import ENDED_AT_ONCE
from tests.tiers import first_quick
from tests.transport.linked import linked
from tests.transport.webbed import Asked, answer, answering, events, greets, result, to_listed, web

MODERN = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": True}}}
SERVER = f"""
import json, sys

MODERN, ACK = {MODERN!r}, "notifications/subscriptions/acknowledged"
for line in sys.stdin:
    asked = json.loads(line)
    sent = {{"jsonrpc": "2.0", "id": asked.get("id")}}
    match asked["method"], sys.argv[1]:
        case "server/discover", _:
            sent["result"] = MODERN
        case "tools/list", _:
            sent["result"] = {{"tools": []}}
        case "subscriptions/listen", "refused":
            sent["error"] = {{"code": -32601, "message": "no such method"}}
        case "subscriptions/listen", "ended":
            sent["result"] = {{}}
        case "subscriptions/listen", "open":
            meta = {{"io.modelcontextprotocol/subscriptionId": asked["id"]}}
            params = {{"_meta": meta, "notifications": {{}}}}
            sent = {{"jsonrpc": "2.0", "method": ACK, "params": params}}
        case _:
            continue
    print(json.dumps(sent), flush=True)
"""
WHY = {"refused": "no such method", "ended": "ended", "silent": "not acknowledged", "open": ""}


@pytest.mark.parametrize("mode", first_quick(list(WHY), 2))
async def test_over_stdio_a_subscription_that_is_not_there_is_found(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "ACKNOWLEDGED_SECONDS", 0.2)
    script = tmp_path / "server.py"
    script.write_text(SERVER, encoding="utf-8")
    async with linked([sys.executable, "-S", str(script), mode], "2026-07-28") as (_, heard):
        await heard.one(Listing)
        if mode == "open":
            await asyncio.sleep(0.4)
        else:
            await heard.until(lambda: "subscription-lost" in heard.codes)
    found = [one.finding.message for one in heard.of(Noticed)]
    assert len(found) == (mode != "open")
    assert all(WHY[mode] in one for one in found)


def acknowledged(asked: Asked) -> str:
    """The acknowledgement of a subscription, as the data of an event."""
    meta = {"io.modelcontextprotocol/subscriptionId": asked.message["id"]}
    params = {"_meta": meta, "notifications": {"toolsListChanged": True}}
    method = "notifications/subscriptions/acknowledged"
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params})


async def test_over_http_a_quiet_stream_that_keeps_ending_is_no_announcement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(greeting, "RELISTEN_SECONDS", 0.01)

    def answers(asked: Asked) -> bytes:
        if asked.method == "server/discover":
            return result(asked, MODERN)
        if asked.method == "subscriptions/listen":
            return events(acknowledged(asked))
        return greets(asked)

    async with web(answers) as served, to_listed(served.url) as (_, heard):
        await heard.until(lambda: "stream-ends" in heard.codes)
        assert served.methods().count("subscriptions/listen") == ENDED_AT_ONCE
        assert {one.is_announced for one in heard.of(ListChanged)} == {False}
        assert heard.codes == ["stream-ends"]


async def test_over_http_a_refused_subscription_is_found() -> None:
    answers = answering(
        {
            "server/discover": lambda asked: result(asked, MODERN),
            "subscriptions/listen": answer("405 Method Not Allowed"),
        }
    )
    async with web(answers) as served, to_listed(served.url) as (_, heard):
        await heard.until(lambda: "subscription-lost" in heard.codes)
