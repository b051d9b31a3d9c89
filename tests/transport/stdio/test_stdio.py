"""Calls over a stdio link: what came is kept exactly, and every call ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from pathlib import Path
from typing import Any

import pytest

from signoff.app.protocol.rpc import beginning
from signoff.app.transport.events import Ended, ListChanged, Listing, Started, Stderr, Subscribed
from signoff.app.transport.stdio import process as process_module
from signoff.app.transport.stdio.stdio import StdioLink
from tests.e2e.processes import is_alive, wait_gone
from tests.servers import pids, raw, recorded
from tests.transport.linked import Heard, Made, call, linked, received

ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])
ODD_ARGUMENTS: dict[str, Any] = {
    "text": "half \ud83d, ü, \x1b, \u202e, \n",
    "null": None,
    "nested": {"a": [None, True, 1, 1.0, 1e22, 10**40, -0.0]},
    "": "",
}


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "STDIN_CLOSE_SECONDS", 0.3)


def every_tool(*switches: str) -> list[str]:
    return raw("--with", "all", *switches)


@ERAS
async def test_what_is_sent_is_exactly_what_was_given(era: str, tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with linked(raw("--era", era, "--record", str(record))) as (link, heard):
        await heard.one(Listing)
        made = Made()
        reply = await made.make(link, "echo", ODD_ARGUMENTS)
    assert [message["params"]["arguments"] for message in made.sent] == [ODD_ARGUMENTS]
    (line,) = recorded(record)
    assert (line["tool"], line["arguments"]) == ("echo", ODD_ARGUMENTS)
    assert repr(line["arguments"]) == repr(ODD_ARGUMENTS)
    assert isinstance(reply.result, dict)
    assert reply.result["structuredContent"] == ODD_ARGUMENTS


@ERAS
async def test_odd_results_are_kept_as_they_came(era: str) -> None:
    extra = {"resultType": "complete"} if era == "modern" else {}
    expected: dict[str, Any] = {
        "unknown_block": {
            "content": [
                {"type": "video", "data": "eA=="},
                {"type": "text", "text": "after the video"},
            ]
        }
        | extra,
        "no_content": extra,
        "array_structured": {
            "content": [{"type": "text", "text": "[1, 2]"}],
            "structuredContent": [1, 2],
        }
        | extra,
        "not_an_object": "just text",
        "is_error": {"content": [{"type": "text", "text": "it did not work"}], "isError": True}
        | extra,
        "structured_mismatch": {
            "content": [{"type": "text", "text": "{}"}],
            "structuredContent": {"names": "not a list", "count": "three"},
        }
        | extra,
    }
    async with linked(every_tool("--era", era)) as (link, heard):
        await heard.one(Listing)
        for tool, result in expected.items():
            reply = await call(link, tool)
            assert reply.has_result, tool
            assert reply.result == result


async def test_messages_that_bend_json_are_read_all_the_same() -> None:
    texts = {
        "pretty_printed": ("pretty", "message-over-lines"),
        "byte_order_mark": ("after the mark", "byte-order-mark"),
        "carriage_returns": ("with returns", None),
        "invalid_utf8": ("after the bad bytes", "invalid-utf8"),
        "invalid_utf8_inside": ("bad � byte", "invalid-utf8"),
        "lone_surrogate": ("half \ud83d of one", None),
        "noise": ("after the noise", "noise-on-stdout"),
        "not_jsonrpc": ("after the JSON", "noise-on-stdout"),
        "unknown_id": ("after the stray answer", "answer-unknown"),
    }
    async with linked(every_tool()) as (link, heard):
        await heard.one(Listing)
        for tool, (text, code) in texts.items():
            before = len(heard.codes)
            reply = await call(link, tool)
            assert isinstance(reply.result, dict), tool
            assert reply.result["content"] == [{"type": "text", "text": text}]
            assert set(heard.codes[before:]) == ({code} if code else set()), tool


async def test_answers_that_cannot_be_read_fail_at_once() -> None:
    reasons = {
        "too_big": "over the limit",
        "neither": "neither a result nor an error",
        "duplicate_keys": "result.isError twice",
    }
    async with linked(every_tool()) as (link, heard):
        await heard.one(Listing)
        for tool, reason in reasons.items():
            reply = await call(link, tool)
            assert reason in reply.problem, tool
            assert not reply.lost
        assert (await call(link, "echo", {"text": "still here"})).has_result


@pytest.mark.slow
async def test_an_answer_over_the_limit_is_kept_whole_in_a_file() -> None:
    async with linked(every_tool()) as (link, heard):
        await heard.one(Listing)
        whole = (await call(link, "too_big")).oversized
    assert whole is not None
    assert whole.kept == whole.size > 64_000_000
    message = b"".join(whole.chunks())
    assert len(message) == whole.size
    assert message.startswith(whole.head)
    assert len(whole.head) == 1_000_000
    text = json.loads(message)["result"]["content"][0]["text"]
    shown = beginning(whole)
    assert text.startswith(shown)
    assert len(shown) > 990_000


async def test_a_json_rpc_error_is_kept_with_its_code_and_data() -> None:
    async with linked(every_tool()) as (link, heard):
        await heard.one(Listing)
        error = (await call(link, "error")).error
    assert error is not None
    assert (error.code, error.data) == (-32000, {"detail": "more"})
    assert error.message == "boom [/] \x1b[31mred"


@ERAS
async def test_cancelling_reaches_the_wire_once_and_a_late_answer_is_kept(
    era: str, tmp_path: Path
) -> None:
    wire = tmp_path / "received"
    argv = every_tool("--era", era, "--received", str(wire))
    async with linked(argv) as (link, heard):
        await heard.one(Listing)
        made = Made()
        task = asyncio.create_task(made.make(link, "late_after_cancel"))
        async with asyncio.timeout(60):
            while not made.sent:
                await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(60):
            while not made.late:
                await asyncio.sleep(0.01)
        assert "progress-late" not in heard.codes
    told = [m for m in received(wire) if m.get("method") == "notifications/cancelled"]
    asked = [m for m in received(wire) if m.get("method") == "tools/call"]
    assert [one["params"]["requestId"] for one in told] == [asked[0]["id"]]
    assert len(made.late) == 1


@pytest.mark.parametrize(("tool", "code"), [("crash", 7), ("leave", 0)])
async def test_a_death_in_the_middle_of_a_call_ends_it(tool: str, code: int) -> None:
    async with linked(every_tool()) as (link, heard):
        await heard.one(Listing)
        reply = await call(link, tool)
        assert reply.lost
        ended = await heard.one(Ended)
        assert ended.code == code
        assert ended.words.endswith(f": exit code {code}")
        if tool == "crash":
            assert ended.last_words[-1].startswith("RuntimeError: ")
        assert (await call(link, "echo")).lost


async def test_a_death_between_calls_is_told() -> None:
    async with linked(raw("--crash-after", "0.1")) as (_, heard):
        ended = await heard.one(Ended)
    assert (ended.code, ended.pid) == (7, heard.of(Started)[0].pid)


@ERAS
async def test_what_a_server_asks_in_the_middle_of_a_call_is_answered(era: str) -> None:
    tools = ["asks_roots", "asks_sampling", "asks_elicitation"]
    tools += ["asks_ping", "asks_unknown"] if era == "legacy" else []
    async with linked(every_tool("--era", era)) as (link, heard):
        await heard.one(Listing)
        for tool in tools:
            reply = await call(link, tool)
            assert isinstance(reply.result, dict), tool
            if era == "modern":
                assert reply.result["resultType"] == "input_required"
            else:
                text = str(reply.result["content"])
                assert ("'result': {}" if tool == "asks_ping" else "'code':") in text, tool


async def test_two_hundred_calls_at_once_each_get_their_own_answer(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with linked(raw("--record", str(record))) as (link, heard):
        await heard.one(Listing)
        replies = await asyncio.gather(*(call(link, "echo", {"text": str(n)}) for n in range(200)))
    texts = [reply.result["content"][0]["text"] for reply in replies]  # type: ignore[index,call-overload]
    assert texts == [str(number) for number in range(200)]
    assert len(recorded(record)) == 200


async def test_a_server_that_does_not_read_holds_nobody_up(tmp_path: Path) -> None:
    noted = tmp_path / "pids"
    argv = raw("--stop-reading", "--pid-file", str(noted))
    async with linked(argv) as (link, heard):
        await heard.one(Listing)
        made = Made()
        task = asyncio.create_task(made.make(link, "echo", {"text": "x" * 10_000_000}))
        async with asyncio.timeout(60):
            while not made.sent:
                await asyncio.sleep(0.01)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
    wait_gone(pids(noted)["server"][0], 3)


async def test_stderr_is_told_line_by_line() -> None:
    async with linked(every_tool("--stderr-flood")) as (link, heard):
        await heard.one(Listing)
        await call(link, "colours")
        lines = [line for event in heard.of(Stderr) for line in event.lines]
        await heard.until(lambda: any("STDERR-END" in str(event) for event in heard.of(Stderr)))
    assert sum("STDERR-FLOOD" in line for line in lines) == 200


@ERAS
async def test_changes_of_the_tools_are_told_and_can_be_listed(era: str) -> None:
    async with linked(raw("--era", era)) as (link, heard):
        first = await heard.one(Listing)
        await call(link, "change_silently")
        changed = await link.list_tools()
        assert heard.of(ListChanged) == []
        if era == "modern":
            # It is asked for in a thread after the first list.
            await heard.one(Subscribed)
        await call(link, "change_tools")
        await heard.one(ListChanged)
    assert changed is not None
    assert "new_thing" in str(changed.entries)
    assert "new_thing" not in str(first.entries)


@pytest.mark.parametrize(
    "switches",
    [["--start-never"], ["--start-delay", "5"], ["--list-never"], []],
    ids=["deaf", "slow", "no list", "at once"],
)
async def test_closing_in_the_middle_of_connecting_is_quick_and_leaves_nothing(
    switches: list[str],
) -> None:
    link = StdioLink(raw(*switches, "--ignore-eof"))
    link.begin()
    heard = Heard()
    link.attach(heard)
    started = await heard.one(Started)
    start = time.monotonic()
    await link.close()
    assert time.monotonic() - start < 40
    assert not is_alive(started.pid)
    assert heard.of(Ended) == []


async def test_closing_twice_and_calling_after_it_does_no_harm() -> None:
    async with linked(raw()) as (link, heard):
        await heard.one(Listing)
        await link.close()
        assert (await call(link, "echo")).lost
        assert await link.list_tools() is None


async def test_the_end_of_a_server_is_told_before_the_calls_that_it_ends() -> None:
    for _ in range(3):
        async with linked(raw("--with", "all")) as (link, heard):
            await heard.one(Listing)
            assert (await call(link, "crash")).lost
            assert [ended.code for ended in heard.of(Ended)] == [7]
