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
from tests.widgets.forms.form_app import FormApp, form_of
from tests.widgets.forms.grouped_form import SCHEMA, adder, focused_place, go_to, group, press_on
from tests.widgets.hostile import PAYLOADS, assert_harmless

TEXTS = approved("tui-form")


async def test_what_the_schema_says_stands_at_the_deepest_row_and_stops_f5() -> None:
    async with form_of(SCHEMA).on() as app:
        await press_on(app, adder(app, "people"), "enter", *"Ada")
        app.shown.show_mismatches(
            [
                Mismatch(("people", 0, "name"), "is too short", (), "minLength"),
                Mismatch(("where", "deep", "name"), "is wrong", (), "type"),
            ]
        )
        await app.pause()
        text = app.text
        assert "✗ is too short" in text
        assert "✗ 1 problem inside" in text
        assert not app.shown.submit()
        await app.pause()
        assert focused_place(app) == ("people", 0, "name")
        # What was said of a value is no longer true once it is another.
        await app.press("x")
        assert "is too short" not in app.text
        assert not app.shown.submit()
        while "✗ is wrong" not in app.text:
            await app.pause()
        assert focused_place(app) == ("where", "deep", "name")


async def test_a_broken_document_cannot_be_sent_even_although_invalid() -> None:
    async with form_of(SCHEMA).on() as app:
        await app.press("ctrl+j")
        app.shown.put_document('{"a": \n 1,}')
        await app.pause()
        assert "line 2, column" in app.text
        await app.press("f12")
        assert app.submissions == []


@pytest.mark.slow
async def test_the_json_view_and_back_loses_nothing() -> None:
    sent: dict[str, JsonValue] = {
        "people": [{"name": "Ada", "age": "old", "more": [1, {"x": None}]}, 5],
        "env": {"A": "1", "B": 2},
        "target": {"x": 1, "y": 2},
        "perms": ["read", "what"],
        "zzz": {"deep": [True]},
        "day": None,
    }
    async with form_of(SCHEMA).on() as app:
        app.shown.focus_field("limit")
        await app.press("ctrl+j")
        editor = app.query_one("TextEditor.document", TextEditor)
        assert app.focused is editor
        assert editor.selected_text == ""
        editor.text = str(sent).replace("'", '"').replace("None", "null").replace("True", "true")
        await app.press("ctrl+j")
        assert not app.shown.in_json
        assert app.arguments == sent
        TEXTS.holds("note: sent beside the schema of a tree", app.line_with("$.zzz"))
        await go_to(app, "zzz")
        await app.press("ctrl+delete", "ctrl+j")
        del sent["zzz"]
        assert app.arguments == sent


async def test_an_object_pasted_into_an_empty_document_takes_its_place() -> None:
    async with form_of({"properties": {"a": {"type": "integer"}}}).on(80, 24) as app:
        app.shown.focus_field()
        await app.press("ctrl+j")
        await app.paste('{"a": 5}')
        assert app.arguments == {"a": 5}
        # Into anything else it is text like any other.
        await app.press("home", "right")
        await app.paste('"b": 1, ')
        assert app.arguments == {"b": 1, "a": 5}


async def test_the_editor_and_the_history_are_asked_for() -> None:
    asked: list[object] = []

    class Asking(FormApp):
        def on_argument_form_editor_wanted(self, event: object) -> None:
            asked.append(event)

        def on_argument_form_history_wanted(self, event: object) -> None:
            asked.append(event)

    async with Asking(build_form({"properties": {"a": {"type": "string"}}})).on() as app:
        await app.go("a")
        await app.press(*"hi", "ctrl+e", "f11")
        wanted, history = asked
        assert getattr(wanted, "text", None) == '{\n  "a": "hi"\n}'
        assert history
        app.shown.put_document('{"a": "edited"}')
        await app.pause()
        assert app.shown.in_json
        assert app.arguments == {"a": "edited"}


@pytest.mark.slow
async def test_a_group_with_many_rows_is_made_as_it_comes_into_view() -> None:
    many: dict[str, JsonValue] = {f"p{n}": {"type": "string"} for n in range(90)}
    schema: JsonValue = {
        "properties": {"big": {"type": "object", "properties": many}, "last": {"type": "string"}}
    }
    async with form_of(schema).on(80, 20) as app:
        await app.go("last")
        await app.press(*"kept")
        await press_on(app, group(app, "big"), "enter")
        assert len(app.query(FormField)) < 40
        assert app.focused is group(app, "big")
        await go_to(app, "last")
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
    async with form_of(schema).on() as app:
        await press_on(app, group(app, "tree"), "enter")
        place: Place = ("tree", "children")
        for _ in range(3):
            await press_on(app, group(app, *place), "right")
            await press_on(app, adder(app, *place), "enter", *"n")
            place = (*place, 0, "children")
        one: JsonValue = {"name": "n"}
        assert app.arguments["tree"] == {
            "children": [{"name": "n", "children": [{"name": "n", "children": [one]}]}]
        }


@pytest.mark.parametrize("size", first_quick([(60, 20), (80, 24), (44, 20)]))
async def test_deep_rows_stay_on_the_screen(size: tuple[int, int]) -> None:
    schema: JsonValue = {"type": "string"}
    for level in range(10):
        schema = {"type": "object", "properties": {f"level{level}": schema}}
    async with form_of(schema).on(*size) as app:
        place = tuple(f"level{level}" for level in range(9, -1, -1))
        row = await go_to(app, *place)
        assert row.editor is not None
        region = await app.in_sight(row.editor)
        assert region.width >= 16
        assert region.right <= size[0]
        assert app.shown.max_scroll_x == 0
        await app.press(*"deep")
        assert "level0" in app.text


@pytest.mark.slow
async def test_without_colour_signs_and_words_say_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with form_of(SCHEMA).on(80, 24) as app:
        await press_on(app, adder(app, "people"), "enter", *"Ada")
        text = app.text
        for words in ("▾ people *", "▾ [0]", "✕", "name *", "● you typed it", "+ add item"):
            assert words in text
        for strip in app.strips:
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
    async with form_of(schema).on() as app:
        await press_on(app, group(app, payload), "enter")
        await press_on(app, group(app, "map"), "enter")
        await press_on(app, group(app, "one"), "enter")
        await press_on(app, adder(app, "map"), "enter")
        await app.paste(payload)
        await app.press("enter")
        assert_harmless(app.strips)
        app.shown.show_mismatches([Mismatch((payload, payload), "is wrong", (), "type")])
        await app.pause()
        assert_harmless(app.strips)
        assert app.quits == 0


async def test_a_union_of_all_arguments_is_called_that() -> None:
    branches: JsonValue = [
        {"title": "One", "type": "object", "properties": {"type": {"const": "one"}}},
        {"title": "Two", "type": "object", "properties": {"": {"type": "object"}}},
    ]
    async with form_of({"type": "object", "oneOf": branches}).on(80, 40) as app:
        assert "▾ arguments " in app.text
        assert '""' not in app.text
