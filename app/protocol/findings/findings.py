"""Findings: observations that break or bend the contract between a server and its client."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

from ...content.frozen import frozen
from ...content.text import cut, visible


class Severity(StrEnum):
    """How much a finding matters to a person about to approve a call."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


NOTE: Final = Severity.NOTE
WARNING: Final = Severity.WARNING
ERROR: Final = Severity.ERROR


def rank(severity: Severity) -> int:
    """Rank a severity, from 0 for a note."""
    return list(Severity).index(severity)


_NAME_CELLS = 128


@frozen
class Finding:
    """One observation.

    `code` is stable and machine-readable (`duplicate-name`); `message` is for people and already
    safe to show; `path` is a place in the observed value, as a JSON path such as `$.annotations`.
    """

    code: str
    severity: Severity
    message: str
    path: str = ""

    def as_json(self) -> dict[str, str]:
        """The shape that the headless commands print."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "message": self.message,
            "path": self.path,
        }


def note(code: str, message: str, path: str = "") -> Finding:
    return Finding(code, Severity.NOTE, message, path)


def warning(code: str, message: str, path: str = "") -> Finding:
    return Finding(code, Severity.WARNING, message, path)


def error(code: str, message: str, path: str = "") -> Finding:
    return Finding(code, Severity.ERROR, message, path)


@frozen
class Code:
    """Meaning of one code. `severities`: its severity, or all that a case may have."""

    severities: tuple[Severity, ...]
    meaning: str


def of_severity(severity: Severity, rows: Mapping[str, str]) -> dict[str, Code]:
    """Codes that have one severity, with their meanings."""
    return {code: Code((severity,), meaning) for code, meaning in rows.items()}


def left_out(name: object) -> str:
    """The beginning of a finding on a tool that is left out of the list; safe to show."""
    return f"“{visible(cut(str(name), _NAME_CELLS).text)}” is left out"


def why_left_out(findings: Iterable[Finding], name: str) -> str:
    """Return the finding on a tool of this name that was left out; empty without one."""
    begins, code = f"{left_out(name)}:", "invalid-param-header"
    messages = (one.message for one in findings if one.code == code)
    return next((words for words in messages if words.startswith(begins)), "")


def stdout_noise(findings: Iterable[Finding]) -> str:
    """Return the finding on the first invalid message on stdout; empty without one."""
    return next((one.message for one in findings if one.code == "noise-on-stdout"), "")
