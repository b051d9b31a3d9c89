"""The latest time that the clock has shown: one set back makes no approval last longer."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..approval.grants import CLOCK_SLACK, Grant

if TYPE_CHECKING:
    import sqlite3


def note_time(connection: sqlite3.Connection, now: float) -> None:
    """The clock shows this time."""
    connection.execute("UPDATE clock SET high = ? WHERE high < ?", [float(now)] * 2)


def _high(connection: sqlite3.Connection) -> float:
    row = connection.execute("SELECT high FROM clock WHERE typeof(high) = 'real'").fetchone()
    return math.inf if row is None else float(row[0])


def is_behind(connection: sqlite3.Connection, grant: Grant, now: float) -> bool:
    """Whether the clock went back so far that an approval until a date does not count."""
    return grant.session is None and now < _high(connection) - CLOCK_SLACK


def clock_words(connection: sqlite3.Connection, now: float) -> str:
    """Why such approvals are not honoured now: the clock went back; '' if they are."""
    behind = _high(connection) - now
    if behind <= CLOCK_SLACK:
        return ""
    from ..content.text import seconds

    ago = "the time it showed before was lost" if math.isinf(behind) else seconds(behind)
    return (
        f"the clock went back ({ago}): approvals until a date do not count until it has caught up;"
        " `signoff grants clear` forgets them all"
    )
