"""The argument form, driven by keys, paste and clicks as a person would."""

from __future__ import annotations

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.drafts import initial_draft
from signoff.app.schemas.form.entries import Origin
from signoff.app.schemas.form.form import build_form
from signoff.app.schemas.schema import Mismatch
from signoff.widgets.forms.field_editors import TextEditor
from tests.approved import approved
from tests.widgets.forms.form_app import (
    SCHEMA,
    FormApp,
    app_for,
    editor,
    form_of,
)

TEXTS = approved("tui-form")


async def test_suggestions_are_marked_and_required_is_not_nagged_about() -> None:
    async with form_of(SCHEMA).on() as app:
        text = app.text
        assert "path *" in text
        assert text.count("◌ server's default") == 2
        assert text.count("· not sent") == 5
        assert "● you typed it" not in text
        assert "✗" not in text
        assert "┃ the file" in text
        assert app.arguments == {"path": "notes/todo.txt", "mode": "fast"}
        assert app.shown.problems == {("count",): "required"}


async def test_typing_flips_the_mark_and_reports_problems_at_the_field() -> None:
    async with form_of(SCHEMA).on() as app:
        await app.go("path")
        await app.press("x")
        assert app.origins["path"] is Origin.TYPED
        assert "● you typed it" in app.text
        await app.go("count")
        await app.press("1", "a")
        assert "✗ not an integer" in app.text
        assert app.field("count").has_class("-wrong")
        await app.press("backspace")
        assert "✗" not in app.text
        event = await app.changed(path="x", count=1, mode="fast")
        assert event.origins["mode"] is Origin.DEFAULT
        assert event.problems == {}
        await app.press("backspace")
        assert "✗ required" in app.text


async def test_many_keys_make_few_messages() -> None:
    async with form_of(SCHEMA).on(80, 24) as app:
        note = await app.go("note")
        assert isinstance(note.editor, TextEditor)
        for char in "abcdefghij":
            note.editor.insert(char)
        await app.changed(path="notes/todo.txt", mode="fast", note="abcdefghij")
        assert app.changes == []


@pytest.mark.slow
async def test_choices_by_keyboard_and_mouse() -> None:
    async with form_of(SCHEMA).on() as app:
        flag = await app.go("flag")
        await app.press("right")
        assert app.arguments["flag"] is True
        await app.press("space")
        assert app.arguments["flag"] is False
        await app.pilot.click(flag.editor, offset=(2, 0))
        await app.pause()
        assert "flag" not in app.arguments
        await app.go("color")
        await app.press("enter", "down", "down", "enter")
        assert app.arguments["color"] == "green"
        assert app.origins["color"] is Origin.TYPED


@pytest.mark.slow
async def test_json_field_grows_and_says_where_it_is_broken() -> None:
    async with form_of(SCHEMA).on() as app:
        tags = await app.go("tags")
        assert editor(tags).size.height == 1
        await app.press("[", "enter", *'"a"', "enter")
        assert editor(tags).size.height == 3
        assert "✗ not JSON:" in app.text
        assert "line 3, column 1" in app.text
        await app.press("]")
        assert app.arguments["tags"] == ["a"]


async def test_enter_goes_on_and_tab_moves() -> None:
    async with form_of(SCHEMA).on(80, 24) as app:
        await app.go("path")
        await app.press("enter")
        assert app.focused is app.field("count").editor
        await app.press("shift+tab")
        assert app.focused is app.field("path").editor
        assert app.origins["path"] is Origin.DEFAULT


async def test_quick_tabs_lead_as_far_as_slow_ones() -> None:
    fields: dict[str, JsonValue] = {"a": {"type": "string"}, "b": {}, "c": {"type": "boolean"}}
    async with app_for(**fields).on(60, 20) as app:
        await app.go("a")
        app.type_ahead("tab", "tab")
        await app.pause()
        await app.pause()
        assert app.focused is editor(app.field("c"))


async def test_pasted_lines_are_kept() -> None:
    async with form_of(SCHEMA).on() as app:
        note = await app.go("note")
        await app.paste("one\rtwo\r\nthree\n")
        assert app.arguments["note"] == "one\ntwo\nthree\n"
        assert editor(note).size.height == 4
        assert "4 lines" in app.text
        await app.press("enter", "x")
        assert app.arguments["note"] == "one\ntwo\nthree\n\nx"


async def test_pasted_hidden_characters_are_sent_as_they_are_and_drawn_as_escapes() -> None:
    async with form_of(SCHEMA).on() as app:
        await app.go("note")
        await app.press("<", ">", "left")
        await app.paste("a\u202eb\x1b[2J\u2028c\x85")
        assert app.arguments["note"] == "<a\u202eb\x1b[2J\u2028c\x85>"
        assert r'"<a\u202eb\u001b[2J\u2028c\u0085>"' in app.text
        assert "written as JSON" in app.text
        assert app.focused is app.field("note").editor


