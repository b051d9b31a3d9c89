"""Drafted arguments: from a form or from arguments, as one JSON document, and what is sent.

What a draft adds up to is computed by `arguments_of`; only that is ever sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...content.json.jsonio import JsonValue, pretty
from .draft_values import Built, Draft, Group
from .entries import Entry, Origin, escaped, read_json
from .fields import Field, Place
from .filling import Filling
from .form import Form
from .reading import Reading
from .subschemas import identical

__all__ = [
    "Built",
    "Draft",
    "Group",
    "arguments_of",
    "close_document",
    "draft_from_arguments",
    "entry_at",
    "field_at",
    "initial_draft",
    "open_document",
    "set_document",
]


def initial_draft(form: Form) -> Draft:
    """A draft that sends the server's defaults, what has only one value, and nothing else."""
    return Draft(document="{}") if form.raw_only else Draft()


def field_at(form: Form, draft: Draft, place: Place) -> Field | None:
    """The field at a place; what there is may depend on the draft."""
    return Reading(form, draft).at(place)


def entry_at(form: Form, draft: Draft, place: Place) -> Entry:
    """What stands at a place: what somebody put there, else the server's default."""
    reading = Reading(form, draft)
    found = reading.at(place)
    return draft.entry(place) if found is None else reading.entry(found)


def arguments_of(form: Form, draft: Draft, *, as_typed: bool = False) -> Built:
    """What would be sent; never raises.

    With `as_typed`, a text that cannot be read is sent as the string that it is.
    """
    if draft.document is not None:
        return _document_arguments(form, draft, draft.document)
    reading = Reading(form, draft, as_typed=as_typed)
    whole = reading.read(form.whole)
    problems = dict(whole.problems)
    if not isinstance(whole.value, dict):
        if () not in problems:
            problems[()] = "arguments must be a JSON object, {...}"
        return Built({}, {}, problems, whole.notes)
    if () in draft.entries:
        origins = dict.fromkeys(whole.value, Origin.TYPED)
    else:
        found = {one.name: reading.read(one) for one in reading.members(form.whole)}
        origins = {name: found[name].origin for name in whole.value}
    return Built(whole.value, origins, problems, whole.notes)


def _document_arguments(form: Form, draft: Draft, document: str) -> Built:
    """The JSON document's arguments; it is judged by the schema alone, so that a person can send
    arguments on purpose that no field would accept."""
    value, problem = read_json(document)
    if not problem and not isinstance(value, dict):
        problem = "arguments must be a JSON object, {...}"
    if problem or not isinstance(value, dict):
        return Built({}, {}, {(): problem})
    before = arguments_of(form, replace(draft, document=None))
    origins = {
        name: before.origins[name]
        if name in before.origins and identical(before.arguments[name], one)
        else Origin.TYPED
        for name, one in value.items()
    }
    return Built(value, origins, {})


def open_document(form: Form, draft: Draft) -> Draft:
    """The draft as one JSON document; the fields keep what they hold meanwhile."""
    if draft.document is not None:
        return draft
    return replace(draft, document=escaped(pretty(arguments_of(form, draft).arguments)))


def set_document(draft: Draft, text: str) -> Draft:
    """The draft after the person edited the JSON document."""
    return replace(draft, document=text)


def close_document(form: Form, draft: Draft) -> Draft:
    """Back to the fields; the same draft when the document is broken or the form has no fields."""
    if draft.document is None or form.raw_only:
        return draft
    built = arguments_of(form, draft)
    if built.problems:
        return draft
    return draft_from_arguments(form, built.arguments, before=replace(draft, document=None))


def draft_from_arguments(
    form: Form, arguments: Mapping[str, JsonValue], *, before: Draft | None = None
) -> Draft:
    """A draft that adds up to exactly these arguments.

    `before` is what they were edited from: values that did not change keep their entry, and so who
    put them there, and a broken text that never was part of the arguments stays in its field.
    """
    if form.raw_only:
        return Draft(document=escaped(pretty(dict(arguments))))
    old = None if before is None else Reading(form, replace(before, document=None))
    filling = Filling(form, Origin.TYPED, old)
    filling.fill(form.whole, dict(arguments))
    return Draft(filling.entries, filling.groups)
