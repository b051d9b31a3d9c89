"""Forms with groups as a whole: documents, schema errors, many rows, deep rows, hostile names."""

from __future__ import annotations

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.fields import Place
from signoff.app.schemas.form.form import build_form
from signoff.app.schemas.schema import Mismatch
from signoff.widgets.forms.field_editors import TextEditor
from signoff.widgets.forms.form_field import FormField
from tests.approved import approved
from tests.tiers import first_quick
from tests.widgets.forms.form_app import (
    FormApp,
    go,
    in_sight,
    line_with,
    paste,
    screen_text,
    strips,
)
from tests.widgets.forms.grouped_form import SCHEMA, adder, focused_place, go_to, group, press_on
from tests.widgets.hostile import PAYLOADS, assert_harmless

TEXTS = approved("tui-form")


async def test_what_the_schema_says_stands_at_the_deepest_row_and_stops_f5() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 70)) as pilot:
        await press_on(pilot, adder(app, "people"), "enter", *"Ada")
        app.shown.show_mismatches(
            [
                Mismatch(("people", 0, "name"), "is too short", (), "minLength"),
                Mismatch(("where", "deep", "name"), "is wrong", (), "type"),
            ]
        )
        await pilot.pause()
        text = screen_text(app)
        assert "✗ is too short" in text
        assert "✗ 1 problem inside" in text
        assert not app.shown.submit()
        await pilot.pause()
        assert focused_place(app) == ("people", 0, "name")
        # What was said of a value is no longer true once it is another.
        await pilot.press("x")
        await pilot.pause()
        assert "is too short" not in screen_text(app)
        assert not app.shown.submit()
        while "✗ is wrong" not in screen_text(app):
            await pilot.pause()
        assert focused_place(app) == ("where", "deep", "name")


async def test_a_broken_document_cannot_be_sent_even_although_invalid() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("ctrl+j")
        app.shown.put_document('{"a": \n 1,}')
        await pilot.pause()
        assert "line 2, column" in screen_text(app)
        await pilot.press("f12")
        await pilot.pause()
        assert app.submissions == []


@pytest.mark.slow
async def test_the_json_view_and_back_loses_nothing() -> None:
    app = FormApp(build_form(SCHEMA))
    sent: dict[str, JsonValue] = {
        "people": [{"name": "Ada", "age": "old", "more": [1, {"x": None}]}, 5],
        "env": {"A": "1", "B": 2},
        "target": {"x": 1, "y": 2},
        "perms": ["read", "what"],
        "zzz": {"deep": [True]},
        "day": None,
    }
    async with app.run_test(size=(100, 70)) as pilot:
        app.shown.focus_field("limit")
        await pilot.press("ctrl+j")
        await pilot.pause()
        editor = app.query_one("TextEditor.document", TextEditor)
        assert app.focused is editor
        assert editor.selected_text == ""
        editor.text = str(sent).replace("'", '"').replace("None", "null").replace("True", "true")
        await pilot.press("ctrl+j")
        await pilot.pause()
        assert not app.shown.in_json
        assert app.shown.arguments == sent
        TEXTS.holds("note: sent beside the schema of a tree", line_with(app, "$.zzz"))
        await go_to(pilot, "zzz")
        await pilot.press("ctrl+delete", "ctrl+j")
        await pilot.pause()
        del sent["zzz"]
        assert app.shown.arguments == sent


async def test_an_object_pasted_into_an_empty_document_takes_its_place() -> None:
    app = FormApp(build_form({"properties": {"a": {"type": "integer"}}}))
    async with app.run_test() as pilot:
        app.shown.focus_field()
        await pilot.press("ctrl+j")
        await pilot.pause()
        await paste(pilot, '{"a": 5}')
        assert app.shown.arguments == {"a": 5}
        # Into anything else it is text like any other.
        await pilot.press("home", "right")
        await paste(pilot, '"b": 1, ')
        assert app.shown.arguments == {"b": 1, "a": 5}


async def test_the_editor_and_the_history_are_asked_for() -> None:
    asked: list[object] = []

    class Asking(FormApp):
        def on_argument_form_editor_wanted(self, event: object) -> None:
            asked.append(event)

        def on_argument_form_history_wanted(self, event: object) -> None:
            asked.append(event)

    app = Asking(build_form({"properties": {"a": {"type": "string"}}}))
    async with app.run_test() as pilot:
        await go(pilot, "a")
        await pilot.press(*"hi", "ctrl+e", "f11")
        await pilot.pause()
        wanted, history = asked
        assert getattr(wanted, "text", None) == '{\n  "a": "hi"\n}'
        assert history
        app.shown.put_document('{"a": "edited"}')
        await pilot.pause()
        assert app.shown.in_json
        assert app.shown.arguments == {"a": "edited"}


