"""The keys of an argument form. They hold wherever in it the focus is."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType

FORM_KEYS: Final[list[BindingType]] = [
    Binding(
        "f5,ctrl+enter",
        "submit",
        "Call",
        id="form.submit",
        tooltip="Ask for the call with these arguments.",
    ),
    Binding(
        "ctrl+j",
        "toggle_json",
        "JSON",
        id="form.json",
        tooltip="Edit all arguments as one JSON document, or go back to the fields.",
    ),
    Binding(
        "ctrl+n",
        "toggle_sent",
        "Send or not",
        show=False,
        id="form.sent",
        tooltip="Leave this argument out, or send it: empty, or null where that may be.",
    ),
    Binding(
        "ctrl+d",
        "put_default",
        "Default",
        show=False,
        # Before a text editor, for which it deletes a character like the delete key.
        priority=True,
        id="form.default",
        tooltip="Put the server's default, or the only value there is, into this field.",
    ),
    Binding(
        "ctrl+r",
        "reset",
        "Reset",
        show=False,
        id="form.reset",
        tooltip="Back to the defaults and the only values; again brings back what was there.",
    ),
    Binding(
        "ctrl+e",
        "edit_outside",
        "$EDITOR",
        show=False,
        # Before a text editor, for which it is the end of the line like the end key.
        priority=True,
        id="form.editor",
        tooltip="Edit all arguments as JSON in $EDITOR.",
    ),
    Binding(
        "f11",
        "history",
        "History",
        id="form.history",
        tooltip="Earlier arguments of this tool, and presets.",
    ),
    Binding(
        "f12",
        "submit_invalid",
        "Call anyway",
        show=False,
        id="form.invalid",
        tooltip="Ask for the call although the arguments are not what the schema wants.",
    ),
]
