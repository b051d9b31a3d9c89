"""Approvals and denials of the bundled server, and what other clients get of them: nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.demo.peer import Json, Peer
from tests.tiers import first_quick

RESERVED = "io.modelcontextprotocol"
TASKS, LATE = f"{RESERVED}/tasks", f"{RESERVED}/tool-approval"
DENIALS = f"{RESERVED}/structured-authorization-denials"
ENVELOPE, DISPOSITION = f"{RESERVED}/authorization", f"{RESERVED}/tool-approval-disposition"
LATE_TOOLS = {"transfer_after_approval", "transfer_before_approval", "transfer_although_pending"}
DENYING = {"read_payroll", "open_folder", "read_payroll_elsewhere", "read_payroll_hidden"}
GIVEN = {"to": "Ada", "amount": 500}


def declaring(*names: str, era: Any = "modern") -> Peer:
    env = {"SIGNOFF_DEMO_STEP_SECONDS": "0.01"}
    capabilities: Json = {"extensions": {name: {} for name in names}} if names else {}
    return Peer(era, env, capabilities=capabilities)


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    one = declaring(TASKS, LATE, DENIALS)
    yield one
    assert one.close() == 0


def listed(peer: Peer) -> list[Json]:
    tools: list[Json] = peer.request("tools/list", {}).result["tools"]
    return tools


def ended(peer: Peer, task: Json) -> tuple[list[Json], Json]:
    """The pending statuses of a task, and the last one."""
    pending: list[Json] = []
    for _ in range(1_000):
        found = peer.request("tasks/get", {"taskId": task["taskId"]}).result
        if found["status"] != "working":
            return pending, found
        pending.append(found)
        time.sleep(0.005)
    raise AssertionError(pending[-1])


def transfer(peer: Peer, name: str, amount: int) -> tuple[list[Json], Json]:
    given = {"name": name, "arguments": {"to": "Ada", "amount": amount}}
    task = peer.request("tools/call", given).result
    assert (task["resultType"], task["status"]) == ("task", "working")
    pending, last = ended(peer, task)
    return [task, *pending], last


@pytest.mark.parametrize(
    ("names", "era"),
    first_quick(
        [
            ((), "modern"),
            ((TASKS,), "modern"),
            ((LATE,), "modern"),
            ((TASKS, LATE, DENIALS), "legacy"),
        ],
        several=True,
    ),
)
def test_other_clients_get_nothing_of_it(names: tuple[str, ...], era: str) -> None:
    one, plain = declaring(*names, era=era), declaring(era=era)
    assert listed(one) == listed(plain)
    assert one.greeting == plain.greeting
    for name in ("read_payroll", "transfer_after_approval"):
        given = {"name": name, "arguments": GIVEN}
        first, second = one.request("tools/call", given), plain.request("tools/call", given)
        assert (first.result, first.error) == (second.result, second.error)
    assert (one.close(), plain.close()) == (0, 0)


def test_each_draft_has_tools_of_its_own(peer: Peer) -> None:
    names = {tool["name"] for tool in listed(peer)}
    assert names >= LATE_TOOLS | DENYING
    extensions = peer.greeting["capabilities"]["extensions"]
    assert extensions.keys() >= {TASKS, LATE, DENIALS}
    alone = declaring(DENIALS)
    others = {tool["name"] for tool in listed(alone)}
    assert others >= DENYING
    assert not others & LATE_TOOLS
    assert alone.close() == 0


@pytest.mark.parametrize("name", ["transfer_after_approval", "transfer_before_approval"])
@pytest.mark.parametrize(
    ("amount", "disposition", "is_error"),
    [(500, "approved-executed", False), (5_000, "denied-not-executed", True)],
)
def test_a_task_repeats_its_envelope_until_the_decision(
    peer: Peer, name: str, amount: int, disposition: str, is_error: bool
) -> None:
    pending, last = transfer(peer, name, amount)
    for one in pending:
        assert one["_meta"][ENVELOPE]["remediation"] == "available"
        assert one["_meta"][ENVELOPE]["remediationHints"] == [{"type": "task"}]
    assert last["status"] == "completed"
    assert "_meta" not in last
    result = last["result"]
    assert (result["_meta"][DISPOSITION], result["isError"]) == (disposition, is_error)
    assert (ENVELOPE in result["_meta"]) is is_error


def test_a_cancelled_task_is_not_decided(peer: Peer) -> None:
    given = {"name": "transfer_after_approval", "arguments": GIVEN}
    task = peer.request("tools/call", given).result
    params = {"taskId": task["taskId"]}
    assert peer.request("tasks/cancel", params).result == {"resultType": "complete"}
    assert ended(peer, task)[1]["status"] == "cancelled"


@pytest.mark.parametrize("name", sorted(DENYING - {"open_folder"}))
def test_a_denial_has_an_envelope_on_an_error(peer: Peer, name: str) -> None:
    result = peer.request("tools/call", {"name": name, "arguments": {}}).result
    envelope = result["_meta"][ENVELOPE]
    assert result["isError"] is True
    assert (envelope["reason"], envelope["remediation"]) == (
        "insufficient_authorization",
        "available",
    )
    assert envelope["authorizationContextId"]


def test_wrong_arguments_transfer_nothing(peer: Peer) -> None:
    given = {"name": "transfer_after_approval", "arguments": {"to": 7}}
    assert peer.request("tools/call", given).result["isError"] is True
