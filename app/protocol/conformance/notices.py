"""Checks notifications and requests of a server against the declared capabilities."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from ...content.json.jsonio import JsonValue
from ..findings import Finding, error, note, warning
from ..server_requests.capabilities import OF_METHOD
from .results import MODERN, declares
from .shapes import Fields, json_pointer, quoted

LOG_MESSAGE: Final = "notifications/message"
UPDATED: Final = "notifications/resources/updated"
_LISTEN_KEY: Final = "io.modelcontextprotocol/subscriptionId"
_NEEDS: Final[Mapping[str, tuple[str, str]]] = {
    "notifications/tools/list_changed": ("tools", "listChanged"),
    "notifications/resources/list_changed": ("resources", "listChanged"),
    "notifications/prompts/list_changed": ("prompts", "listChanged"),
    UPDATED: ("resources", "subscribe"),
    LOG_MESSAGE: ("logging", ""),
}
"""By the notification, the capability and the flag of it that stand for it."""
_LEVELS: Final = (
    *("debug", "info", "notice", "warning"),
    *("error", "critical", "alert", "emergency"),
)


def check_notification(
    method: str,
    params: JsonValue,
    version: str,
    capabilities: Mapping[str, JsonValue],
    streams: Collection[JsonValue],
    subscribed: Collection[str],
) -> list[Finding]:
    """Check a notification.

    `streams` are the ids of all subscriptions; `subscribed` are the URIs subscribed to before
    2026-07-28.
    """
    held: JsonValue = params if isinstance(params, dict) else {}
    fields = Fields(method)
    if (needed := _NEEDS.get(method)) is not None and not declares(capabilities, *needed):
        wanted = ".".join(one for one in needed if one)
        words = f"the server sent {method} without the capability {wanted}"
        fields.add([warning("notice-undeclared", words)])
    if method == UPDATED:
        uri = fields.want(held, "text", "params", "uri")
        # It may be a part of what was subscribed to.
        if version != MODERN and isinstance(uri, str) and not uri.startswith(tuple(subscribed)):
            words = f"the server tells of {quoted(uri)}, which nobody subscribed to"
            fields.add([warning("update-unasked", words, json_pointer("params", "uri"))])
    elif method == LOG_MESSAGE:
        _check_log_message(fields, held, version)
    if version == MODERN and method in _NEEDS and method != LOG_MESSAGE:
        fields.add(_about_stream(method, held, streams))
    return fields.findings


def check_request(
    method: str, params: JsonValue, version: str, declared: Mapping[str, JsonValue]
) -> list[Finding]:
    """Check a request of the server; `declared` are the client's capabilities."""
    if method.startswith("notifications/"):
        words = f"{quoted(method)} came with an id, which no notification may have"
        return [error("notification-with-id", words, json_pointer("id"))]
    if version == MODERN:
        words = f"the server sent the request {quoted(method)}; since {MODERN} it must not"
        return [error("request-of-server", words, json_pointer("method"))]
    capability = OF_METHOD.get(method)
    if capability is not None and capability not in declared:
        words = f"the server sent {method}, and Signoff did not declare {capability}"
        return [warning("asked-undeclared", words, json_pointer("method"))]
    wanted = params.get("includeContext") if isinstance(params, dict) else None
    if method == "sampling/createMessage" and wanted in ("thisServer", "allServers"):
        words = f"includeContext {quoted(wanted)} is deprecated"
        return [note("deprecated-feature", words, json_pointer("params", "includeContext"))]
    return []


def _check_log_message(fields: Fields, params: JsonValue, version: str) -> None:
    level = fields.want(params, "text", "params", "level")
    if isinstance(level, str) and level not in _LEVELS:
        words = f"a log message has the level {quoted(level)}, which there is not"
        fields.add([warning("unknown-log-level", words, json_pointer("params", "level"))])
    if isinstance(params, dict) and "data" not in params:
        words = "a log message has no data"
        fields.add([error("missing-field", words, json_pointer("params", "data"))])
    if version == MODERN:
        words = f"log messages are deprecated since {MODERN}"
        fields.add([note("deprecated-feature", words, json_pointer("method"))])


def _about_stream(method: str, params: JsonValue, streams: Collection[JsonValue]) -> list[Finding]:
    """Spec 2026-07-28, basic/patterns/subscriptions, "Receiving Notifications"."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    path = json_pointer("params", "_meta", _LISTEN_KEY)
    if not isinstance(meta, dict) or _LISTEN_KEY not in meta:
        return [error("missing-field", f"{method} does not say for which subscription", path)]
    given = meta[_LISTEN_KEY]
    if not any(type(one) is type(given) and one == given for one in streams):
        words = f"{method} came for the subscription {quoted(given)}, which nobody opened"
        return [warning("subscription-unknown", words, path)]
    return []
