"""Tool definitions to draw, and texts that a hostile server might send."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from textual.widget import Widget

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.tool import Grouping, ToolDefinition, ToolGroup, group_tools
from signoff.app.protocol.tool_reading import read_tools

HOSTILE = (
    "[red]x[/]",
    "[@click=app.quit]x[/]",
    "[/foo] x",
    "[link=https://example.com]x[/link]",
    "\x1b]0;pwn\x07",
    "\x1b[2J",
    "\x9b31m",
    "a\rb\x08c\x00d",
    "a\u202egpj.exe",
    "a\u200b\u2066b",
    "del\x7f",
    "two\nlines\tand a tab",
    "コンニチハ世界" * 4,
    "e" + "\u0301" * 40,
    "   " * 30,
    "x" * 5_000,
)


def entry(name: str, title: str | None = None, **hints: JsonValue) -> dict[str, JsonValue]:
    """A raw tool definition; `read_only=True` is short for `readOnlyHint`."""
    keys = {
        "read_only": "readOnlyHint",
        "destructive": "destructiveHint",
        "idempotent": "idempotentHint",
        "open_world": "openWorldHint",
    }
    raw: dict[str, JsonValue] = {
        "name": name,
        "inputSchema": {"type": "object"},
        "annotations": {keys[key]: value for key, value in hints.items()},
    }
    if title is not None:
        raw["title"] = title
    return raw


def definitions(entries: Iterable[JsonValue]) -> tuple[ToolDefinition, ...]:
    return read_tools(list(entries))


def by_effect(tools: Iterable[ToolDefinition]) -> tuple[ToolGroup, ...]:
    return group_tools(tools, Grouping.EFFECT)


SAMPLE = (
    entry("calculate_sum", "Calculate Sum", read_only=True, open_world=False),
    entry("search_files", "Search Files", read_only=True, open_world=False),
    entry("create_record", "Create Record", destructive=False, open_world=False),
    entry("delete_file", "Delete File", destructive=True, idempotent=True, open_world=False),
    entry("launch_confetti", "Launch Confetti", destructive=True),
    entry("undeclared_tool"),
    entry("contradictory_tool", read_only=True, destructive=True),
)


def drawn(widget: Widget) -> list[str]:
    """The lines of a widget as text, without trailing blanks."""
    return [strip.text.rstrip() for strip in widget.render_lines(widget.size.region)]


@contextmanager
def painted_by(widget: Widget, method: str) -> Iterator[list[tuple[Any, ...]]]:
    """The arguments of each call of a method that paints, meanwhile."""
    painted: list[tuple[Any, ...]] = []
    original = getattr(widget, method)

    def counting(*args: Any) -> Any:
        painted.append(args)
        return original(*args)

    setattr(widget, method, counting)
    yield painted
    setattr(widget, method, original)


def assert_inert(widget: Widget) -> None:
    """No control character, no invisible one and no click action stands in what is painted."""
    for strip in widget.render_lines(widget.size.region):
        assert strip.cell_length == widget.size.width
        for segment in strip:
            assert all(
                unicodedata.category(char) not in ("Cc", "Cf", "Cs") for char in segment.text
            )
            assert "@click" not in (segment.style.meta if segment.style else {})
