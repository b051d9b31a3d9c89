"""The reports of progress of one call, however many a second: cheap to take, told now and then."""

from __future__ import annotations

from ..calls.call import Call
from ..content.json.jsonio import JsonValue
from ..protocol.findings import Finding
from ..protocol.progress import Progress, advance


class ProgressReports:
    """Goes on from the progress that a call has; `put_into` gives it what came since."""

    def __init__(self, call: Call) -> None:
        self._progress = call.progress
        self._pace = call.pace
        self._log = call.progress_log
        self._new: list[Progress] = []
        self._codes = {finding.code for finding in call.findings}

    @property
    def is_news(self) -> bool:
        """Whether anything came that was not put into a call."""
        return bool(self._new)

    def take(self, at: float, params: JsonValue) -> list[Finding]:
        """One report, at a time of the monotonic clock; returns what is to be said of it anew."""
        self._progress, findings = advance(self._progress, params)
        self._pace = self._pace.reported(at, self._progress.value)
        self._new.append(self._progress)
        found = [one for one in findings if one.code not in self._codes]
        self._codes.update(one.code for one in found)
        return found

    def put_into(self, call: Call) -> Call:
        self._log = self._log.later(self._new)
        self._new = []
        return call.later(progress=self._progress, progress_log=self._log, pace=self._pace)
