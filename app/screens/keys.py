"""The keys of the main screen. They hold wherever the focus is."""

from __future__ import annotations

from textual.binding import Binding, BindingType


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
    _key("f6", "next_pane(1)", "Next pane", "To the next pane.", priority=True),
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
        "Connect again where the connection was lost; then retry the lost call, if that is known "
        "to be harmless.",
    ),
    _key(
        "C",
        "again",
        "Again, compare",
        "Call a read-only or idempotent tool once more and compare the two answers.",
        show=False,
    ),
    _key(
        "ctrl+g",
        "fresh_key",
        "Fresh key",
        "Put a fresh UUID into the parameter that is an idempotency key.",
        priority=True,
    ),
    _key("f8", "raw", "Raw answer", "The story of the selected call, raw messages.", show=False),
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
        tooltip="Let this server's hints count, or only show them.",
    ),
    Binding(
        "ctrl+o",
        "policy",
        "Policy",
        id="bench.policy",
        tooltip="Choose who decides what runs, asks or is refused; or live by a host's rules.",
    ),
    Binding(
        "f2",
        "matrix",
        "Matrix",
        id="bench.matrix",
        tooltip="Every tool under every policy and every host's rules; what if a hint were set.",
    ),
    Binding(
        "f10",
        "grants",
        "Approvals",
        show=False,
        id="bench.grants",
        tooltip="Remembered approvals and denials: scope, age, uses, end; revoke them.",
    ),
    Binding(
        "ctrl+l",
        "log",
        "Audit log",
        show=False,
        id="bench.log",
        tooltip="What was asked, answered, sent and returned.",
    ),
    Binding(
        "D",
        "changes",
        "Changes",
        show=False,
        id="bench.changes",
        tooltip="What changed in the definitions since they were listed last.",
    ),
    Binding(
        "f9",
        "server",
        "Server",
        show=False,
        id="bench.server",
        tooltip="Facts, findings and stderr of the server.",
    ),
    Binding(
        "question_mark",
        "app.toggle_help",
        "Help",
        show=False,
        id="bench.help",
        tooltip="All keys that work now.",
    ),
]
