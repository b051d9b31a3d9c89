"""A person at a link, who is asked to sign in and visits the page, without anybody in front of it.

The page is followed as a browser does it: with a request to each place, the last one at the address
of this machine.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2

from signoff.app.approval.sign_in import SignInRequest
from signoff.app.storage.sign_ins import SignInStore
from signoff.app.transport.events import LinkEvent, Listing, SignInAsked, SignInClosed, SignInOpened
from signoff.app.transport.http.http import HttpLink
from signoff.app.transport.negotiation import AUTO
from signoff.app.transport.sign_in.asking import SignInAsking, SignInVisit
from signoff.app.transport.sign_in.browser_options import BrowserOptions
from tests.transport.linked import Heard

REFUSED = "refused by you"


def kept_in(folder: Path, **more: Any) -> BrowserOptions:
    """Options with a store in a folder, and no keyring."""
    return BrowserOptions(store=SignInStore(folder / "sign-ins", keyring=False), **more)


NOTHING_KEPT = BrowserOptions(store=None)


class AtBrowser(Heard):
    """Hears everything of a link, agrees to each sign-in, and visits its page."""

    def __init__(self, link: HttpLink) -> None:
        super().__init__(link)
        self.asked: list[SignInRequest] = []
        self.pages: list[str] = []
        self.answers: list[str] = []
        """The addresses that the pages led to."""
        self.closed: list[str] = []
        self.agrees: bool | None = True
        """None to leave each question open."""
        self.visits_pages = True
        self.open: list[SignInAsking] = []
        self._visits: set[asyncio.Task[None]] = set()

    def __call__(self, event: LinkEvent) -> None:
        super().__call__(event)
        match event:
            case SignInAsked(asking):
                self.asked.append(asking.request)
                self.open.append(asking)
                if self.agrees is not None:
                    (asking.allow if self.agrees else lambda: asking.refuse(REFUSED))()
            case SignInOpened(visit):
                self.pages.append(visit.url)
                if self.visits_pages:
                    task = asyncio.create_task(self._visit(visit))
                    self._visits.add(task)
                    task.add_done_callback(self._visits.discard)
            case SignInClosed(words):
                self.closed.append(words)

    async def _visit(self, visit: SignInVisit) -> None:
        there, status = await visited(visit.url)
        self.answers.append(there)
        if status != 200:
            visit.cancel()


async def visited(page: str) -> tuple[str, int]:
    """Follow a page to its end; the last address and its status."""
    async with httpx2.AsyncClient(verify=False) as web:
        response = await web.get(page)
        there = response.headers.get("location", "")
        if not there:
            return "", response.status_code
        return there, (await web.get(there)).status_code


@contextlib.asynccontextmanager
async def at_browser(
    url: str, options: BrowserOptions = NOTHING_KEPT, way: str = AUTO
) -> AsyncIterator[tuple[HttpLink, AtBrowser]]:
    """A link with a person, and nothing of it left over: no task, and no port."""
    before = asyncio.all_tasks()
    link = HttpLink(url, browser=options, way=way)
    link.begin()
    person = AtBrowser(link)
    link.attach(person)
    try:
        yield link, person
    finally:
        async with asyncio.timeout(5):
            await link.close()
    left = asyncio.all_tasks() - before
    if left:
        _, left = await asyncio.wait(left, timeout=2)
    assert not left, left


@contextlib.asynccontextmanager
async def signed_in(
    url: str, options: BrowserOptions = NOTHING_KEPT
) -> AsyncIterator[tuple[HttpLink, AtBrowser]]:
    """The same, once its tools are listed."""
    async with at_browser(url, options) as (link, person):
        settled = await person.settled()
        assert isinstance(settled, Listing), settled
        yield link, person


def place_of(text: str, url: str, issuer: str) -> str:
    """A text without what differs between runs."""
    origin = url.removesuffix("/mcp")
    named = text.replace(url, "SERVER").replace(issuer, "ISSUER").replace(origin, "ORIGIN")
    return named.replace(issuer.upper(), "HTTP://ISSUER")
