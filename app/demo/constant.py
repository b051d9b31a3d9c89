"""Answers that are always the same, texts and schemas, as `constant.toml` and `constant.json` have
them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from mcp.types import CallToolResult

from .declare import Json, embedded, hints, tool

_HELD: Final[Json] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
JSON: Final[Json] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
"""Values in the form in which they are sent: schemas by name, and content."""
SCHEMAS: Final[Json] = JSON["schemas"]


def constant(name: str) -> Callable[[Any], Awaitable[CallToolResult]]:
    """A tool without parameters, beside the methods of its group."""
    held = _HELD["tools"][name]

    async def answer(self: Any) -> CallToolResult:
        return CallToolResult.model_validate({"content": held["content"]})

    answer.__name__, answer.__doc__ = name, held["description"]
    return tool(held["title"], hints(**held["hints"]))(answer)


def sample(kind: str) -> CallToolResult:
    """A text of some kind, as an embedded resource with its MIME type."""
    held = _HELD["texts"][kind]
    resource = embedded(f"demo://texts/sample.{kind}", held["mime_type"], held["text"])
    return CallToolResult(content=[resource])
