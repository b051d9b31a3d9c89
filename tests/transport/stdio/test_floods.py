"""A server that sends without end costs it time, not Signoff memory."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

import pytest

from signoff.app.transport.events import ListChanged, Listing, Noticed
from signoff.app.transport.stdio import process as process_module
from signoff.app.transport.stdio import stdio as stdio_module
from signoff.app.transport.stdio.server_life import UNSENT_MAX
from tests.tiers import first_quick
from tests.transport.linked import linked

SERVER = """
import json, sys
answers = {
    "initialize": {"protocolVersion": "2025-11-25", "capabilities": {},
                   "serverInfo": {"name": "flood", "version": "1"}},
    "tools/list": {"tools": []},
}
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        found = answers.get(message["method"])
        body = {"error": {"code": -32601, "message": "no"}} if found is None else {"result": found}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **body}), flush=True)
        while message["method"] == "tools/list":
            sys.stdout.write((sys.argv[1] + chr(10)) * 1000)
"""


def flooding(message: dict[str, Any]) -> list[str]:
    """A server that lists no tools and then sends one message for ever, reading nothing."""
    return [sys.executable, "-S", "-c", SERVER, json.dumps({"jsonrpc": "2.0", **message})]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "STDIN_CLOSE_SECONDS", 0.1)
    monkeypatch.setattr(stdio_module, "BACKLOG", 200)


async def test_requests_are_dropped_when_the_answers_are_not_read() -> None:
    async with linked(flooding({"id": 5, "method": "ping"})) as (link, heard):
        await heard.one(Listing)
        await heard.until(lambda: "asks-too-much" in heard.codes, 20)
        await asyncio.sleep(0.2)
        assert link._life.process is not None
        assert link._life.process.unsent <= UNSENT_MAX + 1
        assert heard.codes == ["asks-too-much"]


@pytest.mark.parametrize(
    ("message", "kind"),
    first_quick(
        [
            ({"method": "notifications/tools/list_changed"}, ListChanged),
            ({"level": "info"}, Noticed),
        ],
        several=True,
    ),
)
async def test_what_the_loop_has_no_time_for_waits_with_the_server(
    message: dict[str, Any], kind: type[ListChanged] | type[Noticed]
) -> None:
    async with linked(flooding(message)) as (_, heard):
        await heard.until(lambda: len(heard.of(kind)) > 10, 20)
        before = len(heard.events)
        time.sleep(0.3)
        await asyncio.sleep(0)
        assert len(heard.events) - before <= 200
