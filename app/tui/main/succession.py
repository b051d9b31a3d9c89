"""The way from a deprecated tool to its named successor, with the typed arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ...protocol.definitions.deprecation import NOT_DEPRECATED, successor_of
from ...protocol.tool import ToolDefinition
from ...schemas.form.entries import Origin
from ..arguments.editing import names_line
from ..tools.tool_pane import ToolPane

NAMES_SHOWN: Final = 6


def go_to_successor(
    tools: Sequence[ToolDefinition], pane: ToolPane, turn_to: Callable[[str], bool]
) -> str:
    """Go to the successor of the tool in the pane; returns a message.

    Typed values for parameters of equal names go along, if the new fields are empty.
    """
    old = pane.tool
    if old is None or old.deprecation is None:
        return NOT_DEPRECATED
    found = successor_of(old.name, old.deprecation, (tool.name for tool in tools))
    if not found.name:
        return f"{old.display_name} is deprecated, and {found.words}."
    origins, given = pane.form.origins, pane.form.arguments
    typed = {name: value for name, value in given.items() if _is_chosen(origins, name)}
    if not turn_to(found.name) or pane.tool is None:
        return f"{old.display_name} {found.words}, but it cannot be shown."
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
    words = f"{pane.tool.display_name} takes the place of {old.display_name}."
    return f"{words} Carried over: {names_line(list(taken), NAMES_SHOWN)}." if taken else words


def _is_chosen(origins: Mapping[str, Origin], name: str) -> bool:
    return name in origins and origins[name].is_chosen
