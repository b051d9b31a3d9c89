"""Plain requests over both links: lists in pages, what is cancelled, what is told unasked."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.resources.offers import OfferKind
from signoff.app.protocol.rpc import RpcError
from signoff.app.transport.events import (
    ConnectionClosed,
    Listing,
    NoResponse,
    OfferListChanged,
    ResourceUpdated,
    Subscribed,
)
from signoff.app.transport.listing import list_offers
from tests.approved import approved
from tests.servers import offering
from tests.transport.linked import Heard, call, linked
from tests.transport.webbed import Asked, answer, result, to_listed, web

PROSE = approved("transport")

ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])


@contextlib.asynccontextmanager
async def over_stdio(record: Path | str, *words: str) -> AsyncIterator[tuple[Any, Heard]]:
    argv = [sys.executable, "-S", offering.__file__, str(record), *words]
    async with linked(argv) as (link, heard):
        await heard.one(Listing)
        yield link, heard


@contextlib.asynccontextmanager
async def over_http(*words: str) -> AsyncIterator[tuple[Any, Heard]]:
    served = offering.Offering(list(words))

    def answers(asked: Asked) -> Any:
        if asked.verb != "POST" or "id" not in asked.message:
            return answer("202 Accepted" if asked.verb == "POST" else "405 Method Not Allowed")
        if asked.method == "completion/complete" and "mute" in words:
            return asyncio.Event().wait()
        found = served.result(asked.method, asked.message.get("params") or {})
        if "code" not in found:
            return result(asked, found)
        body = {"jsonrpc": "2.0", "id": asked.message["id"], "error": found}
        return answer("200 OK", json.dumps(body).encode())

    async with web(answers) as at, to_listed(at.url) as (link, heard):
        yield link, heard


@ERAS
@pytest.mark.parametrize("over", ["stdio", "http"])
async def test_all_pages_of_each_list(over: str, era: str) -> None:
    opening = over_stdio("", era) if over == "stdio" else over_http(era)
    async with opening as (link, heard), asyncio.timeout(60):
        listings = {kind: await list_offers(link.ask, kind) for kind in OfferKind}
    found = {kind: one and (one.entries, one.findings) for kind, one in listings.items()}
    assert found == {
        OfferKind.RESOURCE: (tuple(offering.RESOURCES), ()),
        OfferKind.TEMPLATE: (tuple(offering.TEMPLATES), ()),
        OfferKind.PROMPT: (tuple(offering.PROMPTS), ()),
    }
    # What stands behind the web server here has no stream of changes.
    assert set(heard.codes) <= {"subscription-lost"}


async def test_a_list_that_is_not_there_is_empty() -> None:
    async with over_stdio("", "untemplated") as (link, _), asyncio.timeout(60):
        assert await list_offers(link.ask, OfferKind.TEMPLATE) == Listing(())


async def test_a_list_that_fails_says_so() -> None:
    async def ask(*_: Any) -> Any:
        return RpcError(-32603, "the shelf is broken")

    async def gone(*_: Any) -> Any:
        return ConnectionClosed()

    listing = await list_offers(ask, OfferKind.RESOURCE)
    assert listing is not None
    [finding] = listing.findings
    assert finding.code == "list-failed"
    PROSE.holds("listing: refused", finding.message)
    assert await list_offers(gone, OfferKind.RESOURCE) is None


async def test_what_is_given_up_over_http_is_silence_and_ends_nothing() -> None:
    params: dict[str, JsonValue] = {"ref": {}, "argument": {"name": "name", "value": "a"}}
    async with over_http("modern", "mute") as (link, _), asyncio.timeout(60):
        assert isinstance(await link.ask("completion/complete", params, 0.05), NoResponse)
        assert isinstance(await link.ask("resources/list", {}, 5), dict)


@ERAS
async def test_changes_of_lists_and_resources_are_told(era: str) -> None:
    async with over_stdio("", era) as (link, heard), asyncio.timeout(60):
        uris: list[JsonValue] = [offering.NOTE]
        if era == "modern":
            wanted: dict[str, JsonValue] = {"notifications": {"resourceSubscriptions": uris}}
            listening = asyncio.create_task(link.ask("subscriptions/listen", wanted, None))
            await heard.until(lambda: Subscribed((offering.NOTE,)) in heard.events)
            # The link's own, for the lists, is asked for in a thread after the first list.
            await heard.until(lambda: len(heard.of(Subscribed)) == 2)
        else:
            assert await link.ask("resources/subscribe", {"uri": offering.NOTE}, 5) == {}
        await call(link, "update")
        assert (await heard.one(ResourceUpdated)).uri == offering.NOTE
        await call(link, "add")
        assert (await heard.one(OfferListChanged)).capability == "resources"
        if era == "modern":
            listening.cancel()
            await asyncio.wait({listening})
            await call(link, "update")
            assert len(heard.of(ResourceUpdated)) == 1
    assert not heard.codes
