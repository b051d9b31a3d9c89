"""A server's examples in a form: told of, taken by a key or a click, and never by themselves."""

from __future__ import annotations

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.entries import Origin
from signoff.app.schemas.form.form import build_form
from tests.tiers import first_quick
from tests.widgets.forms.form_app import FormApp, app_for, go, screen_text

FILES: list[JsonValue] = ["notes/todo.txt", "drafts/letter.txt", "notes/ideas.md", "a fourth"]
SCHEMA: JsonValue = {
    "properties": {
        "path": {"type": "string", "examples": FILES},
        "count": {"type": "integer", "examples": [3]},
        "odd": {"type": "string", "examples": ["pay\u200bpal \x1b[31m[red]"]},
        "plain": {"type": "string"},
    }
}


@pytest.mark.parametrize("width", first_quick([100, 78, 40]))
async def test_the_right_arrow_takes_one_example_after_the_other(width: int) -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(width, 60)) as pilot:
        assert app.shown.arguments == {}
        await go(pilot, "path")
        for wanted in (*FILES[:3], FILES[0]):
            await pilot.press("right")
            await pilot.pause()
            assert app.shown.arguments == {"path": wanted}
        assert "example 1 of 3" in " ".join(screen_text(app).split())
        await pilot.press("x")
        await pilot.press("right")
        await pilot.pause()
        assert app.shown.arguments == {"path": "notes/todo.txtx"}
        assert "example 1" not in screen_text(app)
        assert "● you typed it" in screen_text(app)


async def test_the_arrow_moves_in_what_is_typed_and_does_nothing_where_nothing_is_offered() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 60)) as pilot:
        await go(pilot, "path")
        await pilot.press("a", "b", "left", "right", "c", "right")
        await pilot.pause()
        assert app.shown.arguments == {"path": "abc"}
        await go(pilot, "plain")
        await pilot.press("right", "y")
        await pilot.pause()
        assert app.shown.arguments == {"path": "abc", "plain": "y"}
        await go(pilot, "count")
        await pilot.press("right", "right")
        await pilot.pause()
        assert app.shown.arguments["count"] == 3


async def test_a_click_takes_the_example_under_it() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(120, 60)) as pilot:
        await pilot.pause()
        rows = screen_text(app).split("\n")
        y = next(y for y, row in enumerate(rows) if "drafts/letter.txt" in row)
        await pilot.click(offset=(rows[y].index("drafts/letter.txt") + 3, y))
        await pilot.pause()
        assert app.shown.arguments == {"path": "drafts/letter.txt"}
        assert "◎ server's example" in screen_text(app)
        assert app.shown.origins == {"path": Origin.EXAMPLE}
        await pilot.click(offset=(rows[y].index("string") + 1, y))
        await pilot.pause()
        assert app.shown.arguments == {"path": "drafts/letter.txt"}


async def test_an_example_with_hidden_characters_is_shown_for_what_it_is() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 60)) as pilot:
        await pilot.pause()
        assert "pay\\u200bpal" in screen_text(app)
        await go(pilot, "odd")
        await pilot.press("right")
        await pilot.pause()
        assert app.shown.arguments == {"odd": "pay\u200bpal \x1b[31m[red]"}
        assert "written as JSON" in screen_text(app)
        assert "\u200b" not in screen_text(app)
        assert "\x1b" not in screen_text(app)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "object"}, 'object · as in {"key": "value"}'),
        ({"type": "array"}, 'array · as in ["a", "b"]'),
        ({}, 'any JSON · as in "text", 1, true, {"key": "value"}'),
        (
            {"type": "object", "examples": [{"a": 1}]},
            'object · for example: {"a": 1} (press → to use it)',
        ),
    ],
)
async def test_a_field_for_json_says_how_that_is_written(schema: JsonValue, words: str) -> None:
    app = app_for(value=schema)
    async with app.run_test(size=(100, 20)) as pilot:
        await pilot.pause()
        assert words in screen_text(app)
        await go(pilot, "value")
        await pilot.press("{")
        await pilot.pause()
        assert "as in" not in screen_text(app)
