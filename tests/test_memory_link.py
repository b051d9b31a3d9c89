"""A server in memory behaves towards a link as its process does."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.calls.call import Call, Outcome
from signoff.app.protocol.wire.frames import CLIENT
from tests.engine.opened import Approves, Opened, opened
from tests.memory_link import MemoryLink

WAYS = pytest.mark.parametrize("is_process", [False, True], ids=["memory", "process"])


async def called(one: Opened, name: str, **arguments: Any) -> Call:
    one.engine.approver = Approves()
    return await one.call(name, **arguments)


@WAYS
@pytest.mark.parametrize(("era", "version"), [("legacy", "2025-11-25"), ("modern", "2026-07-28")])
async def test_it_lists_and_answers(era: str, version: str, is_process: bool) -> None:
    async with opened("--era", era, is_process=is_process) as one:
        assert isinstance(one.engine.link, MemoryLink) is not is_process
        assert one.engine.server.version == version
        call = await called(one, "echo", text="words")
        assert call.outcome is Outcome.OK
        sent = [frame.raw for frame in one.engine.link.wire.since(0) if frame.sender == CLIENT]
    assert sum(b'"tools/call"' in line for line in sent) == 1


@WAYS
async def test_its_death_is_told_with_its_last_words(is_process: bool) -> None:
    async with opened("--with", "crash", is_process=is_process) as one:
        call = await called(one, "crash")
        await one.watch.until(lambda: not one.engine.server.is_open)
        words = one.engine.server.ended_words
    assert call.outcome is Outcome.CONNECTION_LOST
    assert "exit code 7" in words


@WAYS
async def test_it_can_be_killed_and_connected_again(is_process: bool) -> None:
    async with opened(is_process=is_process) as one:
        one.engine.link.kill()
        await one.watch.until(lambda: one.engine.can_reconnect)
        await one.engine.reconnect()
        await one.watch.until(lambda: one.engine.server.is_open)
        assert (await called(one, "echo", text="words")).outcome is Outcome.OK


@pytest.mark.parametrize("switch", ["--start-never", "--ignore-eof", "--grandchild"])
def test_what_only_a_process_does_is_refused(switch: str) -> None:
    with pytest.raises(ValueError, match="in memory has no process for"):
        MemoryLink([switch])
