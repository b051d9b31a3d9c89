"""The demo server: its groups of tools, and the one place where the SDK is too polite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import MCPServer

from app import __version__
from app.demo.arithmetic import ArithmeticTools
from app.demo.broken import BrokenTools
from app.demo.content import ContentTools, resources
from app.demo.declare import collect
from app.demo.files import FileTools
from app.demo.forms import FormTools
from app.demo.gallery import GalleryTools
from app.demo.misbehaviour import STRANGE_BLOCKS, STRANGE_TOOL, MisbehaviourTools
from app.demo.network import NetworkTools
from app.demo.progress import ProgressTools
from app.demo.records import RecordTools
from app.demo.sandbox import Sandbox
from app.demo.shifting import ShiftingTools

INSTRUCTIONS = (
    "Harmless tools that show what annotations mean and what answers can hold. "
    "Files live in a sandbox folder, everything else in memory; nothing reaches a network."
)


def build_server(sandbox: Sandbox, write_stdout: Callable[[bytes], None]) -> MCPServer[Any]:
    """A server with fresh state whose file tools act in `sandbox`.

    `write_stdout` writes to the real standard output, for the tool that soils it.
    """
    shifting = ShiftingTools()
    groups = (
        FileTools(sandbox),
        RecordTools(),
        ArithmeticTools(),
        NetworkTools(),
        ProgressTools(),
        ContentTools(),
        GalleryTools(),
        BrokenTools(),
        FormTools(),
        MisbehaviourTools(write_stdout, sandbox.close),
        shifting,
    )

    async def shift(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method == "tools/list" and isinstance(result, dict):
            return shifting.shift(result)
        return result

    return MCPServer(
        "Signoff demo",
        version=__version__,
        instructions=INSTRUCTIONS,
        log_level="WARNING",
        tools=collect(groups),
        resources=resources(),
        middleware=[_add_strange_blocks, shift],
    )


async def _add_strange_blocks(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """Extend one tool's serialised result, after the SDK has checked what it knows."""
    result = await call_next(ctx)
    if (
        ctx.method == "tools/call"
        and (ctx.params or {}).get("name") == STRANGE_TOOL
        and isinstance(result, dict)
        and isinstance(content := result.get("content"), list)
    ):
        return {**result, "content": [*content, *STRANGE_BLOCKS]}
    return result
