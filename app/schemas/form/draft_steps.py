"""Small changes of a draft, out of which the edits of a person are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .draft_values import Draft, Group
from .entries import Entry, Origin
from .fields import Field, Kind, Place
from .filling import Filling
from .form import Form
from .reading import Reading
from .subschemas import MISSING


def awake(draft: Draft, place: Place) -> Draft:
    """The draft in which nothing around a place, nor the place itself, is left out any more."""
    asleep = [
        place[:size]
        for size in range(len(place) + 1)
        if not draft.entries.get(place[:size], Entry()).present
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


def changed_group(
    form: Form, draft: Draft, place: Place, change: Callable[[Group], Group]
) -> Draft:
    """The draft with a group changed, whose default stands in it as if it had been loaded."""
    reading = Reading(form, draft)
    found = reading.at(place)
    if found is None or not found.is_group:
        return draft
    entries, groups = dict(draft.entries), dict(draft.groups)
    _pin(reading, found, entries, groups)
    index, one = reading.chosen(found) if found.kind is Kind.UNION else (None, found)
    group = groups.get(place) or reading.group(one)
    groups[place] = replace(change(group), origin=Origin.TYPED, variant=index)
    return awake(replace(draft, entries=entries, groups=groups), place)


def _pin(
    reading: Reading, one: Field, entries: dict[Place, Entry], groups: dict[Place, Group]
) -> None:
    """Write down what is only the server's default: it may get another place."""
    if one.place in entries:
        return
    if one.kind is Kind.UNION:
        index, variant = reading.chosen(one)
        if one.is_filled_in or reading.is_touched(one.place):
            groups.setdefault(one.place, Group(origin=Origin.DEFAULT, variant=index))
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


def copy_field(
    form: Form,
    reading: Reading,
    draft: Draft,
    old: Field,
    new: Field,
    entries: dict[Place, Entry],
    groups: dict[Place, Group],
) -> None:
    """Put what stands at one place at another: as it is where the schema is the same, else as the
    value that it is."""
    size = len(old.place)
    if old.node is new.node:
        for at, entry in draft.entries.items():
            if at[:size] == old.place:
                entries[(*new.place, *at[size:])] = entry
        for at, group in draft.groups.items():
            if at[:size] == old.place:
                groups[(*new.place, *at[size:])] = group
        return
    value = reading.read(old).value
    if value is not MISSING:
        filling = Filling(form, Origin.TYPED)
        filling.fill(new, value)
        entries.update(filling.entries)
        groups.update(filling.groups)
