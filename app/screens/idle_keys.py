"""Why a key of the bench does nothing at the moment."""

from __future__ import annotations

from typing import Final

from textual.actions import parse
from textual.screen import Screen

WHY: Final = {
    "offers": "This server has listed nothing beside its tools: no resources, no prompts.",
    "tasks": "There is no task: the server lists none, and no call has begun one.",
    "cancel": "No call runs that could be cancelled.",
    "retry": "There is nothing to connect again, and no call that was lost.",
    "again": "No call that was sent and has ended is selected, so none is made once more.",
    "successor": "This tool does not say that it is deprecated, so nothing takes its place.",
    "fresh_key": "This tool has no parameter for a key that makes repeating harmless.",
}
"""By what the key would do."""


def why_idle(screen: Screen[None], key: str) -> str:
    """In words; empty where the key does something, or is none."""
    if key in screen.active_bindings:
        return ""
    for binding in screen._bindings.key_to_bindings.get(key, ()):
        _, action, parameters = parse(binding.action)
        if parameters and not screen.check_action(action, parameters):
            return WHY.get(str(parameters[0]), "")
    return ""
