"""A server that is restarted while it runs: one process after another, and no call twice."""

from __future__ import annotations

import asyncio

import pytest

from signoff.app.approval.policies.policy_text import built_in
from signoff.app.calls.call import Outcome
from signoff.app.engine.events import ServerChanged
from signoff.app.protocol.server import Phase
from tests.engine.opened import Opened, opened
from tests.transport.failing import Failing
from tests.transport.webbed import web


async def until_back(one: Opened) -> None:
    await one.watch.until(lambda: one.engine.server.is_open and one.engine.is_listed)
    await one.engine.compared()


@pytest.mark.parametrize("presses", [1, 2, 5])
async def test_however_often_it_is_asked_for_one_process_follows(presses: int) -> None:
    async with opened(policy=built_in("allow-all")) as one:
        engine, before = one.engine, one.engine.link
        seen: list[Phase] = []

        def hear(event: object) -> None:
            if isinstance(event, ServerChanged):
                seen.append(engine.server.phase)

        engine.subscribe(hear)
        first = engine.server.pid
        found = await asyncio.gather(*(engine.restart() for _ in range(presses)))
        assert set(found) == {""}
        await until_back(one)
        assert engine.link is not before
        assert engine.server.pid != first
        assert Phase.FAILED not in seen
        assert (await one.call("read_thing")).outcome is Outcome.OK


async def test_a_url_is_connected_to_again_and_a_call_that_waits_is_lost() -> None:
    async with (
        web(Failing([])) as served,
        opened(url=served.url, policy=built_in("allow-all")) as one,
    ):
        waiting = one.begin("waits")
        await one.watch.call(waiting, lambda call: call.sent)
        async with asyncio.timeout(60):
            while served.asked[-1].method != "tools/call":
                await asyncio.sleep(0.01)
        assert await one.engine.restart() == ""
        assert (await one.ended(waiting)).outcome is Outcome.CONNECTION_LOST
        await until_back(one)
        assert (await one.call("fine")).outcome is Outcome.OK
        assert served.methods().count("tools/call") == 2


async def test_a_restart_that_cannot_begin_leaves_the_server_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened() as one:
        engine = one.engine

        def fails() -> None:
            raise LookupError("no link")

        with monkeypatch.context() as patched:
            patched.setattr(engine._connection, "_relink", fails)
            assert "internal error" in await engine.restart()
            assert engine.server.phase is Phase.LOST
            assert engine.can_reconnect
        assert await engine.restart() == ""
        await until_back(one)
