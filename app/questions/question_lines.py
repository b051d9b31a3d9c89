"""What a question says, line by line: in the dialog, and on a plain terminal.

Text of the server's stands behind the gutter or in quotes after words of Signoff's own.
"""

from __future__ import annotations

from typing import Final

from ..approval.server_questions import AboutElicitation, AboutSampling
from . import about_answer, about_call, about_elicitation, about_read, about_sampling
from .parts import Parts, Room
from .questions import AboutAnswer, AboutCall, AboutRead, Question

UNBOUND: Final = 1_000_000
"""Columns where lines are broken by whoever shows them."""


def question_parts(
    question: Question,
    *,
    columns: int = UNBOUND,
    is_roomy: bool = True,
    in_full: bool = False,
    has_keys: bool = True,
) -> Parts:
    """Everything there is to know about a question, for a sheet of so many columns.

    `is_roomy`: there are rows enough for blank lines and more of the description. `in_full`: the
    hints as a table, and up to 200,000 characters of what the server says instead of a few lines.
    Without `has_keys` nothing names a key, and words stand for signs.
    """
    room = Room(columns, is_roomy=is_roomy, in_full=in_full, has_keys=has_keys)
    match question:
        case AboutCall():
            return about_call.parts(question, room)
        case AboutRead():
            return about_read.parts(question, room)
        case AboutAnswer():
            return about_answer.parts(question, room)
        case AboutElicitation():
            return about_elicitation.parts(question, room)
        case AboutSampling():
            return about_sampling.parts(question, room)
