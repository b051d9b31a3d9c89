"""What letters do in an argument form: they are for values, wherever in it the focus is."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import pytest
from textual import events
from textual.binding import Binding, BindingType

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.drafts import initial_draft
from signoff.app.schemas.form.edits import set_value
from signoff.app.schemas.form.form import build_form
from signoff.widgets.forms.choice_line import ChoiceLine
from signoff.widgets.forms.form_row import FormRow
from tests.approved import approved
from tests.widgets.forms.form_app import FormApp, go, line_with
from tests.widgets.forms.grouped_form import adder, focused_place, group, press_on

ITEM: JsonValue = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "count": {"type": "integer", "default": 1}},
}
SCHEMA: JsonValue = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "items": {"type": "array", "items": ITEM},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "gift": {"type": "boolean"},
        "limit": {"type": "integer", "default": 10},
    },
}
FORM = build_form(SCHEMA)


class KeyedApp(FormApp):
    """A form below a screen that has keys for letters."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("g,e,f", "count", "Count")]
    counted = 0

    def action_count(self) -> None:
        self.counted += 1


async def test_no_letter_on_a_row_is_a_key_of_the_screen() -> None:
    app = KeyedApp(FORM)
    async with app.run_test(size=(100, 60)) as pilot:
        await press_on(pilot, group(app, "labels"), "enter", "g")
        await press_on(pilot, group(app, "items"), "enter", "e")
        await press_on(pilot, adder(app, "items"), "g")
        await go(pilot, "gift")
        await pilot.press("f")
        await pilot.pause()
        assert app.counted == 0
        assert "g" not in {key for key in app.screen.active_bindings if len(key) == 1}
        assert app.shown.arguments == {"gift": False, "limit": 10}


async def test_what_is_typed_while_an_item_is_added_stands_in_it() -> None:
    app = KeyedApp(FORM)
    async with app.run_test(size=(100, 60)) as pilot:
        await press_on(pilot, group(app, "items"), "enter")
        adder(app, "items").focus()
        await pilot.pause()
        # All at once, as they come from a terminal while the form is busy.
        for key in ("enter", *"eggs"):
            app.post_message(events.Key(key, key if len(key) == 1 else "\r"))
        for _ in range(20):
            await pilot.pause()
        assert app.shown.arguments["items"] == [{"name": "eggs", "count": 1}]
        assert app.counted == 0


@pytest.mark.slow
async def test_a_letter_on_the_row_that_adds_a_key_begins_the_key() -> None:
    app = KeyedApp(FORM)
    async with app.run_test(size=(100, 60)) as pilot:
        await press_on(pilot, group(app, "labels"), "enter")
        await press_on(pilot, adder(app, "labels"), *"for", "enter", *"Ann")
        assert app.shown.arguments["labels"] == {"for": "Ann"}
        await press_on(pilot, adder(app, "labels"), *"for", "enter")
        # Taken already: what was typed is there to be changed.
        await pilot.pause()
        await pilot.pause()
        await pilot.press("2", "enter", *"Bob")
        await pilot.pause()
        assert app.shown.arguments["labels"] == {"for": "Ann", "for2": "Bob"}


async def test_typing_replaces_a_short_value_that_was_tabbed_into() -> None:
    app = FormApp(FORM)
    async with app.run_test(size=(100, 60)) as pilot:
        await go(pilot, "gift")
        await pilot.press("tab", "2", "5")
        await pilot.pause()
        assert app.shown.arguments["limit"] == 25
        await pilot.press("shift+tab", "tab", "end", "0")
        await pilot.pause()
        assert app.shown.arguments["limit"] == 250
        await pilot.press("shift+tab", "tab", "7")
        await pilot.pause()
        assert app.shown.arguments["limit"] == 7


async def test_a_letter_takes_the_choice_that_begins_with_it() -> None:
    app = FormApp(FORM)
    async with app.run_test(size=(100, 60)) as pilot:
        await go(pilot, "gift")
        await pilot.press("f")
        await pilot.pause()
        assert app.shown.arguments["gift"] is False
        await pilot.press("t")
        await pilot.pause()
        assert app.shown.arguments["gift"] is True
        await pilot.press("n")
        await pilot.pause()
        assert "gift" not in app.shown.arguments


async def test_an_item_moves_from_a_field_inside_it_and_says_folded_what_it_holds() -> None:
    items: JsonValue = [{"name": "a", "count": 2}, {"name": "b"}]
    app = FormApp(FORM, set_value(FORM, initial_draft(FORM), ("items",), items))
    async with app.run_test(size=(100, 60)) as pilot:
        app.shown.focus_field(("items", 1, "name"))
        await pilot.pause()
        await pilot.pause()
        await pilot.press("alt+up")
        await pilot.pause()
        await pilot.pause()
        assert app.shown.arguments["items"] == [{"name": "b"}, {"name": "a", "count": 2}]
        assert focused_place(app) == ("items", 0, "name")
        await press_on(pilot, group(app, "items", 1), "left")
        approved("tui-form").holds("group: folded item", line_with(app, "▸ [1]"))


