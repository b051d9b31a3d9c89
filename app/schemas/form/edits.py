"""A person's edits of a draft, one step at a time; each returns the draft after it.

Also edits of groups: items, keys and variants. They return the same draft if there is nothing to
do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from ...content.json.jsonio import JsonValue
from ..evaluator import holds
from .drafts import filled, inside
from .entries import NOT_SENT, Draft, FieldEntry, GroupEntry, Origin, entry_for, value_of
from .fields import MAX_FIELDS, Field, FieldKind, Place
from .form import Form, item_field, item_schema, preset_count
from .merging import MISSING
from .reading import DraftReading


def awake(draft: Draft, place: Place) -> Draft:
    """The draft in which nothing around a place, nor the place itself, is left out any more."""
    asleep = [
        place[:size]
        for size in range(len(place) + 1)
        if not draft.entries.get(place[:size], FieldEntry()).present
    ]
    if not asleep:
        return draft
    return replace(draft, entries={at: e for at, e in draft.entries.items() if at not in asleep})


def without(draft: Draft, place: Place) -> Draft:
    """The draft with nothing at a place or below it."""
    size = len(place)
    return replace(
        draft,
        entries={at: entry for at, entry in draft.entries.items() if at[:size] != place},
        groups={at: group for at, group in draft.groups.items() if at[:size] != place},
    )


def both(draft: Draft, other: Draft) -> Draft:
    """The draft with the content of another one over its own."""
    return replace(
        draft,
        entries={**draft.entries, **other.entries},
        groups={**draft.groups, **other.groups},
    )


def changed_group(
    form: Form, draft: Draft, place: Place, change: Callable[[GroupEntry], GroupEntry]
) -> Draft:
    """The draft with a group changed; a default of the group is kept as if it had been loaded."""
    reading = DraftReading(form, draft)
    found = reading.at(place)
    if found is None or not found.is_group:
        return draft
    entries, groups = dict(draft.entries), dict(draft.groups)
    _pin(reading, found, entries, groups)
    index, one = reading.chosen(found) if found.kind is FieldKind.UNION else (None, found)
    group = groups.get(place) or reading.group(one)
    groups[place] = replace(change(group), origin=Origin.TYPED, variant=index)
    return awake(replace(draft, entries=entries, groups=groups), place)


def _pin(
    reading: DraftReading,
    one: Field,
    entries: dict[Place, FieldEntry],
    groups: dict[Place, GroupEntry],
) -> None:
    """Write down a value that is only the server's default: it may move."""
    if one.place in entries:
        return
    if one.kind is FieldKind.UNION:
        index, variant = reading.chosen(one)
        if one.is_filled_in or reading.is_touched(one.place):
            groups.setdefault(one.place, GroupEntry(origin=Origin.DEFAULT, variant=index))
        _pin(reading, variant, entries, groups)
    elif not one.is_group or reading.stands_for_group(one):
        entry = reading.entry(one)
        if entry.present:
            entries[one.place] = entry
    elif one.is_filled_in or reading.is_touched(one.place):
        variant_index = groups[one.place].variant if one.place in groups else None
        groups[one.place] = replace(reading.group(one), variant=variant_index)
        for member in reading.members(one):
            _pin(reading, member, entries, groups)


def copied_field(form: Form, reading: DraftReading, old: Field, new: Field) -> Draft:
    """The content of one place at another: unchanged if the schema is the same, else as a
    value.
    """
    if old.node is new.node:
        size, own = len(old.place), inside(reading.draft, old.place)
        return Draft(
            {(*new.place, *at[size:]): entry for at, entry in own.entries.items()},
            {(*new.place, *at[size:]): group for at, group in own.groups.items()},
        )
    value = reading.read(old).value
    return Draft() if value is MISSING else filled(form, new, value)


_TEXTS: Final = (FieldKind.STRING, FieldKind.INTEGER, FieldKind.NUMBER)


def has_room(array: Field, count: int) -> bool:
    """True if an array of so many items takes one more, by its schema and by the limit of the
    form.
    """
    return count < MAX_FIELDS and item_schema(array.node.words, count) is not False


def add_item(form: Form, draft: Draft, place: Place) -> Draft:
    """One more item at the end of an array."""
    reading = DraftReading(form, draft)
    one = reading.group_at(place, FieldKind.ARRAY)
    if one is None or not has_room(one, reading.group(one).count):
        return draft
    count = reading.group(one).count
    fresh = without(draft, (*place, count))
    return changed_group(form, fresh, place, lambda group: replace(group, count=count + 1))


def remove_item(form: Form, draft: Draft, place: Place, index: int) -> Draft:
    """An array without one of its items."""
    count = _count(form, draft, place)
    if not 0 <= index < count:
        return draft
    return _reordered(form, draft, place, [at for at in range(count) if at != index])


