"""The server's line for a call in a list of calls: its template, with secrets masked (a draft).

It is beside the facts on the call, in quotes, and has a mark if the template leaves out arguments.
"""

from __future__ import annotations

from typing import Final

from ..protocol.extensions.display_templates import (
    CallPreview,
    DisplayTemplate,
    in_quotes,
    named,
    preview_of,
)
from ..schemas.secrets.arguments import mask_arguments
from .call import Call

PREVIEW_LABEL: Final = "preview"
LEAVES_OUT: Final = "▲"
"""Marks a line whose template leaves out arguments."""
_KEPT: Final = 100

_known: dict[tuple[str, str, DisplayTemplate], CallPreview] = {}


def masked_preview(call: Call) -> CallPreview | None:
    """The line with secrets of the arguments masked; None without a template.

    The newest are kept: a list draws its calls again and again.
    """
    if call.template is None:
        return None
    snapshot = call.snapshot
    key = (snapshot.definition_digest, snapshot.arguments_json, call.template)
    found = _known.get(key)
    if found is None:
        schema = None if call.tool is None else call.tool.input_schema
        masked = mask_arguments(snapshot.arguments(), schema).value
        found = preview_of(call.template, masked if isinstance(masked, dict) else {})
        while len(_known) >= _KEPT:
            del _known[next(iter(_known))]
        _known[key] = found
    return found


def preview_words(call: Call) -> str:
    """`preview “move a to b” ▲ leaves out “force”`; empty without a template."""
    found = masked_preview(call)
    if found is None:
        return ""
    words = f"{PREVIEW_LABEL} {in_quotes(found.words)}"
    return f"{words} {LEAVES_OUT} leaves out {named(found.omitted)}" if found.omitted else words
