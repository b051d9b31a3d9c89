"""Results in the shapes the demo tools need most."""

from __future__ import annotations

import json
from typing import Any

from mcp.types import (
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    TextContent,
    TextResourceContents,
)


def text(value: str) -> TextContent:
    """One text block."""
    return TextContent(type="text", text=value)


def plain(value: str) -> CallToolResult:
    """A result of one text block."""
    return CallToolResult(content=[text(value)])


def blocks(*content: ContentBlock) -> CallToolResult:
    """A result of several blocks, in this order."""
    return CallToolResult(content=list(content))


def structured(value: dict[str, Any]) -> CallToolResult:
    """Structured content with its serialised copy as text.

    Spec 2025-11-25, server/tools: a tool that returns structured content SHOULD also return the
    serialised JSON in a text block.
    """
    copy = text(json.dumps(value, indent=2, ensure_ascii=False))
    return CallToolResult(content=[copy], structured_content=value)


def failed(reason: str) -> CallToolResult:
    """An error that the tool reports itself (`isError`), written for the model to read."""
    return CallToolResult(content=[text(reason)], is_error=True)


def embedded(uri: str, mime_type: str, content: str) -> EmbeddedResource:
    """A text as an embedded resource."""
    contents = TextResourceContents(uri=uri, mime_type=mime_type, text=content)
    return EmbeddedResource(type="resource", resource=contents)
