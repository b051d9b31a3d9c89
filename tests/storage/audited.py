"""Audit logs under test: their records and their verification, and processes that write."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from signoff.app.protocol.findings.findings import Severity
from signoff.app.storage.audit_files import LogLines
from signoff.app.storage.audit_log import AuditLog
from signoff.app.storage.auditing.verifying import Verification, verify

NOTE = Severity.NOTE


def proved(path: Path) -> Verification:
    with LogLines(path) as lines:
        return verify(lines)


def records(path: Path) -> list[dict[str, Any]]:
    with LogLines(path) as lines:
        return [json.loads(line) for line in lines]


def write(log: AuditLog, count: int, **fields: Any) -> None:
    for index in range(count):
        log.append("sent", NOTE, {"index": index, **fields})


def writer(path: Path, count: int, name: str, *options: str) -> subprocess.Popen[str]:
    """A process that writes as soon as it is told to."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.storage.writer", str(path), str(count), name, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def start(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()
