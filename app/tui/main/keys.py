"""The keys of the main screen, which work in every pane, and why one is idle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from textual.actions import parse
from textual.binding import Binding, BindingType
from textual.screen import Screen

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
        id=f"bench.{name}",
        tooltip=tooltip,
    )


WORK_KEYS: list[BindingType] = [
    _key("f5,ctrl+enter", "call", "Call", "Call the chosen tool with these arguments."),
    _key(
        "f12",
        "call_although_invalid",
        "Call anyway",
        "Ask for the call although the arguments are not what the schema wants.",
        show=False,
    ),
    _key("f11", "history", "History", "Earlier arguments of this tool, and presets.", show=False),
    # Before anything else, so that what is typed right after it goes to the filter.
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
        "Filter the tools, where no text is being typed.",
        show=False,
        priority=True,
    ),
    _key("g", "regroup", "Regroup", "Group by effect, by world, by retry safety."),
    _key(
        "o",
        "only_read_only",
        "Read-only",
        "Only tools that claim to be read-only, or all.",
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
        "Schemas, raw JSON and the whole description of the chosen tool.",
        show=False,
    ),
    _key(
        "f6",
        "next_pane(1)",
        "Next pane",
        "To the next pane; calls and answer come with the first call.",
        priority=True,
    ),
    _key(
        "shift+f6",
        "next_pane(-1)",
        "Previous pane",
        "To the previous pane.",
        show=False,
        priority=True,
    ),
    _key(
        "f7",
        "zoom",
        "Zoom",
        "One pane on the whole screen, or all side by side.",
        show=False,
        priority=True,
    ),
    _key(
        "R,shift+f5",
        "retry",
        "Retry",
        "Connect again where the connection was lost or the server did not start; pressed once "
        "more, retry the call that got no answer, if that is known to be harmless.",
    ),
    _key(
        "C",
        "again",
        "Again, compare",
        "Make the selected call once more and compare the answers, against what the tool claims.",
        show=False,
    ),
    Binding(
        "c",
        "open('command')",
        "Copy command",
        show=False,
        id="bench.copy-command",
        tooltip="Copy and show the signoff call command for this call, or for the selected one.",
    ),
    _key(
        "greater_than_sign",
        "turn_page(1)",
        "Next page",
        "Ask for the next page of the selected answer, with the cursor that came with it.",
        show=False,
    ),
    _key(
        "less_than_sign",
        "turn_page(-1)",
        "Page before",
        "Back to the page before the selected one.",
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
        "To the tool that a deprecated one names in its place, with the arguments of equal names.",
        # Else the letter would be typed where the focus is.
        priority=True,
    ),
    _key(
        "f8",
        "raw",
        "Raw answer",
        "The selected call from beginning to end, and its raw messages.",
        show=False,
    ),
    _key("m", "plain", "Plain", "Texts plain, or as the Markdown and JSON they are.", show=False),
    _key(
        "escape",
        "back",
        "Back",
        "Clear the filter, end the zoom, or go back to the tools.",
        show=False,
    ),
]

SERVER_KEYS: list[BindingType] = [
    Binding(
        "ctrl+t",
        "trust",
        "Trust",
        id="bench.trust",
        tooltip="Let this server's hints count, after asking, or only show them.",
    ),
    Binding(
        "ctrl+o",
        "open('policy')",
        "Policy",
        id="bench.policy",
        tooltip="Choose who decides what runs, asks or is refused; or live by a host's rules.",
    ),
    Binding(
        "f2",
        "open('matrix')",
        "Matrix",
        id="bench.matrix",
        tooltip="Every tool under every policy and host, and what other hints would change.",
    ),
    Binding(
        "P",
        "open('offers')",
        "Resources",
        id="bench.offers",
        tooltip="What the server has beside its tools: resources, templates, prompts.",
    ),
    Binding(
        "W",
        "open('wire')",
        "Wire",
        id="bench.wire",
        tooltip="All that was sent and received, as it went over the wire.",
    ),
    Binding(
        "A",
        "open('archetypes')",
        "Archetypes",
        show=False,
        id="bench.archetypes",
        tooltip="Each tool beside the kind that its name tells, and which hints differ from it.",
    ),
    Binding(
        "f10",
        "open('grants')",
        "Approvals",
        show=False,
        id="bench.grants",
        tooltip="What you approved or denied for longer than one call; take it back.",
    ),
    Binding(
        "ctrl+l",
        "open('log')",
        "Audit log",
        show=False,
        id="bench.log",
        tooltip="The audit log: what was asked, decided, sent and answered.",
    ),
    Binding(
        "L",
        "open('roots')",
        "Roots",
        show=False,
        id="bench.roots",
        tooltip="The folders that the server is told when it asks where it may work.",
    ),
    Binding(
        "H",
        "open('report')",
        "Report",
        show=False,
        id="bench.report",
        tooltip="Save a report of this session as one page of HTML, to hand to a reviewer.",
    ),
    Binding(
        "K",
        "open('tasks')",
        "Tasks",
        show=False,
        id="bench.tasks",
        tooltip="The tasks that the server keeps, those of earlier sessions as well.",
    ),
    Binding(
        "D",
        "open('changes')",
        "Changes",
        show=False,
        id="bench.changes",
        tooltip="What changed in the definitions since they were listed last.",
    ),
    Binding(
        "V",
        "open('clients')",
        "Clients",
        show=False,
        id="bench.clients",
        tooltip="What client libraries make of the selected answer and of the tools: read, lost, "
        "rejected, and why.",
    ),
    Binding(
        "f9",
        "open('server')",
        "Server",
        show=False,
        id="bench.server",
        tooltip="What is known of the server, what is odd about it, its stderr, its log messages.",
    ),
    Binding(
        "T",
        "tour",
        "Tour",
        show=False,
        id="bench.tour",
        tooltip="The tour: begin it, go to it, and back to the bench.",
    ),
    Binding(
        "alt+r",
        "open('record')",
        "Save as a flow",
        show=False,
        priority=True,
        id="bench.record",
        tooltip="Save what was called, approved and denied so far as a flow file, which signoff "
        "test runs.",
    ),
    # For where letters are typed.
    Binding(
        "alt+t",
        "tour",
        "Tour",
        show=False,
        priority=True,
        id="bench.tour-at-once",
        tooltip="The tour, where text is being typed.",
    ),
    Binding(
        "alt+n",
        "open('wire')",
        "Wire",
        show=False,
        priority=True,
        id="bench.wire-at-once",
        tooltip="The wire, where text is being typed.",
    ),
]


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
