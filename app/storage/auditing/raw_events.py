"""Audit events of messages beside the calls: written by a person, or stopped at the last gate."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ...content.json.jsonio import JsonValue
from ...content.text import cut
from ...protocol.findings import Severity
from ...protocol.server import Server
from ...schemas.secrets.secrets import mask_value
from .audit_fields import (
    TEXT_MAX,
    Fields,
    digest_and_size,
    server_fields,
)

if TYPE_CHECKING:
    from .audit_events import Event


def raw_sent(server: Server, body: dict[str, JsonValue]) -> Event:
    """One was approved; written before it leaves."""
    shown = json.dumps(mask_value(body).value, ensure_ascii=True, separators=(",", ":"))
    fields = _fields(server, body)
    fields["message"] = {**digest_and_size(body), "shown": cut(shown, TEXT_MAX).text}
    fields["decision"] = {"answer": "approve", "by": "you"}
    return "raw-sent", Severity.WARNING, fields


def raw_denied(server: Server, body: dict[str, JsonValue]) -> Event:
    """One was asked about, and is not sent."""
    fields = _fields(server, body)
    fields["decision"] = {"answer": "deny", "by": "you"}
    return "raw-denied", Severity.NOTE, fields


def raw_answered(server: Server, body: dict[str, JsonValue], outcome: str) -> Event:
    """What came of it: result, error, lost, time-limit, or not-sent, though it was approved."""
    severity = Severity.NOTE if outcome == "result" else Severity.WARNING
    return "raw-answered", severity, _fields(server, body) | {"outcome": outcome}


def send_blocked(server: Server, method: str, identity: JsonValue) -> Event:
    """A message that no approval covers was stopped before it was written."""
    body: dict[str, JsonValue] = {"method": method}
    if isinstance(identity, str | int):
        body["id"] = cut(identity, TEXT_MAX).text if isinstance(identity, str) else identity
    return "send-blocked", Severity.ERROR, _fields(server, body)


def _fields(server: Server, body: dict[str, JsonValue]) -> Fields:
    fields: Fields = {
        "server": server_fields(server),
        "method": cut(str(body["method"]), TEXT_MAX).text,
    }
    if "id" in body:
        fields["id"] = body["id"]
    return fields
