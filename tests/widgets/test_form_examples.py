"""A server's examples in a form: told of, taken by a key or a click, and never by themselves."""

from __future__ import annotations

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.entries import Origin
from tests.tiers import first_quick
from tests.widgets.forms.form_app import app_for, form_of

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
    async with form_of(SCHEMA).on(width, 60) as app:
        assert app.arguments == {}
        await app.go("path")
        for wanted in (*FILES[:3], FILES[0]):
            await app.press("right")
            assert app.arguments == {"path": wanted}
        assert "example 1 of 3" in " ".join(app.text.split())
        await app.press("x")
        await app.press("right")
        assert app.arguments == {"path": "notes/todo.txtx"}
        assert "example 1" not in app.text
        assert "● you typed it" in app.text


async def test_the_arrow_moves_in_what_is_typed_and_does_nothing_where_nothing_is_offered() -> None:
    async with form_of(SCHEMA).on() as app:
        await app.go("path")
        await app.press("a", "b", "left", "right", "c", "right")
        assert app.arguments == {"path": "abc"}
        await app.go("plain")
        await app.press("right", "y")
        assert app.arguments == {"path": "abc", "plain": "y"}
        await app.go("count")
        await app.press("right", "right")
        assert app.arguments["count"] == 3


async def test_a_click_takes_the_example_under_it() -> None:
    async with form_of(SCHEMA).on(120, 60) as app:
        rows = app.text.split("\n")
        y = next(y for y, row in enumerate(rows) if "drafts/letter.txt" in row)
        await app.pilot.click(offset=(rows[y].index("drafts/letter.txt") + 3, y))
        await app.pause()
        assert app.arguments == {"path": "drafts/letter.txt"}
        assert "◎ server's example" in app.text
        assert app.origins == {"path": Origin.EXAMPLE}
        await app.pilot.click(offset=(rows[y].index("string") + 1, y))
        await app.pause()
        assert app.arguments == {"path": "drafts/letter.txt"}


async def test_an_example_with_hidden_characters_is_shown_for_what_it_is() -> None:
    async with form_of(SCHEMA).on() as app:
        assert "pay\\u200bpal" in app.text
        await app.go("odd")
        await app.press("right")
        assert app.arguments == {"odd": "pay\u200bpal \x1b[31m[red]"}
        assert "written as JSON" in app.text
        assert "\u200b" not in app.text
        assert "\x1b" not in app.text


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
    async with app_for(value=schema).on(100, 20) as app:
        assert words in app.text
        await app.go("value")
        await app.press("{")
        assert "as in" not in app.text
