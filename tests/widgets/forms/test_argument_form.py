"""The argument form, driven by keys, paste and clicks as a person would."""

from __future__ import annotations

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.drafts import initial_draft
from signoff.app.schemas.form.entries import Origin
from signoff.app.schemas.form.form import build_form
from signoff.app.schemas.schema import Mismatch
from signoff.widgets.forms.field_editors import TextEditor
from signoff.widgets.forms.form_state import FormProblems
from tests.approved import approved
from tests.tiers import first_quick
from tests.widgets.forms.form_app import SCHEMA, FormApp, app_for, editor, form_of

TEXTS = approved("tui-form")


async def test_suggestions_are_marked_and_typing_flips_the_mark() -> None:
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
async def test_choices_by_keyboard_and_mouse_and_a_json_field_that_grows() -> None:
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
        tags = await app.go("tags")
        assert editor(tags).size.height == 1
        await app.press("[", "enter", *'"a"', "enter")
        assert editor(tags).size.height == 3
        assert "✗ not JSON:" in app.text
        assert "line 3, column 1" in app.text
        await app.press("]")
        assert app.arguments["tags"] == ["a"]


async def test_enter_goes_on_tab_moves_and_a_reset_leads_back() -> None:
    async with form_of(SCHEMA).on(80, 24) as app:
        await app.go("path")
        await app.press("enter")
        assert app.focused is app.field("count").editor
        await app.press("shift+tab")
        assert app.focused is app.field("path").editor
        assert app.origins["path"] is Origin.DEFAULT
        await app.go("path")
        await app.press("x", "ctrl+r")
        assert app.shown.draft == initial_draft(build_form(SCHEMA))
        await app.press("ctrl+r")
        assert app.arguments["path"] == "x"


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


def test_it_is_noted_until_the_value_is_another_and_keeps_nothing_back() -> None:
    problems = FormProblems()
    ratio = Mismatch(("ratio",), "is not a multiple of 0.01", ("multipleOf",), "multipleOf")
    inner = Mismatch(("days", 0), "not a date", ("items", "format"), "format", "date")
    problems.judge((), (ratio, inner))
    assert set(problems.notes) == {("ratio",), ("days", 0)}
    assert problems.count() == 0
    problems.edited(("days",))
    assert set(problems.notes) == {("ratio",)}
    problems.judge(())
    assert problems.notes == {}


FILES: list[JsonValue] = ["notes/todo.txt", "drafts/letter.txt", "notes/ideas.md", "a fourth"]
EXAMPLES: JsonValue = {
    "properties": {
        "path": {"type": "string", "examples": FILES},
        "count": {"type": "integer", "examples": [3]},
        "odd": {"type": "string", "examples": ["pay\u200bpal \x1b[31m[red]"]},
        "plain": {"type": "string"},
    }
}


@pytest.mark.parametrize("width", first_quick([100, 78, 40]))
async def test_the_right_arrow_takes_one_example_after_the_other(width: int) -> None:
    async with form_of(EXAMPLES).on(width, 60) as app:
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
    async with form_of(EXAMPLES).on() as app:
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
    async with form_of(EXAMPLES).on(120, 60) as app:
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
    async with form_of(EXAMPLES).on() as app:
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
