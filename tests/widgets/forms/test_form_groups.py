"""Objects, arrays, maps and unions in the argument form, by keys and by clicks."""

from __future__ import annotations

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.entries import Origin
from signoff.widgets.forms.choice_line import ChoiceLine, ChoiceList
from signoff.widgets.forms.field_editors import TextEditor
from signoff.widgets.forms.form_field import FormField
from signoff.widgets.forms.search_select import SearchSelect
from tests.approved import approved
from tests.widgets.forms.form_app import form_of
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


async def test_a_group_opens_and_folds_alone_and_says_what_is_inside() -> None:
    async with form_of(SCHEMA).on() as app:
        found = await app.go("day")
        await app.press(*"2026")
        before = {row.place: row for row in app.query(FormField)}
        where = group(app, "where")
        assert "▸ where" in app.text
        await press_on(app, where, "enter")
        assert "▾ where" in app.text
        assert "┃ where it is" in app.text
        assert leaf(app, "where", "city").is_attached
        assert app.focused is where
        assert {row.place: row for row in app.query(FormField)}.items() >= before.items()
        assert isinstance(found.editor, TextEditor)
        assert found.editor.text == "2026"
        await app.press("left")
        assert "▸ where" in app.text
        assert set(app.query(FormField)) == set(before.values())
        await app.pilot.click(where, offset=(2, 0))
        await app.pause()
        assert "▾ where" in app.text
        assert app.arguments == {"limit": 10, "day": "2026"}
        await press_on(app, group(app, "where"), "left")
        await press_on(app, group(app, "where"), "space", "tab", *"Rome")
        assert app.arguments["where"] == {"city": "Rome"}
        TEXTS.holds("group: one of two is set", app.line_with("1 of 2"))
        assert app.origins["where"] is Origin.TYPED
        await press_on(app, group(app, "where"), "ctrl+n")
        assert "where" not in app.arguments
        TEXTS.holds("group: not sent", app.line_with("▾ where"))
        await app.press("ctrl+n")
        assert app.arguments["where"] == {"city": "Rome"}


@pytest.mark.slow
async def test_items_objects_and_keys_are_added_moved_renamed_and_removed() -> None:
    async with form_of(SCHEMA).on() as app:
        await press_on(app, group(app, "tags"), "enter", "tab")
        for word in ("one", "two", "three"):
            await press_on(app, adder(app, "tags"), "enter")
            await app.press(*word)
        assert app.arguments["tags"] == ["one", "two", "three"]
        assert focused_place(app) == ("tags", 2)
        TEXTS.holds("group: items", app.line_with("3 items"))
        await app.press("alt+up")
        assert app.arguments["tags"] == ["one", "three", "two"]
        assert focused_place(app) == ("tags", 1)
        await app.press("alt+up", "alt+up", "end", "X")
        assert app.arguments["tags"] == ["threeX", "one", "two"]
        await app.press("ctrl+delete")
        assert app.arguments["tags"] == ["one", "two"]
        assert focused_place(app) == ("tags", 0)
        row = leaf(app, "tags", 1)
        await app.pilot.click(row, offset=(row.size.width - 1, 0))
        await app.pause()
        assert app.arguments["tags"] == ["one"]
        await press_on(app, adder(app, "people"), "enter")
        assert focused_place(app) == ("people", 0, "name")
        await app.press(*"Ada")
        await press_on(app, adder(app, "people"), "enter")
        await app.press(*"Bob", "tab", *"41")
        assert app.arguments["people"] == [{"name": "Ada"}, {"name": "Bob", "age": 41}]
        await press_on(app, group(app, "people", 0), "left")
        await press_on(app, group(app, "people", 1), "left_square_bracket")
        assert app.arguments["people"] == [{"name": "Bob", "age": 41}, {"name": "Ada"}]
        assert focused_place(app) == ("people", 0)
        # What was folded stays folded, wherever it is.
        assert [row.place for row in app.query(FormField) if row.place[:1] == ("people",)] == [
            ("people", 0, "name"),
            ("people", 0, "age"),
        ]
        await app.press("right_square_bracket", "delete")
        assert app.arguments["people"] == [{"name": "Ada"}]
        await press_on(app, group(app, "env"), "enter", "tab")
        await app.press("enter", *"HOME", "enter")
        assert focused_place(app) == ("env", "HOME")
        await app.press(*"/root")
        assert app.arguments["env"] == {"HOME": "/root"}
        await press_on(app, adder(app, "env"), "enter", *"HOME", "enter")
        assert "$.env.HOME: already there" in app.text
        await press_on(app, adder(app, "env"), "enter", *"A", "escape")
        assert app.arguments["env"] == {"HOME": "/root"}
        await go_to(app, "env", "HOME")
        await app.press("alt+k", *"_2", "enter")
        assert app.arguments["env"] == {"HOME_2": "/root"}
        assert focused_place(app) == ("env", "HOME_2")
        await app.press("ctrl+delete")
        assert app.arguments.get("env", {}) == {}


