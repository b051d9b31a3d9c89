"""The argument form, driven by keys, paste and clicks as a person would."""

from __future__ import annotations

import pytest
from textual import events

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
    changed,
    editor,
    field,
    go,
    line_with,
    paste,
    screen_text,
)

TEXTS = approved("tui-form")


async def test_suggestions_are_marked_and_required_is_not_nagged_about() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 50)) as pilot:
        await pilot.pause()
        text = screen_text(app)
        assert "path *" in text
        assert text.count("◌ server's default") == 2
        assert text.count("· not sent") == 5
        assert "● you typed it" not in text
        assert "✗" not in text
        assert "┃ the file" in text
        assert app.shown.arguments == {"path": "notes/todo.txt", "mode": "fast"}
        assert app.shown.problems == {("count",): "required"}


async def test_typing_flips_the_mark_and_reports_problems_at_the_field() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 50)) as pilot:
        await go(pilot, "path")
        await pilot.press("x")
        await pilot.pause()
        assert app.shown.origins["path"] is Origin.TYPED
        assert "● you typed it" in screen_text(app)
        await go(pilot, "count")
        await pilot.press("1", "a")
        await pilot.pause()
        assert "✗ not an integer" in screen_text(app)
        assert field(app, "count").has_class("-wrong")
        await pilot.press("backspace")
        await pilot.pause()
        assert "✗" not in screen_text(app)
        event = await changed(pilot, path="x", count=1, mode="fast")
        assert event.origins["mode"] is Origin.DEFAULT
        assert event.problems == {}
        await pilot.press("backspace")
        await pilot.pause()
        assert "✗ required" in screen_text(app)


async def test_many_keys_make_few_messages() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test() as pilot:
        note = await go(pilot, "note")
        assert isinstance(note.editor, TextEditor)
        for char in "abcdefghij":
            note.editor.insert(char)
        await changed(pilot, path="notes/todo.txt", mode="fast", note="abcdefghij")
        assert app.changes == []


@pytest.mark.slow
async def test_choices_by_keyboard_and_mouse() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 50)) as pilot:
        flag = await go(pilot, "flag")
        await pilot.press("right")
        await pilot.pause()
        assert app.shown.arguments["flag"] is True
        await pilot.press("space")
        await pilot.pause()
        assert app.shown.arguments["flag"] is False
        await pilot.click(flag.editor, offset=(2, 0))
        await pilot.pause()
        assert "flag" not in app.shown.arguments
        await go(pilot, "color")
        await pilot.press("enter", "down", "down", "enter")
        await pilot.pause()
        assert app.shown.arguments["color"] == "green"
        assert app.shown.origins["color"] is Origin.TYPED


@pytest.mark.slow
async def test_json_field_grows_and_says_where_it_is_broken() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 50)) as pilot:
        tags = await go(pilot, "tags")
        assert editor(tags).size.height == 1
        await pilot.press("[", "enter", *'"a"', "enter")
        await pilot.pause()
        assert editor(tags).size.height == 3
        assert "✗ not JSON:" in screen_text(app)
        assert "line 3, column 1" in screen_text(app)
        await pilot.press("]")
        await pilot.pause()
        assert app.shown.arguments["tags"] == ["a"]


async def test_enter_goes_on_and_tab_moves() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test() as pilot:
        await go(pilot, "path")
        await pilot.press("enter")
        await pilot.pause()
        assert app.focused is field(app, "count").editor
        await pilot.press("shift+tab")
        assert app.focused is field(app, "path").editor
        assert app.shown.origins["path"] is Origin.DEFAULT


async def test_quick_tabs_lead_as_far_as_slow_ones() -> None:
    app = app_for(a={"type": "string"}, b={"type": "string"}, c={"type": "boolean"})
    async with app.run_test(size=(60, 20)) as pilot:
        await go(pilot, "a")
        for _ in range(2):
            app.post_message(events.Key("tab", "\t"))
        await pilot.pause()
        await pilot.pause()
        assert app.focused is editor(field(app, "c"))


async def test_pasted_lines_are_kept() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 50)) as pilot:
        note = await go(pilot, "note")
        await paste(pilot, "one\rtwo\r\nthree\n")
        assert app.shown.arguments["note"] == "one\ntwo\nthree\n"
        assert editor(note).size.height == 4
        assert "4 lines" in screen_text(app)
        await pilot.press("enter", "x")
        await pilot.pause()
        assert app.shown.arguments["note"] == "one\ntwo\nthree\n\nx"


async def test_pasted_hidden_characters_are_sent_as_they_are_and_drawn_as_escapes() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 50)) as pilot:
        await go(pilot, "note")
        await pilot.press("<", ">", "left")
        await paste(pilot, "a\u202eb\x1b[2J\u2028c\x85")
        assert app.shown.arguments["note"] == "<a\u202eb\x1b[2J\u2028c\x85>"
        assert r'"<a\u202eb\u001b[2J\u2028c\u0085>"' in screen_text(app)
        assert "written as JSON" in screen_text(app)
        assert app.focused is field(app, "note").editor


