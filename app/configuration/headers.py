"""Headers that a person may give for a server over HTTP, and those that belong to the transport."""

from __future__ import annotations

import re
from typing import Final

_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The name of a header (RFC 9110, 5.6.2)."""
OWN_HEADERS: Final = frozenset(
    (
        *("accept", "accept-encoding", "connection", "content-length", "content-type", "host"),
        *("last-event-id", "mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name"),
        *("te", "trailer", "transfer-encoding", "upgrade"),
    )
)
"""Headers that Signoff sets itself, or that belong to the connection."""


def header_problem(name: str, value: str) -> str:
    """Why a header cannot be sent, without its value; empty if it can."""
    if not _TOKEN.fullmatch(name):
        return "not the name of a header"
    if name.lower() in OWN_HEADERS:
        return "Signoff sets this header itself"
    if not value:
        return "the value is empty"
    if value != value.strip():
        return "the value begins or ends with a blank"
    if any(ord(one) < 32 or ord(one) == 127 for one in value):
        return "the value has a line break or another control character"
    try:
        value.encode("ascii")
    except UnicodeEncodeError:
        return "the value has characters other than ASCII"
    return ""
