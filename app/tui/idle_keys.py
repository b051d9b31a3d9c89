"""Why a key of the bench does nothing at the moment."""

from __future__ import annotations

from collections.abc import Callable
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

FORM_AS_JSON: Final = "ctrl+j"
NO_TOOLS: Final = "There is no tool to do this with: this server lists none."
NOT_CHOSEN: Final = "No tool is chosen: go to one in the list of tools first."
ABOUT_A_TOOL: Final = ("call", "fresh_key", "successor")
"""What such keys would do hangs on a tool, and where there is none that is the reason."""


def why_idle(screen: Screen[None], key: str, why_no_tool: Callable[[], str]) -> str:
    """In words; empty where the key does something, or is none.

    `why_no_tool` is called where the key needs a tool: empty where one is chosen.
    """
    if key in screen.active_bindings:
        return ""
    for binding in screen._bindings.key_to_bindings.get(key, ()):
        _, action, parameters = parse(binding.action)
        if parameters and not screen.check_action(action, parameters):
            verb = str(parameters[0])
            return (verb in ABOUT_A_TOOL and why_no_tool()) or WHY.get(verb, "")
    # The form, which has these keys, is not there without a tool.
    return why_no_tool() if key == FORM_AS_JSON else ""
