"""The argument form, driven by keys, paste and clicks as a person would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widget import Widget

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.content.text import visible
from signoff.app.schemas.form.drafts import Draft, initial_draft
from signoff.app.schemas.form.entries import Origin, is_plain
from signoff.app.schemas.form.form import Form, build_form
from signoff.app.schemas.schema import Mismatch
from signoff.widgets.forms.argument_form import ArgumentForm
from signoff.widgets.forms.choice_line import ChoiceLine
from signoff.widgets.forms.field_editors import TextEditor
from signoff.widgets.forms.form_field import FormField
from signoff.widgets.forms.search_select import SearchSelect
from signoff.widgets.keys import KeysInOrder
from tests.tiers import first_quick

PAYLOADS = [
    "[red]x[/]",
    "[@click=app.quit]x[/]",
    "[/foo] x",
    "[link=https://example.com]x[/link]",
    "\x1b]0;pwn\x07",
    "\x1b[2J",
    "\x9b31m",
    "a\rb\x08c\x00",
    "\u202egnp",
    "a\u200b\u2066b\x7f",
    "x" + "\u0301" * 12,
    "$v {x} \\[",
]
SCHEMA: JsonValue = {
    "type": "object",
    "required": ["path", "count"],
    "properties": {
        "path": {"type": "string", "default": "notes/todo.txt", "description": "the file"},
        "count": {"type": "integer", "minimum": 0},
        "tags": {"type": "array"},
        "mode": {"enum": ["fast", "slow"], "default": "fast"},
        "flag": {"type": "boolean"},
        "color": {"enum": ["red", "green", "blue", "cyan", "pink", "grey"]},
        "note": {"type": ["string", "null"]},
    },
}


class FormApp(KeysInOrder):
    def __init__(self, form: Form, draft: Draft | None = None) -> None:
        super().__init__()
        self.shown = ArgumentForm(form, draft)
        self.changes: list[ArgumentForm.Changed] = []
        self.submissions: list[ArgumentForm.Submitted] = []
        self.quits = 0

    def compose(self) -> ComposeResult:
        yield self.shown

    def on_argument_form_changed(self, event: ArgumentForm.Changed) -> None:
        self.changes.append(event)

    def on_argument_form_submitted(self, event: ArgumentForm.Submitted) -> None:
        self.submissions.append(event)

    async def action_quit(self) -> None:
        self.quits += 1


def app_for(**properties: JsonValue) -> FormApp:
    return FormApp(build_form({"type": "object", "properties": dict(properties)}))


def many_booleans(count: int) -> FormApp:
    properties: dict[str, JsonValue] = {f"f{n}": {"type": "boolean"} for n in range(count)}
    return app_for(**properties)


def strips(app: App[Any]) -> list[Strip]:
    return [Strip(strip) for strip in app.screen._compositor.render_strips()]


def screen_text(app: App[Any]) -> str:
    return "\n".join(strip.text.rstrip() for strip in strips(app))


def field(app: FormApp, name: str) -> FormField:
    return next(one for one in app.query(FormField) if one.field.name == name)


def editor(found: FormField) -> Widget:
    """The widget that takes a field's keys, once it was focused."""
    assert found.editor is not None
    return found.editor


async def go(pilot: Pilot[None], name: str) -> FormField:
    """Focus a field and wait until it has the keys."""
    assert isinstance(pilot.app, FormApp)
    pilot.app.shown.focus_field(name)
    while True:
        await pilot.pause()
        for found in pilot.app.query(FormField):
            if found.field.name == name and found.editor is pilot.app.focused:
                return found


async def in_sight(pilot: Pilot[None], widget: Widget) -> Region:
    """Where a widget stands once it was scrolled into the screen; the time limit if it never is."""
    while not (widget.region and pilot.app.screen.region.contains_region(widget.region)):
        await pilot.pause()
    return widget.region


async def paste(pilot: Pilot[None], text: str) -> None:
    assert pilot.app.focused is not None
    pilot.app.focused.post_message(events.Paste(text))
    await pilot.pause()


async def settled(pilot: Pilot[None], done: Callable[[], bool]) -> None:
    while not done():
        await pilot.pause(0.01)


