"""The cells of a start that still runs: for progress, and for a measurement that is stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from ....hosts.measured.values import Did, MeasuredCell
from ..observing import RunEnd
from ..scripted.model import Script, ScriptedAttempt

STOPPED: Final = "interrupted"
RUNNING: Final = RunEnd(None, "it has not ended", "")


class SoFar(NamedTuple):
    """Reports the cell of each probe once, when the model goes on to the next probe."""

    script: Script
    cells: Callable[[], Sequence[MeasuredCell]]
    """The cells of all calls so far."""
    on_cell: Callable[[MeasuredCell], None]
    told: set[str]

    def look(self, attempt: ScriptedAttempt) -> None:
        """Report the cells of the probes that are finished when this call is made."""
        done = finished_probes(self.script) - self.told - {attempt.planned.key}
        if done:
            self.told.update(done)
            for cell in self.cells():
                if cell.probe in done:
                    self.on_cell(cell)


def finished_probes(script: Script) -> set[str]:
    """The probes whose calls were all made, and answered."""
    made = {one.planned.key for one in script.attempts}
    open_ones = {one.planned.key for one in script.attempts if not one.has_answer}
    return made - open_ones - {one.key for one in script.planned}


def proved_cells(
    script: Script, cells: Sequence[MeasuredCell], waiting: AbstractSet[str] = frozenset()
) -> list[MeasuredCell]:
    """The cells of a start that was stopped: without the open call, and without those that only
    the rest of the start would have proved.

    The open call of a probe in `waiting` proves something, too: how long the host waited so far.
    """
    finished = finished_probes(script) | waiting
    return [one for one in cells if one.probe in finished and one.did is not Did.UNKNOWN]
