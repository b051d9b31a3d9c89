"""The parts of a question, in the order in which they are to be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from signoff.app.core.texts.sheet_line import SheetLine


@dataclass(frozen=True, slots=True)
class Parts:
    """The lines of a question, by what they are for."""

    first: Sequence[SheetLine]
    """The server and the tool."""
    noticed: Sequence[SheetLine]
    """What is odd about them."""
    changes: Sequence[SheetLine]
    """What changed in the definition, if it did."""
    subject: Sequence[SheetLine]
    """What is decided on: the arguments, or the answer."""
    rest: Sequence[SheetLine]
    """Why it is asked, what is claimed and described."""
    is_last: bool = False
    """Whether the subject stands after the rest, however long that is."""
