"""What comes first at the start: the list of tools, and then the other panes."""

from __future__ import annotations

import threading

import pytest

from signoff.app.screens import bench_screen
from signoff.app.screens.workplace import Workplace
from tests.screens.bench_stage import bench_stage

import_the_rest = bench_screen._import_the_rest


async def test_a_list_that_comes_while_the_rest_is_imported_is_shown_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slowly() -> None:
        begun.set()
        assert go_on.wait(50)
        import_the_rest()

    monkeypatch.setattr(bench_screen, "_import_the_rest", slowly)
    monkeypatch.setattr(bench_screen, "LIST_PATIENCE", 0.0)
    async with bench_stage("--start-delay", "0.5", is_listed=False) as stage:
        try:
            await stage.until(begun.is_set, "the import of the rest")
            await stage.sees("Tools ", "echo")
        finally:
            go_on.set()
        place = stage.app.screen.query_one(Workplace)
        await stage.until(lambda: place.is_complete, "the other panes")


async def test_the_other_panes_wait_for_a_list_that_comes_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    was_listed = []
    monkeypatch.setattr(
        bench_screen, "_import_the_rest", lambda: was_listed.append(stage.bench.is_listed)
    )
    monkeypatch.setattr(bench_screen, "LIST_PATIENCE", 50.0)
    async with bench_stage("--start-delay", "0.2", is_listed=False) as stage:
        await stage.until(lambda: stage.app.screen.query(Workplace), "the list's place")
        place = stage.app.screen.query_one(Workplace)
        await stage.until(lambda: place.is_complete, "the other panes")
        assert was_listed == [True]


async def test_a_list_that_does_not_come_holds_nothing_up() -> None:
    async with bench_stage("--list-never", is_listed=False) as stage:
        await stage.until(lambda: stage.app.screen.query(Workplace), "the list's place")
        place = stage.app.screen.query_one(Workplace)
        await stage.until(lambda: place.is_complete, "the other panes")
