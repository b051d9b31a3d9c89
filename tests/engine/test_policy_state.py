"""The audit log of a session ends with its end, whatever a thread still compares."""

from __future__ import annotations

import json
from pathlib import Path

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.memory import Memory
from signoff.app.engine.policy_state import AuditWriter, PolicyCallbacks, PolicyState
from signoff.app.protocol.definitions.changes import ListDiff
from signoff.app.protocol.server import Server, Trust
from signoff.app.protocol.tool_reading import read_tools
from signoff.app.storage.audit_log import AuditLog
from signoff.app.storage.auditing.rows import row_of


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


def test_who_accepted_which_changes_and_when_is_in_the_log(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    server = Server("one", "run one", "stdio:one", Trust.UNTRUSTED)
    state = PolicyState(Memory("stdio:one", "one"), AuditWriter(AuditLog(file), "session"))
    state.attach(PolicyCallbacks(lambda: server, lambda: None, lambda finding: None))
    listed: list[JsonValue] = [{"name": "a", "inputSchema": {"type": "object"}}]
    state.compare(read_tools(listed))
    state.compare(
        read_tools(
            [{**entry, "description": "New."} for entry in listed if isinstance(entry, dict)]
        )
    )
    stale = ListDiff()
    assert not state.accept_changes(stale)
    shown = state.memory.pending
    assert state.accept_changes(shown)
    # Nothing is left to accept, and nothing is recorded for it.
    assert state.accept_changes(state.memory.pending)
    records = [json.loads(line) for line in file.read_text().splitlines()]
    (accepted,) = [one for one in records if one["event"] == "changes-accepted"]
    (change,) = accepted["changed"]
    assert (change["tool"], change["new"]) == ("a", shown.changed[0].new_digest)
    assert accepted["by"] == "you"
    assert accepted["ts"]
    row = row_of(accepted)
    assert (row.server, row.words) == ("one", "1 changed, by you")
