"""Carries typed arguments over to a changed definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...content.json.jsonio import JsonValue
from ...content.text import cut, visible
from ...schemas.form.drafts import (
    Draft,
    arguments_of,
    draft_from_arguments,
    field_at,
    initial_draft,
)
from ...schemas.form.edits import filled_by_signoff
from ...schemas.form.entries import Origin, entry_for
from ...schemas.form.field_making import takes_keys
from ...schemas.form.form import Field, Form, Kind, variants

CHANGED = "The server changed this definition."
NAMES_SHOWN = 8


def carry_over(
    old: Draft,
    arguments: Mapping[str, JsonValue],
    origins: Mapping[str, Origin],
    form: Form,
) -> tuple[Draft, str]:
    """Return a draft for the changed form, and words on the entered values.

    Typed values are kept if the new form has a field that takes them; the server's suggestions are
    its new ones. A JSON document stays as it is: the schema judges it.
    """
    fresh = initial_draft(form)
    if old.document is not None:
        return Draft(document=old.document), f"{CHANGED} Your JSON was kept."
    # A value that Signoff was asked to put there, such as a fresh key, is in the draft itself.
    asked = {name for name in arguments if old.entry((name,)).origin is Origin.FILLED}
    typed = {
        name: value for name, value in arguments.items() if origins[name].is_chosen or name in asked
    }
    if form.raw_only:
        return draft_from_arguments(form, typed), CHANGED
    start = arguments_of(form, fresh).arguments
    whole = draft_from_arguments(form, {**start, **typed})
    kept = {
        name: value
        for name, value in typed.items()
        if _fits(form, field_at(form, whole, (name,)), value)
    }
    draft = draft_from_arguments(form, {**start, **kept}, before=fresh)
    for name in asked:
        draft = filled_by_signoff(draft, (name,))
    words = _words(
        *({name: one[name] for name in one if name not in asked} for one in (typed, kept))
    )
    return draft, " ".join([CHANGED, *words])


def _fits(form: Form, one: Field | None, value: JsonValue) -> bool:
    """True if a field is of the kind of a value; the rest of the schema is judged later."""
    if one is None or (one.is_key_free and not takes_keys(form.whole.node)):
        return False
    if value is None and one.nullable:
        return True
    match one.kind:
        case Kind.JSON:
            return True
        case Kind.STRING:
            return isinstance(value, str)
        case Kind.OBJECT:
            return isinstance(value, dict)
        case Kind.ARRAY:
            return isinstance(value, list)
        case Kind.UNION:
            return any(_fits(form, variant.field, value) for variant in variants(form, one))
        case _:
            return not entry_for(one, value, Origin.TYPED).as_json


def _words(typed: Mapping[str, JsonValue], kept: Mapping[str, JsonValue]) -> list[str]:
    lost = [name for name in typed if name not in kept]
    words = [f"Kept from what you typed: {names_line(list(kept))}."] if kept else []
    return [*words, f"No longer taken: {names_line(lost)}."] if lost else words


def names_line(names: Sequence[str], most: int = NAMES_SHOWN) -> str:
    """The first of them, and how many more there are; safe to show."""
    shown = ", ".join(visible(cut(name, 40).text) for name in names[:most])
    more = len(names) - most
    return f"{shown} and {more} more" if more > 0 else shown
