"""Calls over a stdio link: what came is kept exactly, and every call ends."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest

from signoff.app.protocol.rpc import beginning
from signoff.app.transport.events import Ended, Listing, Started
from signoff.app.transport.stdio import process as process_module
from signoff.app.transport.stdio.stdio import StdioLink
from tests.e2e.processes import is_alive
from tests.servers import raw, recorded
from tests.tiers import first_quick
from tests.transport.linked import Heard, call, linked
from tests.transport.webbed import over


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "STDIN_CLOSE_SECONDS", 0.3)


def text(said: str) -> dict[str, str]:
    return {"type": "text", "text": said}


@pytest.mark.slow
async def test_answers_that_cannot_be_read_fail_at_once() -> None:
    reasons = {
        "too_big": "over the limit",
        "neither": "neither a result nor an error",
        "duplicate_keys": "result.isError twice",
    }
    async with over("stdio", "--with", "all") as (link, _):
        for tool, reason in reasons.items():
            reply = await call(link, tool)
            assert reason in reply.problem, tool
            assert not reply.lost
        assert (await call(link, "echo", {"text": "still here"})).has_result


@pytest.mark.slow
async def test_an_answer_over_the_limit_is_kept_whole_in_a_file() -> None:
    async with over("stdio", "--with", "all") as (link, _):
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


@pytest.mark.parametrize(("tool", "code"), [("crash", 7), ("leave", 0)])
async def test_a_death_in_the_middle_of_a_call_is_told_before_the_call_ends(
    tool: str, code: int
) -> None:
    async with over("stdio", "--with", "all") as (link, heard):
        assert (await call(link, tool)).lost
        (ended,) = heard.of(Ended)
        assert ended.code == code
        assert ended.words.endswith(f": exit code {code}")
        if tool == "crash":
            assert ended.last_words[-1].startswith("RuntimeError: ")
        assert (await call(link, "echo")).lost


async def test_a_death_between_calls_is_told() -> None:
    async with linked(raw("--crash-after", "0.1")) as (_, heard):
        ended = await heard.one(Ended)
    assert (ended.code, ended.pid) == (7, heard.of(Started)[0].pid)


async def test_two_hundred_calls_at_once_each_get_their_own_answer(tmp_path: Path) -> None:
    record = tmp_path / "record"
    async with linked(raw("--record", str(record))) as (link, heard):
        await heard.one(Listing)
        replies = await asyncio.gather(*(call(link, "echo", {"text": str(n)}) for n in range(200)))
    texts = [reply.result["content"][0]["text"] for reply in replies]  # type: ignore[index,call-overload]
    assert texts == [str(number) for number in range(200)]
    assert len(recorded(record)) == 200


@pytest.mark.parametrize(
    "switches",
    first_quick([["--start-never"], ["--start-delay", "5"], ["--list-never"], []]),
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
