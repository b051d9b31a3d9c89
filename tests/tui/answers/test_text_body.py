"""A text in passing: its beginning, its words, what is copied and opened."""

from __future__ import annotations

import json

import pytest

from signoff.app.tui.answers.reader import ReaderScreen
from signoff.app.tui.answers.text_body import TEXT_LIMIT, TEXT_ROWS, TextBody
from signoff.widgets.json_tree.tree import JsonTree
from signoff.widgets.text_view.line_view import LineView
from tests.approved import approved
from tests.tiers import first_quick
from tests.tui.answer_stage import body_stage
from tests.widgets.hostile import PAYLOADS, assert_harmless

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