def move_item(form: Form, draft: Draft, place: Place, index: int, by: int) -> Draft:
    """An array with one of its items moved, as far as there is room."""
    count = _count(form, draft, place)
    target = min(max(index + by, 0), count - 1)
    if not 0 <= index < count or target == index:
        return draft
    order = [at for at in range(count) if at != index]
    order.insert(target, index)
    return _reordered(form, draft, place, order)


def _count(form: Form, draft: Draft, place: Place) -> int:
    reading = DraftReading(form, draft)
    one = reading.group_at(place, FieldKind.ARRAY)
    return 0 if one is None else reading.group(one).count


def _reordered(form: Form, draft: Draft, place: Place, order: Sequence[int]) -> Draft:
    pinned = changed_group(form, draft, place, lambda group: group)
    reading = DraftReading(form, pinned)
    array = reading.group_at(place, FieldKind.ARRAY)
    if array is None:
        return draft
    olds = reading.members(array)
    entries: dict[Place, FieldEntry] = {}
    groups = {place: replace(pinned.groups[place], count=len(order))}
    for at, old in enumerate(order):
        new = item_field(form.maker, array, at, MISSING)
        moved = copied_field(form, reading, olds[old], new)
        entries.update(moved.entries)
        groups.update(moved.groups)
    return both(without(pinned, place), Draft(entries, groups))


def key_problem(form: Form, draft: Draft, place: Place, key: str) -> str:
    """The reason why an object cannot get a key, "" if it can."""
    reading = DraftReading(form, draft)
    one = reading.group_at(place, FieldKind.OBJECT)
    if one is None:
        return "not an object"
    members = reading.members(one)
    if any(member.name == key for member in members):
        return "already there"
    return f"at most {MAX_FIELDS} here" if len(members) >= MAX_FIELDS else ""


def add_key(form: Form, draft: Draft, place: Place, key: str) -> Draft:
    """An object with a key besides its properties."""
    if key_problem(form, draft, place, key):
        return draft
    fresh = without(draft, (*place, key))
    return changed_group(form, fresh, place, lambda group: replace(group, keys=(*group.keys, key)))


def remove_key(form: Form, draft: Draft, place: Place, key: str) -> Draft:
    """An object without one of the keys besides its properties."""
    if not _has_key(form, draft, place, key):
        return draft

    def change(group: GroupEntry) -> GroupEntry:
        return replace(group, keys=tuple(one for one in group.keys if one != key))

    return without(changed_group(form, draft, place, change), (*place, key))


def rename_key(form: Form, draft: Draft, place: Place, key: str, new: str) -> Draft:
    """An object with another name for one of the keys besides its properties."""
    if not _has_key(form, draft, place, key) or key_problem(form, draft, place, new):
        return draft

    def change(group: GroupEntry) -> GroupEntry:
        return replace(group, keys=tuple(new if one == key else one for one in group.keys))

    pinned = changed_group(form, draft, place, lambda group: group)
    renamed = changed_group(form, without(pinned, (*place, new)), place, change)
    reading = DraftReading(form, pinned)
    old, target = reading.at((*place, key)), DraftReading(form, renamed).at((*place, new))
    if old is None or target is None:
        return draft
    return both(without(renamed, (*place, key)), copied_field(form, reading, old, target))


def _has_key(form: Form, draft: Draft, place: Place, key: str) -> bool:
    reading = DraftReading(form, draft)
    one = reading.group_at(place, FieldKind.OBJECT)
    return one is not None and key in reading.group(one).keys


def choose_variant(form: Form, draft: Draft, place: Place, index: int) -> Draft:
    """Choose another alternative of a union: fitting content stays.

    Content without a place is kept in the draft, unsent, for the way back.
    """
    reading = DraftReading(form, draft)
    union = reading.at(place)
    if union is None or union.kind is not FieldKind.UNION:
        return draft
    now, old = reading.chosen(union)
    nodes = form.schemas.variants(union.node)
    is_sent = reading.read(union).value is not MISSING
    if (now == index and is_sent) or not 0 <= index < len(nodes):
        return draft
    bare = form.maker.variant(union, nodes[index], MISSING)
    had = draft.groups.get(place, GroupEntry())
    if now == index:
        present = had.present or bare.kind is FieldKind.OBJECT
        group = replace(had, present=present, variant=index)
        return awake(replace(draft, groups={**draft.groups, place: group}), place)
    group = GroupEntry(present=bare.kind is FieldKind.OBJECT, variant=index)
    if bare.kind is FieldKind.ARRAY:
        count = had.count if old.kind is FieldKind.ARRAY else preset_count(bare.node)
        group = replace(group, count=count, present=had.present and old.kind is FieldKind.ARRAY)
    entries = dict(draft.entries)
    if bare.is_group:
        entries.pop(place, None)
    after = replace(draft, entries=entries, groups={**draft.groups, place: group})
    _, new = DraftReading(form, after).chosen(union)
    if not new.is_group or old.kind is not new.kind:
        return awake(_refitted(form, after, reading, old, new), place)
    olds = {one.place: one for one in reading.members(old)}
    for one in DraftReading(form, after).members(new):
        before = olds.get(one.place)
        if before is not None and reading.is_touched(one.place):
            after = _refitted(form, after, reading, before, one)
    return awake(after, place)


