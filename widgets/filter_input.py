"""The line in which a filter is typed, next to the list that it narrows."""

from __future__ import annotations

from textual.geometry import Size
from textual.reactive import Reactive, reactive
from textual.widgets import Input


class FilterInput(Input):
    """An input as wide as its place, whatever is in it.

    A letter in it lays out nothing: the list below is painted as soon as it is narrowed.
    """

    virtual_size: Reactive[Size] = reactive(Size(0, 0))
