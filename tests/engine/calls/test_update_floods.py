"""A server that tells of updates without end: it is told of once, and kept within bounds."""

from __future__ import annotations

from signoff.app.engine.events import OffersChanged, ResourceChanged
from signoff.app.engine.resources import UPDATED_MAX
from signoff.app.protocol.server import Trust
from signoff.app.transport.events import ResourceUpdated
from tests.engine.opened import Approves, opened
from tests.engine.test_offers import server
from tests.servers import offering


async def test_updates_without_end_do_not_take_the_screen_and_are_told_of_once() -> None:
    async with opened(argv=server("", "legacy"), trust=Trust.TRUSTED) as at:
        offers = at.engine.offers
        await offers.listed()
        before = len(at.watch.of(OffersChanged))
        for number in range(20_000):
            offers.take(ResourceUpdated(f"x://{number}"))
        assert len(offers.updated) == UPDATED_MAX
        assert at.watch.of(ResourceChanged) == []
        assert len(at.watch.of(OffersChanged)) - before == UPDATED_MAX
        assert await offers.subscribe(offering.NOTE) == ""
        for _ in range(1_000):
            offers.take(ResourceUpdated(offering.NOTE))
        assert offers.updated >= {offering.NOTE}
        assert [one.uri for one in at.watch.of(ResourceChanged)] == [offering.NOTE]
        at.engine.approver = Approves()
        await at.ended(at.engine.read(offering.NOTE))
        offers.take(ResourceUpdated(offering.NOTE))
        assert len(at.watch.of(ResourceChanged)) == 2
