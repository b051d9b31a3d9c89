"""A text in passing: its beginning, its words, what is copied and opened."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.pilot import Pilot
from textual.strip import Strip

from signoff.app.tui.answers.reader import ReaderScreen
from signoff.app.tui.answers.text_body import TEXT_LIMIT, TEXT_ROWS, TextBody
from signoff.widgets.json_tree.tree import JsonTree
from signoff.widgets.text_view.line_view import LineView
from tests.approved import approved
from tests.tiers import first_quick
from tests.widgets.hostile import PAYLOADS, assert_harmless

TEXTS = approved("tui-answers")


class BodyApp(App[None]):
    def __init__(self, body: TextBody) -> None:
        super().__init__()
        self.body = body

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield self.body

    def strips(self) -> list[Strip]:
        compositor: Any = self.screen._compositor
        return list(compositor.render_strips())

    @property
    def text(self) -> str:
        return "\n".join(strip.text.rstrip() for strip in self.strips())


@asynccontextmanager
async def shown(body: TextBody) -> AsyncIterator[tuple[BodyApp, Pilot[None]]]:
    app = BodyApp(body)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        yield app, pilot


async def until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await pilot.pause(0.01)


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
    async with shown(body) as (app, pilot):
        assert body.view == "rendered"
        await until(pilot, lambda: "┃ bold" in app.text)
        body.show_view("raw")
        await until(pilot, lambda: "┃ **bold**\\n" in app.text)
        body.show_view("plain")
        await until(pilot, lambda: "┃ **bold**" in app.text and "\\n" not in app.text)
        body.show_view("rendered")
        await until(pilot, lambda: "┃ bold" in app.text)
        body.show_view("no such view")
        assert body.view == "rendered"


async def test_json_is_a_tree_a_table_and_lines() -> None:
    body = TextBody('[{"a": "x"}]')
    async with shown(body) as (app, pilot):
        assert app.query(JsonTree)
        body.show_view("table")
        await until(pilot, lambda: "┃ x" in app.text)
        assert not app.query(JsonTree)
        body.show_view("rendered")
        await until(pilot, lambda: '"a": "x"' in app.text)


async def test_large_json_is_lines_until_it_was_read() -> None:
    body = TextBody(json.dumps([{"n": n, "text": "x" * 100} for n in range(3_000)]))
    async with shown(body) as (app, pilot):
        assert body.view == "tree"
        await until(pilot, lambda: bool(app.query(JsonTree)))


async def test_csv_is_a_table() -> None:
    body = TextBody("name,n\nabc,1\n", "text/csv")
    async with shown(body) as (app, pilot):
        await until(pilot, lambda: "┃ abc" in app.text and "," not in app.text)


async def test_a_long_text_is_cut() -> None:
    body = TextBody("line of text\n" * 20_000)
    async with shown(body) as (app, _):
        view = app.query_one(LineView)
        assert len(view.plain) <= TEXT_LIMIT
        assert view.size.height <= TEXT_ROWS


async def test_wrap() -> None:
    body = TextBody("x" * 200 + "\nend")
    async with shown(body) as (app, pilot):
        assert body.toggle_wrap() is False
        await until(pilot, lambda: app.text.split("\n")[1].startswith("┃ end"))
        assert body.toggle_wrap() is True
        await until(pilot, lambda: not app.text.split("\n")[1].startswith("┃ end"))


async def test_all_of_it_opens_in_the_same_view() -> None:
    body = TextBody("# Title\n", "text/markdown")
    async with shown(body) as (app, pilot):
        body.show_view("raw")
        screen = body.full()
        assert isinstance(screen, ReaderScreen)
        app.push_screen(screen)
        await pilot.pause()
        assert screen.view == "raw"
        assert "┃ # Title\\n" in app.text


@pytest.mark.parametrize("mime", first_quick(["", "text/markdown", "text/csv", "text/x-python"], 2))
async def test_hostile_text_is_harmless(mime: str) -> None:
    body = TextBody("a,b\n" + "".join(f"{one},{one}\n" for one in PAYLOADS), mime)
    async with shown(body) as (app, pilot):
        for view in body.views:
            body.show_view(view)
            await pilot.pause()
            assert_harmless(app.strips())
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert_harmless(app.strips())


async def test_what_is_refused_is_told() -> None:
    body = TextBody("# x\n" * 20_000, "text/markdown")
    async with shown(body) as (app, pilot):
        await until(pilot, lambda: "not laid out" in app.text)
        TEXTS.holds("text: Markdown that is not laid out", "\n".join(app.text.split("\n")[:3]))