async def test_sending_the_empty_string_null_or_nothing() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 50)) as pilot:
        await go(pilot, "note")
        await pilot.press("ctrl+n")
        await pilot.pause()
        assert app.shown.arguments["note"] == ""
        TEXTS.holds("state: the empty string", line_with(app, "● empty string"))
        await pilot.press("ctrl+n")
        await pilot.pause()
        assert app.shown.arguments["note"] is None
        await pilot.press("ctrl+n")
        await pilot.pause()
        assert "note" not in app.shown.arguments
        await pilot.press("a", "ctrl+n")
        await pilot.pause()
        assert "note" not in app.shown.arguments
        TEXTS.holds("state: kept, not sent", line_with(app, "a text is"))
        await pilot.press("ctrl+n")
        await pilot.pause()
        assert app.shown.arguments["note"] == "a"


async def test_the_json_switch_keeps_everything() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 60)) as pilot:
        await go(pilot, "count")
        await pilot.press("a", "ctrl+j")
        await pilot.pause()
        editor = app.query_one("TextEditor.document", TextEditor)
        assert app.focused is editor
        assert app.shown.in_json
        TEXTS.holds("document: kept in a field", line_with(app, "$.count"))
        editor.text = '{"path": "notes/todo.txt", "more": {"a": [1, 2.0]}, "note": 5'
        await pilot.pause()
        assert "✗ not JSON:" in screen_text(app)
        assert "line 1, column" in screen_text(app)
        await pilot.press("ctrl+j")
        await pilot.pause()
        assert app.shown.in_json
        editor.text += "}"
        await pilot.pause()
        expected = {"path": "notes/todo.txt", "more": {"a": [1, 2.0]}, "note": 5}
        assert app.shown.arguments == expected
        assert app.shown.origins["path"] is Origin.DEFAULT
        assert app.shown.problems == {}
        await pilot.press("ctrl+j")
        await pilot.pause()
        assert not app.shown.in_json
        assert app.shown.arguments == expected
        assert app.shown.origins["path"] is Origin.DEFAULT
        assert app.shown.problems == {("count",): "not an integer"}
        TEXTS.holds("note: sent beside the schema", line_with(app, "$.more"))


async def test_an_unfinished_document_comes_back_with_its_draft() -> None:
    form = build_form(SCHEMA)
    app = FormApp(form)
    async with app.run_test() as pilot:
        app.shown.action_show_json()
        await pilot.pause()
        app.query_one("TextEditor.document", TextEditor).text = '{"path": '
        draft = app.shown.draft
        app.shown.load(build_form({}))
        await pilot.pause()
        assert "takes no arguments" in screen_text(app)
        app.shown.load(form, draft)
        await pilot.pause()
        assert app.query_one("TextEditor.document", TextEditor).text == '{"path": '


async def test_submission_by_key() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 50)) as pilot:
        await go(pilot, "path")
        await pilot.press("f5")
        await pilot.pause()
        assert app.submissions == []
        assert app.focused is field(app, "count").editor
        assert "✗ required" in screen_text(app)
        await pilot.press("7", "ctrl+enter")
        await pilot.pause()
        assert [one.arguments for one in app.submissions] == [
            {"path": "notes/todo.txt", "count": 7, "mode": "fast"}
        ]
        assert app.submissions[0].origins == {
            "path": Origin.DEFAULT,
            "count": Origin.TYPED,
            "mode": Origin.DEFAULT,
        }


async def test_the_last_key_is_never_missing_from_a_submission() -> None:
    app = app_for(x={"type": "string"})
    async with app.run_test() as pilot:
        found = await go(pilot, "x")
        assert isinstance(found.editor, TextEditor)
        found.editor.insert("last")
        assert app.shown.submit()
        await pilot.pause()
        assert app.submissions[0].arguments == {"x": "last"}


async def test_broken_json_is_not_submitted_but_missing_arguments_are() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test() as pilot:
        app.shown.action_show_json()
        await pilot.pause()
        editor = app.query_one("TextEditor.document", TextEditor)
        editor.text = "{"
        assert not app.shown.submit()
        await pilot.pause()
        assert app.focused is editor
        editor.text = "{}"
        assert app.shown.submit()
        await pilot.pause()
        assert [one.arguments for one in app.submissions] == [{}]


async def test_mismatches_stand_at_their_fields_and_go_with_what_they_were_about() -> None:
    form = build_form({"properties": {"a": {"type": "string"}, "b": {}}})
    app = FormApp(form)
    async with app.run_test(size=(100, 30)) as pilot:
        app.shown.show_mismatches(
            [
                Mismatch(("a",), "is too short", (), "minLength"),
                Mismatch(("b", 2, "[red]\u202e"), "is not of type string", (), "type"),
                Mismatch((), "has too few members", (), "minProperties"),
                Mismatch(("zz",), "is unexpected", (), "additionalProperties"),
            ]
        )
        await pilot.pause()
        text = screen_text(app)
        assert text.index("too few") < text.index("a  ") < text.index("too short")
        told = [one.strip() for one in text.split("\n") if "✗" in one]
        TEXTS.holds("schema errors at their fields", "\n".join(told))
        await go(pilot, "a")
        await pilot.press("x")
        await pilot.pause()
        assert "is too short" not in screen_text(app)
        assert "not of type" in screen_text(app)


@pytest.mark.slow
async def test_reset_and_back() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test() as pilot:
        await go(pilot, "path")
        await pilot.press("x", "ctrl+r")
        await pilot.pause()
        assert app.shown.draft == initial_draft(build_form(SCHEMA))
        await pilot.press("ctrl+r")
        await pilot.pause()
        assert app.shown.arguments["path"] == "x"
