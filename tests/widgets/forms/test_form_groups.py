"""Objects, arrays, maps and unions in the argument form, by keys and by clicks."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.entries import Origin
from signoff.app.schemas.form.fields import Place
from signoff.app.schemas.form.form import build_form
from signoff.app.schemas.schema import Mismatch
from signoff.widgets.forms.choice_line import ChoiceLine
from signoff.widgets.forms.choice_list import ChoiceList
from signoff.widgets.forms.field_editors import TextEditor
from signoff.widgets.forms.form_field import FormField
from signoff.widgets.forms.form_row import FormRow
from signoff.widgets.forms.group_row import AddRow, GroupRow
from signoff.widgets.forms.search_select import SearchSelect
from tests.tiers import first_quick
from tests.widgets.forms.test_argument_form import FormApp, go, in_sight, paste, screen_text, strips
from tests.widgets.hostile import PAYLOADS, assert_harmless

PERSON: JsonValue = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
}
SCHEMA: JsonValue = {
    "type": "object",
    "additionalProperties": False,
    "required": ["people"],
    "properties": {
        "people": {"type": "array", "items": PERSON},
        "tags": {"type": "array", "items": {"type": "string"}},
        "env": {"type": "object", "additionalProperties": {"type": "string"}},
        "where": {
            "type": "object",
            "description": "where it is",
            "properties": {"city": {"type": "string"}, "deep": PERSON},
        },
        "target": {
            "anyOf": [
                {"type": "string"},
                {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
            ]
        },
        "perms": {"type": "array", "items": {"enum": ["read", "write", "admin"]}},
        "limit": {"type": "integer", "default": 10, "examples": [20, 30]},
        "day": {"type": ["string", "null"], "format": "date"},
    },
}


def group(app: FormApp, *place: str | int) -> GroupRow:
    return next(row for row in app.query(GroupRow) if row.place == place)


def adder(app: FormApp, *place: str | int) -> AddRow:
    return next(row for row in app.query(AddRow) if row.place == place)


def leaf(app: FormApp, *place: str | int) -> FormField:
    return next(row for row in app.query(FormField) if row.place == place)


def focused_place(app: FormApp) -> Place | None:
    focused = app.focused
    if focused is None:
        return None
    rows = [one for one in focused.ancestors_with_self if isinstance(one, FormRow)]
    return rows[0].place if rows else None


async def press_on(pilot: Pilot[None], row: FormRow, *keys: str) -> None:
    row.focus()
    await pilot.pause()
    await pilot.press(*keys)
    await pilot.pause()


async def test_a_group_opens_and_folds_and_leaves_all_other_rows_alone() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 70)) as pilot:
        found = await go(pilot, "day")
        await pilot.press(*"2026")
        before = {row.place: row for row in app.query(FormField)}
        where = group(app, "where")
        assert "▸ where" in screen_text(app)
        await press_on(pilot, where, "enter")
        assert "▾ where" in screen_text(app)
        assert "┃ where it is" in screen_text(app)
        assert leaf(app, "where", "city").is_attached
        assert app.focused is where
        assert {row.place: row for row in app.query(FormField)}.items() >= before.items()
        assert isinstance(found.editor, TextEditor)
        assert found.editor.text == "2026"
        await pilot.press("left")
        await pilot.pause()
        assert "▸ where" in screen_text(app)
        assert set(app.query(FormField)) == set(before.values())
        await pilot.click(where, offset=(2, 0))
        await pilot.pause()
        assert "▾ where" in screen_text(app)
        assert app.shown.arguments == {"limit": 10, "day": "2026"}


async def test_a_nested_value_is_typed_and_the_groups_say_what_is_inside() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 70)) as pilot:
        await press_on(pilot, group(app, "where"), "space", "tab", *"Rome")
        assert app.shown.arguments["where"] == {"city": "Rome"}
        assert "1 of 2 set · object with 2 properties" in screen_text(app)
        assert app.shown.origins["where"] is Origin.TYPED
        await press_on(pilot, group(app, "where"), "ctrl+n")
        assert "where" not in app.shown.arguments
        assert "not sent · object with 2 properties" in screen_text(app)
        await pilot.press("ctrl+n")
        await pilot.pause()
        assert app.shown.arguments["where"] == {"city": "Rome"}


@pytest.mark.slow
async def test_items_are_added_moved_and_removed_and_the_focus_goes_along() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 70)) as pilot:
        await press_on(pilot, group(app, "tags"), "enter", "tab")
        for word in ("one", "two", "three"):
            await press_on(pilot, adder(app, "tags"), "enter")
            await pilot.press(*word)
        assert app.shown.arguments["tags"] == ["one", "two", "three"]
        assert focused_place(app) == ("tags", 2)
        assert "3 items · array of strings" in screen_text(app)
        await pilot.press("alt+up")
        await pilot.pause()
        assert app.shown.arguments["tags"] == ["one", "three", "two"]
        assert focused_place(app) == ("tags", 1)
        await pilot.press("alt+up", "alt+up", "end", "X")
        await pilot.pause()
        assert app.shown.arguments["tags"] == ["threeX", "one", "two"]
        await pilot.press("ctrl+delete")
        await pilot.pause()
        assert app.shown.arguments["tags"] == ["one", "two"]
        assert focused_place(app) == ("tags", 0)
        row = leaf(app, "tags", 1)
        await pilot.click(row, offset=(row.size.width - 1, 0))
        await pilot.pause()
        assert app.shown.arguments["tags"] == ["one"]


@pytest.mark.slow
async def test_objects_in_an_array_are_filled_moved_and_removed() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 70)) as pilot:
        await press_on(pilot, adder(app, "people"), "enter")
        assert focused_place(app) == ("people", 0, "name")
        await pilot.press(*"Ada")
        await press_on(pilot, adder(app, "people"), "enter")
        await pilot.press(*"Bob", "tab", *"41")
        assert app.shown.arguments["people"] == [{"name": "Ada"}, {"name": "Bob", "age": 41}]
        await press_on(pilot, group(app, "people", 0), "left")
        await press_on(pilot, group(app, "people", 1), "left_square_bracket")
        assert app.shown.arguments["people"] == [{"name": "Bob", "age": 41}, {"name": "Ada"}]
        assert focused_place(app) == ("people", 0)
        # What was folded stays folded, wherever it is.
        assert [row.place for row in app.query(FormField) if row.place[:1] == ("people",)] == [
            ("people", 0, "name"),
            ("people", 0, "age"),
        ]
        await pilot.press("right_square_bracket", "delete")
        await pilot.pause()
        assert app.shown.arguments["people"] == [{"name": "Ada"}]


@pytest.mark.slow
async def test_keys_of_a_map_are_typed_renamed_and_removed() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 70)) as pilot:
        await press_on(pilot, group(app, "env"), "enter", "tab")
        await pilot.press("enter", *"HOME", "enter")
        await pilot.pause()
        assert focused_place(app) == ("env", "HOME")
        await pilot.press(*"/root")
        assert app.shown.arguments["env"] == {"HOME": "/root"}
        await press_on(pilot, adder(app, "env"), "enter", *"HOME", "enter")
        assert "$.env.HOME: already there" in screen_text(app)
        await press_on(pilot, adder(app, "env"), "enter", *"A", "escape")
        assert app.shown.arguments["env"] == {"HOME": "/root"}
        await go_to(pilot, "env", "HOME")
        await pilot.press("alt+k", *"_2", "enter")
        await pilot.pause()
        assert app.shown.arguments["env"] == {"HOME_2": "/root"}
        assert focused_place(app) == ("env", "HOME_2")
        await pilot.press("ctrl+delete")
        await pilot.pause()
        assert app.shown.arguments.get("env", {}) == {}


async def go_to(pilot: Pilot[None], *place: str | int) -> FormRow:
    """Focus a place, and wait until its row has the keys."""
    assert isinstance(pilot.app, FormApp)
    pilot.app.shown.focus_field(place)
    while focused_place(pilot.app) != place:
        await pilot.pause()
    return next(row for row in pilot.app.query(FormRow) if row.place == place)


async def test_a_union_is_chosen_and_keeps_what_was_typed_for_the_way_back() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 70)) as pilot:
        target = group(app, "target")
        picker = target.query_one(ChoiceLine)
        await press_on(pilot, target, "right")
        picker.focus()
        await pilot.press("right")
        await pilot.pause()
        assert app.focused is picker
        await go_to(pilot, "target", "x")
        await pilot.press("7")
        await pilot.pause()
        assert app.shown.arguments["target"] == {"x": 7}
        picker.focus()
        await pilot.press("left")
        await pilot.pause()
        await pilot.press("tab", *"home")
        await pilot.pause()
        assert app.shown.arguments == {"limit": 10, "target": "home"}


async def test_an_array_of_choices_is_a_checklist() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 70)) as pilot:
        row = await go(pilot, "perms")
        assert isinstance(row.editor, ChoiceList)
        await pilot.press("down", "space", "down", "space")
        await pilot.pause()
        assert app.shown.arguments["perms"] == ["write", "admin"]
        await pilot.press("ctrl+n")
        await pilot.pause()
        assert "perms" not in app.shown.arguments


@pytest.mark.slow
async def test_hundreds_of_values_are_found_by_typing() -> None:
    zones: list[JsonValue] = [f"Area/Place_{n}" for n in range(600)]
    app = FormApp(build_form({"properties": {"zone": {"enum": zones}}}))
    async with app.run_test(size=(80, 24)) as pilot:
        row = await go(pilot, "zone")
        assert isinstance(row.editor, SearchSelect)
        await pilot.press(*"ce_599", "enter")
        await pilot.pause()
        assert app.shown.arguments == {"zone": "Area/Place_599"}


async def test_the_default_comes_back_by_a_key_and_is_told_of_meanwhile() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 70)) as pilot:
        await go(pilot, "limit")
        assert "default:" not in screen_text(app)
        await pilot.press("end", "5")
        await pilot.pause()
        assert "default: 10 (ctrl+d)" in screen_text(app)
        assert app.shown.arguments["limit"] == 105
        await pilot.press("ctrl+d")
        await pilot.pause()
        assert app.shown.arguments["limit"] == 10
        assert app.shown.origins["limit"] is Origin.DEFAULT
        await pilot.press("end", "backspace", "backspace")
        await pilot.pause()
        assert "for example: 20, 30" in screen_text(app)
        assert "limit" not in app.shown.arguments


async def test_each_state_says_what_will_be_sent() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 70)) as pilot:
        row = await go(pilot, "day")
        assert isinstance(row.editor, TextEditor)
        assert "2026-" in str(row.editor.placeholder)
        for words, sent in (
            ("● empty string", ""),
            ("● null", None),
        ):
            await pilot.press("ctrl+n")
            await pilot.pause()
            assert words in screen_text(app)
            assert app.shown.arguments["day"] == sent
        await pilot.press("ctrl+n")
        await pilot.pause()
        assert "day" not in app.shown.arguments


@pytest.mark.slow
async def test_submitting_goes_to_the_first_problem_and_opens_the_way_to_it() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 40)) as pilot:
        await press_on(pilot, adder(app, "people"), "enter")
        await press_on(pilot, group(app, "people", 0), "left")
        await press_on(pilot, group(app, "people"), "left")
        await go(pilot, "limit")
        await pilot.press("x")
        assert "1 problem inside" not in screen_text(app)
        await pilot.press("f5")
        await pilot.pause()
        assert app.submissions == []
        assert "2 problems. f5: next · f12: send anyway" in screen_text(app)
        assert focused_place(app) == ("people", 0, "name")
        assert "✗ required" in screen_text(app)
        await press_on(pilot, group(app, "people"), "left")
        assert "✗ 1 problem inside" in screen_text(app)
        await pilot.press("f12")
        await pilot.pause()
        (sent,) = app.submissions
        assert sent.although_invalid
        assert sent.arguments["limit"] == "x"
        assert sent.arguments["people"] == [{}]


@pytest.mark.slow
async def test_submitting_again_goes_to_the_next_problem_and_round() -> None:
    app = FormApp(build_form(SCHEMA))
    async with app.run_test(size=(100, 40)) as pilot:
        await press_on(pilot, adder(app, "people"), "enter")
        await press_on(pilot, adder(app, "people"), "enter")
        await go(pilot, "limit")
        await pilot.press("x")
        order = []
        for _ in range(4):
            await pilot.press("f5")
            await pilot.pause()
            order.append(focused_place(app))
        first, second = ("people", 0, "name"), ("people", 1, "name")
        assert order == [first, second, ("limit",), first]
        # From a folded group the next problem is the one inside it.
        await press_on(pilot, group(app, "people", 1), "left", "f5")
        await pilot.pause()
        assert focused_place(app) == second
        await go(pilot, "limit")
        await pilot.press("home", "shift+end", "1")
        await press_on(pilot, group(app, "people"), "left", "f5")
        await pilot.pause()
        assert focused_place(app) == first
        assert app.submissions == []


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
        assert "also sent, not in the schema: $.zzz" in screen_text(app)
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
