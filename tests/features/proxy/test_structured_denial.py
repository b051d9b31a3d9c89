"""Denials of a proxy in the structured form of SEP-2643, and drafts that it passes on."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.approval import deny
from signoff.app.features.proxy.session import PROTOCOL_ERROR
from signoff.app.protocol.extensions.denials import STRUCTURED_DENIALS, Remediation, read_denial
from signoff.app.protocol.extensions.register import EXTENSIONS
from tests.demo.peer import COMMAND
from tests.features.proxy.stage import DELETE, READ, Person, Stage, proxied, watching
from tests.tiers import first_quick

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes cannot be waited for")
IDENTIFIER = EXTENSIONS[STRUCTURED_DENIALS].identifier
DECLARES: dict[str, Any] = {"extensions": {IDENTIFIER: {}}}
TASKS, LATE = "io.modelcontextprotocol/tasks", "io.modelcontextprotocol/tool-approval"


@contextlib.asynccontextmanager
async def denying(
    tmp_path: Path, capabilities: dict[str, Any], *, is_on: bool = True, **more: Any
) -> AsyncIterator[Stage]:
    """A session of a host with these capabilities, in which a person denies."""
    on = frozenset({STRUCTURED_DENIALS} if is_on else ())
    async with (
        proxied(tmp_path, policy="cautious", experimental=on, **more) as stage,
        watching(Person(deny("you"))),
    ):
        await stage.begin(capabilities=capabilities)
        yield stage


async def test_a_host_that_declares_the_draft_gets_an_envelope(tmp_path: Path) -> None:
    async with denying(tmp_path, DECLARES) as stage:
        stage.call(2, {**READ, "name": "unknown"})
        assert "_meta" not in (await stage.line())["result"]
        stage.call(1, DELETE)
        result = (await stage.line())["result"]
        denial, findings = read_denial(result)
        assert denial is not None
        assert (denial.remediation, findings) == (Remediation.UNDISCLOSED, ())
        assert not denial.hints
        assert result["isError"] is True
        # The text for the model is the same truth: who denied it, and that nothing ran.
        text = result["content"][0]["text"]
        assert "denied by a person" in text
        assert "got nothing" in text
        assert stage.got == []


@pytest.mark.parametrize(
    ("capabilities", "is_on", "more"),
    [
        ({}, True, {}),
        ({"extensions": {"other": {}}}, True, {}),
        (DECLARES, False, {}),
        (DECLARES, True, {"denial": PROTOCOL_ERROR}),
    ],
)
async def test_others_get_what_they_always_got(
    tmp_path: Path, capabilities: dict[str, Any], is_on: bool, more: dict[str, Any]
) -> None:
    async with denying(tmp_path, capabilities, is_on=is_on, **more) as stage:
        stage.call(1, DELETE)
        answer = await stage.line()
        assert set(answer.get("error") or answer["result"]) in (
            *({"code", "message"}, {"content", "isError"}),
        )
        assert ("error" in answer) is bool(more)


@pytest.mark.parametrize("policy", first_quick(["allow-all", ""]))
async def test_denials_and_pending_tasks_pass_through_unchanged(
    tmp_path: Path, policy: str
) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "h", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {
            "extensions": {TASKS: {}, LATE: {}, IDENTIFIER: {}}
        },
    }
    async with proxied(tmp_path, policy=policy, argv=list(COMMAND)) as stage:
        for identity, method in (("d", "server/discover"), ("l", "tools/list")):
            stage.host.send(id=identity, method=method, params={"_meta": meta})
            listed = (await stage.line())["result"]
        assert "read_payroll" in [one["name"] for one in listed["tools"]]
        stage.call(1, {"name": "read_payroll", "arguments": {}, "_meta": meta})
        denial, findings = read_denial((await stage.line())["result"])
        assert denial is not None
        assert (denial.remediation, findings) == (Remediation.AVAILABLE, ())
        given = {"to": "Ada", "amount": 1}
        stage.call(2, {"name": "transfer_after_approval", "arguments": given, "_meta": meta})
        task = (await stage.line())["result"]
        params = {"taskId": task["taskId"], "_meta": meta}
        stage.host.send(id=3, method="tasks/get", params=params)
        for status in (task, (await stage.line())["result"]):
            pending, _ = read_denial(status)
            assert pending is not None
            assert pending.awaits_task
