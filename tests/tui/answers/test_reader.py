"""A text in passing and on the whole screen: views, search, wrap, copy, and any size."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from rich.style import Style
from textual.app import App
from textual.content import Content

from signoff.app.content.texts.document import TextDocument
from signoff.app.tui.answers.body import COPY_DOUBTFUL, COPY_MAX
from signoff.app.tui.answers.reader import ReaderScreen
from signoff.app.tui.answers.text_body import TEXT_LIMIT, TEXT_ROWS, TextBody
from signoff.app.tui.text.pager import PagerScreen, PagerSection, plain_lines
from signoff.app.tui.text.reading_screen import ReadingScreen
from signoff.widgets.json_tree.tree import JsonTree
from signoff.widgets.text_view.line_view import LineView
from signoff.widgets.text_view.search_bar import SearchBar
from tests.approved import approved
from tests.tiers import first_quick
from tests.tui.answer_stage import body_stage
from tests.tui.hand import Hand
from tests.widgets.hostile import PAYLOADS, assert_harmless

LOG = "\n".join(f"line {n:04d} says {'WARN' if n % 100 == 42 else 'info'}" for n in range(1_000))


class Stage(Hand):
    @property
    def screen(self) -> ReadingScreen:
        assert isinstance(self.app.screen, ReadingScreen)
        return self.app.screen

    @property
    def lines(self) -> LineView:
        lines = self.screen.lines
        assert lines is not None
        return lines

    def styled(self, name: str) -> list[str]:
        """The pieces in sight that have the background of a match."""
        wanted: Style = self.lines.get_component_rich_style(f"line-view--{name}")
        return [
            text
            for y in range(self.lines.size.height)
            for text, style, _ in self.lines.render_line(y)
            if style is not None and style.bgcolor == wanted.bgcolor
        ]


@asynccontextmanager
async def opened(screen: ReadingScreen, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Stage]:
    app: App[None] = App()
    async with app.run_test(size=size) as pilot:
        await app.push_screen(screen)
        await pilot.pause()
        yield Stage(app, pilot)


def reader(text: str, mime: str = "", **options: Any) -> ReaderScreen:
    return ReaderScreen(TextDocument(text, mime), **options)


async def test_views_in_turn() -> None:
    async with opened(reader('[{"a": "x"}, {"a": "y"}]')) as stage:
        await stage.until(lambda: bool(stage.app.screen.query(JsonTree)))
        await stage.until(lambda: '"x"' in stage.text)
        await stage.press("v")
        await stage.until(lambda: "┃ y" in stage.text)
        await stage.press("v")
        assert '┃     "a": "x"' in stage.text
        await stage.press("v")
        assert '┃ [{"a": "x"}, {"a": "y"}]' in stage.text
        await stage.press("v")
        assert '┃ [{\\"a\\": \\"x\\"}' in stage.text
        await stage.press("v")
        assert isinstance(stage.app.focused, JsonTree)


async def test_a_view_is_picked_by_mouse() -> None:
    async with opened(reader("# Title\n\n**bold**\n", "text/markdown")) as stage:
        await stage.until(lambda: "**" not in stage.text)
        await stage.pilot.click("PaneTabs", offset=(16, 0))
        await stage.pilot.pause()
        assert "┃ **bold**" in stage.text


async def test_search_as_it_is_typed_and_escape_that_ends_it_then_the_screen() -> None:
    async with opened(reader(LOG)) as stage:
        await stage.press("slash", *"warn")
        assert "1 of 10" in stage.text
        assert stage.styled("current") == ["WARN"]
        assert "line 0042" in stage.text
        await stage.press("down")
        assert "2 of 10" in stage.text
        assert "line 0142" in stage.text
        await stage.press("enter", "n")
        assert "3 of 10" in stage.text
        await stage.press("N", "N", "N")
        assert "10 of 10" in stage.text
        assert "line 0942" in stage.text
        await stage.press("slash", "a", "escape")
        assert stage.styled("match") == []
        assert not stage.app.screen.query_one(SearchBar).is_open
        assert stage.app.focused is stage.lines
        await stage.press("escape")
        assert not isinstance(stage.app.screen, ReaderScreen)


async def test_all_places_in_sight_are_marked() -> None:
    async with opened(reader("one two one\nTWO one")) as stage:
        await stage.press("slash", *"one")
        assert stage.styled("current") == ["one"]
        assert stage.styled("match") == ["one", "one"]
        await stage.press("x")
        assert "nothing found" in stage.text
        assert stage.styled("match") == []


@pytest.mark.slow
async def test_search_goes_on_in_another_view() -> None:
    async with opened(reader("# One\n\n**two** `two`\n", "text/markdown")) as stage:
        await stage.until(lambda: "**" not in stage.text)
        await stage.press("slash", *"two", "enter")
        assert "1 of 2" in stage.text
        await stage.press("v")
        assert "┃ **two**" in stage.text
        assert "1 of 2" in stage.text
        assert stage.styled("current") == ["two"]


async def test_search_in_a_tree_shows_lines() -> None:
    async with opened(reader('{"name": "value"}')) as stage:
        await stage.until(lambda: bool(stage.app.screen.query(JsonTree)))
        await stage.press("slash", *"value")
        assert "1 of 1" in stage.text
        assert stage.styled("current") == ["value"]


@pytest.mark.slow
@pytest.mark.parametrize("wrap", [True, False])
async def test_places_across_rows_and_beside_marks(wrap: bool) -> None:
    text = "\x1b\x1b" + "x" * 70 + "needle" + "y" * 300 + "\u202e needle"
    async with opened(reader(text, wrap=wrap), size=(80, 20)) as stage:
        await stage.press("slash", *"needle")
        assert "1 of 2" in stage.text
        assert "".join(stage.styled("current")) == "needle"
        await stage.press("down")
        assert "".join(stage.styled("current")) == "needle"


async def test_first_and_last_row_and_a_wrap_that_keeps_the_place() -> None:
    text = "\n".join(f"{n:03d} " + "x" * 200 for n in range(100))
    async with opened(reader(text)) as stage:
        stage.lines.scroll_to(y=150, animate=False)
        await stage.pilot.pause()
        assert "┃ 050" in stage.text
        await stage.press("w")
        assert "┃ 050" in stage.text.split("\n")[2]
        assert stage.lines.row_count == 100
        await stage.press("w")
        assert "┃ 050" in stage.text.split("\n")[2]
        await stage.press("G")
        assert "┃ 099" in stage.text
        await stage.press("g")
        assert "┃ 000" in stage.text


@pytest.mark.parametrize(
    ("text", "copied", "said"),
    [
        ("a\x1bb", "a\x1bb", "3 characters"),
        ("a\ud800", "a\\ud800", "2 characters"),
        ("x" * COPY_DOUBTFUL + "xx", None, "some terminals ignore"),
        ("x" * (COPY_MAX + 1), "", "Not copied"),
    ],
)
async def test_copy_says_what_and_how_much(text: str, copied: str | None, said: str) -> None:
    async with opened(reader(text)) as stage:
        await stage.press("y")
        assert stage.app.clipboard == (text if copied is None else copied)
        notices = [one.message for one in stage.app._notifications]
        assert any(said in one for one in notices), notices


@pytest.mark.parametrize(
    "mime", first_quick(["", "text/markdown", "text/csv", "text/html", "application/json"], 2)
)
async def test_hostile_text_is_harmless_in_every_view(mime: str) -> None:
    text = "a,b\n" + "".join(f"{payload},{payload}\n" for payload in PAYLOADS)
    screen = reader(text, mime)
    async with opened(screen, size=(80, 60)) as stage:
        for _ in TextDocument(text, mime).views:
            assert_harmless(stage.strips)
            await stage.press("v")
        await stage.app.workers.wait_for_complete()
        await stage.pilot.pause()
        assert_harmless(stage.strips)


async def test_html_is_source_and_what_cannot_be_laid_out_says_why() -> None:
    async with opened(reader("# x\n" * 20_000, "text/markdown")) as stage:
        await stage.until(lambda: "shown as it came" in stage.text)
        assert "┃ # x" in stage.text
    async with opened(reader("{broken", "application/json")) as stage:
        assert "not JSON" in stage.text
    text = "<html><a href='https://evil.example'>x</a></html>"
    async with opened(reader(text)) as stage:
        await stage.app.workers.wait_for_complete()
        await stage.pilot.pause()
        assert f"┃ {text}" in stage.text


async def test_a_table_scrolls_with_its_header() -> None:
    names = ",".join(f"column{n:02d}" for n in range(20))
    text = f"{names}\n" + "".join(",".join([str(n)] * 20) + "\n" for n in range(300))
    async with opened(reader(text, "text/csv")) as stage:
        await stage.until(lambda: stage.lines.row_count == 300)
        await stage.until(lambda: "column00" in stage.text.split("\n")[2])
        await stage.press("G", *["right"] * 15)
        lines = stage.text.split("\n")
        assert "column00" not in lines[2]
        assert "column02" in lines[2]
        assert "299" in lines[-4]


def _many_lines() -> str:
    return (
        "2026-01-01 12:00:00 something happened again and again and again, number 12345\n" * 63_000
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        _many_lines(),
        "x" * 5_000_000,
        json.dumps([{"id": n, "name": "x" * 20} for n in range(90_000)]),
        "\x1b[31mred\u202e\t\r\n" * 60_000,
        "漢字 text\n" * 100_000,
    ],
    ids=["lines", "one line", "json", "hostile", "wide"],
)
async def test_large_texts(text: str) -> None:
    async with opened(reader(text)) as stage:
        assert "┃" in stage.text
        slowest = 0.0
        for _ in range(5):
            start = time.perf_counter()
            stage.lines.action_page_down()
            for y in range(stage.lines.size.height):
                stage.lines.render_line(y)
            slowest = max(slowest, time.perf_counter() - start)
        # A millisecond on an idle machine; what lays out everything takes seconds.
        assert slowest < 1
        await stage.press("slash", *"12345", "escape", "slash", "x", "enter")
        assert stage.lines.row_count > 100 or "one line" in text


@pytest.mark.slow
async def test_the_end_of_a_text_that_is_still_laid_out() -> None:
    text = "\x1b[31mred\u202e\t\n" * 15_000 + "the end"
    async with opened(reader(text)) as stage:
        await stage.press("G")
        await stage.until(lambda: "the end" in stage.text)
        await stage.press("g", "slash", *"the end")
        await stage.until(lambda: "1 of 1" in stage.text)
        assert stage.styled("current") == ["the end"]


@pytest.mark.slow
async def test_the_pager_searches_wraps_and_copies() -> None:
    sections = [
        PagerSection("ours", plain_lines("first line\nsecond line"), is_ours=True),
        PagerSection("theirs", plain_lines("third line " + "x" * 200)),
    ]
    async with opened(PagerScreen(Content("title"), sections)) as stage:
        await stage.press("slash", *"line", "enter")
        assert "1 of 2" in stage.text
        await stage.press("tab")
        assert "1 of 1" in stage.text
        assert stage.styled("current") == ["line"]
        await stage.press("escape", "w")
        assert stage.lines.row_count == 1
        await stage.press("y")
        assert stage.app.clipboard == "third line " + "x" * 200
        await stage.press("q")
        assert not isinstance(stage.app.screen, PagerScreen)


@pytest.mark.slow
async def test_a_search_from_the_tree_is_in_the_lines_and_ends_in_the_tree() -> None:
    async with opened(reader('{"a": {"needle": 1}}')) as stage:
        screen = stage.app.screen
        assert isinstance(screen, ReaderScreen)
        assert screen.view == "tree"
        await stage.press("slash", *"needle", "enter")
        assert screen.view == "rendered"
        await stage.press("escape")
        assert screen.view == "tree"
        assert isinstance(stage.app.focused, JsonTree)
        # Whoever chooses a view in between keeps it.
        await stage.press("slash", *"needle", "enter", "v", "escape")
        assert screen.view == "plain"


TEXTS = approved("tui-answers")


@pytest.mark.parametrize(
    ("text", "mime", "key"),
    [
        ("x", "", "text: one character"),
        ("# x", "text/markdown", "text: Markdown"),
        ("{}", "", "text: JSON"),
        ("x" * 70_000, "", "text: long"),
    ],
)
def test_words(text: str, mime: str, key: str) -> None:
    TEXTS.holds(key, TextBody(text, mime).words)


def test_what_is_copied() -> None:
    body = TextBody("a\ud800", "text/markdown", about="resource  demo://x")
    copied = body.copied()
    assert copied is not None
    assert copied.text == "a\ud800"
    assert copied.what == "the resource, 2 characters"


async def test_views() -> None:
    body = TextBody("# Title\n\n**bold**\n", "text/markdown")
    async with body_stage(body) as stage:
        assert body.view == "rendered"
        await stage.until(lambda: "┃ bold" in stage.text)
        body.show_view("raw")
        await stage.until(lambda: "┃ **bold**\\n" in stage.text)
        body.show_view("plain")
        await stage.until(lambda: "┃ **bold**" in stage.text and "\\n" not in stage.text)
        body.show_view("rendered")
        await stage.until(lambda: "┃ bold" in stage.text)
        body.show_view("no such view")
        assert body.view == "rendered"


async def test_json_is_a_tree_a_table_and_lines() -> None:
    body = TextBody('[{"a": "x"}]')
    async with body_stage(body) as stage:
        assert stage.app.query(JsonTree)
        body.show_view("table")
        await stage.until(lambda: "┃ x" in stage.text)
        assert not stage.app.query(JsonTree)
        body.show_view("rendered")
        await stage.until(lambda: '"a": "x"' in stage.text)


async def test_csv_is_a_table_and_large_json_lines_until_it_was_read() -> None:
    async with body_stage(TextBody("name,n\nabc,1\n", "text/csv")) as stage:
        await stage.until(lambda: "┃ abc" in stage.text and "," not in stage.text)
    large = TextBody(json.dumps([{"n": n, "text": "x" * 100} for n in range(3_000)]))
    async with body_stage(large) as stage:
        assert large.view == "tree"
        await stage.until(lambda: bool(stage.app.query(JsonTree)))


async def test_a_long_text_is_cut() -> None:
    body = TextBody("line of text\n" * 20_000)
    async with body_stage(body) as stage:
        view = stage.app.query_one(LineView)
        assert len(view.plain) <= TEXT_LIMIT
        assert view.size.height <= TEXT_ROWS


async def test_wrap() -> None:
    body = TextBody("x" * 200 + "\nend")
    async with body_stage(body) as stage:
        assert body.toggle_wrap() is False
        await stage.until(lambda: stage.text.split("\n")[1].startswith("┃ end"))
        assert body.toggle_wrap() is True
        await stage.until(lambda: not stage.text.split("\n")[1].startswith("┃ end"))


async def test_all_of_it_opens_in_the_same_view() -> None:
    body = TextBody("# Title\n", "text/markdown")
    async with body_stage(body) as stage:
        body.show_view("raw")
        screen = body.full()
        assert isinstance(screen, ReaderScreen)
        stage.app.push_screen(screen)
        await stage.pilot.pause()
        assert screen.view == "raw"
        assert "┃ # Title\\n" in stage.text


@pytest.mark.parametrize("mime", first_quick(["", "text/markdown", "text/csv", "text/x-python"], 2))
async def test_hostile_text_is_harmless(mime: str) -> None:
    body = TextBody("a,b\n" + "".join(f"{one},{one}\n" for one in PAYLOADS), mime)
    async with body_stage(body) as stage:
        for view in body.views:
            body.show_view(view)
            await stage.pilot.pause()
            assert_harmless(stage.strips)
        await stage.app.workers.wait_for_complete()
        await stage.pilot.pause()
        assert_harmless(stage.strips)


async def test_what_is_refused_is_told() -> None:
    body = TextBody("# x\n" * 20_000, "text/markdown")
    async with body_stage(body) as stage:
        await stage.until(lambda: "not laid out" in stage.text)
        TEXTS.holds("text: Markdown that is not laid out", "\n".join(stage.text.split("\n")[:3]))
