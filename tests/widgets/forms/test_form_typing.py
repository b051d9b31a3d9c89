"""What letters and arrows do in an argument form: they are for values, wherever the focus is."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import pytest
from textual.binding import Binding, BindingType

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.drafts import initial_draft
from signoff.app.schemas.form.edits import set_value
from signoff.app.schemas.form.form import build_form
from signoff.widgets.forms.choice_line import ChoiceLine
from signoff.widgets.forms.form_row import FormRow
from tests.approved import approved
from tests.tiers import first_quick
from tests.widgets.forms.form_app import FormApp, form_of
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
    async with KeyedApp(FORM).on() as app:
        await press_on(app, group(app, "labels"), "enter", "g")
        await press_on(app, group(app, "items"), "enter", "e")
        await press_on(app, adder(app, "items"), "g")
        await app.go("gift")
        await app.press("f")
        assert app.counted == 0
        assert "g" not in {key for key in app.screen.active_bindings if len(key) == 1}
        assert app.arguments == {"gift": False, "limit": 10}


async def test_what_is_typed_while_an_item_or_a_key_is_added_is_in_it() -> None:
    async with KeyedApp(FORM).on() as app:
        await press_on(app, group(app, "items"), "enter")
        adder(app, "items").focus()
        await app.pause()
        # All at once, as they come from a terminal while the form is busy.
        app.type_ahead("enter", *"eggs")
        for _ in range(20):
            await app.pause()
        assert app.arguments["items"] == [{"name": "eggs", "count": 1}]
        assert app.counted == 0
        await press_on(app, group(app, "labels"), "enter")
        await press_on(app, adder(app, "labels"), *"for", "enter", *"Ann")
        assert app.arguments["labels"] == {"for": "Ann"}
        await press_on(app, adder(app, "labels"), *"for", "enter")
        # Taken already: what was typed is there to be changed.
        await app.pause()
        await app.pause()
        await app.press("2", "enter", *"Bob")
        assert app.arguments["labels"] == {"for": "Ann", "for2": "Bob"}


async def test_typing_replaces_a_short_value_and_takes_the_choice_that_begins_with_it() -> None:
    async with FormApp(FORM).on() as app:
        await app.go("gift")
        await app.press("tab", "2", "5")
        assert app.arguments["limit"] == 25
        await app.press("shift+tab", "tab", "end", "0")
        assert app.arguments["limit"] == 250
        await app.press("shift+tab", "tab", "7")
        assert app.arguments["limit"] == 7
        await app.go("gift")
        await app.press("f")
        assert app.arguments["gift"] is False
        await app.press("t")
        assert app.arguments["gift"] is True
        await app.press("n")
        assert "gift" not in app.arguments


async def test_an_item_moves_from_a_field_inside_it_and_says_folded_what_it_holds() -> None:
    items: JsonValue = [{"name": "a", "count": 2}, {"name": "b"}]
    async with FormApp(FORM, set_value(FORM, initial_draft(FORM), ("items",), items)).on() as app:
        app.shown.focus_field(("items", 1, "name"))
        await app.pause()
        await app.pause()
        await app.press("alt+up")
        await app.pause()
        assert app.arguments["items"] == [{"name": "b"}, {"name": "a", "count": 2}]
        assert focused_place(app) == ("items", 0, "name")
        await press_on(app, group(app, "items", 1), "left")
        approved("tui-form").holds("group: folded item", app.line_with("▸ [1]"))


async def test_what_is_typed_right_after_tab_stands_in_the_next_field() -> None:
    schema: JsonValue = {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    async with KeyedApp(build_form(schema)).on() as app:
        await app.go("a")
        app.type_ahead("x", "tab", "y")
        for _ in range(20):
            await app.pause()
        assert app.arguments == {"a": "x", "b": "y"}


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
    first_quick(
        [
            pytest.param("note", "ctrl+n tab x", {"note": "", "last": "x"}, id="a value is sent"),
            pytest.param(
                "note", "ctrl+d tab x", {"note": None, "last": "x"}, id="a default is put"
            ),
            pytest.param("note", "h i enter x", {"note": "hi", "last": "x"}, id="enter goes on"),
            pytest.param("pay", "tab right right tab s", {"pay": {"by": "sea"}}, id="rows come"),
        ],
        several=True,
    ),
)
async def test_keys_that_come_at_once_go_where_the_key_before_went(
    first: str, keys: str, arguments: dict[str, JsonValue]
) -> None:
    async with form_of(PAYMENT).on() as app:
        app.shown.focus_field(first)
        await app.pause()
        app.type_ahead(*keys.split())
        while app.arguments != arguments:
            await app.pilot.pause(0.01)


@pytest.mark.slow
async def test_enter_adds_no_line_to_json_where_there_is_none_to_add() -> None:
    schema: JsonValue = {
        "type": "object",
        "properties": {"data": {"type": "object"}, "limit": {"type": "integer"}},
    }
    async with form_of(schema).on(80, 24) as app:
        data = await app.go("data")
        await app.press("enter")
        assert focused_place(app) == ("limit",)
        await app.go("data")
        await app.press("{", "enter", *'"a": 1', "enter", "}")
        assert data.sync().text == '{\n"a": 1\n}'
        assert focused_place(app) == ("data",)
        await app.press("up", "end", "enter")
        assert data.sync().text == '{\n"a": 1\n\n}'
        await app.press("down", "end", "shift+enter")
        assert data.sync().text.endswith("}\n")
        await app.press("enter")
        assert focused_place(app) == ("limit",)
        assert app.arguments == {"data": {"a": 1}}


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
    async with form_of(WAYS).on() as app:
        picker = group(app, "pay").query_one(ChoiceLine)
        picker.focus()
        await app.pause()
        assert "●" not in str(picker.render())
        await app.press("right")
        assert str(picker.render()).count("●") == 1
        assert app.arguments == {"pay": {"kind": "cash"}}


@pytest.mark.slow
@pytest.mark.parametrize("steps", [["right"], ["right", "right"], ["b"]])
async def test_tab_right_after_a_variant_goes_to_its_first_field(steps: list[str]) -> None:
    async with KeyedApp(build_form(WAYS)).on() as app:
        group(app, "pay").query_one(ChoiceLine).focus()
        await app.pause()
        app.type_ahead(*steps, "tab", *"Ann")
        while focused_place(app) == ("pay",):
            await app.pause()
        assert focused_place(app) == ("pay", "kind")


@pytest.mark.slow
async def test_the_focus_goes_down_the_rows_while_they_come() -> None:
    async with KeyedApp(build_form(WAYS)).on() as app:
        picker = group(app, "pay").query_one(ChoiceLine)
        picker.focus()
        await app.pause()
        picker.action_step(1)
        seen = set[int]()
        for _ in range(2000):
            chain = [row for row in app.screen.focus_chain if isinstance(row, FormRow)]
            rows = [row for row in app.shown.query(FormRow) if row in chain]
            assert chain == rows
            seen.add(len(chain))
            await asyncio.sleep(0)
        assert len(seen) > 2


ARROWS: JsonValue = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "place": {"type": "object", "properties": {"street": {"type": "string"}}},
        "tags": {"type": "array", "items": {"type": "string"}},
        "gift": {"type": "boolean"},
        "count": {"type": "integer", "default": 1},
        "last": {"type": "string"},
    },
}


async def test_down_and_up_go_through_all_rows_and_stop_at_the_ends() -> None:
    async with form_of(ARROWS).on(60, 40) as app:
        app.shown.focus_field("title")
        await app.pause()
        seen = [focused_place(app)]
        for _ in range(20):
            await app.press("down")
            seen.append(focused_place(app))
        places = list(dict.fromkeys(seen))
        assert places[0] == ("title",)
        assert places[-1] == seen[-1] == ("last",)
        assert {("place",), ("tags",), ("gift",), ("count",)} <= {*places}
        for _ in range(20):
            await app.press("up")
        assert focused_place(app) == ("title",)
        assert app.arguments == {"count": 1}


@pytest.mark.parametrize(
    ("text", "ups"),
    first_quick([("one line", 1), ("word " * 30, 2)], several=True),
    ids=["one line", "wrapped"],
)
async def test_a_wrapped_line_is_left_at_its_edge(text: str, ups: int) -> None:
    async with form_of(ARROWS).on(60, 40) as app:
        app.shown.focus_field("last")
        await app.pause()
        await app.press("end", *text)
        assert app.arguments["last"] == text
        for _ in range(ups - 1):
            await app.press("up")
            assert focused_place(app) == ("last",)
        for _ in range(12):
            await app.press("up")
        assert focused_place(app) == ("title",)
        assert app.arguments["last"] == text
