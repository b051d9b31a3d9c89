"""Holds the current `Call`, publishes its changes, and batches its progress reports."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any

from ...calls.call import Call, Outcome, State
from ...calls.retries import ASKED, CANNOT_ANSWER, words_of_request
from ...content.json.jsonio import JsonValue
from ...content.text import cut, visible
from ...protocol.answers.task_states import TaskState
from ...protocol.findings.findings import Finding, error, note, warning
from ...protocol.progress import Progress, advance
from .context import EngineContext

FINDINGS_KEPT = 50
ASKED_MAX = 10
"""Different methods of a server's own requests that one call has findings on."""
PROGRESS_SECONDS = 1 / 12
"""Least seconds between two publications of progress: a screen draws it a dozen times a second."""


class CallUpdater:
    """Applies state changes to one call; `call` is its newest state."""

    def __init__(self, engine: EngineContext, call: Call) -> None:
        self.call = call
        self._engine = engine
        self._asked_for: set[str] = set()
        self._reports: ProgressReports | None = None
        """What came of progress, once something did."""
        self._publish_timer: asyncio.TimerHandle | None = None
        """The timer of the next publication of progress."""

    def change(self, **changes: Any) -> None:
        """Replace fields and publish."""
        self.publish_progress()
        self.call = self.call.later(**changes)
        self._engine.publish(self.call)

    def add_findings(self, *findings: Finding) -> None:
        """Add findings to the call; they are published with its next change."""
        if findings:
            self.publish_progress()
            kept = (*self.call.findings, *findings)[:FINDINGS_KEPT]
            self.call = self.call.later(findings=kept)

    def end(self, outcome: Outcome, reason: str, at: float | None = None) -> None:
        """The call is over."""
        ended_at = time.monotonic() if at is None else at
        self.change(state=State.ENDED, outcome=outcome, reason=reason, ended_at=ended_at)

    def refuse(self, reason: str, *, is_too_late: bool = False) -> None:
        """Signoff itself does not send, whatever was decided."""
        if is_too_late:
            self.change(is_too_late=True)
        self.end(Outcome.NOT_SENT, reason)

    def progress(self, params: JsonValue) -> None:
        """A report of progress came."""
        now = time.monotonic()
        if self._reports is None:
            self._reports = ProgressReports(self.call)
            # The first one is published at once; of those that come soon after it, the newest.
            findings = self._reports.take(now, params)
            self.publish_progress()
        else:
            findings = self._reports.take(now, params)
            if self._publish_timer is None:
                loop = asyncio.get_running_loop()
                self._publish_timer = loop.call_later(PROGRESS_SECONDS, self.publish_progress)
        if findings:
            self.add_findings(*findings)

    def publish_progress(self) -> None:
        """Publish progress that is not yet published."""
        if self._publish_timer is not None:
            self._publish_timer.cancel()
            self._publish_timer = None
        if self._reports is not None and self._reports.is_news:
            self.call = self._reports.apply_to(self.call)
            self._engine.publish_progress(self.call)

    def on_task_status(self, task: TaskState) -> None:
        """Handle a task status update."""
        if task == self.call.task:
            return
        self.publish_progress()
        progress = self.call.progress
        if task.message:
            progress = replace(progress, message=task.message, count=progress.count + 1)
        log = self.call.progress_log
        if progress is not self.call.progress:
            log = log.later([progress])
        self._reports = None
        self.change(task=task, progress=progress, progress_log=log)

    def delay(self, seconds: float) -> None:
        """So many seconds count for nothing."""
        self.publish_progress()
        self.call = self.call.later(pace=self.call.pace.delayed(seconds))
        self._reports = None

    def on_forbidden_request(self, method: str) -> None:
        """Handle a request that the revision does not allow; one finding for each method."""
        if method in self._asked_for or len(self._asked_for) >= ASKED_MAX:
            return
        self._asked_for.add(method)
        name = visible(cut(method, 80).text)
        words = f"the server sent the request “{name}” during the call: no response was sent"
        self.add_findings(error("request-of-server", words))
        self._engine.publish(self.call)

    def on_server_request(self, method: str, params: JsonValue, reply: str = "") -> None:
        """Note a request that the server made while the call ran; `reply` is in words.

        Each method counts once, and only a few methods: some servers ask again and again.
        """
        if method in self._asked_for or len(self._asked_for) >= ASKED_MAX:
            return
        self._asked_for.add(method)
        if self.call.verdict.reviews_result:
            wanted = ASKED.get(method, "") or "something"
        else:
            wanted = words_of_request(method, params)
        words = f"while the call ran, the server asked for {wanted}: {reply or CANNOT_ANSWER}"
        self.add_findings(
            note("asked-by-server", words) if reply else warning("asked-by-server", words)
        )
        self._engine.publish(self.call)

    def on_request_answered(self, words: str) -> None:
        """Note that such a request was answered."""
        self.add_findings(note("asked-by-server", f"while the call ran, {words}"))
        self._engine.publish(self.call)


class ProgressReports:
    """Collects progress reports of one call; `apply_to` adds the new ones to the call."""

    def __init__(self, call: Call) -> None:
        self._progress = call.progress
        self._pace = call.pace
        self._log = call.progress_log
        self._new: list[Progress] = []
        self._times: list[float] = []
        """When each of the new ones came."""
        self._codes = {finding.code for finding in call.findings}

    @property
    def is_news(self) -> bool:
        """True if reports arrived that are not yet in a call."""
        return bool(self._new)

    def take(self, at: float, params: JsonValue) -> list[Finding]:
        """Take one report at a time of the monotonic clock; returns new findings."""
        self._progress, findings = advance(self._progress, params)
        self._new.append(self._progress)
        self._times.append(at)
        if not findings:
            return []
        found = [one for one in findings if one.code not in self._codes]
        self._codes.update(one.code for one in found)
        return found

    def apply_to(self, call: Call) -> Call:
        values = (one.value for one in self._new)
        self._pace = self._pace.reported(zip(self._times, values, strict=True))
        self._log = self._log.later(self._new)
        self._new, self._times = [], []
        return call.later(progress=self._progress, progress_log=self._log, pace=self._pace)
