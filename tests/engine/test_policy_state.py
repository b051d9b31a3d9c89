"""The audit log of a session ends with its end, whatever a thread still compares."""

from __future__ import annotations

import json
from pathlib import Path

from signoff.app.engine.memory import Memory
from signoff.app.engine.policy_state import AuditWriter, PolicyCallbacks, PolicyState
from signoff.app.protocol.server import Server, Trust
from signoff.app.protocol.tool_reading import read_tools
from signoff.app.storage.audit_log import AuditLog


def test_a_list_that_is_compared_too_late_is_not_logged(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    server = Server("one", "run one", "stdio:one", Trust.UNTRUSTED)
    state = PolicyState(Memory("stdio:one", "one"), AuditWriter(AuditLog(file), "session"))
    state.attach(PolicyCallbacks(lambda: server, lambda: None, lambda finding: None))
    tools = read_tools([{"name": "a", "inputSchema": {"type": "object"}}])
    state.compare(tools)
    state.close(0)
    state.compare(tools)
    events = [json.loads(line)["event"] for line in file.read_text().splitlines()]
    assert events[1:] == ["listed", "closed"]
