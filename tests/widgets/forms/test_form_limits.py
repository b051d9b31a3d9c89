"""The argument form at its limits: hostile words, many fields, narrow screens, quick keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from textual.app import App

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.content.text import visible
from signoff.app.schemas.form.entries import is_plain
from signoff.app.schemas.form.form import build_form
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

TEXTS = approved("tui-form")


def _hostile(payload: str) -> dict[str, JsonValue]:
    return {
        payload: {"type": "string", "default": payload, "title": payload, "description": payload},
        f"b{payload}": {"enum": [payload, "b"], "default": payload, "pattern": payload},
        f"c{payload}": {"enum": [f"{payload}{n}" for n in range(9)], "default": f"{payload}0"},
        f"d{payload}": {"type": "array", "default": [payload], "format": payload},
        f"e{payload}": {"type": "integer", "default": payload},
    }


def _segments(app: App[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
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
    [
        ({}, "form: no arguments"),
        ({"type": "object", "anyOf": [{}]}, "form: JSON only"),
    ],
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


async def test_no_key_is_lost_to_a_verdict_that_comes_before_the_message_about_it() -> None:
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


async def test_no_key_is_lost_to_one_in_another_field() -> None:
    async with form_of(SCHEMA).on() as app:
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
