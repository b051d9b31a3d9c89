"""The keys of the wire, and what can be clicked there."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from ....widgets.verb_bar import Verb

WIRE_KEYS: list[BindingType] = [
    Binding("escape", "back", "Close", id="wire.close", tooltip="Clear the filter, or back."),
    Binding("q,W,alt+n", "dismiss", "Close", show=False, id="wire.quit", tooltip="Back."),
    Binding("slash,f3", "filter", "Filter", id="wire.filter", tooltip="Filter the messages."),
    Binding("v", "raw", "Raw", id="wire.raw", tooltip="The message laid out, or as it was."),
    Binding("y", "copy", "Copy", id="wire.copy", tooltip="Copy the message, without secrets."),
    Binding("c", "only_call", "Call", id="wire.call", tooltip="Only the call of this message."),
    Binding(
        "a",
        "again(False)",
        "Send again",
        id="wire.again",
        tooltip="Make this call, or this read, once more; it is asked about and logged.",
    ),
    Binding(
        "e",
        "again(True)",
        "Edit",
        show=False,
        id="wire.edit",
        tooltip="Put the arguments of this call into the form, to send it changed.",
    ),
    Binding(
        "n",
        "write(True)",
        "New message",
        id="wire.new",
        tooltip="Write a message of any method as JSON; it is asked about before it is sent.",
    ),
    Binding(
        "E",
        "write(False)",
        "Edit as JSON",
        show=False,
        id="wire.edit-json",
        tooltip="Write a message, beginning with this request as it was sent.",
    ),
    Binding(
        "s",
        "save('jsonl')",
        "Save",
        id="wire.save",
        tooltip="Save what is listed as JSON lines, without secrets.",
    ),
    Binding(
        "H",
        "save('html')",
        "Page",
        id="wire.page",
        tooltip="Save what is listed as one page of HTML, without secrets.",
    ),
]


def wire_verbs(*, is_raw: bool, can_send: bool) -> list[Verb]:
    """What can be clicked; `is_raw`: messages are shown as they were."""
    sending = [Verb("again(False)", "Again", "a"), Verb("write(True)", "New", "n")]
    return [
        Verb("linked", "Linked", "enter"),
        Verb("raw", "Pretty" if is_raw else "Raw", "v"),
        *(sending if can_send else []),
        Verb("only_call", "Call", "c"),
        Verb("copy", "Copy", "y"),
        Verb("save('jsonl')", "Save", "s"),
        Verb("save('html')", "Page", "H"),
    ]
