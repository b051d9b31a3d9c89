"""Tasks and the connection that is lost while they work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from signoff.app.calls.call import CallLimits, Outcome
from signoff.app.protocol.server import Trust
from signoff.app.transport.protocol import MODERN
from tests.approved import approved
from tests.engine.bundled import BREWED, PAINTED, bundled, served_over_http
from tests.engine.opened import Opened, opened
from tests.engine.test_task_following import Paints, text
from tests.engine.wire_cut import WireCut

PROSE = approved("engine-calls")

ERAS = pytest.mark.parametrize("protocol", ["legacy", MODERN])


@asynccontextmanager
async def cuttable(protocol: str, *, step: str = "0.2") -> AsyncIterator[tuple[Opened, WireCut]]:
    """The bundled server over HTTP, on a wire that can be cut."""
    with served_over_http(step) as url:
        wire = WireCut(url)
        await wire.join()
        try:
            async with opened(url=wire.url, protocol=protocol, trust=Trust.TRUSTED) as one:
                yield one, wire
        finally:
            await wire.cut()


async def lose(one: Opened, wire: WireCut, call_id: int) -> None:
    await wire.cut()
    await one.watch.call(call_id, lambda call: call.status == "out of reach")
    assert not one.engine.server.is_open


async def reconnect(one: Opened, wire: WireCut) -> None:
    await wire.join()
    assert await one.engine.reconnect() == ""
    await one.watch.until(lambda: one.engine.server.is_open)


@pytest.mark.slow
@ERAS
async def test_the_result_comes_over_the_next_connection(protocol: str) -> None:
    async with cuttable(protocol) as (one, wire):
        call_id = one.begin("brew_beer")
        await one.watch.call(call_id, lambda call: call.task is not None)
        await lose(one, wire, call_id)
        assert one.engine.calls[call_id].task is not None
        await reconnect(one, wire)
        call = await one.ended(call_id)
        assert (call.outcome, text(call)) == (Outcome.OK, BREWED)


@pytest.mark.slow
@ERAS
async def test_what_it_needs_is_asked_over_the_next_connection(protocol: str) -> None:
    async with cuttable(protocol) as (one, wire):
        one.engine.approver = Paints()
        call_id = one.begin("paint_a_wall")
        await one.watch.call(call_id, lambda call: call.task is not None)
        await lose(one, wire, call_id)
        await reconnect(one, wire)
        call = await one.ended(call_id)
        assert (call.outcome, text(call)) == (Outcome.OK, PAINTED)


@pytest.mark.slow
@ERAS
async def test_out_of_reach_it_can_be_cancelled_here_alone(protocol: str) -> None:
    async with cuttable(protocol) as (one, wire):
        call_id = one.begin("wait_for_ever")
        await one.watch.call(call_id, lambda call: call.status == "working")
        await lose(one, wire, call_id)
        one.engine.cancel(call_id)
        call = await one.ended(call_id)
        assert call.outcome is Outcome.CANCELLED
        PROSE.holds("task: could not be stopped", call.reason)


@pytest.mark.slow
async def test_a_process_that_was_started_anew_has_lost_it() -> None:
    async with bundled() as one:
        call_id = one.begin("wait_for_ever")
        await one.watch.call(call_id, lambda call: call.status == "working")
        one.engine.link.kill()
        await one.watch.call(call_id, lambda call: call.status == "out of reach")
        assert await one.engine.reconnect() == ""
        call = await one.ended(call_id)
    assert call.outcome is Outcome.SERVER_FAILED
    PROSE.holds("task: the server no longer has it", call.reason)
    assert call.is_unknown


@pytest.mark.slow
async def test_no_limit_runs_while_it_is_out_of_reach() -> None:
    async with bundled(limits=CallLimits(idle=0.8, absolute=3.0)) as one:
        call_id = one.begin("wait_for_ever")
        await one.watch.call(call_id, lambda call: call.status == "working")
        one.engine.link.kill()
        await one.watch.call(call_id, lambda call: call.status == "out of reach")
        await asyncio.sleep(1.2)
        assert not one.engine.calls[call_id].is_over


async def test_leaving_does_not_wait_for_what_is_out_of_reach() -> None:
    async with bundled() as one:
        call_id = one.begin("wait_for_ever")
        await one.watch.call(call_id, lambda call: call.status == "working")
        one.engine.link.kill()
        await one.watch.call(call_id, lambda call: call.status == "out of reach")
        async with asyncio.timeout(60):
            await one.engine.close()
        assert one.engine.calls[call_id].outcome is Outcome.CANCELLED
