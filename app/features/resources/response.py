"""The response to a read or to a request for a prompt, as lines below the list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...calls.call import Call
from ...content.texts.facts import Fact, main_lines
from ...content.texts.sheet_line import SheetLine
from ...presentation.calls import ending_facts
from ...presentation.responses import PartLook, parts
from .words import INDENT

TEXT_MAX: Final = 20_000
"""Characters of a part; the main screen has all of it."""


def response_lines(call: Call) -> Iterator[SheetLine]:
    """The state or the outcome of the call, and the parts of its response."""
    yield from main_lines((Fact("response", f"call {call.id}"), *ending_facts(call)), INDENT)
    for part in parts(call, PartLook(TEXT_MAX, indent=INDENT)):
        yield from part.sheet
    if call.answer is not None and (more := call.answer.more_parts):
        yield SheetLine(
            ((f"{more:,} more parts: esc, then the response of call {call.id}", "dim"),)
        )
