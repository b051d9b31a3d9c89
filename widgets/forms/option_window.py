"""Which of many options are in sight: a filter, a cursor, and a window that follows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MAX_FILTER: Final = 60
"""Characters of a filter."""


class OptionWindow:
    """Up to hundreds of labels, narrowed by a filter, seen through a window of a few lines.

    `labels` are sanitised already. Options are told apart by their index among all labels; a label
    matches when it contains the filter, whatever the case, and those that start with it come first.
    """

    def __init__(self, labels: Sequence[str], height: int) -> None:
        self.labels = tuple(labels)
        self.height = max(1, height)
        self.filter = ""
        self.matches: tuple[int, ...] = tuple(range(len(self.labels)))
        self._cursor = 0
        self._top = 0
        self._folded: tuple[str, ...] | None = None

    @property
    def current(self) -> int | None:
        """The option under the cursor; None where nothing matches."""
        return self.matches[self._cursor] if self.matches else None

    @property
    def shown(self) -> tuple[int, ...]:
        """The options in sight, in order."""
        return self.matches[self._top : self._top + self.height]

    @property
    def hidden(self) -> tuple[int, int]:
        """How many matches are above and below those in sight."""
        below = len(self.matches) - self._top - self.height
        return self._top, max(0, below)

    def narrow(self, text: str) -> None:
        """Filter by another text; the cursor goes to the first match."""
        self.filter = text[:MAX_FILTER]
        if self._folded is None:
            self._folded = tuple(label.casefold() for label in self.labels)
        wanted = self.filter.casefold()
        found = [index for index, label in enumerate(self._folded) if wanted in label]
        if wanted:
            # Sorting is stable: within both groups the server's order stays.
            folded = self._folded
            found.sort(key=lambda index: not folded[index].startswith(wanted))
        self.matches = tuple(found)
        self._cursor = self._top = 0

    def go_to(self, option: int) -> None:
        """Put the cursor on an option, if it matches."""
        if option in self.matches:
            self._move_cursor(self.matches.index(option))

    def move(self, by: int) -> None:
        """Move the cursor, as far as there are options."""
        self._move_cursor(self._cursor + by)

    def at(self, line: int) -> int | None:
        """The option on a line of the window."""
        return self.shown[line] if 0 <= line < len(self.shown) else None

    def _move_cursor(self, cursor: int) -> None:
        self._cursor = max(0, min(cursor, len(self.matches) - 1))
        self._top = min(self._top, self._cursor)
        self._top = max(self._top, self._cursor - self.height + 1)


def typed_into(text: str, key: str, character: str | None) -> str | None:
    """A filter after a key; None for a key that does not edit it."""
    if key == "backspace":
        return text[:-1]
    if key in ("ctrl+u", "ctrl+w"):
        return ""
    if character is not None and character.isprintable():
        return text + character
    return None


def is_letter(character: str | None) -> bool:
    """Whether a key is for typing wherever the focus is in a form: a letter or a digit."""
    return character is not None and character.isalnum()


def starting_with(labels: Sequence[str], letter: str, after: int) -> int | None:
    """The next label, in a circle, that begins with a letter; None if none does."""
    count = len(labels)
    order = [(after + step) % count for step in range(1, count + 1)]
    return next((at for at in order if labels[at].casefold().startswith(letter.casefold())), None)