def _refitted(form: Form, draft: Draft, reading: DraftReading, old: Field, new: Field) -> Draft:
    """Move the content of one field to another at the same place, if it fits; otherwise drop it."""
    if old.node is new.node and old.kind is new.kind:
        return draft
    entry, value = reading.entry(old), reading.read(old).value
    root = form.schemas.root
    is_text = entry.present and not entry.as_json and old.kind in _TEXTS
    if is_text and new.kind in _TEXTS and not value_of(new, entry)[1]:
        return replace(draft, entries={**draft.entries, new.place: entry})
    fits = value is not MISSING and holds(new.node.words, value, root) is not False
    if new.is_group and not isinstance(value, dict | list):
        return draft
    bare = without(draft, new.place)
    own = draft.groups.get(new.place)
    if own is not None and own.variant is not None:
        bare = replace(bare, groups={**bare.groups, new.place: own})
    if not fits or value is MISSING:
        return bare
    if not new.is_group:
        plain = entry_for(new, value, entry.origin)
        if plain.as_json and new.kind is not FieldKind.JSON:
            return bare
    fitting = filled(form, new, value)
    if own is not None and own.variant is not None and new.place in fitting.groups:
        group = replace(fitting.groups[new.place], variant=own.variant)
        fitting = both(fitting, Draft(groups={new.place: group}))
    return both(bare, fitting)


_NULL: Final = FieldEntry("null", as_json=True)


def put_entry(draft: Draft, place: Place, entry: FieldEntry) -> Draft:
    """Set an entry; if it is present it is sent, with its enclosing groups."""
    draft = awake(draft, place) if entry.present else draft
    return replace(draft, entries={**draft.entries, place: entry})


def set_value(form: Form, draft: Draft, place: Place, value: JsonValue) -> Draft:
    """The draft after the person gave a place exactly this value.

    A name that the object around it does not have becomes one of its keys.
    """
    reading = DraftReading(form, draft)
    found = reading.at(place)
    if found is None:
        if not place or not isinstance(place[-1], str):
            return draft
        draft = add_key(form, draft, place[:-1], place[-1])
        found = DraftReading(form, draft).at(place)
        if found is None:
            return draft
    return both(awake(without(draft, place), place), filled(form, found, value))


def next_entry(one: Field, entry: FieldEntry) -> FieldEntry:
    """Return the entry after toggling whether the property is sent.

    A text is kept while it is left out, and a field with only one allowed value gets that. With no
    text to send, a string cycles through "not sent", the empty string, and null if that is allowed;
    other kinds through "not sent" and null.
    """
    literal = one.kind is FieldKind.STRING and not entry.as_json
    blank = not (entry.text if literal else entry.text.strip())
    if entry.present and entry.as_json and entry.text.strip() == "null":
        return NOT_SENT
    if entry.present and not blank:
        return replace(entry, present=False, origin=Origin.TYPED)
    if entry.present:
        return _NULL if one.nullable else NOT_SENT
    if not blank:
        return replace(entry, present=True, origin=Origin.TYPED)
    if one.is_only and one.suggestion is not MISSING:
        return entry_for(one, one.suggestion, Origin.FILLED)
    if one.kind is FieldKind.STRING:
        return FieldEntry("")
    return _NULL if one.nullable else NOT_SENT


def send_or_not(form: Form, draft: Draft, place: Place) -> Draft:
    """Toggle whether a place is sent or left out.

    A group cycles through "not sent", sent as it is, and null if that is allowed; its content
    stays. Everything else follows `next_entry`.
    """
    reading = DraftReading(form, draft)
    found = reading.at(place)
    if found is None or not place:
        return draft
    one = reading.inner(found)
    entry = reading.entry(one)
    if not one.is_group or entry.text.strip():
        is_null = entry.present and entry.as_json and entry.text.strip() == "null"
        after = NOT_SENT if is_null else next_entry(one, entry)
        return put_entry(draft, place, after)
    if reading.read(found).value is MISSING:
        return set_group_present(form, draft, place, True)
    if found.nullable:
        return put_entry(draft, place, _NULL)
    return set_group_present(form, draft, place, False)


def filled_by_signoff(draft: Draft, place: Place) -> Draft:
    """Mark the value at a place as filled in by Signoff, not typed."""
    entry = draft.entries.get(place)
    if entry is None or not entry.present:
        return draft
    return replace(draft, entries={**draft.entries, place: replace(entry, origin=Origin.FILLED)})


def set_group_present(form: Form, draft: Draft, place: Place, present: bool) -> Draft:
    """The draft with a group sent, though nothing in it may be set, or left out with all in it."""
    found = DraftReading(form, draft).at(place)
    if found is None or not place:
        return draft
    if not present:
        return put_entry(draft, place, NOT_SENT)
    return changed_group(form, draft, place, lambda group: replace(group, present=True))
