"""Objects, arrays, maps and unions in the argument form, by keys and by clicks."""

from __future__ import annotations

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.entries import Origin
from signoff.app.schemas.form.form import build_form
from signoff.widgets.forms.choice_line import ChoiceLine, ChoiceList
from signoff.widgets.forms.field_editors import TextEditor
from signoff.widgets.forms.form_field import FormField
from signoff.widgets.forms.search_select import SearchSelect
from tests.approved import approved
from tests.widgets.forms.form_app import FormApp, go, line_with, screen_text
from tests.widgets.forms.grouped_form import (
    SCHEMA,
    adder,
    focused_place,
    go_to,
    group,
    leaf,
    press_on,
)

TEXTS = approved("tui-form")


@pytest.mark.slow
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
        TEXTS.holds("group: one of two is set", line_with(app, "1 of 2"))
        assert app.shown.origins["where"] is Origin.TYPED
        await press_on(pilot, group(app, "where"), "ctrl+n")
        assert "where" not in app.shown.arguments
        TEXTS.holds("group: not sent", line_with(app, "▾ where"))
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
        TEXTS.holds("group: items", line_with(app, "3 items"))
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


@pytest.mark.slow
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
        TEXTS.holds("form: problems", line_with(app, "2 problems"))
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
