"""The base of the screens that list rows with details, on rows of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Hashable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import ClassVar

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from signoff.app.content.texts.sheet_line import SheetLine
from signoff.app.tui.base.browser_screen import BrowserDialog, BrowserScreen
from signoff.widgets.key_bar import BarKey
from signoff.widgets.lists.row_list import KeyedList
from signoff.widgets.sheets import SheetView
from tests.tui import regions
from tests.tui.hand import Hand

LINES = 60


class Words(KeyedList[str]):
    def key(self, row: str) -> Hashable:
        return row

    def paint(self, row: str, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        return [Segment(row[:width], base)]


class Full(BrowserScreen[str, str]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter"),
        Binding("escape", "close", "Close"),
        Binding("shift+down", "scroll_detail(1)", "Scroll"),
    ]

    words: tuple[str, ...] = ("one", "two", "three")

    def compose_list(self) -> ComposeResult:
        yield Input(id="filter")
        yield Words()

    def on_mount(self) -> None:
        self.filter_changed("")

    def filter_changed(self, words: str) -> None:
        self.row_list.show([one for one in self.words if words in one])

    def describe(self, row: str | None) -> list[SheetLine]:
        return [SheetLine(((f"{row} {at}", ""),)) for at in range(LINES)] if row else []

    def name_of(self, row: str) -> str:
        return row

    def keys_of(self, row: str) -> Sequence[BarKey]:
        return (BarKey("enter", f"Take {row}"),)

    def choose(self, row: str) -> None:
        self.dismiss(row)


class Boxed(BrowserDialog[str, str], Full):
    pass


@dataclass
class Stage(Hand):
    screen: Full
    results: list[str | None] = field(default_factory=list)

    @property
    def frame(self) -> str:
        return regions.frame(self.screen.query_one("#detail")).replace("\n", " | ")

    async def show(self, *words: str) -> None:
        self.screen.words = words
        self.screen.filter_changed("")
        await self.pilot.pause()


@asynccontextmanager
async def shown(kind: type[Full]) -> AsyncIterator[Stage]:
    app: App[None] = App()
    async with app.run_test() as pilot:
        stage = Stage(app, pilot, kind())
        await app.push_screen(stage.screen, stage.results.append)
        await pilot.pause()
        yield stage


@pytest.mark.parametrize("kind", [Full, Boxed])
async def test_the_details_are_those_of_the_highlighted_row(
    kind: type[Full],
) -> None:
    async with shown(kind) as stage:
        assert stage.screen.current == "one"
        assert "one · " in stage.frame
        assert "enter Take one" in stage.frame
        await stage.press("down")
        assert "two · " in stage.frame
        sheet = stage.screen.query_one(SheetView)
        below = sheet.below
        await stage.press("shift+down")
        assert f"{below - 1} more lines" in stage.frame
        await stage.press("enter")
        assert stage.results == ["two"]


async def test_the_cursor_and_the_details_stay_while_rows_come_and_go() -> None:
    async with shown(Full) as stage:
        screen, sheet = stage.screen, stage.screen.query_one(SheetView)
        await stage.press("down", "shift+down", "shift+down")
        assert sheet.scroll_offset.y == 2
        await stage.show("zero", *screen.words)
        assert screen.current == "two"
        assert sheet.scroll_offset.y == 2
        await stage.show("zero", "one")
        assert "one" in stage.frame
        assert sheet.scroll_offset.y == 0
        await stage.show()
        assert screen.current is None
        assert not stage.frame
        await stage.press("enter")
        assert stage.results == []


@pytest.mark.parametrize("kind", [Full, Boxed])
async def test_escape_leaves_the_filter_before_the_screen(kind: type[Full]) -> None:
    async with shown(kind) as stage:
        field = stage.screen.query_one(Input)
        await stage.press("slash", "t", "h", "down")
        assert stage.screen.row_list.has_focus
        assert stage.screen.row_list.rows == ("three",)
        assert stage.screen.current == "three"
        await stage.press("escape")
        assert not field.value
        assert stage.screen.row_list.rows == stage.screen.words
        assert stage.screen.current == "three"
        await stage.press("slash", "escape")
        assert stage.screen.row_list.has_focus
        assert stage.results == []
        await stage.press("escape")
        assert stage.results == [None]
