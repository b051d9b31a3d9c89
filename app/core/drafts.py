"""Drafted arguments: what a person (or the server's suggestion) has put into a form so far.

A draft keeps the texts as typed, broken ones too, so that nothing is lost between the fields and
the JSON editor. What it adds up to is computed by `arguments_of`; only that is ever sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app.core.entries import NOT_SENT, Entry, Origin, entry_for, escaped, read_json, value_of
from app.core.forms import Field, Form, Kind
from app.core.jsonio import JsonValue, pretty
from app.core.subschemas import MISSING, identical


@dataclass(frozen=True, slots=True)
class Draft:
    """Entries by property name, extra arguments that the schema does not name, and, while the
    arguments are edited as one JSON document, its text."""

    entries: Mapping[str, Entry] = field(default_factory=dict)
    extras: Mapping[str, JsonValue] = field(default_factory=dict)
    document: str | None = None

    def entry(self, name: str) -> Entry:
        return self.entries.get(name, NOT_SENT)


@dataclass(frozen=True, slots=True)
class Built:
    """What a draft adds up to.

    `arguments` holds everything that could be read, in the order of the schema; `origins` has the
    same keys; `problems` maps property names to a message, with "" for the whole.
    """

    arguments: dict[str, JsonValue]
    origins: dict[str, Origin]
    problems: dict[str, str]


def initial_draft(form: Form) -> Draft:
    """The server's suggestions and nothing else.

    A `default: null` is not filled in, unless the property must be there and may be null: servers
    write it for "may be left out", often on a type that null would break.
    """
    if form.raw_only:
        return Draft(document="{}")
    entries = {}
    for one in form.fields:
        if one.suggestion is MISSING:
            continue
        must = one.choices == (None,) or (one.required and one.nullable)
        if one.suggestion is None and not must:
            continue
        entries[one.name] = entry_for(one, one.suggestion, Origin.DEFAULT)
    return Draft(entries)


def set_entry(
    draft: Draft,
    name: str,
    text: str,
    *,
    present: bool | None = None,
    as_json: bool | None = None,
) -> Draft:
    """The draft after the person typed `text` into a field.

    An empty text means "not sent" unless `present` says otherwise; `as_json` stays as it was.
    """
    entry = Entry(
        text=text,
        origin=Origin.TYPED,
        present=bool(text) if present is None else present,
        as_json=draft.entry(name).as_json if as_json is None else as_json,
    )
    return replace(draft, entries={**draft.entries, name: entry})


def set_value(form: Form, draft: Draft, name: str, value: JsonValue) -> Draft:
    """The draft after the person gave a field exactly this value."""
    found = form.field(name)
    if found is None:
        return replace(draft, extras={**draft.extras, name: value})
    entry = entry_for(found, value, Origin.TYPED)
    return replace(draft, entries={**draft.entries, name: entry})


def clear_entry(draft: Draft, name: str) -> Draft:
    """The draft with a property not sent."""
    return replace(draft, entries={**draft.entries, name: NOT_SENT})


def next_state(one: Field, entry: Entry) -> Entry:
    """The entry after the person asked for the property to be sent, or to be left out.

    A text is kept while it is left out. With no text to send, a string goes round "not sent", the
    empty string, and null where that is allowed; other kinds go round "not sent" and null.
    """
    null = Entry("null", as_json=True)
    blank = not entry.text.strip() if one.kind is not Kind.STRING else not entry.text
    if entry.present and entry.as_json and entry.text.strip() == "null":
        return NOT_SENT
    if entry.present and not blank:
        return replace(entry, present=False, origin=Origin.TYPED)
    if entry.present:
        return null if one.nullable else NOT_SENT
    if not blank:
        return replace(entry, present=True, origin=Origin.TYPED)
    if one.kind is Kind.STRING:
        return Entry("")
    return null if one.nullable else NOT_SENT


def arguments_of(form: Form, draft: Draft) -> Built:
    """What would be sent; never raises."""
    if draft.document is not None:
        return _document_arguments(form, draft, draft.document)
    built = Built({}, {}, {})
    for one in form.fields:
        entry = draft.entry(one.name)
        value, problem = value_of(one, entry)
        if problem:
            built.problems[one.name] = problem
        if value is not MISSING:
            built.arguments[one.name] = value
            built.origins[one.name] = entry.origin
    for name, value in draft.extras.items():
        built.arguments[name] = value
        built.origins[name] = Origin.TYPED
    return built


def _document_arguments(form: Form, draft: Draft, document: str) -> Built:
    """The JSON document's arguments; it is judged by the schema alone, so that a person can send
    arguments on purpose that no field would accept."""
    value, problem = read_json(document)
    if not problem and not isinstance(value, dict):
        problem = "arguments must be a JSON object, {...}"
    if problem or not isinstance(value, dict):
        return Built({}, {}, {"": problem})
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
    old = before or Draft()
    entries: dict[str, Entry] = {}
    for one in form.fields:
        entry = old.entry(one.name)
        was, _ = value_of(one, entry)
        now = arguments.get(one.name, MISSING)
        if identical(was, now):
            entries[one.name] = entry
        elif now is not MISSING:
            entries[one.name] = entry_for(one, now, Origin.TYPED)
        else:
            entries[one.name] = NOT_SENT
    names = {one.name for one in form.fields}
    extras = {name: value for name, value in arguments.items() if name not in names}
    return Draft(entries, extras)
