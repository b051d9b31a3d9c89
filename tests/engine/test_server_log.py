"""The server's log messages: kept, bounded, and from the level on that was asked for."""

from __future__ import annotations

import pytest

from signoff.app.calls.call import Outcome
from signoff.app.engine.connection import MESSAGES_KEPT
from signoff.app.protocol.log_messages import LEVELS
from tests.engine.bundled import bundled, bundled_over_http
from tests.engine.opened import Opened, opened
from tests.tiers import first_quick

WAYS = pytest.mark.parametrize(
    "way", first_quick([bundled, bundled_over_http]), ids=["stdio", "http"]
)
ERAS = pytest.mark.parametrize("protocol", ["legacy", "2026-07-28"])


def levels(one: Opened) -> list[str]:
    return [message.level for message in one.engine.log.messages]


@WAYS
@ERAS
async def test_the_level_is_asked_for_in_the_way_of_each_era(way: type, protocol: str) -> None:
    async with way(protocol) as one:
        one.engine.set_log_level("error")
        await one.engine.log_level_told()
        call = await one.call("log_every_level")
        assert call.outcome is Outcome.OK
        assert levels(one) == list(LEVELS[4:])
        one.engine.set_log_level("debug")
        await one.engine.log_level_told()
        await one.call("log_every_level")
        assert levels(one) == [*LEVELS[4:], *LEVELS]
        assert one.engine.log.problem == ""
        assert not call.findings
        assert not one.engine.findings
    text = [message.line for message in one.engine.log.messages]
    assert text[0].startswith("error     demo.door: ")
    assert "⏎" in text[0]
    assert text[2] == 'alert     ["a list", 2, true, null]'


@pytest.mark.slow
async def test_without_a_level_each_era_does_as_it_says() -> None:
    async with bundled("legacy") as one:
        await one.call("log_every_level")
        assert levels(one) == list(LEVELS[1:])
    async with bundled("2026-07-28") as one:
        await one.call("log_every_level")
        assert levels(one) == []


@pytest.mark.slow
@WAYS
async def test_of_a_flood_the_newest_is_kept_and_the_rest_counted(way: type) -> None:
    sent = MESSAGES_KEPT + 500
    async with way("legacy") as one:
        call = await one.call("flood_the_log", messages=sent)
        log = one.engine.log
        assert call.outcome is Outcome.OK
        assert (log.count, len(log.messages), log.dropped) == (sent, MESSAGES_KEPT, 500)
        assert log.messages[-1].text == f"Drop {sent} of {sent}"
        published = len(one.watch.events)
    assert published < 100


@pytest.mark.slow
async def test_the_level_holds_on_the_next_connection() -> None:
    async with bundled("legacy") as one:
        one.engine.set_log_level("alert")
        one.engine.link.kill()
        await one.watch.until(lambda: one.engine.can_reconnect)
        assert await one.engine.reconnect() == ""
        await one.watch.until(lambda: one.engine.server.is_open)
        await one.engine.definitions.wait_until_listed()
        await one.engine.log_level_told()
        await one.call("log_every_level")
        assert levels(one) == ["alert", "emergency"]


async def test_a_server_without_the_capability_is_not_asked() -> None:
    async with opened("--era", "legacy") as one:
        one.engine.set_log_level("info")
        await one.engine.log_level_told()
        assert "capability logging" in one.engine.log.problem