async def changed(pilot: Pilot[None], **expected: JsonValue) -> ArgumentForm.Changed:
    """The message that tells of these arguments, without guessing how long it takes."""
    app = pilot.app
    assert isinstance(app, FormApp)
    await settled(pilot, lambda: bool(app.changes) and app.changes[-1].arguments == expected)
    return app.changes.pop()


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
        assert "sent as the empty string" in screen_text(app)
        await pilot.press("ctrl+n")
        await pilot.pause()
        assert app.shown.arguments["note"] is None
        await pilot.press("ctrl+n")
        await pilot.pause()
        assert "note" not in app.shown.arguments
        await pilot.press("a", "ctrl+n")
        await pilot.pause()
        assert "note" not in app.shown.arguments
        assert "a text is kept here but not sent" in screen_text(app)
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
        assert "kept in its field, not in this text: $.count" in screen_text(app)
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
        assert "also sent, not in the schema: $.more" in screen_text(app)


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
        assert "✗ is too short" in text
        assert '✗ $.b[2]["[red]<U+202E>"] is not of type string' in text
        assert text.index("✗ $ has too few members") < text.index("a  ")
        assert "✗ $.zz is unexpected" in text
        await go(pilot, "a")
        await pilot.press("x")
        await pilot.pause()
        assert "is too short" not in screen_text(app)
        assert "is not of type string" in screen_text(app)


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


def _hostile(payload: str) -> dict[str, JsonValue]:
    return {
        payload: {"type": "string", "default": payload, "title": payload, "description": payload},
        f"b{payload}": {"enum": [payload, "b"], "default": payload, "pattern": payload},
        f"c{payload}": {"enum": [f"{payload}{n}" for n in range(9)], "default": f"{payload}0"},
        f"d{payload}": {"type": "array", "default": [payload], "format": payload},
        f"e{payload}": {"type": "integer", "default": payload},
    }


def _segments(app: App[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for strip in strips(app):
        for segment in strip:
            yield segment.text, segment.style.meta if segment.style else {}


async def _expect_harmless(app: FormApp, pilot: Pilot[None]) -> None:
    """Nothing on the screen is a control character or an action, clicked or not."""
    for text, meta in _segments(app):
        assert is_plain(text)
        assert not [key for key in meta if key.startswith("@")]
    for y in (2, 5, 8):
        await pilot.click(offset=(3, y))
    assert app.quits == 0
    assert app.is_running


@pytest.mark.slow
async def test_server_text_is_drawn_literally() -> None:
    app = app_for()
    async with app.run_test(size=(140, 60)) as pilot:
        for payload in PAYLOADS:
            form = build_form({"properties": _hostile(payload), "required": [payload]})
            app.shown.load(form)
            await settled(
                pilot, lambda: len(app.query(FormField)) == 5 and bool(app.query(SearchSelect))
            )
            app.query_one(SearchSelect).action_open()
            await pilot.pause()
            words = visible(payload).replace("\u0301", "")
            assert words[:12].strip() in screen_text(app).replace("\u0301", "")
            await _expect_harmless(app, pilot)
            assert app.shown.arguments[payload] == payload

            app.shown.action_show_json()
            await settled(pilot, lambda: bool(app.query("TextEditor.document")))
            await _expect_harmless(app, pilot)
            assert app.shown.arguments[payload] == payload


async def test_a_typed_hidden_character_is_drawn_as_a_mark_and_sent() -> None:
    app = app_for(x={"type": "string"})
    async with app.run_test() as pilot:
        found = await go(pilot, "x")
        assert isinstance(found.editor, TextEditor)
        found.editor.insert("a\x1b]0;x\u202eb")
        await pilot.pause()
        assert app.shown.arguments == {"x": "a\x1b]0;x\u202eb"}
        assert "a␛]0;x�b" in screen_text(app)
        assert "holds hidden characters: a␛]0;x<U+202E>b" in screen_text(app)
        assert all(is_plain(text) for text, _ in _segments(app))


@pytest.mark.slow
async def test_tab_walks_through_fields_that_were_not_there_yet() -> None:
    app = many_booleans(16)
    async with app.run_test(size=(80, 8)) as pilot:
        await go(pilot, "f0")
        assert len(app.query(FormField)) < 16
        for n in range(1, 16):
            await pilot.press("tab")
            assert app.focused is field(app, f"f{n}").editor


@pytest.mark.slow
async def test_scrolling_makes_the_rest() -> None:
    app = many_booleans(40)
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.pause()
        assert "… more fields below" not in screen_text(app)
        made = len(app.query(FormField))
        assert made < 20
        app.shown.scroll_end(animate=False)
        await settled(pilot, lambda: len(app.query(FormField)) > made)


@pytest.mark.slow
async def test_a_hundred_fields_load_in_part_and_submit_whole() -> None:
    kinds: list[JsonValue] = [{"type": "string"}, {"type": "boolean"}, {"type": "array"}]
    properties: dict[str, JsonValue] = {f"f{n}": kinds[n % 3] for n in range(100)}
    app = FormApp(build_form({"properties": properties, "required": ["f98"]}))
    async with app.run_test() as pilot:
        await pilot.pause()
        assert len(app.query(FormField)) < 30
        assert not app.shown.submit()
        last = await go(pilot, "f98")
        names = [one.field.name for one in app.query(FormField)]
        assert names[:99] == [f"f{n}" for n in range(99)]
        await settled(pilot, lambda: "✗ required" in screen_text(app))
        assert isinstance(last.editor, TextEditor)
        last.editor.insert("[1]")
        assert app.shown.submit()
        await pilot.pause()
        assert app.submissions[0].arguments == {"f98": [1]}


async def test_loading_in_the_middle_of_mounting_shows_the_last_form_only() -> None:
    app = many_booleans(100)
    async with app.run_test() as pilot:
        app.shown.load(build_form({"properties": {"only": {"type": "string"}}}))
        await pilot.pause()
        await pilot.pause()
        assert [one.field.name for one in app.query(FormField)] == ["only"]


@pytest.mark.parametrize("size", first_quick([(60, 18), (40, 18), (80, 24)]))
async def test_narrow_screens_keep_everything_in_view(size: tuple[int, int]) -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        for name in ("path", "count", "tags", "mode", "flag", "color", "note"):
            found = await go(pilot, name)
            region = await in_sight(pilot, editor(found))
            assert region.width >= 20
            assert region.right <= size[0]
        assert app.shown.max_scroll_x == 0


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({}, "takes no arguments"),
        ({"type": "object", "anyOf": [{}]}, "JSON only: the input schema lists no properties"),
    ],
)
async def test_forms_without_fields(schema: JsonValue, words: str) -> None:
    app = FormApp(build_form(schema))
    async with app.run_test() as pilot:
        await pilot.pause()
        assert words in screen_text(app)
        assert app.shown.submit()
        await pilot.pause()
        assert app.submissions[0].arguments == {}


