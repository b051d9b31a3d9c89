"""From a row of the form's values to its widget, and what the widget is to draw."""

from __future__ import annotations

from ...app.content.text import shortened
from ...app.protocol.answers.values import at
from ...app.schemas.form.field_making import takes_keys
from ...app.schemas.form.fields import Kind, Place
from ...app.schemas.form.form import property_names
from ...app.schemas.form.merging import Node
from ...app.schemas.form.rows import Role, Row
from ...app.schemas.form.types import counted
from .field_words import MAX_LABEL, glimpse
from .form_field import FormField, is_same_editor
from .form_row import FormRow
from .form_state import FormState
from .group_row import AddRow, GroupRow, Inside

Key = tuple[Role, Place]
"""What tells rows apart."""
VALUE = "value"
"""The name of what stands in a union, where its alternative is no group."""


def key_of(row: Row) -> Key:
    return row.role, row.place


def make_row(row: Row, state: FormState, width: int) -> FormRow:
    """A widget for a row; `width` is how wide it will be, 0 where that is not known."""
    one = row.field
    made: FormRow
    match row.role:
        case Role.GROUP:
            made = GroupRow(one, inside(row, state), depth=row.depth, removable=_is_removable(row))
        case Role.FIELD:
            below = state.is_below_union(row)
            made = FormField(
                one,
                row.entry,
                name=VALUE if below else one.name,
                depth=row.depth,
                removable=_is_removable(row) and not below,
            )
        case _:
            with_key = row.role is Role.ADD_KEY
            words = "add key" if with_key else "add item"
            made = AddRow(one.place, words, depth=row.depth, with_key=with_key)
    made.likely_width = width
    show_row(made, row, state)
    return made


def can_show(widget: FormRow, row: Row) -> bool:
    """Whether a widget that was made for the row of this role and place still does."""
    if widget.depth != row.depth:
        return False
    if isinstance(widget, FormField):
        return is_same_editor(widget.field, row.field)
    return True


def show_row(widget: FormRow, row: Row, state: FormState) -> None:
    """Let a widget draw its row as it is now."""
    if isinstance(widget, FormField):
        widget.show(row.entry, state.said(row.place), row.field)
    elif isinstance(widget, GroupRow):
        widget.show(row.field, inside(row, state), state.said(row.place))


def inside(row: Row, state: FormState) -> Inside:
    """What a group row says of what is inside."""
    found = state.variants(row.field) if row.field.kind is Kind.UNION else ()
    labels = tuple(_label(variant.label) for variant in found)
    one = found[row.variant].field if row.variant < len(found) else row.field
    words = _state(row, one.kind, one.node)
    if row.inside and not row.is_open:
        # What tells items apart, once they are folded.
        words = f"{words} · {glimpse(at(state.built.arguments, row.place))}"
    elif not labels and not row.field.is_item:
        words = f"{words} · {row.field.type_words}"
    return Inside(words, row.is_sent, row.is_open, labels, row.variant)


def _state(row: Row, kind: Kind, node: Node) -> str:
    """What is sent of a group now."""
    if not row.is_sent:
        return "not sent"
    count = row.inside
    if kind is Kind.ARRAY:
        return counted(count, "item") if count else "empty: []"
    if kind is not Kind.OBJECT:
        return "sent"
    if not count:
        return "empty: {}"
    total = len(property_names(node))
    if takes_keys(node) or not total:
        return counted(count, "key")
    return f"{count:,} of {total:,} set"


def _is_removable(row: Row) -> bool:
    return row.field.is_item or row.field.is_key_free


def _label(label: str) -> str:
    return shortened(label, MAX_LABEL)
