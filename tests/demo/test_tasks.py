"""Calls that run as tasks of 2025-11-25."""

from __future__ import annotations

from typing import Any

import pytest

from tests.approved import approved
from tests.demo.peer import Json, Peer
from tests.demo.talker import Talker, accepting, acting, nothing
from tests.tiers import first_quick

PROSE = approved("demo")

RELATED = "io.modelcontextprotocol/related-task"
EXTENSION = "io.modelcontextprotocol/tasks"
STATUS = "notifications/tasks/status"


def begin(peer: Peer, name: str, /, ttl: int | None = 60_000, **arguments: Any) -> Json:
    """Call a tool as a task; the task."""
    task = {"ttl": ttl} if ttl is not None else {}
    params = {"name": name, "arguments": arguments, "task": task}
    begun: Json = peer.request("tools/call", params).result["task"]
    return begun


def wait_until(talker: Talker, task: Json, status: str) -> Json:
    """Hear of the task until it has this status."""
    while True:
        told = talker.hear(STATUS)
        if (told["taskId"], told["status"]) == (task["taskId"], status):
            return told


def code_of(peer: Peer, method: str, params: Json) -> int:
    error = peer.request(method, params).error
    assert error is not None
    code: int = error["code"]
    return code


def test_the_list_of_tools_says_which_may_and_which_must(legacy: Talker, modern: Talker) -> None:
    tools = legacy.request("tools/list", {}).result["tools"]
    said = {one["name"]: one["execution"]["taskSupport"] for one in tools if "execution" in one}
    assert said == {
        "bake_bread": "optional",
        "brew_beer": "required",
        "paint_a_wall": "required",
        "wait_for_ever": "required",
    }
    later = modern.request("tools/list", {}).result["tools"]
    assert not any("execution" in one for one in later)
    for name in ("brew_beer", "paint_a_wall", "wait_for_ever"):
        error = modern.request("tools/call", {"name": name, "arguments": {}}).error
        assert error is not None
        assert error["code"] == -32021
        assert error["data"]["requiredCapabilities"] == {"extensions": {EXTENSION: {}}}


@pytest.mark.slow
def test_what_may_be_a_task_tells_its_status_or_its_progress(legacy: Talker) -> None:
    usual = legacy.call("bake_bread")
    PROSE.holds("bread: done", usual.text)
    assert [one["message"] for one in usual.progress][-1] == "baking"
    legacy.heard.clear()
    task = begin(legacy, "bake_bread")
    assert task["status"] == "working"
    assert (task["ttl"], task["pollInterval"]) == (60_000, 125)
    done = wait_until(legacy, task, "completed")
    assert done["lastUpdatedAt"] >= done["createdAt"] == task["createdAt"]
    told = [one["params"]["statusMessage"] for one in legacy.heard if one["method"] == STATUS]
    PROSE.holds("bread: steps", "\n".join(told[:2]))
    look = legacy.request("tasks/get", {"taskId": task["taskId"]}).result
    assert (look["status"], look["taskId"]) == ("completed", task["taskId"])
    result = legacy.request("tasks/result", {"taskId": task["taskId"]}).result
    PROSE.holds("bread: done", result["content"][0]["text"])
    assert result["_meta"] == {RELATED: {"taskId": task["taskId"]}}


def test_what_must_be_a_task_is_refused_as_a_usual_call(legacy: Talker) -> None:
    for name in ("brew_beer", "paint_a_wall", "wait_for_ever"):
        params: Json = {"name": name, "arguments": {}}
        assert code_of(legacy, "tools/call", params) == -32601
    usual = {"name": "calculate_sum", "arguments": {"a": 1, "b": 2}, "task": {}}
    assert code_of(legacy, "tools/call", usual) == -32601


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    first_quick(
        [
            ({}, "completed", "is brewed"),
            ({"spoil": True}, "failed", "has turned"),
            ({"spoil": 7}, "failed", "validation error"),
        ],
        several=True,
    ),
)
def test_the_result_waits_for_the_end(
    legacy: Talker, arguments: Json, status: str, words: str
) -> None:
    task = begin(legacy, "brew_beer", **arguments)
    reply = legacy.request("tasks/result", {"taskId": task["taskId"]})
    assert words in reply.text
    assert reply.result.get("isError", False) is (status == "failed")
    assert legacy.request("tasks/get", {"taskId": task["taskId"]}).result["status"] == status


