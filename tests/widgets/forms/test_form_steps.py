"""What a person does at the rows of a form, one step after the other, and what is shown of it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from signoff.app.schemas.form.drafts import draft_from_arguments
from signoff.app.schemas.form.entries import FieldEntry, Origin
from signoff.app.schemas.form.fields import FieldKind, Place
from signoff.app.schemas.form.form import build_form
from signoff.app.schemas.form.merging import identical
from signoff.app.schemas.form.rows import FieldRow, RowRole
from signoff.app.schemas.schema import judge
from signoff.widgets.forms.form_row import RowVerb
from signoff.widgets.forms.form_state import FormState
from signoff.widgets.forms.group_steps import take_step
from tests.schemas.rich_form import RICH, VALUES, rich_arguments
from tests.tiers import examples

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
