"""Servers of the transport before Streamable HTTP, HTTP with SSE: known, not spoken.

Spec, basic/transports "Backward Compatibility": where a POST of `initialize` fails with a status of
4xx, a GET that opens an event stream whose first event is `endpoint` means that transport.
"""

from __future__ import annotations

import asyncio
from typing import Final

import httpx2

from .bodies import Body, kind_of
from .unpacking import Unpackable

ENDPOINT: Final = "endpoint"
OLD_SSE: Final = (
    "this is probably a server of the old HTTP+SSE transport (2024-11-05), which Signoff does not "
    "speak: look for its Streamable HTTP address, often /mcp, or go through a bridge such as "
    "signoff -- npx -y mcp-remote URL --transport sse-only"
)
LOOK_SECONDS = 3.0
_EVENTS: Final = "text/event-stream"
_FIRST_MAX: Final = 64_000
_OTHER_REASON: Final = (401, 403, 429)
"""Refusals that say enough by themselves."""


def may_be_old(status: int | None) -> bool:
    """Whether a refusal of `initialize` is one that servers of the old transport give."""
    return status is not None and 400 <= status < 500 and status not in _OTHER_REASON


async def names_endpoint(url: str) -> bool:
    """Whether a GET opens an event stream that names an endpoint; asks once, and not for long."""
    try:
        async with (
            asyncio.timeout(LOOK_SECONDS),
            httpx2.AsyncClient(headers={"Accept-Encoding": "identity"}) as client,
            client.stream("GET", url, headers={"Accept": _EVENTS}) as response,
        ):
            if response.status_code != 200 or kind_of(response) != _EVENTS:
                return False
            plain = httpx2.Response(
                200,
                headers={"Content-Type": _EVENTS},
                stream=Body(response),
                request=response.request,
            )
            async for event in httpx2.EventSource(plain, max_event_size=_FIRST_MAX):
                return event.event == ENDPOINT
    except (TimeoutError, httpx2.TransportError, Unpackable):
        pass
    return False
