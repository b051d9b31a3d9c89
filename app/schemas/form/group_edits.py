"""What a person does to the groups of a draft: items, keys and variants. Each gives the draft after
it, and the same draft where there is nothing to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from .conditions import holds
from .draft_steps import awake, changed_group, copy_field, without
from .draft_values import Draft, Group
from .entries import Entry, Origin, entry_for, value_of
from .fields import MAX_FIELDS, Field, Kind, Place
from .filling import Filling
from .form import Form
from .members import item_field, item_schema, preset_count
from .reading import Reading
from .subschemas import MISSING

_TEXTS: Final = (Kind.STRING, Kind.INTEGER, Kind.NUMBER)


def has_room(array: Field, count: int) -> bool:
    """Whether an array of so many items takes one more, by its schema and by what can be shown."""
    return count < MAX_FIELDS and item_schema(array.node.words, count) is not False


def add_item(form: Form, draft: Draft, place: Place) -> Draft:
    """One more item at the end of an array."""
    reading = Reading(form, draft)
    one = _array_at(reading, place)
    if one is None or not has_room(one, reading.group(one).count):
        return draft
    count = reading.group(one).count
    fresh = without(draft, (*place, count))
    return changed_group(form, fresh, place, lambda group: replace(group, count=count + 1))


def remove_item(form: Form, draft: Draft, place: Place, index: int) -> Draft:
    """An array without one of its items."""
    one = _array_at(Reading(form, draft), place)
    count = 0 if one is None else Reading(form, draft).group(one).count
    if not 0 <= index < count:
        return draft
    return _reordered(form, draft, place, [at for at in range(count) if at != index])


def move_item(form: Form, draft: Draft, place: Place, index: int, by: int) -> Draft:
    """An array with one of its items moved, as far as there is room."""
    one = _array_at(Reading(form, draft), place)
    count = 0 if one is None else Reading(form, draft).group(one).count
    target = min(max(index + by, 0), count - 1)
    if not 0 <= index < count or target == index:
        return draft
    order = [at for at in range(count) if at != index]
    order.insert(target, index)
    return _reordered(form, draft, place, order)


def _array_at(reading: Reading, place: Place) -> Field | None:
    found = reading.at(place)
    if found is not None and found.kind is Kind.UNION:
        found = reading.chosen(found)[1]
    if found is None or found.kind is not Kind.ARRAY or reading.stands_for_group(found):
        return None
    return found


def _reordered(form: Form, draft: Draft, place: Place, order: Sequence[int]) -> Draft:
    pinned = changed_group(form, draft, place, lambda group: group)
    reading = Reading(form, pinned)
    array = _array_at(reading, place)
    if array is None:
        return draft
    olds = reading.members(array)
    entries: dict[Place, Entry] = {}
    groups: dict[Place, Group] = {}
    for at, old in enumerate(order):
        new = item_field(form.maker, array, at, MISSING)
        copy_field(form, reading, pinned, olds[old], new, entries, groups)
    own = pinned.groups[place]
    bare = without(pinned, place)
    return replace(
        bare,
        entries={**bare.entries, **entries},
        groups={**bare.groups, place: replace(own, count=len(order)), **groups},
    )


def key_problem(form: Form, draft: Draft, place: Place, key: str) -> str:
    """Why an object cannot get a key, "" if it can."""
    reading = Reading(form, draft)
    one = _object_at(reading, place)
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
    one = _object_at(Reading(form, draft), place)
    if one is None or key not in Reading(form, draft).group(one).keys:
        return draft
    changed = changed_group(
        form,
        draft,
        place,
        lambda group: replace(group, keys=tuple(each for each in group.keys if each != key)),
    )
    return without(changed, (*place, key))


def rename_key(form: Form, draft: Draft, place: Place, key: str, new: str) -> Draft:
    """An object with another name for one of the keys besides its properties."""
    one = _object_at(Reading(form, draft), place)
    if one is None or key not in Reading(form, draft).group(one).keys:
        return draft
    if key_problem(form, draft, place, new):
        return draft
    pinned = changed_group(form, draft, place, lambda group: group)
    reading = Reading(form, pinned)
    old = reading.at((*place, key))
    renamed = changed_group(
        form,
        without(pinned, (*place, new)),
        place,
        lambda group: replace(
            group, keys=tuple(new if each == key else each for each in group.keys)
        ),
    )
    target = Reading(form, renamed).at((*place, new))
    if old is None or target is None:
        return draft
    entries: dict[Place, Entry] = {}
    groups: dict[Place, Group] = {}
    copy_field(form, reading, pinned, old, target, entries, groups)
    bare = without(renamed, (*place, key))
    return replace(bare, entries={**bare.entries, **entries}, groups={**bare.groups, **groups})


def _object_at(reading: Reading, place: Place) -> Field | None:
    found = reading.at(place)
    if found is not None and found.kind is Kind.UNION:
        found = reading.chosen(found)[1]
    if found is None or found.kind is not Kind.OBJECT or reading.stands_for_group(found):
        return None
    return found


def choose_variant(form: Form, draft: Draft, place: Place, index: int) -> Draft:
    """The draft with another alternative of a union: what fits it stays.

    What it has no place for is kept in the draft, unsent, for the way back.
    """
    reading = Reading(form, draft)
    union = reading.at(place)
    if union is None or union.kind is not Kind.UNION:
        return draft
    now, old = reading.chosen(union)
    nodes = form.schemas.variants(union.node)
    if now == index or not 0 <= index < len(nodes):
        return draft
    bare = form.maker.variant(union, nodes[index], MISSING)
    had = draft.groups.get(place, Group())
    group = Group(present=bare.kind is Kind.OBJECT, variant=index)
    if bare.kind is Kind.ARRAY:
        count = had.count if old.kind is Kind.ARRAY else preset_count(bare.node)
        group = replace(group, count=count, present=had.present and old.kind is Kind.ARRAY)
    entries = dict(draft.entries)
    if bare.is_group:
        entries.pop(place, None)
    after = replace(draft, entries=entries, groups={**draft.groups, place: group})
    _, new = Reading(form, after).chosen(union)
    if not new.is_group or old.kind is not new.kind:
        return awake(_refitted(form, after, reading, old, new), place)
    olds = {one.place: one for one in reading.members(old)}
    for one in Reading(form, after).members(new):
        before = olds.get(one.place)
        if before is not None and reading.is_touched(one.place):
            after = _refitted(form, after, reading, before, one)
    return awake(after, place)


def _refitted(form: Form, draft: Draft, reading: Reading, old: Field, new: Field) -> Draft:
    """The draft in which what stood in one field stands in another at the same place, if it fits;
    otherwise nothing stands there."""
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
        if plain.as_json and new.kind is not Kind.JSON:
            return bare
    filling = Filling(form, Origin.TYPED)
    filling.fill(new, value)
    groups = dict(filling.groups)
    if own is not None and own.variant is not None and new.place in groups:
        groups[new.place] = replace(groups[new.place], variant=own.variant)
    return replace(
        bare,
        entries={**bare.entries, **filling.entries},
        groups={**bare.groups, **groups},
    )
