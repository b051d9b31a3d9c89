"""The rows of a form: everything to draw, in order."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import StrEnum
from typing import Final

from ...content.frozen import frozen
from .edits import has_room
from .entries import NOT_SENT, Draft, FieldEntry
from .field_making import takes_keys
from .fields import MAX_FIELDS, Field, FieldKind, Place
from .form import Form
from .merging import MISSING
from .reading import DraftReading

MAX_OPENED: Final = 40
"""Fields that are shown without anyone having opened their group."""
MAX_OPENED_LEVELS: Final = 3


class RowRole(StrEnum):
    """Kinds of rows: a field with its editor, the head of a group, a place for one more."""

    FIELD = "field"
    GROUP = "group"
    ADD_ITEM = "add item"
    ADD_KEY = "add key"


@frozen
class FieldRow:
    """One row. Its role and its place together occur once.

    `field` is the group's in a row that adds to it. `entry` is the field's content, the server's
    default included. `is_sent`: part of it is in the arguments; `inside`: how many items or
    properties of a group are; `variant` is the chosen one of a union.
    """

    field: Field
    depth: int
    role: RowRole
    entry: FieldEntry = NOT_SENT
    is_sent: bool = False
    is_open: bool = False
    inside: int = 0
    variant: int = 0

    @property
    def place(self) -> Place:
        return self.field.place


def rows(form: Form, draft: Draft, opened: Collection[Place]) -> tuple[FieldRow, ...]:
    """The rows of a form whose groups at the places `opened` are open; the whole always is.

    None while the arguments are edited as a document, or can only be.
    """
    if form.raw_only or draft.document is not None:
        return ()
    walk = _RowWalk(DraftReading(form, draft), opened)
    whole = form.whole
    if whole.kind is FieldKind.UNION or walk.reading.stands_for_group(whole):
        return tuple(walk.of(whole, 0, True))
    return tuple(walk.inside(whole, 0, True))


class _RowWalk:
    def __init__(self, reading: DraftReading, opened: Collection[Place]) -> None:
        self.reading = reading
        self._opened = opened

    def of(self, one: Field, depth: int, is_sent: bool) -> Iterator[FieldRow]:
        """Yield the rows of one place; `is_sent` is that of its parent."""
        reading = self.reading
        is_union = one.kind is FieldKind.UNION
        variant, chosen = reading.chosen(one) if is_union else (0, one)
        value = reading.read(one).value if is_sent else MISSING
        is_sent = value is not MISSING
        if not one.is_group or (chosen.is_group and reading.stands_for_group(one)):
            yield FieldRow(one, depth, RowRole.FIELD, reading.entry(one), is_sent)
            return
        is_open = not one.place or one.place in self._opened
        inside = len(value) if isinstance(value, dict | list) else 0
        yield FieldRow(one, depth, RowRole.GROUP, NOT_SENT, is_sent, is_open, inside, variant)
        if not is_open:
            return
        if chosen.is_group:
            yield from self.inside(chosen, depth + 1, is_sent)
        else:
            yield FieldRow(chosen, depth + 1, RowRole.FIELD, reading.entry(chosen), is_sent)

    def inside(self, group: Field, depth: int, is_sent: bool) -> Iterator[FieldRow]:
        members = self.reading.members(group)
        for member in members:
            yield from self.of(member, depth, is_sent)
        if group.kind is FieldKind.ARRAY and has_room(group, len(members)):
            yield FieldRow(group, depth, RowRole.ADD_ITEM)
        elif (
            group.kind is FieldKind.OBJECT and takes_keys(group.node) and len(members) < MAX_FIELDS
        ):
            yield FieldRow(group, depth, RowRole.ADD_KEY)


def open_at_first(form: Form, draft: Draft) -> frozenset[Place]:
    """The groups that are best shown open: required ones, and those that hold something."""
    if form.raw_only or draft.document is not None:
        return frozenset()
    reading = DraftReading(form, draft)
    found: set[Place] = set()
    level, shown = [form.whole], 0
    for _ in range(MAX_OPENED_LEVELS):
        below: list[Field] = []
        for group in level:
            members = reading.members(group)
            shown += len(members)
            if shown > MAX_OPENED and group.place:
                return frozenset(found)
            found.add(group.place)
            below += [
                one
                for one in members
                if one.is_group
                and one.place != group.place
                and not reading.stands_for_group(one)
                and reading.read(one).value is not MISSING
            ]
        level = below
    return frozenset(found)