async def test_huge_values_are_kept_but_not_edited() -> None:
    big = "x" * 300_000
    app = app_for(x={"type": "string", "default": big}, y={"type": "string"})
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        assert "cut: 200 of 300,000 characters" in screen_text(app)
        await go(pilot, "y")
        await pilot.press("a", "ctrl+j")
        await pilot.pause()
        assert "too large for the JSON editor" in screen_text(app)
        await paste(pilot, "y" * 300_000)
        assert app.shown.arguments == {"x": big, "y": "a"}


def test_every_binding_has_an_id_and_a_sentence() -> None:
    for widget in (ArgumentForm, ChoiceLine):
        for one in widget.BINDINGS:
            assert not isinstance(one, tuple)
            assert one.id
            assert one.tooltip.endswith(".")


async def test_no_key_is_lost_to_a_verdict_that_comes_before_the_message_about_it() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 30)) as pilot:
        rows = [await go(pilot, name) for name in ("path", "count")]
        # What a field has heard from its editor, the form has not heard from the field yet.
        for row, typed in zip(rows, ("bread", "12"), strict=True):
            text_editor(row).text = typed
            row.sync()
            app.shown.show_mismatches(())
            assert text_editor(row).text == typed
        assert app.shown.arguments["path"] == "bread"
        assert app.shown.arguments["count"] == 12


async def test_no_key_is_lost_to_one_in_another_field() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 30)) as pilot:
        path, count = [await go(pilot, name) for name in ("path", "count")]
        text_editor(path).text = "bread"
        text_editor(count).text = "12"
        path.sync()
        count.sync()
        app.shown.post_message(FormField.Edited(count))
        await pilot.pause()
        assert (text_editor(path).text, text_editor(count).text) == ("bread", "12")
        text_editor(path).text = "butter"
        path.sync()
        app.shown.focus_field("count")
        assert text_editor(path).text == "butter"
        assert app.shown.arguments["path"] == "butter"


def text_editor(found: FormField) -> TextEditor:
    shown = editor(found)
    assert isinstance(shown, TextEditor)
    return shown


async def test_no_sign_of_a_choice_is_parted_from_its_word_and_each_can_be_clicked() -> None:
    values: JsonValue = {"enum": ["error", "success", "debug"]}
    for width in (40, 52, 60, 100):
        app = app_for(kind=values)
        async with app.run_test(size=(width, 20)) as pilot:
            await pilot.pause()
            line = app.query_one(ChoiceLine)
            shown = line.render().plain.split("\n")
            assert line.size.height == len(shown)
            for value in ("error", "success", "debug"):
                y, row = next((at, row) for at, row in enumerate(shown) if f"○ {value}" in row)
                await pilot.click(line, offset=(row.index(value) + 1, y))
                await pilot.pause()
                assert app.shown.arguments == {"kind": value}
                shown = line.render().plain.split("\n")
