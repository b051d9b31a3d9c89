"""Arrows in a form: between its rows, and inside what has lines or choices of its own."""

from __future__ import annotations

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.form import build_form
from tests.widgets.forms.form_app import FormApp
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
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(60, 40)) as pilot:
        app.shown.focus_field("title")
        await pilot.pause()
        seen = [focused_place(app)]
        for _ in range(20):
            await pilot.press("down")
            seen.append(focused_place(app))
        places = list(dict.fromkeys(seen))
        assert places[0] == ("title",)
        assert places[-1] == seen[-1] == ("last",)
        assert {("place",), ("tags",), ("gift",), ("count",)} <= {*places}
        for _ in range(20):
            await pilot.press("up")
        assert focused_place(app) == ("title",)
        assert app.shown.arguments == {"count": 1}


@pytest.mark.parametrize(
    ("text", "ups"), [("one line", 1), ("word " * 30, 2)], ids=["one line", "wrapped"]
)
async def test_a_wrapped_line_is_left_at_its_edge(text: str, ups: int) -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(60, 40)) as pilot:
        app.shown.focus_field("last")
        await pilot.pause()
        await pilot.press("end", *text)
        assert app.shown.arguments["last"] == text
        for _ in range(ups - 1):
            await pilot.press("up")
            assert focused_place(app) == ("last",)
        for _ in range(12):
            await pilot.press("up")
        assert focused_place(app) == ("title",)
        assert app.shown.arguments["last"] == text
