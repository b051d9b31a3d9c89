"""What the register says of one finding code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .findings import Severity

NOTE, WARNING, ERROR = Severity.NOTE, Severity.WARNING, Severity.ERROR


@dataclass(frozen=True, slots=True)
class Code:
    """What one code means. `severities`: the one that it has, or all where the case decides."""

    severities: tuple[Severity, ...]
    meaning: str


def of_severity(severity: Severity, rows: Mapping[str, str]) -> dict[str, Code]:
    """Codes that have one severity, with their meanings."""
    return {code: Code((severity,), meaning) for code, meaning in rows.items()}
