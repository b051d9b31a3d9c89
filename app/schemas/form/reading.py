"""Interprets a draft under a form: the fields, their content, and the value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from ...content.json.jsonio import JsonValue
from ..formats import format_note
from .entries import (
    NOT_SENT,
    Draft,
    FieldEntry,
    GroupEntry,
    Origin,
    entry_for,
    suggested_by,
    value_of,
)
from .fields import MAX_FIELDS, Field, FieldKind, Place
from .form import Form, best_variant, item_field, object_fields, preset_count, property_names
from .merging import MISSING, Missing, Node

MAX_ROUNDS: Final = 4
"""Times that conditions are looked at again because of what they brought in."""
MAX_IMPLIED: Final = 1_000
"""Fields that are read only because they are in groups that the schema requires."""
REQUIRED: Final = "required"


@dataclass(slots=True)
class Read:
    """The value at one place, the origins of its parts, and the problems in it.

    `is_set`: part of it has an entry.
    """

    value: JsonValue | Missing = MISSING
    is_set: bool = False
    origins: set[Origin] = field(default_factory=set)
    problems: dict[Place, str] = field(default_factory=dict)
    notes: dict[Place, str] = field(default_factory=dict)

    @property
    def origin(self) -> Origin:
        """Origin of the value; of several the one with the least part of the server."""
        order = (Origin.TYPED, Origin.EXAMPLE, Origin.FILLED)
        return next((one for one in order if one in self.origins), Origin.DEFAULT)

    def add(self, other: Read) -> None:
        self.is_set = self.is_set or other.is_set
        self.origins |= other.origins
        self.problems.update(other.problems)
        self.notes.update(other.notes)


class DraftReading:
    """Reads one draft, each place at most once, and only places that are requested.

    With `as_typed`, a text that cannot be read is the string itself.
    """

    def __init__(self, form: Form, draft: Draft, *, as_typed: bool = False) -> None:
        self.form = form
        self.draft = draft
        self._as_typed = as_typed
        self._touched = _prefixes(draft)
        self._reads: dict[tuple[Place, int, bool], Read] = {}
        self._members: dict[tuple[Place, int], tuple[Field, ...]] = {}
        self._required: list[int] = []
        self._implied = 0

    def is_touched(self, place: Place) -> bool:
        """True if the draft has anything at a place or below it."""
        return place in self._touched

    def entry(self, one: Field) -> FieldEntry:
        """Return the entry at a place; for a group only one that replaces the whole of it."""
        own = self.draft.entries.get(one.place)
        if own is not None:
            return own
        if not one.is_filled_in or one.suggestion is MISSING or self._spreads(one):
            return NOT_SENT
        if one.is_group and one.place in self.draft.groups:
            return NOT_SENT
        return entry_for(one, one.suggestion, suggested_by(one))

    def stands_for_group(self, one: Field) -> bool:
        """True if the place of a group holds a text instead of its fields."""
        return bool(self.entry(one).text.strip())

    def _spreads(self, one: Field) -> bool:
        """True if a group's default is spread over its fields."""
        match one.kind:
            case FieldKind.OBJECT:
                return isinstance(one.suggestion, dict) and len(one.suggestion) <= MAX_FIELDS
            case FieldKind.ARRAY:
                return isinstance(one.suggestion, list) and len(one.suggestion) <= MAX_FIELDS
            case FieldKind.UNION:
                return one.suggestion is not None
            case _:
                return False

    def group(self, one: Field) -> GroupEntry:
        """Return the state of a group, by the draft, else by the server's default."""
        own = self.draft.groups.get(one.place)
        if own is not None:
            return own
        default = one.suggestion if one.is_filled_in and self._spreads(one) else MISSING
        if one.kind is FieldKind.OBJECT and isinstance(default, dict):
            keys = tuple(key for key in default if key not in property_names(one.node))
            return GroupEntry(present=True, origin=Origin.DEFAULT, keys=keys)
        if one.kind is FieldKind.ARRAY and isinstance(default, list):
            return GroupEntry(present=True, origin=Origin.DEFAULT, count=len(default))
        count = preset_count(one.node) if one.kind is FieldKind.ARRAY else 0
        return GroupEntry(origin=Origin.DEFAULT, count=count)

    def chosen(self, union: Field) -> tuple[int, Field]:
        """The variant of a union that is edited now."""
        nodes = self.form.schemas.variants(union.node)
        default = union.suggestion if union.is_filled_in else MISSING
        best = best_variant(self.form.schemas, nodes, default)
        own = self.draft.groups.get(union.place)
        chosen = None if own is None else own.variant
        index = chosen if chosen is not None and 0 <= chosen < len(nodes) else best
        given = default if index == best else MISSING
        one = self.form.maker.variant(union, nodes[index], given)
        if chosen is None and default is MISSING and one.is_filled_in:
            # It is not chosen yet, so its own default or only value is not to be sent.
            one = replace(one, is_filled_in=False)
        return index, one

    def inner(self, one: Field) -> Field:
        """The field that is edited at a place: of a union the chosen variant."""
        return self.chosen(one)[1] if one.kind is FieldKind.UNION else one

    def members(self, group: Field) -> tuple[Field, ...]:
        """The fields inside an object, an array, or the chosen variant of a union."""
        if group.kind is FieldKind.UNION:
            one = self.inner(group)
            return self.members(one) if one.is_group else (one,)
        key = (group.place, id(group.node))
        if key not in self._members:
            make = self._items if group.kind is FieldKind.ARRAY else self._properties
            self._members[key] = make(group)
        return self._members[key]

    def _items(self, array: Field) -> tuple[Field, ...]:
        given = array.suggestion if array.is_filled_in else MISSING
        count = min(self.group(array).count, MAX_FIELDS)
        return tuple(item_field(self.form.maker, array, at, given) for at in range(count))

    def _properties(self, one: Field) -> tuple[Field, ...]:
        """Fields of an object, which may depend on their content."""
        node = one.node
        fields = self._fields_of(one, node)
        for _ in range(MAX_ROUNDS if node.conditions else 0):
            value = {}
            for member in fields:
                found = self.read(member).value
                if found is not MISSING:
                    value[member.name] = found
            active = self.form.schemas.active(one.node, value)
            if active is node:
                break
            node = active
            fields = self._fields_of(one, node)
        return fields

    def _fields_of(self, one: Field, node: Node) -> tuple[Field, ...]:
        given = one.suggestion if one.is_filled_in else MISSING
        return object_fields(self.form.maker, one, node, self.group(one).keys, given)

    def at(self, place: Place) -> Field | None:
        """The field at a place; for a union the union, not its variant."""
        one = self.form.whole
        for step in place:
            inside = self.members(one) if one.is_group else ()
            found = next((member for member in inside if member.place[-1:] == (step,)), None)
            if found is None:
                return None
            one = found
        return one

    def group_at(self, place: Place, kind: FieldKind) -> Field | None:
        """The object or array that is edited at a place, if its fields are."""
        found = self.at(place)
        one = self.inner(found) if found is not None else None
        return (
            one if one is not None and one.kind is kind and not self.stands_for_group(one) else None
        )

    def read(self, one: Field) -> Read:
        """The value at a place, and all problems of it."""
        key = (one.place, id(one.node), one.required)
        if key not in self._reads:
            self._reads[key] = self._read_group(one) if one.is_group else self._read_text(one)
        return self._reads[key]

    def _read_text(self, one: Field) -> Read:
        entry = self.entry(one)
        value, problem = value_of(one, entry)
        found = Read(value)
        if problem:
            found.problems[one.place] = problem
            if self._as_typed and entry.present and entry.text.strip():
                found.value = entry.text
        elif one.shape and isinstance(value, str):
            note = format_note(one.node.words.get("format"), value)
            if note:
                found.notes[one.place] = note
        if found.value is not MISSING or problem not in ("", REQUIRED):
            found.is_set = one.place in self.draft.entries
            found.origins.add(entry.origin)
        return found

    def _read_group(self, one: Field) -> Read:
        own = self.draft.entries.get(one.place)
        if one.kind is FieldKind.UNION:
            variant = self.inner(one)
            if not variant.is_group or not (own or self.stands_for_group(one)):
                return self.read(variant)
        if own is not None or self.stands_for_group(one):
            return self._read_text(replace(one, kind=FieldKind.JSON))
        group = self.group(one)
        is_open = group.present or self.is_touched(one.place)
        if not is_open and not one.required:
            return Read()
        if not is_open and not self._enter(one):
            return Read(problems={one.place: REQUIRED})
        found = self._read_inside(one, group)
        if not is_open:
            self._required.pop()
        return found

    def _enter(self, one: Field) -> bool:
        """Go into a group that is there only because it is required; not endlessly."""
        if id(one.node) in self._required or self._implied > MAX_IMPLIED:
            return False
        self._required.append(id(one.node))
        return True

    def _read_inside(self, one: Field, group: GroupEntry) -> Read:
        found = Read()
        members = self.members(one)
        if self._required:
            self._implied += len(members)
        values = [self.read(member) for member in members]
        for each in values:
            found.add(each)
        is_own = one.place in self.draft.groups
        if is_own and (group.present or group.keys or group.count > 0):
            found.is_set = True
            found.origins |= {group.origin} & {Origin.TYPED}
        if one.kind is FieldKind.ARRAY:
            if not group.present and not found.is_set:
                return Read(problems={one.place: REQUIRED} if one.required else {})
            found.value = [None if one.value is MISSING else one.value for one in values]
            if not (group.present or values):
                found.origins.add(Origin.FILLED)
            return found
        if not one.required and not group.present and not found.is_set:
            return Read()
        found.value = {
            member.name: each.value
            for member, each in zip(members, values, strict=True)
            if each.value is not MISSING
        }
        # The empty object was not put there by a person: it is required, so it is sent as it is.
        if not (group.present or found.value):
            found.origins.add(Origin.FILLED)
        return found


def _prefixes(draft: Draft) -> set[Place]:
    found: set[Place] = set()
    for place in (*draft.entries, *draft.groups):
        while place not in found:
            found.add(place)
            if not place:
                break
            place = place[:-1]
    return found