def test_what_a_task_needs_to_know_is_asked_while_its_result_is_waited_for(legacy: Talker) -> None:
    task = begin(legacy, "paint_a_wall")
    wait_until(legacy, task, "input_required")
    legacy.answer = accepting(colour="ochre")
    legacy.asked.clear()
    reply = legacy.request("tasks/result", {"taskId": task["taskId"]})
    PROSE.holds("wall: painted", reply.text)
    ((method, params),) = legacy.asked
    assert method == "elicitation/create"
    assert params["_meta"][RELATED] == {"taskId": task["taskId"]}
    told = [
        one["params"]["status"]
        for one in legacy.heard
        if one["method"] == STATUS and one["params"]["taskId"] == task["taskId"]
    ]
    assert told[-3:] == ["input_required", "working", "completed"]


def test_an_answer_that_is_no_colour_ends_the_task_in_order(legacy: Talker) -> None:
    def refuse(method: str, params: Json) -> Json:
        return {"error": {"code": -1, "message": "No"}}

    for answer, words in ((acting("decline"), "was declined"), (refuse, "error -1: No")):
        task = begin(legacy, "paint_a_wall")
        legacy.answer = answer
        assert words in legacy.request("tasks/result", {"taskId": task["taskId"]}).text
    legacy.answer = nothing


def test_a_task_that_asks_can_be_cancelled_while_it_asks(legacy: Talker) -> None:
    def cancel_meanwhile(method: str, params: Json) -> Json:
        identity = params["_meta"][RELATED]["taskId"]
        legacy.send("tasks/cancel", {"taskId": identity}, progress=False)
        told = legacy.hear(STATUS)
        assert told["status"] == "cancelled"
        return {"action": "accept", "content": {"colour": "white"}}

    task = begin(legacy, "paint_a_wall")
    wait_until(legacy, task, "input_required")
    legacy.answer = cancel_meanwhile
    assert code_of(legacy, "tasks/result", {"taskId": task["taskId"]}) == -32602
    legacy.answer = nothing


def test_what_never_ends_is_listed_and_cancelled(legacy: Talker) -> None:
    task = begin(legacy, "wait_for_ever")
    named = {"taskId": task["taskId"]}
    told = legacy.hear(STATUS)
    while told["statusMessage"] != "waiting, 3":
        told = legacy.hear(STATUS)
    listed = legacy.request("tasks/list", {}).result["tasks"]
    assert listed[0]["taskId"] == task["taskId"]
    cancelled = legacy.request("tasks/cancel", named).result
    assert cancelled["status"] == "cancelled"
    assert code_of(legacy, "tasks/cancel", named) == -32602
    assert code_of(legacy, "tasks/result", named) == -32602
    legacy.heard.clear()
    legacy.call("wait_without_total", seconds=0.4)
    assert not [one for one in legacy.heard if one["method"] == STATUS]


def test_tasks_come_in_pages_newest_first(legacy: Talker) -> None:
    tasks = [begin(legacy, "wait_for_ever")["taskId"] for _ in range(12)]
    first = legacy.request("tasks/list", {}).result
    second = legacy.request("tasks/list", {"cursor": first["nextCursor"]}).result
    seen = [one["taskId"] for page in (first, second) for one in page["tasks"]]
    assert seen[:12] == tasks[::-1]
    assert code_of(legacy, "tasks/list", {"cursor": "nonsense"}) == -32602
    of_another_list = legacy.request("resources/list", {}).result["nextCursor"]
    assert code_of(legacy, "tasks/list", {"cursor": of_another_list}) == -32602
    for task in tasks:
        legacy.request("tasks/cancel", {"taskId": task})


@pytest.mark.slow
def test_a_task_is_forgotten_when_its_time_is_over(legacy: Talker) -> None:
    task = begin(legacy, "wait_for_ever", ttl=1)
    assert task["ttl"] == 1_000, "no task is forgotten sooner"
    legacy.call("wait_without_total", seconds=1.2)
    assert code_of(legacy, "tasks/get", {"taskId": task["taskId"]}) == -32602
    left = legacy.request("tasks/list", {}).result["tasks"]
    assert task["taskId"] not in {one["taskId"] for one in left}


@pytest.mark.slow
def test_the_later_era_has_another_kind_of_task(modern: Talker) -> None:
    for method in ("tasks/result", "tasks/list"):
        assert code_of(modern, method, {"taskId": "x"}) == -32601
    params: Json = {"name": "bake_bread", "arguments": {}, "task": {"ttl": 1_000}}
    PROSE.holds("bread: done", modern.request("tools/call", params).text)
