"""Edits of the groups of a form: items and entries added, moved, renamed, removed."""

from __future__ import annotations

from collections.abc import Callable

from ...app.content.json.jsonio import pointer
from ...app.schemas.form.edits import (
    add_item,
    add_key,
    choose_variant,
    key_problem,
    move_item,
    remove_item,
    remove_key,
    rename_key,
)
from ...app.schemas.form.fields import Place
from ...app.schemas.form.rows import RowRole, open_at_first, rows
from .form_row import RowVerb
from .form_state import FormState


def take_step(
    state: FormState, verb: RowVerb, place: Place, text: str | None, inside: Place
) -> Place | None:
    """Carry out a row's action; returns the next place to focus, None to stay.

    `text`: typed or chosen for it. `inside`: the focused place below.
    """
    match verb:
        case RowVerb.ADD:
            return add(state, place, text)
        case RowVerb.REMOVE:
            return remove(state, place)
        case RowVerb.UP | RowVerb.DOWN:
            moved = move(state, place, -1 if verb is RowVerb.UP else 1)
            return (*moved, *inside) if moved is not None else None
        case RowVerb.RENAME:
            return rename(state, place, text or "")
        case RowVerb.CHOOSE:
            choose(state, place, int(text or 0))
    return None


def add(state: FormState, place: Place, key: str | None) -> Place | None:
    """One more item, or entry with a key; where to go on, None, with a notice, if it fails."""
    if key is None:
        added: Place = (*place, _count(state, place))
        after = add_item(state.form, state.draft, place)
    else:
        added = (*place, key)
        if not _has_room_for(state, place, key):
            return None
        after = add_key(state.form, state.draft, place, key)
    state.edit(after, place)
    fresh = open_at_first(state.form, state.draft)
    state.opened |= {place, added, *(at for at in fresh if at[: len(added)] == added)}
    state.open_needed(added)
    return _first_inside(state, added)


def remove(state: FormState, place: Place) -> Place:
    """Take out an item or an entry; the place to go on at."""
    parent, last = place[:-1], place[-1]
    if isinstance(last, int):
        count = _count(state, parent)
        state.edit(remove_item(state.form, state.draft, parent, last), parent)
        _renumber(state, parent, lambda at: None if at == last else at - (at > last))
        return (*parent, min(last, count - 2)) if count > 1 else parent
    state.edit(remove_key(state.form, state.draft, parent, last), parent)
    state.carry(lambda at: None if at[: len(place)] == place else at)
    return parent


def move(state: FormState, place: Place, by: int) -> Place | None:
    """Move an item of an array; returns its new place, None if it stays."""
    parent, last = place[:-1], place[-1] if place else ""
    if not isinstance(last, int) or not 0 <= last + by < _count(state, parent):
        return None
    state.edit(move_item(state.form, state.draft, parent, last, by), parent)
    swapped = {last: last + by, last + by: last}
    _renumber(state, parent, lambda at: swapped.get(at, at))
    return (*parent, last + by)


def rename(state: FormState, place: Place, key: str) -> Place | None:
    """Give an entry another key; None, with a notice, if that is taken."""
    parent, last = place[:-1], place[-1]
    renamed = (*parent, key)
    if key == last or not isinstance(last, str):
        return place
    if not _has_room_for(state, parent, key):
        return None
    state.edit(rename_key(state.form, state.draft, parent, last, key), parent)
    size = len(place)
    state.carry(lambda at: (*renamed, *at[size:]) if at[:size] == place else at)
    return renamed


def choose(state: FormState, place: Place, variant: int) -> None:
    """Take another alternative of a union; fitting content is kept."""
    state.edit(choose_variant(state.form, state.draft, place, variant), place)
    state.opened |= {place}
    state.forget_drawn()


def _first_inside(state: FormState, place: Place) -> Place:
    """The first field inside a group that was just added; the place itself if it is none."""
    inside = [row for row in state.rows if row.place[: len(place)] == place]
    return next((row.place for row in inside if row.role is RowRole.FIELD), place)


def _has_room_for(state: FormState, place: Place, key: str) -> bool:
    problem = key_problem(state.form, state.draft, place, key)
    state.notice = f"{pointer((*place, key))}: {problem}" if problem else ""
    return not problem


def _count(state: FormState, place: Place) -> int:
    """Number of items in an array."""
    shown = rows(state.form, state.draft, state.opened | {place})
    size = len(place)
    numbers = [row.place[size] for row in shown if row.place[:size] == place != row.place]
    return max((at + 1 for at in numbers if isinstance(at, int)), default=0)


def _renumber(state: FormState, parent: Place, to: Callable[[int], int | None]) -> None:
    size = len(parent)

    def moved(place: Place) -> Place | None:
        if len(place) <= size or place[:size] != parent:
            return place
        index = place[size]
        after = to(index) if isinstance(index, int) else None
        return None if after is None else (*parent, after, *place[size + 1 :])

    state.carry(moved)