async def test_what_is_typed_right_after_tab_stands_in_the_next_field() -> None:
    schema: JsonValue = {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    app = KeyedApp(build_form(schema))
    async with app.run_test(size=(100, 60)) as pilot:
        await go(pilot, "a")
        for key in ("x", "tab", "y"):
            app.post_message(events.Key(key, key if len(key) == 1 else "\t"))
        for _ in range(20):
            await pilot.pause()
        assert app.shown.arguments == {"a": "x", "b": "y"}


PAYMENT: JsonValue = {
    "properties": {
        "pay": {
            "oneOf": [
                {"title": "Card", "properties": {"number": {"type": "string"}}},
                {"title": "Post", "properties": {"by": {"enum": ["air", "sea"]}}},
            ]
        },
        "note": {"type": ["string", "null"], "default": None},
        "last": {"type": "string"},
    }
}


@pytest.mark.parametrize(
    ("first", "keys", "arguments"),
    [
        pytest.param("note", "ctrl+n tab x", {"note": "", "last": "x"}, id="a value is sent"),
        pytest.param("note", "ctrl+d tab x", {"note": None, "last": "x"}, id="a default is put"),
        pytest.param("note", "h i enter x", {"note": "hi", "last": "x"}, id="enter goes on"),
        pytest.param("pay", "tab right right tab s", {"pay": {"by": "sea"}}, id="rows come"),
    ],
)
async def test_keys_that_come_at_once_go_where_the_key_before_went(
    first: str, keys: str, arguments: dict[str, JsonValue]
) -> None:
    app = FormApp(build_form(PAYMENT))
    async with app.run_test(size=(100, 60)) as pilot:
        app.shown.focus_field(first)
        await pilot.pause()
        for key in keys.split():
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        while app.shown.arguments != arguments:
            await pilot.pause(0.01)


@pytest.mark.slow
async def test_enter_adds_no_line_to_json_where_there_is_none_to_add() -> None:
    schema: JsonValue = {
        "type": "object",
        "properties": {"data": {"type": "object"}, "limit": {"type": "integer"}},
    }
    app = FormApp(build_form(schema))
    async with app.run_test(size=(80, 24)) as pilot:
        data = await go(pilot, "data")
        await pilot.press("enter")
        await pilot.pause()
        assert focused_place(app) == ("limit",)
        await go(pilot, "data")
        await pilot.press("{", "enter", *'"a": 1', "enter", "}")
        assert data.sync().text == '{\n"a": 1\n}'
        assert focused_place(app) == ("data",)
        await pilot.press("up", "end", "enter")
        assert data.sync().text == '{\n"a": 1\n\n}'
        await pilot.press("down", "end", "shift+enter")
        assert data.sync().text.endswith("}\n")
        await pilot.press("enter")
        await pilot.pause()
        assert focused_place(app) == ("limit",)
        assert app.shown.arguments == {"data": {"a": 1}}


def way(title: str, *fields: str) -> JsonValue:
    required: JsonValue = list(fields[:1])
    return {
        "title": title,
        "type": "object",
        "required": required,
        "properties": {"kind": {"const": title}, **{name: {"type": "string"} for name in fields}},
    }


WAYS: JsonValue = {
    "type": "object",
    "properties": {
        "pay": {
            "oneOf": [
                way("cash", "till"),
                way("card", "holder", *(f"number{at}" for at in range(30))),
                way("bill", "address"),
            ]
        },
        "note": {"type": "string"},
    },
}


async def test_a_union_that_is_not_sent_has_no_alternative_taken() -> None:
    app = FormApp(build_form(WAYS))
    async with app.run_test(size=(100, 60)) as pilot:
        picker = group(app, "pay").query_one(ChoiceLine)
        picker.focus()
        await pilot.pause()
        assert "●" not in str(picker.render())
        await pilot.press("right")
        await pilot.pause()
        assert str(picker.render()).count("●") == 1
        assert app.shown.arguments == {"pay": {"kind": "cash"}}


@pytest.mark.slow
@pytest.mark.parametrize("steps", [["right"], ["right", "right"], ["b"]])
async def test_tab_right_after_a_variant_goes_to_its_first_field(steps: list[str]) -> None:
    app = KeyedApp(build_form(WAYS))
    async with app.run_test(size=(100, 60)) as pilot:
        group(app, "pay").query_one(ChoiceLine).focus()
        await pilot.pause()
        for key in (*steps, "tab", *"Ann"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        while focused_place(app) == ("pay",):
            await pilot.pause()
        assert focused_place(app) == ("pay", "kind")


@pytest.mark.slow
async def test_the_focus_goes_down_the_rows_while_they_come() -> None:
    app = KeyedApp(build_form(WAYS))
    async with app.run_test(size=(100, 60)) as pilot:
        picker = group(app, "pay").query_one(ChoiceLine)
        picker.focus()
        await pilot.pause()
        picker.action_step(1)
        seen = set[int]()
        for _ in range(2000):
            chain = [row for row in app.screen.focus_chain if isinstance(row, FormRow)]
            rows = [row for row in app.shown.query(FormRow) if row in chain]
            assert chain == rows
            seen.add(len(chain))
            await asyncio.sleep(0)
        assert len(seen) > 2
