"""The start screen: rows come, are filtered and opened; nothing is started by looking."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import pytest
from textual import events
from textual.widgets import Input, Static

from signoff.app.presentation.openings import BUILT_IN, Opening, Section
from signoff.app.storage.settings.values import Settings
from signoff.app.tui.opening import opening_screen
from signoff.app.tui.opening.opening_screen import OpeningList, OpeningScreen
from signoff.app.tui.serverless_app import ServerlessApp
from tests.approved import approved
from tests.tui.hand import Hand

PROSE = approved("starts")
GIT = Opening("recent 00", "git", "uvx mcp-server-git", "2 h ago, closed", words=("--", "uvx"))
API = Opening("/a.json 0", "api", "https://a.example", words=("--config", "/a.json"))
LOST = Opening("/a.json 1", "lost", "", "no command", problem="it has neither command nor url")
FOUND = (Section("Recent", (GIT,)), Section("Cursor  ~/.cursor/mcp.json", (API, LOST)), BUILT_IN)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening_screen, "QUIET_SECONDS", 0.0)


class Opened(Hand):
    app: ServerlessApp
    screen: OpeningScreen

    @property
    def row(self) -> Opening | None:
        return self.screen.query_one(OpeningList).highlighted

    @property
    def about(self) -> str:
        return str(self.screen.query_one("#about", Static).content)

    async def to_rows(self, count: int) -> None:
        rows = self.screen.query_one(OpeningList)
        await self.until(lambda: len(rows.rows) == count, f"{count} rows")

    async def filter(self, words: str, count: int) -> None:
        self.screen.query_one(Input).value = words
        await self.to_rows(count)


@asynccontextmanager
async def opened(
    load: Callable[[], Sequence[Section]] = lambda: FOUND,
    size: tuple[int, int] = (80, 24),
    rows: int = 5,
    **given: object,
) -> AsyncIterator[Opened]:
    """The start screen, once it has so many rows."""
    screen = OpeningScreen(load, **given)  # type: ignore[arg-type]
    app = ServerlessApp(screen, Settings(), "dark")
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        at = Opened(app, pilot)
        at.screen = screen
        await at.to_rows(rows)
        yield at


async def test_the_screen_is_there_before_the_files_are_read_and_a_choice_stays() -> None:
    go = threading.Event()

    def load() -> Sequence[Section]:
        go.wait(30)
        return FOUND

    async with opened(load, rows=2) as at:
        assert [one.key for one in at.screen.query_one(OpeningList).rows] == ["tour", "demo"]
        PROSE.holds("looking for files", at.about)
        await at.press("down")
        go.set()
        await at.to_rows(5)
        assert at.row is not None
        assert at.row.key == "demo"


async def test_enter_opens_the_row_and_down_moves_over_headings() -> None:
    async with opened() as at:
        assert at.row == GIT
        await at.press("down")
        assert at.row == API
        await at.press("enter")
    assert at.app.chosen == API


async def test_a_key_that_was_typed_ahead_opens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening_screen, "QUIET_SECONDS", 3_600.0)
    async with opened() as at:
        await at.press("enter")
        assert at.app.chosen is None
        assert at.app.screen is at.screen


async def test_a_row_that_cannot_be_opened_and_what_went_wrong_before_say_why() -> None:
    async with opened(failed="git was not started") as at:
        assert at.about == "git was not started"
        await at.press("down")
        assert at.about != "git was not started"
        await at.press("down", "enter")
        assert at.app.chosen is None
        PROSE.holds("a row that cannot be opened", at.about)
        await at.press("up")
        assert "neither" not in at.about


async def test_typed_words_filter_and_a_command_comes_first() -> None:
    async with opened() as at:
        await at.filter("server-git", 1)
        assert at.row == GIT
        # Words that name no program come after the rows that match.
        await at.filter("mcp-server uvx", 2)
        assert at.row == GIT
        await at.press("escape")
        await at.to_rows(5)
        await at.filter("sh -c x", 1)
        await at.press("enter")
    assert at.app.chosen.words == ("--", "sh", "-c", "x")


async def test_json_of_several_lines_is_pasted_whole() -> None:
    text = '{\n  "mcpServers": {\n    "a": {"command": "run-a"}\n  }\n}'
    async with opened() as at:
        at.screen.query_one(Input).post_message(events.Paste(text))
        await at.to_rows(1)
        await at.press("enter")
    assert at.app.chosen.words == ("--server=a",)
    assert "run-a" in at.app.chosen.pasted


@pytest.mark.parametrize("keys", ["escape", "g escape escape", "ctrl+q"])
async def test_leaving_opens_nothing(keys: str) -> None:
    async with opened() as at:
        await at.pilot.press(*keys.split())
        await at.pilot.pause()
        assert not at.app.is_running or at.app._exit
    assert at.app.chosen is None


async def test_a_recent_server_is_forgotten_and_no_other_can_be() -> None:
    forgotten: list[Opening] = []
    async with opened(forget=forgotten.append) as at:
        await at.press("f8")
        await at.to_rows(4)
        await at.press("f8")
    assert forgotten == [GIT]


async def test_every_row_is_in_sight_or_reached() -> None:
    async with opened(size=(40, 10)) as at:
        await at.press(*["down"] * 10)
        assert at.row is not None
        assert at.row.key == "demo"
