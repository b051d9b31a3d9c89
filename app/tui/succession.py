"""From a deprecated tool to the one that it names in its place, with what was typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..protocol.definitions.deprecation import successor_of
from ..protocol.tool import ToolDefinition
from ..schemas.form.entries import Origin
from .arguments.carry_over import names_line
from .tools.tool_pane import ToolPane

NAMES_SHOWN = 6


def go_to_successor(
    tools: Sequence[ToolDefinition], pane: ToolPane, turn_to: Callable[[str], bool]
) -> str:
    """Go to the successor of the tool in the pane; returns what is to be said of it.

    What was typed for parameters of equal names goes along, where nothing stands there yet.
    """
    old = pane.tool
    if old is None or old.deprecation is None:
        return "This tool does not say that it is deprecated."
    found = successor_of(old.name, old.deprecation, (tool.name for tool in tools))
    if not found.name:
        return f"{old.name_shown} says that it is deprecated, and {found.words}."
    origins, given = pane.form.origins, pane.form.arguments
    typed = {name: value for name, value in given.items() if _is_chosen(origins, name)}
    if not turn_to(found.name) or pane.tool is None:
        return f"{old.name_shown} {found.words}, but it cannot be shown."
    schema = pane.tool.input_schema
    properties = schema.get("properties") if isinstance(schema, dict) else None
    names = properties if isinstance(properties, dict) else {}
    there = pane.form.origins
    taken = {
        name: value
        for name, value in typed.items()
        if name in names and not _is_chosen(there, name)
    }
    if taken:
        pane.fill({**pane.form.arguments, **taken})
    words = f"{pane.tool.name_shown} takes the place of {old.name_shown}."
    return f"{words} Carried over: {names_line(list(taken), NAMES_SHOWN)}." if taken else words


def _is_chosen(origins: Mapping[str, Origin], name: str) -> bool:
    return name in origins and origins[name].is_chosen
