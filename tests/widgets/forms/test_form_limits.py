"""The argument form at its limits, and groups: hostile words, many and deep rows, quick keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.content.text import visible
from signoff.app.schemas.form.entries import is_plain
from signoff.app.schemas.form.fields import Place
from signoff.app.schemas.form.form import build_form
from signoff.app.schemas.schema import Mismatch
from signoff.widgets.forms.argument_form import ArgumentForm
from signoff.widgets.forms.choice_line import ChoiceLine
from signoff.widgets.forms.field_editors import TextEditor
from signoff.widgets.forms.form_field import FormField
from signoff.widgets.forms.search_select import SearchSelect
from tests.approved import approved
from tests.tiers import first_quick
from tests.widgets.forms.form_app import (
    PAYLOADS,
    SCHEMA,
    FormApp,
    app_for,
    editor,
    form_of,
    many_booleans,
)
from tests.widgets.forms.grouped_form import SCHEMA as GROUPED
from tests.widgets.forms.grouped_form import adder, focused_place, go_to, group, press_on
from tests.widgets.hostile import PAYLOADS as HOSTILE_TEXTS
from tests.widgets.hostile import assert_harmless

TEXTS = approved("tui-form")


def _hostile(payload: str) -> dict[str, JsonValue]:
    return {
        payload: {"type": "string", "default": payload, "title": payload, "description": payload},
        f"b{payload}": {"enum": [payload, "b"], "default": payload, "pattern": payload},
        f"c{payload}": {"enum": [f"{payload}{n}" for n in range(9)], "default": f"{payload}0"},
        f"d{payload}": {"type": "array", "default": [payload], "format": payload},
        f"e{payload}": {"type": "integer", "default": payload},
    }


def _segments(app: FormApp) -> Iterator[tuple[str, dict[str, Any]]]:
    for strip in app.strips:
        for segment in strip:
            yield segment.text, segment.style.meta if segment.style else {}


async def _expect_harmless(app: FormApp) -> None:
    """Nothing on the screen is a control character or an action, clicked or not."""
    for text, meta in _segments(app):
        assert is_plain(text)
        assert not [key for key in meta if key.startswith("@")]
    for y in (2, 5, 8):
        await app.pilot.click(offset=(3, y))
    assert app.quits == 0
    assert app.is_running


@pytest.mark.slow
async def test_server_text_is_drawn_literally() -> None:
    async with app_for().on(140, 60) as app:
        for payload in PAYLOADS:
            form = build_form({"properties": _hostile(payload), "required": [payload]})
            app.shown.load(form)
            await app.until(
                lambda: len(app.query(FormField)) == 5 and bool(app.query(SearchSelect))
            )
            app.query_one(SearchSelect).action_open()
            await app.pause()
            words = visible(payload).replace("\u0301", "")
            assert words[:12].strip() in app.text.replace("\u0301", "")
            await _expect_harmless(app)
            assert app.arguments[payload] == payload

            app.shown.action_show_json()
            await app.until(lambda: bool(app.query("TextEditor.document")))
            await _expect_harmless(app)
            assert app.arguments[payload] == payload


async def test_a_typed_hidden_character_is_drawn_as_a_mark_and_sent() -> None:
    async with app_for(x={"type": "string"}).on(80, 24) as app:
        found = await app.go("x")
        assert isinstance(found.editor, TextEditor)
        found.editor.insert("a\x1b]0;x\u202eb")
        await app.pause()
        assert app.arguments == {"x": "a\x1b]0;x\u202eb"}
        assert "a␛]0;x�b" in app.text
        assert "holds hidden characters: a␛]0;x<U+202E>b" in app.text
        assert all(is_plain(text) for text, _ in _segments(app))


@pytest.mark.slow
async def test_tab_walks_through_fields_that_were_not_there_yet() -> None:
    async with many_booleans(16).on(80, 8) as app:
        await app.go("f0")
        assert len(app.query(FormField)) < 16
        for n in range(1, 16):
            await app.press("tab")
            assert app.focused is app.field(f"f{n}").editor


@pytest.mark.slow
async def test_scrolling_makes_the_rest() -> None:
    async with many_booleans(40).on(80, 12) as app:
        assert "… more fields below" not in app.text
        made = len(app.query(FormField))
        assert made < 20
        app.shown.scroll_end(animate=False)
        await app.until(lambda: len(app.query(FormField)) > made)


@pytest.mark.slow
async def test_a_hundred_fields_load_in_part_and_submit_whole() -> None:
    kinds: list[JsonValue] = [{"type": "string"}, {"type": "boolean"}, {"type": "array"}]
    properties: dict[str, JsonValue] = {f"f{n}": kinds[n % 3] for n in range(100)}
    async with form_of({"properties": properties, "required": ["f98"]}).on(80, 24) as app:
        assert len(app.query(FormField)) < 30
        assert not app.shown.submit()
        last = await app.go("f98")
        names = [one.field.name for one in app.query(FormField)]
        assert names[:99] == [f"f{n}" for n in range(99)]
        await app.until(lambda: "✗ required" in app.text)
        assert isinstance(last.editor, TextEditor)
        last.editor.insert("[1]")
        assert app.shown.submit()
        await app.pause()
        assert app.submissions[0].arguments == {"f98": [1]}


async def test_loading_in_the_middle_of_mounting_shows_the_last_form_only() -> None:
    async with many_booleans(100).on(80, 24) as app:
        app.shown.load(build_form({"properties": {"only": {"type": "string"}}}))
        await app.pause()
        await app.pause()
        assert [one.field.name for one in app.query(FormField)] == ["only"]


@pytest.mark.parametrize("size", first_quick([(60, 18), (40, 18), (80, 24)]))
async def test_narrow_screens_keep_everything_in_view(size: tuple[int, int]) -> None:
    async with form_of(SCHEMA).on(*size) as app:
        for name in ("path", "count", "tags", "mode", "flag", "color", "note"):
            found = await app.go(name)
            region = await app.in_sight(editor(found))
            assert region.width >= 20
            assert region.right <= size[0]
        assert app.shown.max_scroll_x == 0


@pytest.mark.parametrize(
    ("schema", "key"),
    first_quick(
        [
            ({}, "form: no arguments"),
            ({"type": "object", "anyOf": [{}]}, "form: JSON only"),
        ],
        several=True,
    ),
)
async def test_forms_without_fields(schema: JsonValue, key: str) -> None:
    async with form_of(schema).on(80, 24) as app:
        TEXTS.holds(key, app.text)
        assert app.shown.submit()
        await app.pause()
        assert app.submissions[0].arguments == {}


async def test_huge_values_are_kept_but_not_edited() -> None:
    big = "x" * 300_000
    async with app_for(x={"type": "string", "default": big}, y={"type": "string"}).on() as app:
        assert "cut: 200 of 300,000 characters" in app.text
        await app.go("y")
        await app.press("a", "ctrl+j")
        TEXTS.holds("document: too large", app.line_with("too large"))
        await app.paste("y" * 300_000)
        assert app.arguments == {"x": big, "y": "a"}


def test_every_binding_has_an_id_and_a_sentence() -> None:
    for widget in (ArgumentForm, ChoiceLine):
        for one in widget.BINDINGS:
            assert not isinstance(one, tuple)
            assert one.id
            assert one.tooltip.endswith(".")


async def test_no_key_is_lost_to_an_early_verdict_or_to_one_in_another_field() -> None:
    async with form_of(SCHEMA).on() as app:
        rows = [await app.go(name) for name in ("path", "count")]
        # What a field has heard from its editor, the form has not heard from the field yet.
        for row, typed in zip(rows, ("bread", "12"), strict=True):
            text_editor(row).text = typed
            row.sync()
            app.shown.show_mismatches(())
            assert text_editor(row).text == typed
        assert app.arguments["path"] == "bread"
        assert app.arguments["count"] == 12
        path, count = [await app.go(name) for name in ("path", "count")]
        text_editor(path).text = "bread"
        text_editor(count).text = "12"
        path.sync()
        count.sync()
        app.shown.post_message(FormField.Edited(count))
        await app.pause()
        assert (text_editor(path).text, text_editor(count).text) == ("bread", "12")
        text_editor(path).text = "butter"
        path.sync()
        app.shown.focus_field("count")
        assert text_editor(path).text == "butter"
        assert app.arguments["path"] == "butter"


def text_editor(found: FormField) -> TextEditor:
    shown = editor(found)
    assert isinstance(shown, TextEditor)
    return shown


@pytest.mark.slow
async def test_no_sign_of_a_choice_is_parted_from_its_word_and_each_can_be_clicked() -> None:
    values: JsonValue = {"enum": ["error", "success", "debug"]}
    for width in (40, 52, 60, 100):
        async with app_for(kind=values).on(width, 20) as app:
            line = app.query_one(ChoiceLine)
            shown = line.render().plain.split("\n")
            assert line.size.height == len(shown)
            for value in ("error", "success", "debug"):
                y, row = next((at, row) for at, row in enumerate(shown) if f"○ {value}" in row)
                await app.pilot.click(line, offset=(row.index(value) + 1, y))
                await app.pause()
                assert app.arguments == {"kind": value}
                shown = line.render().plain.split("\n")


async def test_what_the_schema_says_stands_at_the_deepest_row_and_stops_f5() -> None:
    async with form_of(GROUPED).on() as app:
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
    async with form_of(GROUPED).on() as app:
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
    async with form_of(GROUPED).on() as app:
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
    async with form_of(GROUPED).on(80, 24) as app:
        await press_on(app, adder(app, "people"), "enter", *"Ada")
        text = app.text
        for words in ("▾ people *", "▾ [0]", "✕", "name *", "● you typed it", "+ add item"):
            assert words in text
        for strip in app.strips:
            for segment in strip:
                color = segment.style.color if segment.style else None
                assert color is None or len(set(color.get_truecolor())) == 1


@pytest.mark.parametrize("payload", first_quick(HOSTILE_TEXTS))
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
