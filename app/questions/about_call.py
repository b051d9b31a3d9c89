"""The question whether a tool may be called.

Server, tool, what changed, all arguments, why it is asked, what the tool claims, and what the
server says, in the order in which they are to be read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from ..content.text import seconds, visible
from ..content.texts.sheet_line import SheetLine, labelled
from .argument_lines import argument_lines
from .definition_lines import (
    EFFECT_ROLES,
    claim_lines,
    description_lines,
    finding_lines,
    noticed_in,
    tool_line,
)
from .diff_block import diff_lines
from .hint_lines import what_if_lines
from .parts import Parts, Room
from .question_words import is_strongest, meaning_told, reasons_told
from .questions import AboutCall
from .run_lines import not_known_lines
from .server_lines import asked_line, server_lines

DESTROYS: Final = "What it destroys cannot be brought back from here."
OTHER_CAUTION: Final = "What it changes may not be possible to undo from here."


def parts(question: AboutCall, room: Room) -> Parts:
    """All that is said of a call."""
    tool, snapshot, indent = question.tool, question.snapshot, room.indent
    findings, more = noticed_in(tool, room.is_roomy)
    codes = {finding.code for finding in findings}
    return Parts(
        first=[
            *server_lines(question, room),
            tool_line(tool, indent),
            *_as_task(question, indent),
        ],
        noticed=[
            *not_known_lines(snapshot.runs, indent),
            *finding_lines(findings, more, indent),
        ],
        changes=list(diff_lines(question.diff, question.diff_since)) if question.diff else [],
        subject=list(argument_lines(snapshot, question.origins, has_signs=room.has_keys)),
        rest=[
            *_although_invalid(question, indent),
            asked_line(question, reasons_told(question, codes), room),
            *_cautions(question, codes, indent),
            *claim_lines(question, room),
            *what_if_lines(question.overrides, indent, has_signs=room.has_keys),
            *description_lines(tool, room),
        ],
    )


def _cautions(question: AboutCall, codes: Collection[str], indent: int) -> Iterator[SheetLine]:
    effect = question.tool.effect
    role = EFFECT_ROLES[effect]
    if not meaning_told(question, codes):
        yield labelled("", indent, (effect.meaning, ""))
    if question.is_strong:
        caution = DESTROYS if effect.may_destroy else OTHER_CAUTION
        yield labelled("", indent, (caution, role))
    if is_strongest(question):
        yield labelled("", indent, ("And it has changed: only the button approves.", role))


def _as_task(question: AboutCall, indent: int) -> Iterator[SheetLine]:
    """What is sent beside the arguments, where it goes as a task."""
    ttl = question.snapshot.task_ttl
    if ttl is not None:
        kept = f"it goes as one; result kept for {seconds(ttl / 1_000)} (ttl {ttl:,} ms)"
        yield labelled("task", indent, (kept, ""))


def _although_invalid(question: AboutCall, indent: int) -> Iterator[SheetLine]:
    if question.although_invalid:
        yield labelled("invalid", indent, (visible(question.although_invalid), "warning"))
