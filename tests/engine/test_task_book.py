"""The tasks that a server keeps: listed, opened and cancelled, whoever began them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from signoff.app.calls.call import Outcome
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.task_list import KnownTask, TaskBook
from signoff.app.protocol.answers.task_states import GET_TASK, LIST_TASKS
from signoff.app.protocol.rpc import RpcError
from signoff.app.protocol.server import Trust
from signoff.app.transport.events import Answered, ConnectionClosed, NoResponse
from tests.engine.bundled import BREWED, bundled, served_over_http
from tests.engine.opened import Opened, opened


@asynccontextmanager
async def two() -> AsyncIterator[tuple[Opened, Opened]]:
    """Two sessions on one server, which keeps the tasks of both."""
    with served_over_http() as url:
        async with (
            opened(url=url, protocol="legacy", trust=Trust.TRUSTED) as one,
            opened(url=url, protocol="legacy", trust=Trust.TRUSTED) as other,
        ):
            yield one, other


async def listed(one: Opened) -> tuple[KnownTask, ...]:
    listing = await TaskBook(one.engine).list()
    assert not listing.is_lost
    assert not listing.findings
    return listing.tasks


@pytest.mark.slow
async def test_tasks_are_listed_whoever_began_them() -> None:
    async with two() as (one, other):
        brewed = await one.call("brew_beer")
        waiting = one.begin("wait_for_ever")
        await one.watch.call(waiting, lambda call: call.status == "working")
        mine = await listed(one)
        assert [(task.state.status, task.about) for task in mine] == [
            ("working", "wait_for_ever · call 2"),
            ("completed", "brew_beer · call 1"),
        ]
        theirs = await listed(other)
        assert [task.state.id for task in theirs] == [task.state.id for task in mine]
        assert len({task.about for task in theirs}) == 1
        working, ended = theirs
        for task in theirs:
            assert task.state.created.startswith("20")
            assert task.state.ttl == 600_000
            left = task.state.left((task.state.created_at or 0) + 100)
            assert left == 500
        book = TaskBook(other.engine)
        result = await book.result(ended)
        assert isinstance(result, dict)
        assert result["content"] == [{"type": "text", "text": BREWED}]
        assert await book.cancel(working) == ""
        call = await one.ended(waiting)
        assert (call.outcome, "cancelled the task" in call.reason) == (Outcome.SERVER_FAILED, True)
        assert "ended already" in await book.cancel((await listed(other))[0])
        assert brewed.outcome is Outcome.OK


@pytest.mark.slow
async def test_all_pages_are_asked_for() -> None:
    async with two() as (one, other):
        ids = [one.begin("brew_beer") for _ in range(23)]
        for each in ids:
            await one.ended(each)
        assert len(await listed(other)) == 23
        assert {task.call.id for task in await listed(one) if task.call} == set(ids)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (RpcError(-32602, "there is none"), "there is none (code -32602)"),
        (NoResponse(), "no response in time"),
        (ConnectionClosed(), "the connection was lost"),
        ({"taskId": "another", "status": "working"}, "cannot be read"),
    ],
)
async def test_what_is_not_listed_is_asked_for_by_itself(
    answer: Answered, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bundled() as one:
        await one.call("brew_beer")

        async def odd(
            method: str, params: dict[str, JsonValue], seconds: float | None = 30
        ) -> Answered:
            odd_entries: list[JsonValue] = [None, {"taskId": 1}, {"taskId": "x", "status": "no"}]
            if method == LIST_TASKS:
                return {"tasks": odd_entries}
            assert method == GET_TASK
            return answer

        monkeypatch.setattr(one.engine.link, "ask", odd)
        listing = await TaskBook(one.engine).list()
        (task,) = listing.tasks
        assert words in task.problem
        assert task.state.status == "completed"
        assert [one.code for one in listing.findings] == ["malformed-task"] * 3


async def test_a_list_that_fails_says_so_and_a_server_without_tasks_lists_none() -> None:
    async with opened("--with", "all", "--era", "legacy") as one:
        book = TaskBook(one.engine)
        assert not book.has_any
        assert (await book.list()).tasks == ()
    async with bundled() as one:
        call_id = one.begin("wait_for_ever")
        await one.watch.call(call_id, lambda call: call.status == "working")
        # A running call of this session is cancelled as a call.
        (task,) = await listed(one)
        assert await TaskBook(one.engine).cancel(task) == ""
        assert (await one.ended(call_id)).outcome is Outcome.CANCELLED
        one.engine.link.kill()
        await one.watch.until(lambda: not one.engine.server.is_open)
        assert (await TaskBook(one.engine).list()).is_lost


@pytest.mark.slow
async def test_the_newest_task_is_the_first_however_the_server_lists_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    times = {"old": "2026-01-01T08:00:00Z", "none": None, "new": "2026-01-01T10:00:00+01:00"}

    async def in_no_order(
        method: str, params: dict[str, JsonValue], seconds: float | None = 30
    ) -> Answered:
        entries: list[JsonValue] = [
            {"taskId": name, "status": "working", "createdAt": time} for name, time in times.items()
        ]
        return {"tasks": entries}

    async with bundled() as one:
        monkeypatch.setattr(one.engine.link, "ask", in_no_order)
        listing = await TaskBook(one.engine).list()
    assert [task.state.id for task in listing.tasks] == ["new", "old", "none"]
