"""The parts of a question, in the order in which they are to be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..content.texts.sheet_line import SheetLine


@dataclass(frozen=True, slots=True)
class Parts:
    """The lines of a question, by what they are for."""

    first: Sequence[SheetLine]
    """The server and the tool."""
    noticed: Sequence[SheetLine]
    """What is odd about them, or what the server says that asks."""
    changes: Sequence[SheetLine]
    """What changed in the definition, if it did."""
    subject: Sequence[SheetLine]
    """What is decided on: the arguments, or the answer."""
    rest: Sequence[SheetLine]
    """Why it is asked, what is claimed and described."""
    is_last: bool = False
    """Whether the subject stands after the rest, however long that is."""
    noticed_below: str = ""
    """What is said above the subject where `noticed` has to stand below it."""


@dataclass(frozen=True, slots=True)
class Room:
    """What there is room for: columns, blank lines, the whole of long texts, and keys to press."""

    columns: int
    is_roomy: bool = True
    in_full: bool = False
    has_keys: bool = True

    @property
    def indent(self) -> int:
        """How many columns the labels take."""
        return indent_of(self.columns)


def indent_of(columns: int) -> int:
    """How many columns the labels take."""
    return 11 if columns >= 66 else 9 if columns >= 40 else 0
