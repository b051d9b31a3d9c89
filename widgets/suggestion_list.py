"""What a server suggests for the field that is being filled in, on a few lines below the form."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.message import Message

from .cells import server_text
from .row_list import RowList


class SuggestionList(RowList, can_focus=False):
    """Takes no keys, so that typing goes on; a click takes a row. Hidden while it is empty."""

    DEFAULT_CSS = """
    SuggestionList { height: auto; max-height: 5; display: none; background: $panel; }
    SuggestionList.-shown { display: block; }
    """

    class Taken(Message):
        """A suggestion was clicked. `value` is raw."""

        def __init__(self, value: str) -> None:
            super().__init__()
            self.value = value

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._values: tuple[str, ...] = ()
        self._taken: int | None = None

    @property
    def values(self) -> tuple[str, ...]:
        return self._values

    def show(self, values: Sequence[str]) -> None:
        """Other suggestions, of which none is taken yet."""
        self._values, self._taken = tuple(values), None
        self.set_class(bool(values), "-shown")
        self.set_rows(len(self._values), 0, 0)

    def step(self, by: int) -> str | None:
        """Take the next one, or the one before, around the end; None where there is none."""
        if not self._values:
            return None
        at = -1 if self._taken is None and by > 0 else self._taken or 0
        self._taken = (at + by) % len(self._values)
        self.move_cursor(self._taken)
        self.refresh()
        return self._values[self._taken]

    def row_clicked(self, index: int, x: int, chain: int) -> None:
        self._taken = index
        self.post_message(self.Taken(self._values[index]))

    def row_style(self, under_cursor: bool) -> Style:
        # Nothing is chosen until it is taken.
        return super().row_style(under_cursor and self._taken is not None)

    def draw_row(self, index: int, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        sign = "› " if index == self._taken else "  "
        return [Segment(sign, base), *server_text(self._values[index], max(1, width - 2), base)]
