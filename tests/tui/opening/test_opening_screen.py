"""The start screen: rows come, are filtered and opened; nothing is started by looking."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, Static

from signoff.app.presentation.openings import BUILT_IN, Opening, Section
from signoff.app.storage.settings.values import Settings
from signoff.app.tui.opening import opening_screen
from signoff.app.tui.opening.opening_screen import OpeningList, OpeningScreen
from signoff.app.tui.serverless_app import ServerlessApp
from tests.approved import approved

PROSE = approved("starts")
GIT = Opening("recent 00", "git", "uvx mcp-server-git", "2 h ago, closed", words=("--", "uvx"))
API = Opening("/a.json 0", "api", "https://a.example", words=("--config", "/a.json"))
LOST = Opening("/a.json 1", "lost", "", "no command", problem="it has neither command nor url")
FOUND = (Section("Recent", (GIT,)), Section("Cursor  ~/.cursor/mcp.json", (API, LOST)), BUILT_IN)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening_screen, "QUIET_SECONDS", 0.0)


@asynccontextmanager
async def opened(
    load: Callable[[], Sequence[Section]] = lambda: FOUND,
    size: tuple[int, int] = (80, 24),
    **given: object,
) -> AsyncIterator[tuple[ServerlessApp, OpeningScreen, Pilot[None]]]:
    screen = OpeningScreen(load, **given)  # type: ignore[arg-type]
    app = ServerlessApp(screen, Settings(), "dark")
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, screen, pilot


async def to_rows(screen: OpeningScreen, pilot: Pilot[None], count: int) -> None:
    while len(screen.query_one(OpeningList).rows) != count:
        await pilot.pause(0.01)


def row(screen: OpeningScreen) -> Opening | None:
    return screen.query_one(OpeningList).highlighted


def about(screen: OpeningScreen) -> str:
    return str(screen.query_one("#about", Static).content)


async def test_the_screen_is_there_before_the_files_are_read() -> None:
    go = threading.Event()

    def load() -> Sequence[Section]:
        go.wait(30)
        return FOUND

    async with opened(load) as (_, screen, pilot):
        assert [one.key for one in screen.query_one(OpeningList).rows] == ["tour", "demo"]
        PROSE.holds("looking for files", about(screen))
        go.set()
        await to_rows(screen, pilot, 5)
        assert row(screen) == GIT


async def test_a_choice_before_the_files_are_read_stays() -> None:
    go = threading.Event()

    def load() -> Sequence[Section]:
        go.wait(30)
        return FOUND

    async with opened(load) as (_, screen, pilot):
        await pilot.press("down")
        go.set()
        await to_rows(screen, pilot, 5)
        chosen = row(screen)
        assert chosen is not None
        assert chosen.key == "demo"


async def test_enter_opens_the_row_and_down_moves_over_headings() -> None:
    async with opened() as (app, screen, pilot):
        await to_rows(screen, pilot, 5)
        await pilot.press("down")
        assert row(screen) == API
        await pilot.press("enter")
        await pilot.pause()
    assert app.chosen == API


async def test_a_key_that_was_typed_ahead_opens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening_screen, "QUIET_SECONDS", 3_600.0)
    async with opened() as (app, screen, pilot):
        await pilot.press("enter")
        await to_rows(screen, pilot, 5)
        await pilot.press("enter")
        await pilot.pause()
        assert app.chosen is None
        assert app.screen is screen


async def test_a_row_that_cannot_be_opened_says_why() -> None:
    async with opened() as (app, screen, pilot):
        await to_rows(screen, pilot, 5)
        await pilot.press("down", "down", "enter")
        await pilot.pause()
        assert app.chosen is None
        PROSE.holds("a row that cannot be opened", about(screen))
        await pilot.press("up")
        await pilot.pause()
        assert "neither" not in about(screen)


async def test_typed_words_filter_and_a_command_comes_first() -> None:
    async with opened() as (app, screen, pilot):
        await to_rows(screen, pilot, 5)
        screen.query_one(Input).value = "server-git"
        await to_rows(screen, pilot, 1)
        assert row(screen) == GIT
        await pilot.press("escape")
        await to_rows(screen, pilot, 5)
        screen.query_one(Input).value = "sh -c x"
        await to_rows(screen, pilot, 1)
        await pilot.press("enter")
        await pilot.pause()
    assert app.chosen.words == ("--", "sh", "-c", "x")


async def test_words_of_no_program_come_after_the_rows_that_match() -> None:
    async with opened() as (_, screen, pilot):
        await to_rows(screen, pilot, 5)
        screen.query_one(Input).value = "mcp-server uvx"
        await to_rows(screen, pilot, 2)
        assert row(screen) == GIT


async def test_json_of_several_lines_is_pasted_whole() -> None:
    text = '{\n  "mcpServers": {\n    "a": {"command": "run-a"}\n  }\n}'
    async with opened() as (app, screen, pilot):
        await to_rows(screen, pilot, 5)
        screen.query_one(Input).post_message(events.Paste(text))
        await to_rows(screen, pilot, 1)
        await pilot.press("enter")
        await pilot.pause()
    assert app.chosen.words == ("--server=a",)
    assert "run-a" in app.chosen.pasted


@pytest.mark.parametrize("keys", [("escape",), ("g", "escape", "escape"), ("ctrl+q",)])
async def test_leaving_opens_nothing(keys: tuple[str, ...]) -> None:
    async with opened() as (app, screen, pilot):
        await to_rows(screen, pilot, 5)
        await pilot.press(*keys)
        await pilot.pause()
        assert not app.is_running or app._exit
    assert app.chosen is None


async def test_a_recent_server_is_forgotten_and_no_other_can_be() -> None:
    forgotten: list[Opening] = []
    async with opened(forget=forgotten.append) as (_, screen, pilot):
        await to_rows(screen, pilot, 5)
        await pilot.press("f8")
        await to_rows(screen, pilot, 4)
        await pilot.press("f8")
        await pilot.pause()
    assert forgotten == [GIT]


async def test_what_went_wrong_before_is_shown_until_a_key() -> None:
    async with opened(failed="git was not started") as (_, screen, pilot):
        await to_rows(screen, pilot, 5)
        assert about(screen) == "git was not started"
        await pilot.press("down")
        await pilot.pause()
        assert about(screen) != "git was not started"


async def test_every_row_is_in_sight_or_reached() -> None:
    async with opened(size=(40, 10)) as (_, screen, pilot):
        await to_rows(screen, pilot, 5)
        await pilot.press(*["down"] * 10)
        await pilot.pause()
        last = row(screen)
        assert last is not None
        assert last.key == "demo"
