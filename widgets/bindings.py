"""Bindings made from the tables of keys."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from ..app.content.key_tables import KeyRow, Mark, key_sections


def bindings_of(section: str) -> list[BindingType]:
    """The bindings of a section of the tables, in its order."""
    return [binding_of(row) for row in key_sections()[section]]


def binding_of(row: KeyRow) -> Binding:
    """The binding of one row."""
    return Binding(
        row.keys,
        row.action,
        row.label,
        show=Mark.FOOTER in row.marks,
        key_display=row.marks.get(Mark.AS),
        priority=Mark.FIRST in row.marks,
        tooltip=row.about,
        id=row.id or None,
    )
