"""Tools that say that they are deprecated, and name a successor, a wrong one, or none."""

from __future__ import annotations

from tests.servers._wire import Call
from tests.servers.registry import READ_ONLY, tool


@tool(
    "[DEPRECATED] Use echo instead. Will be removed in v2.0.",
    annotations=READ_ONLY,
    properties={"text": {"type": "string"}, "style": {"type": "string"}},
)
def old_echo(call: Call) -> None:
    call.text(str(call.arguments.get("text", "")))


@tool(
    "Looks around.",
    annotations=READ_ONLY,
    more={"_meta": {"example.com/deprecated": "Replaced by `look_\x1b[31mfurther`"}},
)
def old_look(call: Call) -> None:
    call.text("looked")


@tool("Does something.", annotations=READ_ONLY, more={"_meta": {"deprecated": True}})
def old_silent(call: Call) -> None:
    call.text("done")
