"""The rules of the SDK for headers that repeat arguments of a call (spec 2026-07-28,
basic/transports, "x-mcp-header").
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, Final

from ...content.json.jsonio import JsonValue
from ...content.text import cut, visible
from ...protocol.findings.findings import Finding, error, left_out
from ..events import Listing

PARAM_HEADER: Final = "x-mcp-header"


async def header_rules() -> Any:
    """Import the SDK's rules for headers in a thread: it takes a while, and few tools need it."""

    def imported() -> Any:
        from mcp.shared import inbound

        return inbound

    return await asyncio.to_thread(imported)


async def read_param_headers(
    listing: Listing,
) -> tuple[Listing, dict[str, dict[tuple[str, ...], str]]]:
    """Return a list without the tools that ask for impossible headers, and the headers of the rest.

    Spec 2026-07-28, basic/transports "x-mcp-header": over HTTP clients must not offer such tools.
    """
    if not any(_mentions(entry, PARAM_HEADER) for entry in listing.entries):
        return listing, {}
    rules = await header_rules()
    kept: list[JsonValue] = []
    found: list[Finding] = []
    headers: dict[str, dict[tuple[str, ...], str]] = {}
    for entry in listing.entries:
        schema = entry.get("inputSchema") if isinstance(entry, dict) else None
        reason = rules.find_invalid_x_mcp_header(schema)
        if not isinstance(entry, dict) or reason is None:
            kept.append(entry)
            name = entry.get("name") if isinstance(entry, dict) else None
            if isinstance(name, str) and (paths := rules.x_mcp_header_map(schema)):
                headers[name] = paths
            continue
        words = (
            f"{left_out(entry.get('name'))}: its x-mcp-header is invalid, so that it must not be"
        )
        why = f"offered over HTTP (server/tools, “x-mcp-header”): {visible(cut(reason, 300).text)}"
        found.append(error("invalid-param-header", f"{words} {why}"))
    findings = (*listing.findings, *found)
    return replace(listing, entries=tuple(kept), findings=findings), headers


def _mentions(value: JsonValue, key: str) -> bool:
    """True if an object anywhere in a value has a key."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if key in one:
                return True
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return False
