"""Picking of values, and what a person does at the rows of a form, one step after the other."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.strip import Strip

from signoff.app.content.text import visible
from signoff.app.schemas.form.drafts import draft_from_arguments
from signoff.app.schemas.form.entries import FieldEntry, Origin
from signoff.app.schemas.form.fields import FieldKind, Place
from signoff.app.schemas.form.form import build_form
from signoff.app.schemas.form.merging import identical
from signoff.app.schemas.form.rows import FieldRow, RowRole
from signoff.app.schemas.schema import judge
from signoff.widgets.forms.choice_line import ChoiceLine, ChoiceList
from signoff.widgets.forms.form_row import RowVerb
from signoff.widgets.forms.form_state import FormState
from signoff.widgets.forms.group_steps import take_step
from signoff.widgets.forms.search_select import OptionWindow, SearchSelect
from tests.schemas.rich_form import RICH, VALUES, rich_arguments
from tests.showing import Stage, showing
from tests.tiers import examples
from tests.widgets.hostile import PAYLOADS, assert_harmless

FORM = build_form(RICH)
many = examples(80)
KEYS = st.sampled_from(["A", "b", "new"])


def begun(arguments: dict[str, Any]) -> FormState:
    return FormState(FORM, draft_from_arguments(FORM, arguments))


def shown(state: FormState) -> list[tuple[Place, str, bool, bool, int, FieldEntry]]:
    """All that a person sees of the rows."""
    return [
        (row.place, row.role, row.is_sent, row.is_open, row.variant, row.entry)
        for row in state.rows
    ]


def draw_step(data: st.DataObject, state: FormState) -> None:
    """One step at one of the rows."""
    row: FieldRow = data.draw(st.sampled_from(state.rows))
    is_inside = row.field.is_item or row.field.is_key_free
    verbs = [RowVerb.REMOVE, RowVerb.UP, RowVerb.DOWN] if row.field.is_item else []
    verbs += [RowVerb.REMOVE, RowVerb.RENAME] if row.field.is_key_free else []
    if row.role in (RowRole.ADD_ITEM, RowRole.ADD_KEY):
        key = data.draw(KEYS) if row.role is RowRole.ADD_KEY else None
        take_step(state, RowVerb.ADD, row.place, key, ())
    elif is_inside and data.draw(st.booleans()):
        take_step(state, data.draw(st.sampled_from(verbs)), row.place, data.draw(KEYS), ())
    elif row.role is RowRole.GROUP and data.draw(st.booleans()):
        state.fold(row.place)
    elif row.role is RowRole.GROUP and row.field.kind is FieldKind.UNION:
        take_step(state, RowVerb.CHOOSE, row.place, str(data.draw(st.integers(0, 2))), ())
    elif data.draw(st.booleans()) or row.role is RowRole.GROUP:
        state.toggle_sent(row.place)
    else:
        text = data.draw(st.sampled_from(["", "1", "true", "{no", '"a"', "[1]"]))
        state.set_entry(row.place, FieldEntry(text, present=bool(text)))


def check(state: FormState) -> None:
    """What holds after every step."""
    places = [row.place for row in state.rows]
    assert len({(row.place, row.role) for row in state.rows}) == len(places)
    built = state.built
    assert set(built.origins) == set(built.arguments)
    state.judge(judge(RICH, built.arguments).errors)
    state.insist()
    heads = [row for row in state.rows if row.role in (RowRole.FIELD, RowRole.GROUP)]
    told = {row.place for row in heads if state.said(row.place).is_wrong}
    at_rows = {
        max((head.place for head in heads if place[: len(head.place)] == head.place), key=len)
        for place in built.problems
    }
    assert at_rows <= told, "each problem is told at its row, or at the folded group around it"
    assert state.summary().plain.count("✗") == 0
    wrong = [*built.problems, *(one.path for one in state.wrong.mismatches)]
    for row in heads:
        below = [one for one in wrong if one[: len(row.place)] == row.place != one]
        is_folded = row.role is RowRole.GROUP and not row.is_open
        assert state.said(row.place).inside == (len(below) if is_folded else 0)
    assert bool(state.wrong.count()) is bool(told)


@many
@given(rich_arguments(), st.data())
def test_every_step_leaves_a_form_whose_problems_are_at_its_rows(
    arguments: dict[str, Any], data: st.DataObject
) -> None:
    state = begun(arguments)
    check(state)
    for _ in range(data.draw(st.integers(1, 8))):
        draw_step(data, state)
        check(state)


@many
@given(rich_arguments(), st.data())
def test_the_document_and_a_reset_lose_nothing(
    arguments: dict[str, Any], data: st.DataObject
) -> None:
    state = begun(arguments)
    for _ in range(data.draw(st.integers(0, 6))):
        draw_step(data, state)
    before, rows, problems = state.built, shown(state), dict(state.wrong.local)
    assert state.to_json()
    assert state.rows == ()
    assert identical(state.built.arguments, before.arguments)
    assert state.built.origins == before.origins
    assert state.to_fields()
    assert (state.built, shown(state), state.wrong.local) == (before, rows, problems)
    if state.reset():
        assert state.built.arguments == {"count": 3, "mode": "auto", "spot": {"x": 1, "y": 2}}
        assert set(state.built.origins.values()) <= {Origin.DEFAULT, Origin.FILLED}
        assert state.reset()
    assert (state.built, shown(state), state.wrong.local) == (before, rows, problems)


@many
@given(rich_arguments(), st.data())
def test_an_item_that_moves_takes_its_open_groups_and_its_texts_along(
    arguments: dict[str, Any], data: st.DataObject
) -> None:
    items = data.draw(st.lists(VALUES["tree"], min_size=2, max_size=4))
    state = begun({**arguments, "tree": {"label": "top", "kids": items}})
    array: Place = ("tree", "kids")
    for group in (array[:1], array):
        if group not in state.opened:
            state.fold(group)
    for row in data.draw(st.lists(st.sampled_from(state.rows), max_size=3, unique_by=id)):
        if row.role is RowRole.GROUP and row.place[:2] == array != row.place:
            state.fold(row.place)
    index = data.draw(st.integers(0, len(items) - 2))
    place: Place = (*array, index)
    state.set_entry((*place, "label"), FieldEntry("moved", Origin.EXAMPLE))
    before = shown(state)

    def below(index: int) -> list[Any]:
        own = (*array, index)
        return [(row[0][3:], *row[1:]) for row in shown(state) if row[0][:3] == own]

    one, other = below(index), below(index + 1)
    assert take_step(state, RowVerb.DOWN, place, None, ("label",)) == (*array, index + 1, "label")
    assert (below(index), below(index + 1)) == (other, one)
    assert take_step(state, RowVerb.UP, (*array, index + 1), None, ()) == place
    assert shown(state) == before
    taken = take_step(state, RowVerb.REMOVE, place, None, ())
    assert below(index) == other
    assert taken == (*array, min(index, len(items) - 2))


@many
@given(rich_arguments(), KEYS, KEYS)
def test_an_entry_that_gets_another_key_keeps_its_text(
    arguments: dict[str, Any], key: str, other: str
) -> None:
    arguments = {**arguments, "env": {"A": "a", "b": "b"}}
    state = begun(arguments)
    place: Place = ("env", key)
    if key == "new":
        assert take_step(state, RowVerb.ADD, ("env",), key, ()) == place
        assert state.wrong.local == {place: "required"}
        state.set_entry(place, FieldEntry("text"))
    table = state.built.arguments["env"]
    assert isinstance(table, dict)
    went = take_step(state, RowVerb.RENAME, place, other, ())
    if key != other and other in table:
        assert went is None
        assert state.notice
        assert state.built.arguments["env"] == table
    else:
        assert went == ("env", other)
        renamed = {other if one == key else one: value for one, value in table.items()}
        assert state.built.arguments["env"] == renamed


ZONES = [f"Area{n % 7}/Place_{n}" for n in range(400)]


def said(stage: Stage[Any]) -> list[object]:
    """What was taken, in its order."""
    kinds = SearchSelect.Taken, ChoiceList.Toggled
    found = [one for one in stage.messages if isinstance(one, kinds)]
    return [one.index if isinstance(one, SearchSelect.Taken) else one.taken for one in found]


async def test_typing_a_part_of_one_of_hundreds_takes_it() -> None:
    async with showing(SearchSelect(ZONES, None), size=(60, 24)) as stage:
        stage.widget.focus()
        await stage.pilot.pause()
        assert "not sent ▾" in stage.text
        await stage.press("3", "9", "9")
        assert "399▏  1 of 400" in stage.text
        assert "Area0/Place_399" in stage.text
        await stage.press("enter")
        assert said(stage) == [399]
        assert "Area0/Place_399 ▾" in stage.text
        assert stage.widget.size.height == 1


async def test_arrows_go_through_the_list_and_escape_leaves_it() -> None:
    select = SearchSelect(ZONES, 5)
    async with showing(select, size=(60, 24)) as stage:
        select.focus()
        await stage.press("enter", "down", "down", "escape")
        assert said(stage) == []
        assert not select.is_open
        await stage.press("down", "pagedown", "enter")
        assert said(stage) == [12]
        await stage.press("space", "home", "enter")
        assert said(stage) == [12, None]
        await stage.press("enter", "end")
        assert "○ Area0/Place_399" in stage.text


async def test_a_filter_that_nothing_matches_takes_nothing() -> None:
    select = SearchSelect(["red", "green"], None, may_be_nothing=False)
    async with showing(select, size=(60, 24)) as stage:
        select.focus()
        await stage.press("z", "enter")
        assert "no value matches" in stage.text
        assert said(stage) == []
        await stage.press("backspace", "g", "enter")
        assert said(stage) == [1]


@pytest.mark.slow
async def test_clicks_open_the_list_and_take_a_value() -> None:
    select = SearchSelect(["red", "green", "blue"], None)
    async with showing(select, size=(60, 24)) as stage:
        await stage.pilot.click(select, offset=(3, 0))
        assert select.is_open
        await stage.pilot.click(select, offset=(3, 3))
        assert said(stage) == [1]
        assert not select.is_open


async def test_a_list_that_loses_the_focus_closes() -> None:
    select = SearchSelect(["red", "green"], None)
    async with showing(select) as stage:
        select.focus()
        await stage.press("enter")
        assert select.is_open
        stage.app.set_focus(None)
        await stage.pilot.pause()
        assert not select.is_open


async def test_a_checklist_takes_and_gives_back() -> None:
    checklist = ChoiceList(["read", "write", "admin"], None)
    async with showing(checklist) as stage:
        checklist.focus()
        await stage.press("down", "space", "up", "space", "space")
        assert said(stage) == [(1,), (0, 1), (1,)]
        assert "[x] write" in stage.text
        assert "[ ] read" in stage.text
        await stage.pilot.click(checklist, offset=(3, 2))
        assert said(stage)[-1] == (1, 2)


async def test_a_long_checklist_narrows_to_what_is_typed() -> None:
    checklist = ChoiceList(ZONES, {7})
    async with showing(checklist, size=(60, 24)) as stage:
        checklist.focus()
        await stage.press(*"place_12", "space")
        assert checklist.taken == frozenset({7, 12})
        await stage.press("escape")
        assert "2 taken of 400" in stage.text
        assert checklist.size.height == 9


@pytest.mark.parametrize("kind", ["select", "checklist"])
async def test_labels_are_drawn_literally(kind: str) -> None:
    labels = [visible(payload) for payload in PAYLOADS]
    shown = SearchSelect(labels, 0) if kind == "select" else ChoiceList(labels, {0})
    async with showing(shown, size=(100, 30)) as stage:
        shown.focus()
        await stage.press("enter")
        assert "[red]x[/]" in stage.text
        for _ in labels:
            assert_harmless(stage.strips)
            await stage.press("down")
        assert stage.app.is_running


@given(
    st.lists(st.text("abAB", max_size=3), min_size=1, max_size=30),
    st.text("ab", max_size=2),
    st.lists(st.integers(-9, 9), max_size=12),
    st.integers(1, 9),
)
def test_the_cursor_is_always_in_the_window(
    labels: list[str], wanted: str, steps: list[int], height: int
) -> None:
    window = OptionWindow(labels, height)
    window.narrow(wanted)
    for step in steps:
        window.move(step)
        above, below = window.hidden
        assert above + len(window.shown) + below == len(window.matches)
        assert window.current in window.shown if window.matches else window.current is None
    assert sorted(window.matches) == [
        index for index, label in enumerate(labels) if wanted in label.casefold()
    ]


async def test_what_the_cursor_is_on_is_inverse_with_the_focus_and_not_without() -> None:
    line, checklist = ChoiceLine(("no", "yes"), 0), ChoiceList(["read", "write"], None)
    async with showing(line, checklist, SearchSelect(["red", "green"], None)) as stage:
        for widget, words in ((line, "● no"), (checklist, "[ ] read")):
            widget.focus()
            await stage.pilot.pause()
            assert words in inverse(stage.strips)
            stage.app.set_focus(None)
            await stage.pilot.pause()
            assert inverse(stage.strips) == ""
        stage.app.query_one(SearchSelect).focus()
        await stage.press("enter", "down")
        assert "red" in inverse(stage.strips)


def inverse(strips: list[Strip]) -> str:
    return "".join(one.text for strip in strips for one in strip if one.style and one.style.reverse)
