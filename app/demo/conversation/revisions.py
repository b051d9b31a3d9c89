"""Which revision of the protocol a request came under."""

from __future__ import annotations

from typing import Any, Final

from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

WITH_TASKS: Final = "2025-11-25"
"""The one revision whose core has tasks, and URLs that must be opened first."""


def is_modern(ctx: Context | ServerRequestContext[Any, Any]) -> bool:
    """Whether it is a revision in which a server sends no requests of its own."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
