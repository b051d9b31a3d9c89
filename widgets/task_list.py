"""Tasks, one a row: status, tool and call, what it is at, how long it is kept yet."""

from __future__ import annotations

from .offer_list import OfferList


class TaskList(OfferList):
    """Keeps the cursor on the same task while the list changes around it."""

    mark_cells = 16
    """`input required`."""
    kind_cells = 20
