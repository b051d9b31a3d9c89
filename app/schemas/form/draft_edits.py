"""What a person does to a draft, one step at a time; each gives the draft after it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ...content.json.jsonio import JsonValue
from .draft_steps import awake, changed_group, without
from .draft_values import Draft
from .entries import NOT_SENT, Entry, Origin, entry_for
from .fields import Field, Kind, Place
from .filling import Filling
from .form import Form
from .group_edits import add_key
from .reading import Reading
from .subschemas import MISSING

_NULL: Final = Entry("null", as_json=True)


def put_entry(draft: Draft, place: Place, entry: Entry) -> Draft:
    """The draft with this entry; what is present is sent, and so is what it stands in."""
    draft = awake(draft, place) if entry.present else draft
    return replace(draft, entries={**draft.entries, place: entry})


def set_value(form: Form, draft: Draft, place: Place, value: JsonValue) -> Draft:
    """The draft after the person gave a place exactly this value.

    A name that the object around it does not have becomes one of its keys.
    """
    reading = Reading(form, draft)
    found = reading.at(place)
    if found is None:
        if not place or not isinstance(place[-1], str):
            return draft
        draft = add_key(form, draft, place[:-1], place[-1])
        found = Reading(form, draft).at(place)
        if found is None:
            return draft
    filling = Filling(form, Origin.TYPED)
    filling.fill(found, value)
    bare = awake(without(draft, place), place)
    return replace(
        bare,
        entries={**bare.entries, **filling.entries},
        groups={**bare.groups, **filling.groups},
    )


def next_entry(one: Field, entry: Entry) -> Entry:
    """The entry after the person asked for the property to be sent, or to be left out.

    A text is kept while it is left out, and what may have only one value gets that. With no text to
    send, a string goes round "not sent", the empty string, and null where that is allowed; other
    kinds go round "not sent" and null.
    """
    literal = one.kind is Kind.STRING and not entry.as_json
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
    if one.kind is Kind.STRING:
        return Entry("")
    return _NULL if one.nullable else NOT_SENT


def send_or_not(form: Form, draft: Draft, place: Place) -> Draft:
    """The draft after the person asked for a place to be sent, or to be left out.

    A group goes round "not sent", sent as it is, and null where that is allowed; what is in it
    stays. Everything else goes as `next_entry` says.
    """
    reading = Reading(form, draft)
    found = reading.at(place)
    if found is None or not place:
        return draft
    one = reading.chosen(found)[1] if found.kind is Kind.UNION else found
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
    """The draft in which what stands at a place is Signoff's, and nobody's who typed it."""
    entry = draft.entries.get(place)
    if entry is None or not entry.present:
        return draft
    return replace(draft, entries={**draft.entries, place: replace(entry, origin=Origin.FILLED)})


def set_group_present(form: Form, draft: Draft, place: Place, present: bool) -> Draft:
    """The draft with a group sent, though nothing in it may be set, or left out with all in it."""
    found = Reading(form, draft).at(place)
    if found is None or not place:
        return draft
    if not present:
        return put_entry(draft, place, NOT_SENT)
    return changed_group(form, draft, place, lambda group: replace(group, present=True))
