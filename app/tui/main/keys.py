"""The keys of the main screen, which work in every pane, and why one is idle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from textual.actions import parse
from textual.binding import Binding, BindingType
from textual.screen import Screen

from ...presentation.feature import screens
from ...protocol.definitions.deprecation import NOT_DEPRECATED

CONDITIONAL_ACTIONS = ("cancel", "retry", "again", "fresh_key", "successor")
"""Verbs that the footer offers only while they would do something."""


def _key(
    keys: str,
    verb: str,
    label: str,
    tooltip: str,
    *,
    show: bool = True,
    priority: bool = False,
) -> Binding:
    """`priority` is for keys that text editors would take for themselves."""
    name = verb.split("(")[0].replace("_", "-")
    action = f"work('{verb}')"
    if "(" in verb:
        verb, argument = verb.rstrip(")").split("(")
        action = f"work('{verb}', {argument})"
        name = f"{verb.replace('_', '-')}{argument}"
    return Binding(
        keys,
        action,
        label,
        show=show,
        priority=priority,
        id=f"main.{name}",
        tooltip=tooltip,
    )


WORK_KEYS: list[BindingType] = [
    _key("f5,ctrl+enter", "call", "Call", "Call the chosen tool with these arguments."),
    _key(
        "f12",
        "call_although_invalid",
        "Call anyway",
        "Call with invalid arguments: asks first, unless the policy allows or refuses it.",
        show=False,
    ),
    _key(
        "f11", "history", "History", "Show earlier arguments of this tool, and presets.", show=False
    ),
    # Before anything else, so that the next keys go to the filter.
    _key(
        "f3",
        "filter",
        "Filter",
        "Filter the tools by name, title and description.",
        priority=True,
    ),
    _key(
        "slash",
        "filter_at_once",
        "Filter",
        "Filter the tools, unless you are typing text.",
        show=False,
        priority=True,
    ),
    _key(
        "g", "regroup", "Regroup", "Group the tools by effect, by open world, or by retry safety."
    ),
    _key(
        "o",
        "only_read_only",
        "Read-only",
        "Show only tools declared read-only, or all.",
        show=False,
    ),
    _key(
        "ctrl+x",
        "cancel",
        "Cancel",
        "Request to cancel the selected or newest running call.",
        priority=True,
    ),
    _key(
        "f4",
        "definition",
        "Definition",
        "Show the schemas, raw JSON and whole description of the chosen tool.",
        show=False,
    ),
    _key(
        "f6",
        "next_pane(1)",
        "Next pane",
        "Go to the next pane (Calls and Response appear after the first call).",
        priority=True,
    ),
    _key(
        "shift+f6",
        "next_pane(-1)",
        "Previous pane",
        "Go to the previous pane.",
        show=False,
        priority=True,
    ),
    _key(
        "f7",
        "zoom",
        "Zoom",
        "Show one pane on the whole screen, or all side by side.",
        show=False,
        priority=True,
    ),
    _key(
        "R,shift+f5",
        "retry",
        "Reconnect",
        "Reconnect or restart the server. Press again to retry the call that has no response, if "
        "that is harmless; if not, call the tool again, with a new approval.",
    ),
    _key(
        "C",
        "again",
        "Again, compare",
        "Repeat the selected call and compare the two responses, to test idempotentHint.",
        show=False,
    ),
    Binding(
        "c",
        "open('command')",
        "Copy command",
        show=False,
        id="main.copy-command",
        tooltip="Copy the signoff call command: for the form, or in Calls for the selected call.",
    ),
    _key(
        "greater_than_sign",
        "turn_page(1)",
        "Next page",
        "Get the next page of the selected response, with its cursor.",
        show=False,
    ),
    _key(
        "less_than_sign",
        "turn_page(-1)",
        "Page before",
        "Show the previous page.",
        show=False,
    ),
    _key(
        "ctrl+g",
        "fresh_key",
        "Fresh key",
        "Put a fresh UUID into the parameter that is an idempotency key.",
        priority=True,
    ),
    _key(
        "alt+s",
        "successor",
        "Successor",
        "Go to the replacement of a deprecated tool and copy the arguments with equal names.",
        # Else the letter would be typed where the focus is.
        priority=True,
    ),
    _key(
        "f8",
        "raw",
        "Steps",
        "Show every step of the selected call and its raw messages.",
        show=False,
    ),
    _key("m", "plain", "Plain", "Show plain text, or formatted Markdown and JSON.", show=False),
    _key(
        "escape",
        "back",
        "Back",
        "Clear the filter, end the zoom, or go back to the tools.",
        show=False,
    ),
]


def _feature_keys() -> list[Binding]:
    """The keys that features declare, those of the footer first."""
    made = [
        Binding(
            key.keys,
            f"open('{screen.name}')",
            key.label,
            show=key.show,
            priority=key.priority,
            id=key.id,
            tooltip=key.about,
        )
        for _, screen in screens()
        for key in screen.keys
    ]
    return sorted(made, key=lambda one: _FOOTER.index(one.id) if one.id in _FOOTER else 9)


_FOOTER: Final = ("main.policy", "main.matrix", "main.offers", "main.wire")
_OF_FRAME: Final[list[Binding]] = [
    Binding(
        "ctrl+t",
        "trust",
        "Trust",
        id="main.trust",
        tooltip="Trust or stop trusting this server.",
    ),
    Binding(
        "D",
        "open('changes')",
        "Changes",
        show=False,
        id="main.changes",
        tooltip="Show changes of the definitions since the previous list of tools.",
    ),
    Binding(
        "M",
        "open('model')",
        "Model view",
        show=False,
        id="main.model",
        tooltip="Show what the models of known hosts would get of the selected response, and which "
        "parts they lose.",
    ),
    Binding(
        "f9",
        "open('server')",
        "Server",
        show=False,
        id="main.server",
        tooltip="Show server details: findings, stderr, log messages.",
    ),
    Binding(
        "S",
        "open('servers')",
        "Servers",
        show=False,
        id="main.servers",
        tooltip="Go to all servers of this session, and add one more.",
    ),
    Binding(
        "T",
        "tour",
        "Tour",
        show=False,
        id="main.tour",
        tooltip="Start the tour, go to it, or go back from it.",
    ),
    # For where letters are typed.
    Binding(
        "alt+t",
        "tour",
        "Tour",
        show=False,
        priority=True,
        id="main.tour-at-once",
        tooltip="Open the tour, also while you type text.",
    ),
    Binding(
        "alt+e",
        "open('servers')",
        "Servers",
        show=False,
        priority=True,
        id="main.servers-at-once",
        tooltip="Go to all servers, also while you type text.",
    ),
]

SERVER_KEYS: list[BindingType] = [_OF_FRAME[0], *_feature_keys(), *_OF_FRAME[1:]]


WHY: Final = {
    **{one.name: one.why for _, one in screens() if one.why},
    "cancel": "No call is running.",
    "retry": "Nothing to reconnect or retry.",
    "again": "Select a call that was sent and has ended.",
    "successor": NOT_DEPRECATED,
    "fresh_key": "This tool has no parameter for an idempotency key.",
}
"""By what the key would do."""

FORM_AS_JSON: Final = "ctrl+j"
NO_TOOLS: Final = "This server lists no tools."
NOT_CHOSEN: Final = "Select a tool in the list first."
ABOUT_A_TOOL: Final = ("call", "fresh_key", "successor")
"""Keys about a tool; without one that is their reason."""


def show_key(screen: Screen[None], key: str) -> None:
    """Show a key of a screen in its footer."""
    bindings = screen._bindings.key_to_bindings
    bindings[key] = [replace(one, show=True) for one in bindings[key]]


def why_idle(screen: Screen[None], key: str, why_no_tool: Callable[[], str]) -> str:
    """In words; empty if the key does something, or is none.

    `why_no_tool` is called where the key needs a tool: empty if one is chosen.
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
