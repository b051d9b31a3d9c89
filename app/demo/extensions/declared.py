"""Drafts that a client declares, and those that the server declares in turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mcp.server.context import ServerRequestContext

from ..conversation.revisions import is_modern
from ..declare import Json

_CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"


def declared_by_client(ctx: ServerRequestContext[Any, Any]) -> Mapping[str, Any]:
    """Extensions by identifier, with their settings: of this request since 2026-07-28, otherwise of
    `initialize`.
    """
    params = ctx.params or {}
    if ctx.method == "initialize":
        capabilities = params.get("capabilities")
    elif is_modern(ctx):
        capabilities = (params.get("_meta") or {}).get(_CAPABILITIES)
    else:
        info = ctx.session.client_params
        capabilities = info.capabilities.model_dump(by_alias=True) if info is not None else None
    extensions = capabilities.get("extensions") if isinstance(capabilities, dict) else None
    return extensions if isinstance(extensions, dict) else {}


def with_extensions(result: Json, extensions: Mapping[str, Json]) -> Json:
    """The response with these extensions among the server's capabilities."""
    capabilities: Json = result.get("capabilities", {})
    declared = {**(capabilities.get("extensions") or {}), **extensions}
    return {**result, "capabilities": {**capabilities, "extensions": declared}}
