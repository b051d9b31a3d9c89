"""How long the audit log takes: a record, one that is waited for, and proving a full log."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from signoff.app.approval.approval import approve
from signoff.app.approval.policies.policy_text import built_in
from signoff.app.approval.policies.verdicts import Case
from signoff.app.approval.snapshot import take_snapshot
from signoff.app.calls.call import Call
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.requests import CallName, ToolCall
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool_reading import read_tool
from signoff.app.storage.audit_files import LogLines
from signoff.app.storage.audit_log import AuditLog
from signoff.app.storage.auditing.events import decided
from signoff.app.storage.auditing.verifying import verify
from tests.bench.figures import Figure, Samples

TARGET_SECONDS = 0.002
APPEND = "audit: a decision appended"
DURABLE = "audit: a decision appended and on the disk"
PROBE = "audit: can it be written"
PROVE = "audit: proving 10 MB"


def measure(count: int = 300) -> list[Figure]:
    """Appends with and without waiting for the disk, in turn; then a log of 10 MB is proved."""
    samples = Samples()
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as name:
        log = AuditLog(Path(name) / "audit.jsonl")
        call = _call()
        for _ in range(count):
            _timed(samples, APPEND, lambda: log.append(*decided(call, approve("you"))))
            _timed(
                samples, DURABLE, lambda: log.append(*decided(call, approve("you")), durable=True)
            )
            _timed(samples, PROBE, log.probe)
        while log.path.stat().st_size < 9_990_000:
            log.append(*decided(call, approve("you")))
        for _ in range(3):
            _timed(samples, PROVE, lambda: _prove(log.path))
        log.close()
    target = f"< {TARGET_SECONDS * 1000:g} ms"
    return [
        samples.figure(APPEND, target, _met(samples.median(APPEND))),
        samples.figure(DURABLE, target, _met(samples.median(DURABLE))),
        samples.figure(PROBE),
        samples.figure(PROVE),
    ]


def _call() -> Call:
    tool = read_tool(0, {"name": "delete_file", "inputSchema": {"type": "object"}})
    arguments: dict[str, JsonValue] = {"path": "notes/todo.txt", "password": "hunter2"}
    snapshot = take_snapshot("stdio:demo", ToolCall(tool), arguments)
    verdict = built_in("cautious").judge(Case(tool, Trust.UNTRUSTED))
    return Call(CallName("demo", 1), ToolCall(tool), snapshot, verdict, 0.0)


def _prove(path: Path) -> None:
    with LogLines(path) as lines:
        assert verify(lines).is_intact


def _timed(samples: Samples, name: str, action: object) -> None:
    assert callable(action)
    started = time.perf_counter()
    action()
    samples.add(name, time.perf_counter() - started)


def _met(seconds: float) -> str:
    return "met" if seconds < TARGET_SECONDS else "MISSED"


if __name__ == "__main__":
    for figure in measure():
        print(figure.as_line())