@pytest.mark.slow
async def test_a_union_is_chosen_and_keeps_what_was_typed_for_the_way_back() -> None:
    async with form_of(SCHEMA).on() as app:
        target = group(app, "target")
        picker = target.query_one(ChoiceLine)
        await press_on(app, target, "right")
        picker.focus()
        await app.press("right")
        assert app.focused is picker
        await go_to(app, "target", "x")
        await app.press("7")
        assert app.arguments["target"] == {"x": 7}
        picker.focus()
        await app.press("left")
        await app.press("tab", *"home")
        assert app.arguments == {"limit": 10, "target": "home"}


async def test_a_checklist_a_default_that_comes_back_and_what_will_be_sent() -> None:
    async with form_of(SCHEMA).on() as app:
        row = await app.go("perms")
        assert isinstance(row.editor, ChoiceList)
        await app.press("down", "space", "down", "space")
        assert app.arguments["perms"] == ["write", "admin"]
        await app.press("ctrl+n")
        assert "perms" not in app.arguments
        await app.go("limit")
        assert "default:" not in app.text
        await app.press("end", "5")
        assert "default: 10 (ctrl+d)" in app.text
        assert app.arguments["limit"] == 105
        await app.press("ctrl+d")
        assert app.arguments["limit"] == 10
        assert app.origins["limit"] is Origin.DEFAULT
        await app.press("end", "backspace", "backspace")
        assert "for example: 20, 30" in app.text
        assert "limit" not in app.arguments
        row = await app.go("day")
        assert isinstance(row.editor, TextEditor)
        assert "2026-" in str(row.editor.placeholder)
        for words, sent in (
            ("● empty string", ""),
            ("● null", None),
        ):
            await app.press("ctrl+n")
            assert words in app.text
            assert app.arguments["day"] == sent
        await app.press("ctrl+n")
        assert "day" not in app.arguments


@pytest.mark.slow
async def test_hundreds_of_values_are_found_by_typing() -> None:
    zones: list[JsonValue] = [f"Area/Place_{n}" for n in range(600)]
    async with form_of({"properties": {"zone": {"enum": zones}}}).on(80, 24) as app:
        row = await app.go("zone")
        assert isinstance(row.editor, SearchSelect)
        await app.press(*"ce_599", "enter")
        assert app.arguments == {"zone": "Area/Place_599"}


@pytest.mark.slow
async def test_submitting_goes_to_the_first_problem_and_opens_the_way_to_it() -> None:
    async with form_of(SCHEMA).on() as app:
        await press_on(app, adder(app, "people"), "enter")
        await press_on(app, group(app, "people", 0), "left")
        await press_on(app, group(app, "people"), "left")
        await app.go("limit")
        await app.press("x")
        assert "1 problem inside" not in app.text
        await app.press("f5")
        assert app.submissions == []
        TEXTS.holds("form: problems", app.line_with("2 problems"))
        assert focused_place(app) == ("people", 0, "name")
        assert "✗ required" in app.text
        await press_on(app, group(app, "people"), "left")
        assert "✗ 1 problem inside" in app.text
        await app.press("f12")
        (sent,) = app.submissions
        assert sent.although_invalid
        assert sent.arguments["limit"] == "x"
        assert sent.arguments["people"] == [{}]


@pytest.mark.slow
async def test_submitting_again_goes_to_the_next_problem_and_round() -> None:
    async with form_of(SCHEMA).on() as app:
        await press_on(app, adder(app, "people"), "enter")
        await press_on(app, adder(app, "people"), "enter")
        await app.go("limit")
        await app.press("x")
        order = []
        for _ in range(4):
            await app.press("f5")
            order.append(focused_place(app))
        first, second = ("people", 0, "name"), ("people", 1, "name")
        assert order == [first, second, ("limit",), first]
        # From a folded group the next problem is the one inside it.
        await press_on(app, group(app, "people", 1), "left", "f5")
        await app.pause()
        assert focused_place(app) == second
        await app.go("limit")
        await app.press("home", "shift+end", "1")
        await press_on(app, group(app, "people"), "left", "f5")
        await app.pause()
        assert focused_place(app) == first
        assert app.submissions == []
