"""Base of the screens with a line to type in, a list below it, and words about the row."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import Screen

from ....widgets.lists.row_list import KeyedList
from ..failures import NOT_DONE, TellsFailures
from ..fresh_sizes import FreshSizes

R = TypeVar("R")


class FilteredListScreen(FreshSizes, Screen[R], TellsFailures):
    """The focus stays on the input; the keys that are of no use there move in the list.

    A subclass yields `#head`, an input, the list and `#about`.
    """

    FAILED = NOT_DONE
    AUTO_FOCUS = "Input"
    DEFAULT_CSS = """
    FilteredListScreen { background: $background; }
    FilteredListScreen #head { height: 1; padding: 0 1; background: $panel; }
    FilteredListScreen Input { margin: 1 1 0 1; height: 3; padding: 0 1; }
    FilteredListScreen Input, FilteredListScreen Input:focus { border: round $primary; }
    FilteredListScreen KeyedList { height: 1fr; margin: 0 1; }
    FilteredListScreen #about {
        height: auto; max-height: 4; padding: 0 1; margin: 0 1; color: $text-muted;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", "Next", show=False),
        Binding("up", "move(-1)", "Previous", show=False),
        Binding("pagedown", "move(10)", "Next page", show=False),
        Binding("pageup", "move(-10)", "Previous page", show=False),
    ]

    @property
    def filtered(self) -> KeyedList[Any]:
        """The list."""
        return self.query_one(KeyedList)

    def action_move(self, rows: int) -> None:
        """Move the cursor of the list."""
        place = self.filtered.cursor
        if place is not None:
            self.filtered.move_cursor(place + rows)
            self.filtered.show_cursor()
