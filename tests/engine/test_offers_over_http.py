"""What a server of the SDK's has beside its tools, over HTTP, of the era without a handshake."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from signoff.app.calls.call import Outcome
from signoff.app.engine.events import ResourceChanged
from signoff.app.protocol.answers.content import TextPart
from signoff.app.protocol.resources.offers import OfferKind
from signoff.app.protocol.server import Trust
from tests.engine.opened import Approves, opened
from tests.servers import sdk_offering


@pytest.fixture
def url() -> Iterator[str]:
    argv = [sys.executable, sdk_offering.__file__]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


async def listening(url: str) -> None:
    """Wait until the server takes connections."""
    where = urlsplit(url)
    async with asyncio.timeout(30):
        while True:
            with socket.socket() as one:
                if one.connect_ex((where.hostname or "", where.port or 0)) == 0:
                    return
            await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_lists_updates_prompts_and_reads(url: str) -> None:
    await listening(url)
    async with opened(url=url, trust=Trust.TRUSTED) as at:
        offers = at.engine.offers
        at.engine.approver = Approves()
        await offers.listed()
        assert at.engine.server.version == "2026-07-28"
        assert [len(offers.of(kind)) for kind in OfferKind] == [1, 1, 1]
        assert await offers.subscribe(sdk_offering.ONE) == ""
        await at.call("touch")
        await at.watch.until(lambda: at.watch.of(ResourceChanged))
        assert offers.updated == {sdk_offering.ONE}
        prompt = await at.ended(at.engine.get_prompt("hello", {"name": "you"}))
        assert prompt.answer is not None
        assert prompt.answer.parts == (TextPart("hello you"),)
        assert (await at.ended(at.engine.read("demo://item/3"))).outcome is Outcome.OK
        assert await offers.unsubscribe(sdk_offering.ONE) == ""
        assert not offers.is_subscribed(sdk_offering.ONE)
        assert (await offers.ping())[1] == ""
        assert not at.engine.observed.all()
