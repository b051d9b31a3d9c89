"""`doctor --slow-calls`: the longest calls in the audit log, beside how long hosts wait.

Nothing is called for that: a call of exactly a tool's definition was made before, with approval.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from ...content.frozen import frozen
from ...content.text import count
from ...hosts.measured.patience import slow_findings
from ...platforms.files import why
from ...protocol.findings.findings import Finding
from ...protocol.tool import ToolDefinition
from ...storage.audit_files import LogLines
from ...storage.audit_log import default_path
from ...storage.auditing.chain import read_record
from ...storage.auditing.rows import value_of
from ...storage.state_dir import shown

_NOTHING: Final = "no call of these tools is in"


@frozen
class Longest:
    """The longest call of each tool in an audit log."""

    log: str
    """Its path, safe to show."""
    seconds: dict[str, float]
    """By the name of the tool; a tool without a call is not there."""
    findings: tuple[tuple[ToolDefinition, Finding], ...]
    problem: str = ""
    """Why the log could not be read; safe to show."""

    @property
    def words(self) -> str:
        """What was compared, as a line."""
        if self.problem:
            return f"the audit log {self.log}: {self.problem}"
        if not self.seconds:
            return f"{_NOTHING} the audit log {self.log}; signoff call TOOL puts one there"
        return f"longest calls of {count(len(self.seconds), 'tool')} in the audit log {self.log}"

    def as_json(self) -> dict[str, Any]:
        """The same for `--json`."""
        return {"log": self.log, "problem": self.problem or None, "longest_seconds": self.seconds}


def longest_calls(tools: Sequence[ToolDefinition], log: Path | None) -> Longest:
    """The longest call of each of these tools in a log; without one in that of the state folder."""
    place = log or default_path()
    by_digest: dict[str, float] = {}
    try:
        with LogLines(place) as lines:
            for line in lines:
                _take(by_digest, read_record(line) or {})
    except OSError as problem:
        return Longest(shown(place), {}, (), why(problem))
    called = [tool for tool in tools if tool.digest in by_digest]
    found = [
        (tool, one) for tool in called for one in slow_findings(by_digest[tool.digest], "a call ")
    ]
    seconds = {tool.name: by_digest[tool.digest] for tool in called}
    return Longest(shown(place), seconds, tuple(found))


def _take(found: dict[str, float], record: dict[str, Any]) -> None:
    took, digest = record.get("duration_ms"), record.get("definition")
    is_call = record.get("event") == "ended" and value_of(record, "method") is None
    if is_call and isinstance(digest, str) and isinstance(took, int | float):
        found[digest] = max(found.get(digest, 0.0), took / 1000)
