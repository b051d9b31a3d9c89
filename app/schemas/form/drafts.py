"""Drafted arguments: from a form or from arguments, as one JSON document, and as sent.

The arguments of a draft are computed by `arguments_of`; only those are ever sent. `DraftFilling`
spreads a value over the fields of a form, so that they add up to exactly that value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...content.json.jsonio import JsonValue, pretty
from .entries import (
    NOT_SENT,
    Built,
    Draft,
    FieldEntry,
    GroupEntry,
    Origin,
    entry_for,
    escaped,
    json_text,
    read_json,
)
from .fields import MAX_FIELDS, Field, FieldKind, Place
from .form import Form, best_variant, item_field, object_fields
from .merging import MISSING, Missing, identical
from .reading import DraftReading

__all__ = [
    "Built",
    "Draft",
    "GroupEntry",
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
    """Make a draft of the server's defaults and of values without alternative."""
    return Draft(document="{}") if form.raw_only else Draft()


def field_at(form: Form, draft: Draft, place: Place) -> Field | None:
    """Return the field at a place, which may depend on the draft."""
    return DraftReading(form, draft).at(place)


def entry_at(form: Form, draft: Draft, place: Place) -> FieldEntry:
    """Return the entry at a place: the user's, else the server's default."""
    reading = DraftReading(form, draft)
    found = reading.at(place)
    return draft.entry(place) if found is None else reading.entry(found)


def arguments_of(form: Form, draft: Draft, *, as_typed: bool = False) -> Built:
    """Compute the arguments to send; never raises.

    With `as_typed`, a text that cannot be read is sent as the string that it is.
    """
    if draft.document is not None:
        return _document_arguments(form, draft, draft.document)
    reading = DraftReading(form, draft, as_typed=as_typed)
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
    """Turn the draft into one JSON document; the fields keep their content."""
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
    """Make a draft that adds up to exactly these arguments.

    `before` is the draft before the edit: values that did not change keep their entry, and so their
    origin, and a broken text that never was part of the arguments stays in its field.
    """
    if form.raw_only:
        return Draft(document=escaped(pretty(dict(arguments))))
    old = None if before is None else DraftReading(form, replace(before, document=None))
    filling = DraftFilling(form, Origin.TYPED, old)
    filling.fill(form.whole, dict(arguments))
    return Draft(filling.entries, filling.groups)


MAX_ROUNDS = 4
"""Times that an object is corrected whose fields depend on the values in them."""


def inside(draft: Draft, place: Place) -> Draft:
    """Only the part at a place and below it."""
    size = len(place)
    return Draft(
        {at: entry for at, entry in draft.entries.items() if at[:size] == place},
        {at: group for at, group in draft.groups.items() if at[:size] == place},
    )


def filled(form: Form, one: Field, value: JsonValue) -> Draft:
    """A draft of one place, which reads as exactly this value."""
    filling = DraftFilling(form, Origin.TYPED)
    filling.fill(one, value)
    return Draft(filling.entries, filling.groups)


class DraftFilling:
    """Collects entries and groups.

    With `before`, values that did not change keep their entry, and so their origin, and a text that
    could not be read stays in its field.
    """

    def __init__(self, form: Form, origin: Origin, before: DraftReading | None = None) -> None:
        self.entries: dict[Place, FieldEntry] = {}
        self.groups: dict[Place, GroupEntry] = {}
        self._form = form
        self._origin = origin
        self._before = before

    def fill(self, one: Field, value: JsonValue | Missing) -> None:
        """Make the field at a place read as exactly this value."""
        if self._before is not None and identical(self._before.read(one).value, value):
            kept = inside(self._before.draft, one.place)
            self.entries.update(kept.entries)
            self.groups.update(kept.groups)
        elif value is MISSING:
            if one.is_filled_in or one.is_group:
                self.entries[one.place] = NOT_SENT
        elif one.kind is FieldKind.UNION:
            self._fill_union(one, value)
        else:
            self._fill(one, value, None)

    def _fill_union(self, union: Field, value: JsonValue) -> None:
        nodes = self._form.schemas.variants(union.node)
        index = best_variant(self._form.schemas, nodes, value)
        given = union.suggestion if union.is_filled_in else MISSING
        if given is not MISSING and best_variant(self._form.schemas, nodes, given) != index:
            given = MISSING
        self.groups[union.place] = GroupEntry(origin=self._origin, variant=index)
        before = self._before
        if before is not None and before.chosen(union)[0] != index:
            # What stood in another alternative was meant for other fields.
            self._before = None
        self._fill(self._form.maker.variant(union, nodes[index], given), value, index)
        self._before = before

    def _fill(self, one: Field, value: JsonValue, variant: int | None) -> None:
        if one.kind is FieldKind.OBJECT and isinstance(value, dict) and len(value) <= MAX_FIELDS:
            self._fill_object(one, value, variant)
        elif one.kind is FieldKind.ARRAY and isinstance(value, list) and len(value) <= MAX_FIELDS:
            self.groups[one.place] = GroupEntry(True, self._origin, variant, len(value))
            given = one.suggestion if one.is_filled_in else MISSING
            for at, each in enumerate(value):
                self.fill(item_field(self._form.maker, one, at, given), each)
        else:
            self.entries[one.place] = entry_for(one, value, self._origin)

    def _fill_object(self, one: Field, value: dict[str, JsonValue], variant: int | None) -> None:
        given = one.suggestion if one.is_filled_in else MISSING
        node = self._form.schemas.active(one.node, value)
        fields = object_fields(self._form.maker, one, node, tuple(value), given)
        keys = tuple(field.name for field in fields if field.is_key_free)
        self.groups[one.place] = GroupEntry(True, self._origin, variant, keys=keys)
        for each in fields:
            self.fill(each, value.get(each.name, MISSING))
        if one.node.conditions:
            self._put_right(one, value)

    def _put_right(self, one: Field, value: dict[str, JsonValue]) -> None:
        """Use JSON for a field whose kind depends on fields that depend on it."""
        for _ in range(MAX_ROUNDS):
            reading = DraftReading(self._form, Draft(self.entries, self.groups))
            read = reading.read(one).value
            found = read if isinstance(read, dict) else {}
            wrong = [key for key in value if not identical(found.get(key, MISSING), value[key])]
            for key in (*wrong, *(key for key in found if key not in value)):
                self._drop((*one.place, key))
                self.entries[*one.place, key] = (
                    FieldEntry(json_text(value[key]), self._origin, as_json=True)
                    if key in value
                    else NOT_SENT
                )
            if not wrong and len(found) == len(value):
                return
            group = self.groups[one.place]
            keys = tuple(dict.fromkeys((*group.keys, *wrong)))
            self.groups[one.place] = replace(group, keys=keys)
        self._drop(one.place)
        self.entries[one.place] = FieldEntry(json_text(value), self._origin, as_json=True)

    def _drop(self, place: Place) -> None:
        size = len(place)
        for at in [at for at in self.entries if at[:size] == place]:
            del self.entries[at]
        for at in [at for at in self.groups if at[:size] == place]:
            del self.groups[at]
