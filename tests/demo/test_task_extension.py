"""Calls that the bundled server answers with tasks since 2026-07-28."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.approved import approved
from tests.demo.peer import Json, Peer

PROSE = approved("demo")

EXTENSION = "io.modelcontextprotocol/tasks"
KNOWS: Json = {"elicitation": {"form": {}}, "extensions": {EXTENSION: {}}}


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    one = Peer("modern", {"SIGNOFF_DEMO_STEP_SECONDS": "0.01"}, capabilities=KNOWS)
    yield one
    assert one.close() == 0


def begin(peer: Peer, name: str, /, **arguments: object) -> Json:
    begun = peer.request("tools/call", {"name": name, "arguments": arguments}).result
    assert begun["resultType"] == "task"
    assert begun["status"] == "working"
    assert (begun["ttlMs"], "ttl" in begun, "task" in begun) == (300_000, False, False)
    assert begun["pollIntervalMs"] >= 10
    return begun


def state(peer: Peer, task: Json, status: str) -> Json:
    """What it is, once it has this status."""
    for _ in range(500):
        found = peer.request("tasks/get", {"taskId": task["taskId"]}).result
        assert found["resultType"] == "complete"
        if found["status"] == status:
            return found
        time.sleep(0.02)
    raise AssertionError(found)


def test_the_extension_is_declared(peer: Peer) -> None:
    capabilities = peer.request("server/discover", {}).result["capabilities"]
    assert capabilities["extensions"][EXTENSION] == {}
    assert "tasks" not in capabilities


def test_a_tool_that_fails_completes_its_task(peer: Peer) -> None:
    done = state(peer, begin(peer, "brew_beer"), "completed")
    PROSE.holds("beer: brewed", done["result"]["content"][0]["text"])
    spoilt = state(peer, begin(peer, "brew_beer", spoil=True), "completed")
    assert spoilt["result"]["isError"] is True


def test_what_it_asks_for_stands_in_its_state_until_it_is_given(peer: Peer) -> None:
    task = begin(peer, "paint_a_wall")
    asked = state(peer, task, "input_required")["inputRequests"]
    ((key, request),) = asked.items()
    assert request["method"] == "elicitation/create"
    given: Json = {"action": "accept", "content": {"colour": "white"}}
    for wrong in ({"other": given}, {}):
        params: Json = {"taskId": task["taskId"], "inputResponses": wrong}
        assert peer.request("tasks/update", params).result == {"resultType": "complete"}
    assert state(peer, task, "input_required")["inputRequests"] == asked
    params = {"taskId": task["taskId"], "inputResponses": {key: given}}
    assert peer.request("tasks/update", params).result == {"resultType": "complete"}
    done = state(peer, task, "completed")
    assert "white" in done["result"]["content"][0]["text"]
    assert "inputRequests" not in done


def test_a_cancellation_is_acknowledged_by_nothing_else(peer: Peer) -> None:
    task = begin(peer, "wait_for_ever")
    params = {"taskId": task["taskId"]}
    for _ in range(2):
        assert peer.request("tasks/cancel", params).result == {"resultType": "complete"}
        assert "result" not in state(peer, task, "cancelled")


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
def test_a_task_that_is_not_there_is_no_valid_parameter(peer: Peer, method: str) -> None:
    error = peer.request(method, {"taskId": "none", "inputResponses": {}}).error
    assert error is not None
    assert error["code"] == -32602
