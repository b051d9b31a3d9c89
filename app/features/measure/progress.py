"""How far `signoff measure` is: the newest probe, its cell, and about the time that is left."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Final

from ...cli.output.printing import tell
from ...cli.output.progress_line import ProgressLine
from ...content.text import count, shortened, visible
from ...hosts.measured.values import Did
from .probes.patience import FAMILY as PATIENCE_FAMILY
from .running.planning import Way
from .running.starts import SEEN_AGAIN, MeasureStep

_NAME_LEAST: Final = 12
_MINUTE: Final = 90.0
"""Seconds from which on minutes are shown."""


class MeasureProgress:
    """`12/36  hints/readOnly=true  asked  ~2 min left`."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, *, is_quiet: bool = False
    ) -> None:
        self._is_quiet = is_quiet
        """Whether starts get no line of their own."""
        self._clock = clock
        self._newest: MeasureStep | None = None
        self._began = self._changed = clock()
        self._done_before = 0
        self._again = 0
        """Calls so far with a question: each is tried again."""
        self._all = 0
        self._waiting: dict[str, float] = {}
        """Slow calls that are open, and when they were made."""
        self.line = ProgressLine(self.words, clock)

    def on_step(self, step: MeasureStep) -> None:
        """Show a start, or one more probe."""
        last = self._newest
        self._waiting.pop(step.probe, None)
        if not step.probe:
            # The time of a start is not that of a probe.
            self._began, self._done_before = self._clock(), step.done
            if not self.line.is_drawn and not self._is_quiet:
                tell(start_words(step))
        elif last is None or (last.way, last.done) != (step.way, step.done):
            self._all += step.done - (last.done if last is not None and last.way is step.way else 0)
        if step.way is Way.USUAL and step.did is Did.ASKED and step.probe.startswith("hints/"):
            self._again += 1
        self._newest, self._changed = step, self._clock()
        if step.probe or self.line.is_drawn:
            self.line.step(self._all)

    def on_call(self, probe: str) -> None:
        """A call was made: of a slow tool, its seconds are shown from now on."""
        if probe.startswith(f"{PATIENCE_FAMILY}/"):
            self._waiting[probe] = self._clock()

    def on_wait(self) -> None:
        """Slow calls are still open."""
        self._all += 1
        self.line.step(self._all)

    def words(self, width: int) -> str:
        """The line in so many cells."""
        step = self._newest
        if step is None:
            return "starting"
        again = f" {SEEN_AGAIN[step.way]}" if step.way in SEEN_AGAIN else ""
        before = f"{step.done}/{step.total}{again}  "
        if self._waiting:
            return f"{before}{self._waiting_words()}"
        if not step.probe:
            return f"{before}start {step.start}"
        parts = [step.did.value if step.did is not None else "", self._left(step)]
        after = "".join(f"  {one}" for one in parts if one)
        room = max(width - len(before) - len(after) - 1, _NAME_LEAST)
        return f"{before}{shortened(visible(step.probe), room)}{after}"

    def _waiting_words(self) -> str:
        """`silence, log 120 s, still waiting`"""
        names = ", ".join(one.partition("/")[2] for one in self._waiting)
        longest = self._clock() - min(self._waiting.values())
        return f"{names} {longest:.0f} s, still waiting"

    def _left(self, step: MeasureStep) -> str:
        done = step.done - self._done_before
        left = step.total - step.done + (self._again if step.way is Way.USUAL else 0)
        if done <= 0 or left <= 0:
            return ""
        each = (self._changed - self._began) / done
        return left_words(each * left - (self._clock() - self._changed))


def left_words(seconds: float) -> str:
    """`~40 s left`, `~2 min left`."""
    if seconds >= _MINUTE:
        return f"~{math.ceil(seconds / 60)} min left"
    return f"~{max(1, math.ceil(seconds))} s left"


def start_words(step: MeasureStep) -> str:
    """`signoff: start 2, 11 probes to try after one yes`."""
    again = f" {SEEN_AGAIN[step.way]}" if step.way in SEEN_AGAIN else ""
    left = count(step.total - step.done, "probe")
    return f"signoff: start {step.start}, {left} to try{again}"
