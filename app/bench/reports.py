"""The reports of progress of one call, however many a second: cheap to take, told now and then."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from signoff.app.core.calls import Call
from signoff.app.core.findings import Finding
from signoff.app.core.jsonio import JsonValue
from signoff.app.core.progress import advance

PROGRESS_KEPT = 1_000


class Reports:
    """Goes on from the progress that a call has; `put_into` gives it what came since."""

    def __init__(self, call: Call) -> None:
        self._progress = call.progress
        self._pace = call.pace
        self._log = deque(call.progress_log, PROGRESS_KEPT)
        self._codes = {finding.code for finding in call.findings}
        self.is_news = False
        """Whether anything came that was not put into a call."""

    def take(self, at: float, params: JsonValue) -> list[Finding]:
        """One report, at a time of the monotonic clock; returns what is to be said of it anew."""
        self._progress, findings = advance(self._progress, params)
        self._pace = self._pace.reported(at, self._progress.value)
        self._log.append(self._progress)
        self.is_news = True
        found = [one for one in findings if one.code not in self._codes]
        self._codes.update(one.code for one in found)
        return found

    def put_into(self, call: Call) -> Call:
        self.is_news = False
        log = tuple(self._log)
        return replace(call, progress=self._progress, progress_log=log, pace=self._pace)
