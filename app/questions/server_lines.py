"""What every question says: which server, what runs as it, and why it is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from ..content.labels import fitted_command
from ..content.text import spans, visible
from ..content.texts.sheet_line import GLUE, Piece, SheetLine, labelled
from .parts import Room
from .question_words import ANSWER_TOO, policy_words
from .questions import Question
from .run_lines import run_lines
from .sheet_text import has_gaps, pieces_of, quoted

CUT = "  v: all"
"""Behind a row of which the rest is in full view."""


def server_lines(question: Question, room: Room) -> Iterator[SheetLine]:
    """Its name and command, what it calls itself, and what runs as it.

    Paths of the command are cut in the middle where they would take further rows.
    """
    itself, command = question.server_calls_itself, question.server_command
    if not room.in_full:
        rows = 2 if room.is_roomy else 1
        left = room.columns - room.indent - cell_len(question.server_name) - 2
        command = fitted_command(command, left + (rows - 1) * (room.columns - room.indent))
    yield labelled(
        "server",
        room.indent,
        *pieces_of(spans(question.server_name), "strong"),
        ("  ", ""),
        *pieces_of(spans(command)),
        (CUT if command != question.server_command else "", "dim"),
        aside=_dim((("calls itself ", ""), *quoted(itself))) if itself else (),
        exact=has_gaps(question.server_name, command),
    )
    runs = question.snapshot.runs
    yield from run_lines(
        runs, room.indent, room.columns, is_roomy=room.is_roomy, whole=room.in_full
    )


def asked_line(question: Question, reasons: Sequence[str], room: Room) -> SheetLine:
    """Why it is asked, and by whose rule."""
    verdict = question.verdict
    later = [ANSWER_TOO] if verdict.reviews_result else []
    words = visible("; ".join([*reasons, *later]))
    policy = policy_words(verdict, is_short=not room.is_roomy)
    if room.is_roomy:
        return labelled("asked", room.indent, (words, ""), aside=((policy, "dim"),))
    return labelled("asked", room.indent, (words, ""), (f" ({policy.replace(' ', GLUE)})", "dim"))


def _dim(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    return tuple((text, role or "dim") for text, role in pieces)
