"""Which tools the scripted server has: name -> definition and handler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.servers._wire import Call, JsonObject

Handler = Callable[[Call], None]


@dataclass(frozen=True, slots=True)
class Entry:
    """A tool: its definition, its handler, whether it is listed without being asked for."""

    definition: JsonObject
    handler: Handler
    basic: bool


TOOLS: dict[str, Entry] = {}


def tool(
    description: str,
    *,
    annotations: JsonObject | None = None,
    properties: JsonObject | None = None,
    required: tuple[str, ...] = (),
    output: JsonObject | None = None,
    basic: bool = False,
    more: JsonObject | None = None,
) -> Callable[[Handler], Handler]:
    """Register the decorated function as the tool of the same name.

    `more` goes into its definition as it is.
    """

    def register(handler: Handler) -> Handler:
        schema: dict[str, Any] = {"type": "object", "properties": properties or {}}
        if required:
            schema["required"] = list(required)
        definition: JsonObject = {"name": handler.__name__, "description": description}
        definition["inputSchema"] = schema
        if annotations is not None:
            definition["annotations"] = annotations
        if output is not None:
            definition["outputSchema"] = output
        definition |= more or {}
        TOOLS[handler.__name__] = Entry(definition, handler, basic)
        return handler

    return register


READ_ONLY: JsonObject = {"readOnlyHint": True, "openWorldHint": False}
DESTRUCTIVE: JsonObject = {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": False}
ADDITIVE: JsonObject = {"readOnlyHint": False, "destructiveHint": False}
