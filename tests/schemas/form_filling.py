"""Somebody who fills in a form: draws edits for the rows that there are."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.evaluator import holds
from signoff.app.schemas.form.edits import (
    add_item,
    add_key,
    choose_variant,
    put_entry,
    set_group_present,
    set_value,
)
from signoff.app.schemas.form.entries import Draft, FieldEntry
from signoff.app.schemas.form.form import Field, FieldKind, Form, Place, build_form, variants
from signoff.app.schemas.form.rows import FieldRow, RowRole, rows
from tests.schemas.schema_strategies import LOOSE

MAX_ROWS = 60


def all_rows(form: Form, draft: Draft, *, most: int = 200, levels: int = 6) -> tuple[FieldRow, ...]:
    """The rows with groups opened, level after level, until there are `most` of them."""
    opened: set[Place] = set()
    found = rows(form, draft, opened)
    for _ in range(levels):
        closed = [row.place for row in found if row.role is RowRole.GROUP and not row.is_open]
        if not closed or len(found) >= most:
            break
        opened.update(closed)
        found = rows(form, draft, opened)
    return found


def fill(draw: Callable[[st.SearchStrategy[Any]], Any], form: Form, draft: Draft) -> Draft:
    """The draft after about a dozen edits, each with a value that its row accepts."""
    for _ in range(draw(st.integers(0, 12))):
        found = all_rows(form, draft, most=MAX_ROWS, levels=3)[:MAX_ROWS]
        if not found:
            break
        row = draw(st.sampled_from(found))
        if row.role is RowRole.ADD_ITEM:
            draft = add_item(form, draft, row.place)
        elif row.role is RowRole.ADD_KEY:
            draft = add_key(form, draft, row.place, draw(st.sampled_from(["k1", "k2", "k3"])))
        elif row.role is RowRole.GROUP and row.field.kind is FieldKind.UNION:
            count = len(variants(form, row.field))
            draft = choose_variant(form, draft, row.place, draw(st.integers(0, count - 1)))
        elif row.role is RowRole.GROUP:
            draft = set_group_present(form, draft, row.place, draw(st.booleans()))
        else:
            value = draw(accepted(form, row))
            if holds(row.field.subschema, value, form.schemas.root) is not False:
                draft = set_value(form, draft, row.place, value)
    return draft


def typed(draft: Draft, place: Place, text: str, *, present: bool | None = None) -> Draft:
    """The draft after a text was typed into a field; an empty one leaves the field out."""
    there = bool(text) if present is None else present
    return put_entry(draft, place, FieldEntry(text, present=there))


def accepted(form: Form, row: FieldRow) -> st.SearchStrategy[JsonValue]:
    """Values for the editor of a row."""
    match row.field.kind:
        case FieldKind.STRING:
            return st.sampled_from(["", "a", "bb", "ccc"])
        case FieldKind.INTEGER:
            return st.integers(-5, 9)
        case FieldKind.NUMBER:
            return st.integers(-5, 9) | st.sampled_from([0.5, -1.5])
        case FieldKind.BOOLEAN:
            return st.booleans()
        case FieldKind.ENUM:
            return st.sampled_from(row.field.choices)
        case FieldKind.CHOICES:
            return st.lists(st.sampled_from(row.field.choices), max_size=2, unique_by=repr)
        case _:
            return LOOSE


def form_of(**properties: JsonValue) -> Form:
    """The form of a tool with these properties."""
    return build_form({"type": "object", "properties": dict(properties)})


def field_of(schema: JsonValue) -> Field:
    """The only field of a form, of this schema."""
    return form_of(x=schema).fields[0]


def drawn(form: Form, draft: Draft, opened: Collection[Place] = ()) -> list[str]:
    """The rows in short: depth, role and name; a `+` for what is sent."""
    return [
        f"{'  ' * row.depth}{row.role} {row.field.name}{' +' if row.is_sent else ''}"
        for row in rows(form, draft, opened)
    ]
