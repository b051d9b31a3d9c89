"""Calls over HTTP: what came is kept exactly, and every call ends."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.rpc import RpcError
from signoff.app.transport.events import (
    Ended,
    Greeting,
    ListChanged,
    Listing,
    Reply,
    Requested,
    Subscribed,
)
from signoff.app.transport.http.http import HttpLink
from tests.approved import approved
from tests.servers import recorded
from tests.tiers import first_quick
from tests.transport.linked import Heard, Made, call, methods, received
from tests.transport.webbed import over, scripted, to_listed

PROSE = approved("http")

KINDS: dict[str, list[str]] = {
    "legacy": [],
    "modern": ["--era", "modern"],
    "session": ["--session"],
    "json": ["--json"],
    "old sse": ["--old-sse"],
    "modern json": ["--era", "modern", "--json"],
}
WAYS = ("stdio", "http", "sse")
ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])
ODD_ARGUMENTS: dict[str, Any] = {
    "text": "half \ud83d, ü, \x1b, \u202e, \n",
    "null": None,
    "nested": {"a": [None, True, 1, 1.0, 1e22, 10**40, -0.0]},
    "": "",
}
SAME: dict[str, dict[str, JsonValue]] = {
    name: {}
    for name in (
        *("unknown_block", "malformed_blocks", "no_content", "not_an_object", "error", "is_error"),
        *("neither", "array_structured", "structured_mismatch", "lone_surrogate"),
        *("duplicate_keys", "not_json_numbers", "huge_integer", "noise", "not_jsonrpc"),
        *("unknown_id", "pretty_printed", "twice", "asks_ping", "asks_elicitation", "never_heard"),
    )
} | {"echo": ODD_ARGUMENTS, "slow": {"steps": 3, "seconds": 0.1}}


@ERAS
async def test_every_answer_is_the_same_over_each_link(era: str) -> None:
    heard_over: dict[str, dict[str, tuple[Reply, int]]] = {}
    # Since 2026-07-28 nobody responds to a ping, and this tool waits for that.
    same = {tool: SAME[tool] for tool in SAME if era == "legacy" or tool != "asks_ping"}
    ways = ("stdio", "http", *(["sse"] if era == "legacy" else []))
    for way in ways:
        found = heard_over[way] = {}
        async with over(way, "--with", "all", "--era", era) as (link, _):
            for tool, arguments in same.items():
                made = Made()
                reply = await made.make(link, tool, arguments)
                found[tool] = (reply, len(made.progress))
    for tool in same:
        for way in ways[1:]:
            assert repr(heard_over[way][tool]) == repr(heard_over["stdio"][tool]), (way, tool)
    assert heard_over["http"]["slow"][1] == 3


TOLD: tuple[tuple[dict[str, JsonValue] | RpcError, str], ...] = (
    ({"roots": [{"uri": "file:///a"}]}, "'result': {'roots': [{'uri': 'file:///a'}]}"),
    (RpcError(-32601, "Method not found"), "'error': {'code': -32601"),
    (RpcError(-1, "no", {"why": "so"}), "'data': {'why': 'so'}"),
)


@pytest.mark.parametrize("way", WAYS)
async def test_what_a_server_asks_for_is_an_event_and_is_answered_once(way: str) -> None:
    async with over(way, "--with", "all", "--era", "legacy") as (link, heard):
        for times, (answer, told) in enumerate(TOLD, start=1):
            heard.answer = answer
            reply = await Made().make(link, "asks_roots")
            assert told in str(reply.result)
            assert [one.method for one in heard.of(Requested)] == ["roots/list"] * times
        assert heard.codes == (["deprecated-feature"] if way == "sse" else [])


@pytest.mark.parametrize("tool", ["asks_ping", "asks_unknown"])
async def test_a_request_since_2026_07_28_is_told_and_gets_no_response(
    tool: str, tmp_path: Path
) -> None:
    file = tmp_path / "received"
    with scripted("--with", "all", "--era", "modern", "--received", str(file)) as (url, _):
        async with to_listed(url) as (link, heard):
            calling = asyncio.create_task(Made().make(link, tool))
            await heard.one(Requested)
            calling.cancel()
            await asyncio.wait({calling})
            await Made().make(link, "echo")
    assert [one for one in received(file) if "method" not in one] == []


@pytest.mark.parametrize("kind", first_quick(["stdio", "stdio modern", *KINDS]))
async def test_what_is_sent_is_exactly_what_was_given(kind: str, tmp_path: Path) -> None:
    record = tmp_path / "record"
    era = "modern" if "modern" in kind else "legacy"
    switches = KINDS.get(kind, ["--era", era])
    way = "stdio" if kind.startswith("stdio") else "http"
    async with over(way, *switches, "--record", str(record)) as (link, heard):
        made = Made()
        reply = await made.make(link, "echo", ODD_ARGUMENTS)
    assert [message["params"]["arguments"] for message in made.sent] == [ODD_ARGUMENTS]
    (line,) = recorded(record)
    assert line["tool"] == "echo"
    assert repr(line["arguments"]) == repr(ODD_ARGUMENTS)
    assert isinstance(reply.result, dict)
    assert repr(reply.result["structuredContent"]) == repr(ODD_ARGUMENTS)
    assert [greeting.era for greeting in heard.of(Greeting)] == [era]
    assert heard.of(Ended) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["legacy", "json"])
async def test_an_answer_over_the_limit_costs_only_its_call(kind: str) -> None:
    with scripted("--with", "all", *KINDS[kind]) as (url, _):
        async with to_listed(url) as (link, heard):
            reply = await call(link, "too_big")
            assert not reply.lost
            if kind == "json":
                PROSE.holds("message: too large", reply.problem)
                whole = reply.oversized
                assert whole is not None
                assert sum(map(len, whole.chunks())) == whole.kept == whole.size > 64_000_000
            else:
                PROSE.holds("response: too large", reply.problem)
            big = await call(link, "big")
            assert len(str(big.result)) > 5 * 1024 * 1024
    assert heard.of(Ended) == []


@pytest.mark.parametrize(
    ("way", "era"), [(way, era) for era in ("legacy", "modern") for way in WAYS][:-1]
)
async def test_cancelling_reaches_the_server_once_and_a_late_response_is_known(
    way: str, era: str, tmp_path: Path
) -> None:
    wire = tmp_path / "received"
    # In the modern era a closed stream of HTTP says it (2026-07-28, basic/patterns/cancellation).
    is_told = way != "http" or era == "legacy"
    switches = ("--with", "all", "--era", era, "--received", str(wire))
    async with over(way, *switches) as (link, heard), asyncio.timeout(60):
        made = Made()
        task = asyncio.create_task(made.make(link, "late_after_cancel"))
        while "tools/call" not in methods(wire):
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2 if way == "sse" else 0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while is_told and not made.late:
            await asyncio.sleep(0.01)
        assert (await call(link, "echo")).has_result
        assert "progress-late" not in heard.codes
    asked = [m["id"] for m in received(wire) if m.get("method") == "tools/call"][:1]
    told = [m for m in received(wire) if m.get("method") == "notifications/cancelled"]
    # A look whether the server is there may be given up, too, when the link closes.
    cancelled = [one["params"]["requestId"] for one in told]
    assert [one for one in cancelled if one in asked] == (asked if is_told else [])
    assert not is_told or "finished anyway" in str(made.late)
    assert len(made.late) == is_told


@pytest.mark.parametrize(
    ("tool", "era"), first_quick([("crash", "legacy"), ("leave", "modern")], several=True)
)
async def test_a_death_in_the_middle_of_a_call_loses_it(tool: str, era: str) -> None:
    async with over("http", "--with", "all", "--era", era) as (link, heard):
        assert (await call(link, tool)).lost
        ended = await heard.one(Ended)
        assert (await call(link, "echo")).lost
        assert await link.list_tools() is None
    assert "127.0.0.1:" in ended.words
    assert "refused" in ended.words or "reset" in ended.words


@pytest.mark.parametrize("kind", first_quick(KINDS))
async def test_a_death_between_calls_is_noticed_by_the_next(kind: str) -> None:
    with scripted(*KINDS[kind]) as (url, process):
        async with to_listed(url) as (link, heard):
            assert (await call(link, "echo")).has_result
            process.kill()
            process.wait()
            reply = await call(link, "echo")
            assert reply.lost or reply.ending == "not-taken"
            assert "127.0.0.1" in reply.problem
            await heard.one(Ended)


@pytest.mark.slow
async def test_a_modern_server_that_dies_is_missed_at_once() -> None:
    with scripted("--era", "modern") as (url, process):
        async with to_listed(url) as (_, heard):
            await asyncio.sleep(0.2)
            process.kill()
            ended = await heard.one(Ended, 4)
    assert "refused" in ended.words or "reset" in ended.words


@ERAS
@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_changes_of_the_tools_are_told_and_can_be_listed(way: str, era: str) -> None:
    async with over(way, "--era", era) as (link, heard):
        await call(link, "change_silently")
        changed = await link.list_tools()
        assert heard.of(ListChanged) == []
        if (way, era) == ("stdio", "modern"):
            # It is asked for in a thread after the first list.
            await heard.one(Subscribed)
        await call(link, "change_tools")
        await heard.one(ListChanged)
    assert changed is not None
    assert "new_thing" in str(changed.entries)
    assert "new_thing" not in str(heard.of(Listing)[0].entries)


@ERAS
async def test_malformed_tools_are_kept_entry_by_entry(era: str) -> None:
    entries: dict[str, tuple[JsonValue, ...]] = {}
    odd = ("--malformed-tool", "--hostile", "--page-size", "7", "--era", era)
    for way in ("stdio", "http"):
        async with over(way, *odd) as (link, heard):
            entries[way] = heard.of(Listing)[0].entries
            assert (await call(link, "read_thing")).has_result
    assert entries["http"] == entries["stdio"]


@pytest.mark.parametrize(
    ("switches", "key"),
    [
        (["--list-error"], "start: the list fails"),
        (["--init-error"], "start: initialize fails"),
        (["--protocol-version", "1999-01-01"], "start: another version"),
        (["--token", "secret"], "start: sign-in required"),
    ],
)
async def test_a_greeting_that_fails_says_why(switches: list[str], key: str) -> None:
    with scripted(*switches) as (url, _):
        heard = Heard()
        link = HttpLink(url)
        link.attach(heard)
        ended = await heard.one(Ended)
        await link.close()
    PROSE.holds(key, ended.words, URL=url)
