"""Resources of a server as texts that can be compared, before calls and after them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from ...calls.call import Call, Outcome
from ...protocol.resources.offers import OfferKind
from ...transport.listing import list_offers

if TYPE_CHECKING:
    from ...engine.engine import Engine

RESOURCES_MAX: Final = 8


def reading_of(call: Call) -> str | None:
    """An answer as text that can be compared; None if there is none without an error."""
    if call.outcome is not Outcome.OK:
        return None
    raw = call.raw
    if isinstance(raw, dict):
        raw = {key: value for key, value in raw.items() if key != "_meta"}
    return json.dumps(raw, sort_keys=True)


async def resource_uris(engine: Engine) -> list[str]:
    """The first resources that the server lists."""
    if "resources" not in engine.server.capabilities:
        return []
    listing = await list_offers(engine.link.ask, OfferKind.RESOURCE)
    found = [one.get("uri") for one in listing.entries if isinstance(one, dict)] if listing else []
    return [uri for uri in found if isinstance(uri, str)][:RESOURCES_MAX]
