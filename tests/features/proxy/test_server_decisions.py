"""Denials and pending approvals of a server that pass through a proxy: what they are shown as."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from signoff.app.calls.call import DENIED_BY_SERVER, Outcome
from signoff.app.features.proxy.watch_words import call_lines
from signoff.app.presentation.calls import facts
from signoff.app.protocol.answers.task_states import AWAITS_APPROVAL
from signoff.app.storage.auditing.rows import row_of
from tests.demo.peer import COMMAND
from tests.features.proxy.stage import (
    Person,
    Stage,
    approved,
    asked,
    events,
    proxied,
    until,
    watching,
)
from tests.tiers import first_quick

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes cannot be waited for")
DENIALS, LATE = "structured-authorization-denials", "tool-approval"
ON = frozenset({DENIALS, LATE})
TASKS = "io.modelcontextprotocol/tasks"
META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "h", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {
        "extensions": {
            TASKS: {},
            "io.modelcontextprotocol/tool-approval": {},
            "io.modelcontextprotocol/structured-authorization-denials": {},
        }
    },
}
POLICIES = first_quick(["cautious", ""])


async def listed(stage: Stage) -> None:
    for identity, method in (("d", "server/discover"), ("l", "tools/list")):
        stage.host.send(id=identity, method=method, params={"_meta": META})
        assert (await stage.line())["id"] == identity


async def transferred(stage: Stage, amount: int) -> dict[str, Any]:
    """The task of a transfer, as the host got it."""
    given = {"to": "Ada", "amount": amount}
    name = "transfer_after_approval"
    stage.call(1, {"name": name, "arguments": given, "_meta": META})
    task: dict[str, Any] = (await stage.line())["result"]
    return task


def rows(proxy: Any, number: int = 1) -> str:
    lines = list(call_lines(proxy, proxy.calls[number]))
    return "\n".join(f"{line.label} {line.plain}" for line in lines)


@pytest.mark.parametrize("policy", POLICIES)
async def test_a_denial_of_the_server_is_shown_as_one(tmp_path: Path, policy: str) -> None:
    async with (
        proxied(tmp_path, policy=policy, argv=list(COMMAND), experimental=ON) as stage,
        watching(Person(approved())) as found,
    ):
        await listed(stage)
        stage.call(1, {"name": "read_payroll", "arguments": {}, "_meta": META})
        assert (await stage.line())["result"]["isError"] is True
        (proxy,) = found.proxies
        await until(lambda: proxy.calls and proxy.calls[1]["is_over"])
        call = proxy.calls[1]
        assert (call["outcome"], call["status"]) == ("tool-error", DENIED_BY_SERVER)
        assert call["denial"]["remediation"] == "available"
        assert "hint, not followed: authorization_remediation" in rows(proxy)
        (kept,) = stage.engine.calls.values()
        assert not kept.is_fine
        assert DENIED_BY_SERVER in [one.words.partition(",")[0] for one in facts(kept)]
    (ended,) = [one for one in events(tmp_path) if one["event"] == "ended"]
    assert ended["denial"]["remediation"] == "available"


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    ("amount", "status", "disposition"),
    first_quick(
        [
            (500, "answered", "approved-executed"),
            (5_000, DENIED_BY_SERVER, "denied-not-executed"),
        ],
        several=True,
    ),
)
async def test_a_pending_approval_is_followed_as_the_host_asks(
    tmp_path: Path, policy: str, amount: int, status: str, disposition: str
) -> None:
    async with (
        proxied(tmp_path, policy=policy, argv=list(COMMAND), experimental=ON) as stage,
        watching(Person(approved())) as found,
    ):
        await listed(stage)
        task = await transferred(stage, amount)
        (proxy,) = found.proxies
        await until(lambda: proxy.calls and proxy.calls[1]["status"] == AWAITS_APPROVAL)
        assert proxy.calls[1]["awaits_server"]
        assert not proxy.calls[1]["is_over"]
        assert proxy.calls[1]["outcome"] == ""
        at = 2
        while True:
            params = {"taskId": task["taskId"], "_meta": META}
            stage.host.send(id=at, method="tasks/get", params=params)
            if (await stage.line())["result"]["status"] == "completed":
                break
            at += 1
        await until(lambda: proxy.calls[1]["is_over"])
        call = proxy.calls[1]
        assert (call["status"], call["disposition"]) == (status, disposition)
        assert not call["awaits_server"]
        # Nothing of Signoff's own is asked about the task.
        stage.host.end()
        await stage.ended()
    ended = [one for one in events(tmp_path) if one["event"] == "ended"]
    assert [one["disposition"] for one in ended] == [disposition]


@pytest.mark.parametrize("policy", POLICIES)
async def test_a_host_that_leaves_ends_a_call_that_waits_and_it_is_no_success(
    tmp_path: Path, policy: str
) -> None:
    async with (
        proxied(tmp_path, policy=policy, argv=list(COMMAND), experimental=ON) as stage,
        watching(Person(approved())) as found,
    ):
        await listed(stage)
        await transferred(stage, 5_000)
        (proxy,) = found.proxies
        await until(lambda: proxy.calls and proxy.calls[1]["status"] == AWAITS_APPROVAL)
        stage.host.end()
        await stage.ended()
        (call,) = stage.engine.calls.values()
        assert call.outcome is Outcome.TASK_STARTED
        assert call.status == AWAITS_APPROVAL
        assert not call.is_fine
        assert call.task is not None
        assert call.task.as_json()["awaits_approval"]
    records = events(tmp_path)
    (ended,) = [one for one in records if one["event"] == "ended"]
    assert (ended["outcome"], ended["awaits_server"]) == ("task-started", True)
    row = row_of(ended)
    assert AWAITS_APPROVAL in str(row)


async def test_without_the_drafts_nothing_of_them_is_read(tmp_path: Path) -> None:
    async with (
        proxied(tmp_path, policy="allow-all", argv=list(COMMAND)) as stage,
        watching() as found,
    ):
        await listed(stage)
        await transferred(stage, 500)
        (proxy,) = found.proxies
        await until(lambda: proxy.calls and proxy.calls[1]["is_over"])
        call = proxy.calls[1]
        assert (call["outcome"], call["denial"]) == ("task-started", None)


async def test_a_call_that_the_host_makes_again_after_a_denial_asks_under_every_policy(
    tmp_path: Path,
) -> None:
    person = Person(approved())
    async with (
        proxied(tmp_path, policy="allow-all", argv=list(COMMAND), experimental=ON) as stage,
        watching(person),
    ):
        await listed(stage)
        for identity in (1, 2):
            stage.call(identity, {"name": "read_payroll", "arguments": {}, "_meta": META})
            assert (await stage.line())["id"] == identity
        assert len(person.asked) == 1
        assert "which the host makes again" in asked(person).verdict.reasons[0]
