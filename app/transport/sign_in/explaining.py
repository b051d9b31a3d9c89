"""The sign-in of a server that answered 401, explained once for each link."""

from __future__ import annotations

import contextlib
import shlex
import ssl
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...content.text import visible
from .challenge import Demand, read_challenges
from .discovery import discover
from .guard import guard_of
from .values import Discovery

if TYPE_CHECKING:
    import httpx2


def demand_of(response: httpx2.Response, *, is_direct: bool) -> Demand:
    """The demand of a response with 401 or 403; `is_direct` without a proxy between."""
    stream = response.extensions.get("network_stream")
    address = stream.get_extra_info("server_addr") if stream is not None and is_direct else None
    return Demand(
        str(response.request.url),
        response.status_code,
        read_challenges(response.headers.get_list("www-authenticate")),
        str(address[0]) if isinstance(address, tuple) and address else "",
        "authorization" in response.request.headers,
    )


async def explain(
    demand: Demand,
    note: Callable[[str], None],
    verify: ssl.SSLContext | bool = True,
    transport: httpx2.AsyncBaseTransport | None = None,
) -> Discovery | None:
    """Fetch and check the metadata behind a demand; the parameters are those of `Fetcher`.

    None if nothing can be requested: an unusable URL, proxy or certificate store.
    """
    from .fetching import Fetcher

    if (guard := guard_of(demand.url, demand.address)) is None:
        return None
    try:
        fetcher = Fetcher(guard, note, verify, transport)
    except (OSError, ImportError, ValueError):
        # The connection itself has failed for it, with a sentence of its own.
        return None
    async with contextlib.aclosing(fetcher):
        return await discover(demand, guard, fetcher.fetch)


def in_one_line(found: Discovery, command: str) -> str:
    """The result of a discovery, and the command that shows all of it; `command` is the URL."""
    more = shlex.join(("signoff", "doctor", "--url", command))
    return f"sign-in: {found.line}; all checks: {visible(more)}"