@pytest.mark.slow
async def test_a_group_with_many_rows_is_made_as_it_comes_into_view() -> None:
    many: dict[str, JsonValue] = {f"p{n}": {"type": "string"} for n in range(90)}
    schema: JsonValue = {
        "properties": {"big": {"type": "object", "properties": many}, "last": {"type": "string"}}
    }
    app = FormApp(build_form(schema))
    async with app.run_test(size=(80, 20)) as pilot:
        await go(pilot, "last")
        await pilot.press(*"kept")
        await press_on(pilot, group(app, "big"), "enter")
        assert len(app.query(FormField)) < 40
        assert app.focused is group(app, "big")
        await go_to(pilot, "last")
        assert isinstance(app.focused, TextEditor)
        assert app.focused.text == "kept"
        names = [row.field.name for row in app.query(FormField)]
        assert names == [*many, "last"]


@pytest.mark.slow
async def test_recursion_opens_as_far_as_anyone_goes() -> None:
    schema: JsonValue = {
        "$defs": {
            "node": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                },
            }
        },
        "properties": {"tree": {"$ref": "#/$defs/node"}},
    }
    app = FormApp(build_form(schema))
    async with app.run_test(size=(100, 60)) as pilot:
        await press_on(pilot, group(app, "tree"), "enter")
        place: Place = ("tree", "children")
        for _ in range(3):
            await press_on(pilot, group(app, *place), "right")
            await press_on(pilot, adder(app, *place), "enter", *"n")
            place = (*place, 0, "children")
        one: JsonValue = {"name": "n"}
        assert app.shown.arguments["tree"] == {
            "children": [{"name": "n", "children": [{"name": "n", "children": [one]}]}]
        }


@pytest.mark.parametrize("size", first_quick([(60, 20), (80, 24), (44, 20)]))
async def test_deep_rows_stay_on_the_screen(size: tuple[int, int]) -> None:
    schema: JsonValue = {"type": "string"}
    for level in range(10):
        schema = {"type": "object", "properties": {f"level{level}": schema}}
    app = FormApp(build_form(schema))
    async with app.run_test(size=size) as pilot:
        place = tuple(f"level{level}" for level in range(9, -1, -1))
        row = await go_to(pilot, *place)
        assert row.editor is not None
        region = await in_sight(pilot, row.editor)
        assert region.width >= 16
        assert region.right <= size[0]
        assert app.shown.max_scroll_x == 0
        await pilot.press(*"deep")
        await pilot.pause()
        assert "level0" in screen_text(app)


@pytest.mark.slow
async def test_without_colour_signs_and_words_say_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(80, 24)) as pilot:
        await press_on(pilot, adder(app, "people"), "enter", *"Ada")
        text = screen_text(app)
        for words in ("▾ people *", "▾ [0]", "✕", "name *", "● you typed it", "+ add item"):
            assert words in text
        for strip in strips(app):
            for segment in strip:
                color = segment.style.color if segment.style else None
                assert color is None or len(set(color.get_truecolor())) == 1


@pytest.mark.parametrize("payload", first_quick(PAYLOADS, 2))
async def test_hostile_names_titles_keys_and_values_are_drawn_literally(payload: str) -> None:
    schema: JsonValue = {
        "properties": {
            payload: {
                "title": payload,
                "description": payload,
                "properties": {payload: {"enum": [payload, "b"]}},
            },
            "map": {"additionalProperties": {"type": "string", "title": payload}, "type": "object"},
            "one": {
                "oneOf": [{"title": payload, "type": "string"}, {"type": "array", "items": {}}]
            },
            "some": {"type": "array", "items": {"enum": [payload, "y"]}},
            "eg": {"type": "string", "examples": [payload], "default": payload},
        }
    }
    app = FormApp(build_form(schema))
    async with app.run_test(size=(100, 70)) as pilot:
        await press_on(pilot, group(app, payload), "enter")
        await press_on(pilot, group(app, "map"), "enter")
        await press_on(pilot, group(app, "one"), "enter")
        await press_on(pilot, adder(app, "map"), "enter")
        await paste(pilot, payload)
        await pilot.press("enter")
        await pilot.pause()
        assert_harmless(strips(app))
        app.shown.show_mismatches([Mismatch((payload, payload), "is wrong", (), "type")])
        await pilot.pause()
        assert_harmless(strips(app))
        assert app.quits == 0


async def test_a_union_of_all_arguments_is_called_that() -> None:
    branches: JsonValue = [
        {"title": "One", "type": "object", "properties": {"type": {"const": "one"}}},
        {"title": "Two", "type": "object", "properties": {"": {"type": "object"}}},
    ]
    app = FormApp(build_form({"type": "object", "oneOf": branches}))
    async with app.run_test(size=(80, 40)) as pilot:
        await pilot.pause()
        assert "▾ arguments " in screen_text(app)
        assert '""' not in screen_text(app)
