"""The tasks that a server keeps: listed over the bench, opened and cancelled there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from signoff.app.calls.call import Outcome
from signoff.app.engine.task_list import TaskBook, TaskListing
from signoff.app.features.resources import tasks_screen
from signoff.app.features.resources.tasks_screen import TasksScreen
from signoff.app.protocol.server import Trust
from signoff.app.tui.text.pager import PagerScreen
from tests.approved import approved
from tests.engine.bundled import bundled, served_over_http
from tests.engine.opened import Opened, opened
from tests.tui.bench_stage import NARROW, WIDE, bench_stage
from tests.tui.screen_stage import ScreenStage, screen_stage

PROSE = approved("tui-browse")

LEGACY = "legacy"


@asynccontextmanager
async def beside(size: tuple[int, int] = WIDE) -> AsyncIterator[tuple[ScreenStage, Opened]]:
    """A session without a screen as yet, and another client of the same server."""
    with served_over_http() as url:
        async with (
            opened(url=url, protocol=LEGACY, trust=Trust.TRUSTED) as other,
            opened(url=url, protocol=LEGACY, trust=Trust.TRUSTED) as it,
            screen_stage(it.engine, size=size) as stage,
        ):
            yield stage, other


@asynccontextmanager
async def waiting() -> AsyncIterator[tuple[ScreenStage, int]]:
    """A session with a task of its own that never ends; the id of its call."""
    async with bundled(LEGACY) as it, screen_stage(it.engine) as stage:
        call_id = it.begin("wait_for_ever")
        await it.watch.call(call_id, lambda call: call.status == "working")
        yield stage, call_id


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_tasks_of_others_are_shown_opened_and_cancelled_after_a_second_press(
    size: tuple[int, int],
) -> None:
    async with beside(size) as (stage, other):
        brewed = await other.call("brew_beer")
        begun = other.begin("wait_for_ever")
        await other.watch.call(begun, lambda call: call.status == "working")
        await stage.opens(TasksScreen(stage.engine))
        await stage.sees("2 tasks of", "working", "left")
        PROSE.holds("tasks: of another session", stage.frame("#detail"))
        assert brewed.task is not None
        await stage.press("enter")
        await stage.until(lambda: stage.notices, "the words on it")
        PROSE.holds("tasks notice: no result", stage.notices)
        stage.app.clear_notifications()
        await stage.press("x")
        await stage.until(lambda: stage.notices, "the words on it")
        PROSE.holds("tasks notice: first press", stage.notices)
        assert not other.engine.calls[begun].is_over
        await stage.press("down", "up", "x")
        assert not other.engine.calls[begun].is_over
        await stage.press("x")
        call = await other.ended(begun)
        assert call.task is not None
        assert call.task.status == "cancelled"
        await stage.sees("cancelled")
        await stage.press("end")
        await stage.sees(brewed.task.id, "completed")
        await stage.press("enter")
        await stage.is_open(PagerScreen)
        await stage.sees("beer", "raw result")
        await stage.press("escape", "escape")
        await stage.is_back()


@pytest.mark.slow
async def test_an_own_task_outlives_its_view_and_is_cancelled_at_once() -> None:
    async with bench_stage(is_demo=True, protocol=LEGACY) as stage:
        tool = stage.tool("wait_for_ever")
        call_id = stage.engine.call(tool, {})
        await stage.until(lambda: stage.engine.calls[call_id].status == "working", "the task")

        async def enter() -> None:
            await stage.press("K")
            await stage.is_open(TasksScreen)
            await stage.sees("call 1", "waiting, ")

        for _ in range(2):
            await enter()
            await stage.press("escape")
            assert not stage.engine.calls[call_id].is_over
        await enter()
        await stage.press("enter")
        await stage.is_open(PagerScreen)
        await stage.sees("steps", "· call 1")
        await stage.press("escape", "x")
        call = await stage.engine.ended(call_id)
        assert call.outcome is Outcome.CANCELLED
        await stage.sees("cancelled")


@pytest.mark.slow
async def test_a_slow_server_is_not_asked_again_and_a_lost_one_once_it_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = TaskBook.list

    async def slow(book: TaskBook) -> TaskListing:
        await asyncio.sleep(0.3)
        return await real(book)

    monkeypatch.setattr(TaskBook, "list", slow)
    monkeypatch.setattr(tasks_screen, "LOOK_SECONDS", 0.05)
    async with waiting() as (stage, call_id):
        await stage.opens(TasksScreen(stage.engine))
        await stage.sees("call 1", "waiting, ")
        stage.engine.cancel(call_id)
        await stage.sees("cancelled")
        await stage.press("escape")
        await stage.is_back()
        stage.engine.link.kill()
        await stage.until(lambda: stage.engine.can_reconnect, "the end of the server")
        await stage.opens(TasksScreen(stage.engine))
        assert "not connected" in stage.whole("#head")
        screen = stage.screen
        assert isinstance(screen, TasksScreen)
        await stage.until(lambda: screen._listing is not None, "what was asked for")
        await stage.engine.reconnect()
        await stage.until(lambda: screen._listing and not screen._listing.is_lost, "the list")


@pytest.mark.slow
async def test_the_key_does_nothing_where_there_are_none() -> None:
    async with bench_stage("--era", LEGACY) as stage:
        await stage.press("K")
        await stage.pilot.pause()
        assert not isinstance(stage.app.screen, TasksScreen)
