"""Notifications over the panes: findings, changes, refused calls, and reasons."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.widget import Widget

from ....widgets.keys import RESTART_KEY, way_to
from ...content.text import sentence, shortened
from ...engine.calls.context import NOT_CONNECTED
from ...protocol.definitions.change_values import ListDiff
from ...protocol.findings.findings import Finding, Severity
from ...protocol.server import Phase, Server

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from ...protocol.tool import ToolDefinition


def _title(finding: Finding) -> str:
    return finding.code.replace("-", " ").capitalize()


REPEAT_SECONDS = 10.0
"""A finding of the same kind does not pop up again within this time."""
TOLD_NOTES = ("visit-done", "request-withdrawn")
"""Notes that somebody waits for."""


class Notices:
    """Shows notifications; a repeated text is shown once."""

    def __init__(self, owner: Widget) -> None:
        self._owner = owner
        self._told: dict[str, float] = {}
        """Code of a finding -> time until which it is not shown again."""
        self._told_diff = ListDiff()

    def say(self, words: str, severity: SeverityLevel = "information") -> None:
        """Any words that need a few seconds to be read."""
        self._owner.notify(words, severity=severity, timeout=6, markup=False)

    def is_connected(self, server: Server) -> bool:
        """True if the server can be reached; otherwise show a notice."""
        if not server.is_open:
            why = server.ended_words or NOT_CONNECTED
            if server.phase is Phase.CONNECTING:
                why = "the server is still connecting"
            words = f"Nothing was sent. {sentence(why, begins=True)}"
            if server.phase is Phase.LOST:
                words += f" {RESTART_KEY} restarts it."
            self.say(words, severity="error")
        return server.is_open

    def tell_finding(self, finding: Finding) -> None:
        """Something was observed on the connection."""
        now = time.monotonic()
        is_quiet = finding.severity is Severity.NOTE and finding.code not in TOLD_NOTES
        if is_quiet or self._told.get(finding.code, 0.0) > now:
            return
        self._told[finding.code] = now + REPEAT_SECONDS
        self._owner.notify(
            finding.message, title=_title(finding), severity="warning", timeout=4, markup=False
        )

    def tell_changes(self, diff: ListDiff, words: Callable[[], str]) -> None:
        """Show the consequence of changed definitions; `words` are worked out only if needed."""
        if diff == self._told_diff:
            return
        self._told_diff = diff
        if diff.is_empty:
            return
        self._owner.notify(
            f"{words()}. {way_to('D', self._owner.screen.focused)} shows what.",
            title="Definitions changed",
            severity="warning",
            timeout=8,
            markup=False,
        )

    def tell_gone(self, tool: ToolDefinition) -> None:
        """The tool that is looked at is not listed any more."""
        words = f"The server no longer lists {tool.display_name}."
        self._owner.notify(words, title="Tool gone", severity="warning", timeout=8, markup=False)

    def tell_updated(self, uri: str) -> None:
        """Handle the server's report that a resource changed."""
        self.say(f"Updated: {shortened(uri, 200)}")
