"""What a server says unasked about its lists and resources, and how it is asked to say it."""

from __future__ import annotations

from ..content.json.jsonio import JsonValue
from .events import ListChanged, OfferListChanged, ResourceUpdated, Subscribed
from .protocol import LIST_CHANGED

LISTEN = "subscriptions/listen"
"""Since 2026-07-28: answered when the subscription ends."""
_OFFERS_CHANGED = {
    "notifications/resources/list_changed": "resources",
    "notifications/prompts/list_changed": "prompts",
}
_UPDATED = "notifications/resources/updated"
_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
_FILTERS = {
    "tools": "toolsListChanged",
    "resources": "resourcesListChanged",
    "prompts": "promptsListChanged",
}

Told = ListChanged | OfferListChanged | ResourceUpdated | Subscribed


def told_in(body: dict[str, JsonValue]) -> Told | None:
    """What a notification says of lists and resources; None for any other message."""
    method, given = body.get("method"), body.get("params")
    params = given if isinstance(given, dict) else {}
    if method == LIST_CHANGED:
        return ListChanged()
    if isinstance(method, str) and (capability := _OFFERS_CHANGED.get(method)):
        return OfferListChanged(capability)
    if method == _UPDATED and isinstance(uri := params.get("uri"), str):
        return ResourceUpdated(uri)
    if method == _ACKNOWLEDGED:
        honoured = params.get("notifications")
        uris = honoured.get("resourceSubscriptions") if isinstance(honoured, dict) else None
        given = uris if isinstance(uris, list) else []
        return Subscribed(tuple(one for one in given if isinstance(one, str)))
    return None


def wanted_changes(capabilities: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The filter for all lists of which the server says that it tells their changes."""
    wanted: dict[str, JsonValue] = {}
    for capability, name in _FILTERS.items():
        about = capabilities.get(capability)
        if isinstance(about, dict) and about.get("listChanged"):
            wanted[name] = True
    return wanted