async def test_sending_the_empty_string_null_or_nothing() -> None:
    async with form_of(SCHEMA).on() as app:
        await app.go("note")
        await app.press("ctrl+n")
        assert app.arguments["note"] == ""
        TEXTS.holds("state: the empty string", app.line_with("● empty string"))
        await app.press("ctrl+n")
        assert app.arguments["note"] is None
        await app.press("ctrl+n")
        assert "note" not in app.arguments
        await app.press("a", "ctrl+n")
        assert "note" not in app.arguments
        TEXTS.holds("state: kept, not sent", app.line_with("a text is"))
        await app.press("ctrl+n")
        assert app.arguments["note"] == "a"


async def test_the_json_switch_keeps_everything() -> None:
    async with form_of(SCHEMA).on() as app:
        await app.go("count")
        await app.press("a", "ctrl+j")
        editor = app.query_one("TextEditor.document", TextEditor)
        assert app.focused is editor
        assert app.shown.in_json
        TEXTS.holds("document: kept in a field", app.line_with("$.count"))
        editor.text = '{"path": "notes/todo.txt", "more": {"a": [1, 2.0]}, "note": 5'
        await app.pause()
        assert "✗ not JSON:" in app.text
        assert "line 1, column" in app.text
        await app.press("ctrl+j")
        assert app.shown.in_json
        editor.text += "}"
        await app.pause()
        expected = {"path": "notes/todo.txt", "more": {"a": [1, 2.0]}, "note": 5}
        assert app.arguments == expected
        assert app.origins["path"] is Origin.DEFAULT
        assert app.shown.problems == {}
        await app.press("ctrl+j")
        assert not app.shown.in_json
        assert app.arguments == expected
        assert app.origins["path"] is Origin.DEFAULT
        assert app.shown.problems == {("count",): "not an integer"}
        TEXTS.holds("note: sent beside the schema", app.line_with("$.more"))


async def test_an_unfinished_document_comes_back_with_its_draft() -> None:
    form = build_form(SCHEMA)
    async with FormApp(form).on(80, 24) as app:
        app.shown.action_show_json()
        await app.pause()
        app.query_one("TextEditor.document", TextEditor).text = '{"path": '
        draft = app.shown.draft
        app.shown.load(build_form({}))
        await app.pause()
        assert "takes no arguments" in app.text
        app.shown.load(form, draft)
        await app.pause()
        assert app.query_one("TextEditor.document", TextEditor).text == '{"path": '


async def test_submission_by_key() -> None:
    async with form_of(SCHEMA).on() as app:
        await app.go("path")
        await app.press("f5")
        assert app.submissions == []
        assert app.focused is app.field("count").editor
        assert "✗ required" in app.text
        await app.press("7", "ctrl+enter")
        assert [one.arguments for one in app.submissions] == [
            {"path": "notes/todo.txt", "count": 7, "mode": "fast"}
        ]
        assert app.submissions[0].origins == {
            "path": Origin.DEFAULT,
            "count": Origin.TYPED,
            "mode": Origin.DEFAULT,
        }


async def test_the_last_key_is_never_missing_from_a_submission() -> None:
    async with app_for(x={"type": "string"}).on(80, 24) as app:
        found = await app.go("x")
        assert isinstance(found.editor, TextEditor)
        found.editor.insert("last")
        assert app.shown.submit()
        await app.pause()
        assert app.submissions[0].arguments == {"x": "last"}


async def test_broken_json_is_not_submitted_but_missing_arguments_are() -> None:
    async with form_of(SCHEMA).on(80, 24) as app:
        app.shown.action_show_json()
        await app.pause()
        editor = app.query_one("TextEditor.document", TextEditor)
        editor.text = "{"
        assert not app.shown.submit()
        await app.pause()
        assert app.focused is editor
        editor.text = "{}"
        assert app.shown.submit()
        await app.pause()
        assert [one.arguments for one in app.submissions] == [{}]


async def test_mismatches_stand_at_their_fields_and_go_with_what_they_were_about() -> None:
    form = build_form({"properties": {"a": {"type": "string"}, "b": {}}})
    async with FormApp(form).on() as app:
        app.shown.show_mismatches(
            [
                Mismatch(("a",), "is too short", (), "minLength"),
                Mismatch(("b", 2, "[red]\u202e"), "is not of type string", (), "type"),
                Mismatch((), "has too few members", (), "minProperties"),
                Mismatch(("zz",), "is unexpected", (), "additionalProperties"),
            ]
        )
        await app.pause()
        text = app.text
        assert text.index("too few") < text.index("a  ") < text.index("too short")
        told = [one.strip() for one in text.split("\n") if "✗" in one]
        TEXTS.holds("schema errors at their fields", "\n".join(told))
        await app.go("a")
        await app.press("x")
        assert "is too short" not in app.text
        assert "not of type" in app.text


@pytest.mark.slow
async def test_reset_and_back() -> None:
    async with form_of(SCHEMA).on(80, 24) as app:
        await app.go("path")
        await app.press("x", "ctrl+r")
        assert app.shown.draft == initial_draft(build_form(SCHEMA))
        await app.press("ctrl+r")
        assert app.arguments["path"] == "x"
