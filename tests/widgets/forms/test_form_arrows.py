"""Arrows in a form: between its rows, and inside what has lines or choices of its own."""

from __future__ import annotations

import pytest

from signoff.app.content.json.jsonio import JsonValue
from tests.widgets.forms.form_app import form_of
from tests.widgets.forms.grouped_form import focused_place

SCHEMA: JsonValue = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "place": {"type": "object", "properties": {"street": {"type": "string"}}},
        "tags": {"type": "array", "items": {"type": "string"}},
        "gift": {"type": "boolean"},
        "count": {"type": "integer", "default": 1},
        "last": {"type": "string"},
    },
}


async def test_down_and_up_go_through_all_rows_and_stop_at_the_ends() -> None:
    async with form_of(SCHEMA).on(60, 40) as app:
        app.shown.focus_field("title")
        await app.pause()
        seen = [focused_place(app)]
        for _ in range(20):
            await app.press("down")
            seen.append(focused_place(app))
        places = list(dict.fromkeys(seen))
        assert places[0] == ("title",)
        assert places[-1] == seen[-1] == ("last",)
        assert {("place",), ("tags",), ("gift",), ("count",)} <= {*places}
        for _ in range(20):
            await app.press("up")
        assert focused_place(app) == ("title",)
        assert app.arguments == {"count": 1}


@pytest.mark.parametrize(
    ("text", "ups"), [("one line", 1), ("word " * 30, 2)], ids=["one line", "wrapped"]
)
async def test_a_wrapped_line_is_left_at_its_edge(text: str, ups: int) -> None:
    async with form_of(SCHEMA).on(60, 40) as app:
        app.shown.focus_field("last")
        await app.pause()
        await app.press("end", *text)
        assert app.arguments["last"] == text
        for _ in range(ups - 1):
            await app.press("up")
            assert focused_place(app) == ("last",)
        for _ in range(12):
            await app.press("up")
        assert focused_place(app) == ("title",)
        assert app.arguments["last"] == text
