"""The bases of screens: lists of rows with details, and styles that are made once."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Hashable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import ClassVar

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import Input, Static

from signoff.app.content.texts.sheet_line import SheetLine
from signoff.app.tui.base.browser_screen import BrowserDialog, BrowserScreen
from signoff.app.tui.base.screen_mixin import ScreenMixin
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


class _Sized(ScreenMixin, Screen[None]):
    CSS = "_Sized { layers: under over; }"

    def compose(self) -> ComposeResult:
        yield Static("one", markup=False)


async def test_what_changed_before_and_after_a_layout_has_the_height_of_its_last_words() -> None:
    app = App[None]()
    async with app.run_test() as pilot:
        await app.push_screen(_Sized())
        await pilot.pause()
        line = app.screen.query_one(Static)
        line.update("one\ntwo\nthree\nfour")
        # Something else lays the screen out before the line has come that the model may call it.
        app.screen._clear_arrangement_cache()
        app.screen._refresh_layout()
        line.update("one")
        await pilot.pause()
        app.screen._on_timer_update()
        assert line.size.height == 1


async def test_a_screen_has_its_own_styles_and_its_widgets_are_styled_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    styled = Counter[DOMNode]()
    apply = Stylesheet.apply

    def counted(self: Stylesheet, node: DOMNode, **options: object) -> None:
        styled[node] += 1
        apply(self, node, **options)  # type: ignore[arg-type]

    app = App[None]()
    async with app.run_test() as pilot:
        monkeypatch.setattr(Stylesheet, "apply", counted)
        await app.push_screen(_Sized())
        await pilot.pause()
        assert app.screen.styles.layers == ("under", "over")
        assert styled[app.screen.query_one(Static)] == 1


async def test_a_screen_that_comes_back_has_the_theme_that_was_chosen_over_it() -> None:
    app = App[None]()
    async with app.run_test() as pilot:
        await app.push_screen(_Sized())
        await pilot.pause()
        line = app.screen.query_one(Static)
        before = line.styles.scrollbar_color
        await app.push_screen(_Sized())
        app.theme = "textual-light"
        await pilot.pause()
        app.pop_screen()
        await pilot.pause()
        assert line.styles.scrollbar_color != before
