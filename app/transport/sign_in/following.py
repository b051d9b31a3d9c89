"""Follows the page of a sign-in without a browser, on this machine alone: for tests of servers.

Redirects are followed, and nothing else of a page is read. No request goes to another machine.
"""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from .guard import Zone, origin_of, zone_of_host
from .values import shown

if TYPE_CHECKING:
    from .asking import SignInVisit

HOPS: Final = 10
"""How many pages may follow each other."""
PAGE_SECONDS: Final = 10.0
_NAME: Final = "localhost"


def is_followed(url: str) -> bool:
    """True for http and https addresses of this machine, by number or as `localhost`.

    Other names that end in `.localhost` may be resolved by another machine.
    """
    origin = origin_of(url)
    if origin is None:
        return False
    is_plain_name = not origin.host.endswith(f".{_NAME}")
    return is_plain_name and zone_of_host(origin.host) is Zone.LOOPBACK


async def follow(visit: SignInVisit, verify: ssl.SSLContext | bool = True) -> str:
    """Follow a page until it leads back to Signoff; returns the problem, safe to show, or
    nothing. `verify` is how certificates are checked.
    """
    import httpx2

    url = visit.url
    async with httpx2.AsyncClient(
        verify=verify, trust_env=False, timeout=httpx2.Timeout(PAGE_SECONDS)
    ) as web:
        for _ in range(HOPS):
            if not is_followed(url):
                return f"the page {_place(url)} is not of this machine, and is not requested"
            try:
                async with web.stream("GET", url) as response:
                    status, location = response.status_code, response.headers.get("location", "")
            except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as problem:
                return f"the page {_place(url)} cannot be requested: {type(problem).__name__}"
            if status not in (301, 302, 303, 307, 308) or not location:
                wants = "it wants a person" if status == 200 else "it does not lead back"
                return f"the page {_place(url)} answers {status} without a redirect: {wants}"
            url = urljoin(url, location)
            if not visit.paste(url):
                return ""
    return f"the page leads to another one {HOPS} times"


def _place(url: str) -> str:
    """An address without its parameters, which have a code or a state."""
    return shown(url.partition("?")[0].partition("#")[0])
