"""State of an argument form: the draft, open groups, problems, undo.

Problems are unreadable values and schema errors, each placed at a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from textual.content import Content

from ...app.content.json.jsonio import pointer
from ...app.content.labels import and_more, some_named
from ...app.protocol.clients.findings import rejection_note
from ...app.schemas.form.drafts import (
    Built,
    Draft,
    arguments_of,
    close_document,
    entry_at,
    field_at,
    initial_draft,
    open_document,
    set_document,
)
from ...app.schemas.form.edits import put_entry, send_or_not
from ...app.schemas.form.entries import FieldEntry
from ...app.schemas.form.field_making import counted, takes_keys
from ...app.schemas.form.fields import Field, FieldKind, Place
from ...app.schemas.form.form import Form, Variant, variants
from ...app.schemas.form.rows import FieldRow, RowRole, open_at_first, rows
from ...app.schemas.schema import Mismatch
from . import field_words
from .field_editors import MAX_EDITED
from .field_words import FieldProblems

MAX_LISTED: Final = 20


class FormState:
    """The draft of one form with its problems; not a widget."""

    def __init__(
        self,
        form: Form,
        draft: Draft | None = None,
        *,
        can_force: bool = True,
        by_title: bool = False,
    ) -> None:
        """`can_force`: the form can be sent although it is invalid."""
        self.form = form
        self.by_title = by_title
        """Whether fields have their titles as labels, and two rows each."""
        self._can_force = can_force
        self._undone: Draft | None = None
        self._variants: dict[int, tuple[Variant, ...]] = {}
        self._unions: list[Field] = []
        self.opened: frozenset[Place] = frozenset()
        self.put(initial_draft(form) if draft is None else draft)
        self.opened = open_at_first(form, self.draft)
        self.open_needed(())

    def put(self, draft: Draft) -> None:
        """Go on with another draft of the same form, as if it had just been loaded."""
        self.wrong = FormProblems()
        self.notice = ""
        self.insists = False
        self._touched = {place for place, one in draft.entries.items() if _was_typed(one)}
        self._read_draft(draft)

    def _read_draft(self, draft: Draft) -> None:
        self.draft = draft
        self.built = arguments_of(self.form, draft)
        self.wrong.find(self.built.problems)
        self.forget_drawn()

    def forget_drawn(self) -> None:
        """Other groups are open, or other rows are there."""
        self._rows: tuple[FieldRow, ...] | None = None
        self._said: tuple[dict[Place, FieldProblems], list[str]] | None = None

    @property
    def in_json(self) -> bool:
        return self.draft.document is not None

    @property
    def rows(self) -> tuple[FieldRow, ...]:
        """Rows to draw, in order; nothing below a folded group."""
        if self._rows is None:
            self._rows = rows(self.form, self.draft, self.opened)
        return self._rows

    def set_entry(self, place: Place, entry: FieldEntry) -> None:
        self._touched.add(place)
        self.edit(put_entry(self.draft, place, entry), place)

    def set_document(self, text: str) -> None:
        self.edit(set_document(self.draft, text), ())

    def edit(self, draft: Draft, place: Place) -> None:
        """Go on with a draft in which something at a place is another."""
        self.notice = ""
        self.wrong.edited(place)
        self._read_draft(draft)

    def judge(self, mismatches: Sequence[Mismatch], at_risk: Sequence[Mismatch] = ()) -> None:
        """Replace the schema errors of the current arguments."""
        self.wrong.judge(mismatches, at_risk)
        self._said = None

    def insist(self, after: int = -1) -> Place:
        """Show all problems from now on; returns the place of one, opened.

        It is the next one after the row of this number, if all were shown before; else the first.
        """
        places = [*self.wrong.local, *(tuple(one.path) for one in self.wrong.certain())]
        places.sort(key=self._order)
        if self.insists:
            later = [place for place in places if self._is_later(place, after)]
            places = later or places
        self.insists = True
        found = places[0] if places else ()
        self.open_to(found)
        return found

    def _is_later(self, place: Place, after: int) -> bool:
        at = self.rows[after] if 0 <= after < len(self.rows) else None
        if at is not None and at.role is RowRole.GROUP and not at.is_open:
            return self._order(place) >= after and place != at.place
        return self._order(place) > after

    def _order(self, place: Place) -> int:
        """The number of the row that is gone to for a place; the whole comes last."""
        if not place:
            return len(self.rows)
        at = [
            index
            for index, row in enumerate(self.rows)
            if row.role in (RowRole.FIELD, RowRole.GROUP) and place[: len(row.place)] == row.place
        ]
        return at[-1] if at else len(self.rows) - 1

    def fold(self, place: Place) -> bool:
        """Open a group, or fold it; whether it is open now."""
        self.opened ^= {place}
        self.forget_drawn()
        return place in self.opened

    def open_to(self, place: Place) -> None:
        """Open every group above a place."""
        self.opened |= {place[:length] for length in range(1, len(place))}
        self.forget_drawn()

    def toggle_sent(self, place: Place) -> None:
        """Leave a place out, or send it: as it is, empty, or null."""
        self._touched.add(place)
        self.edit(send_or_not(self.form, self.draft, place), place)

    def put_default(self, place: Place) -> bool:
        """Put the server's default back; False if there is none."""
        found = field_at(self.form, self.draft, place)
        default = field_words.default_of(found) if found is not None else None
        if default is None:
            return False
        self.edit(put_entry(self.draft, place, default), place)
        return True

    def open_needed(self, place: Place) -> None:
        """Open the arrays below a place that have to be there: they show how to add an item."""
        self.forget_drawn()
        needed = {
            row.place
            for row in self.rows
            if row.role is RowRole.GROUP
            and row.field.kind is FieldKind.ARRAY
            and row.field.required
        }
        self.opened |= {at for at in needed if at[: len(place)] == place}
        self.forget_drawn()

    def carry(self, moved: Callable[[Place], Place | None]) -> None:
        """Move the open and touched marks along with moved places."""
        self.opened = frozenset(at for at in map(moved, self.opened) if at is not None)
        self._touched = {at for at in map(moved, self._touched) if at is not None}
        self.forget_drawn()

    def to_json(self) -> bool:
        """Go on in the JSON document; False, with a notice, when it would be too large to edit."""
        return self._put_document(open_document(self.form, self.draft))

    def put_document(self, text: str) -> bool:
        """Go on with another text as the document; False, with a notice, if it is too large."""
        return self._put_document(set_document(open_document(self.form, self.draft), text))

    def _put_document(self, draft: Draft) -> bool:
        if len(draft.document or "") > MAX_EDITED:
            self.notice = f"too large for the JSON editor: over {MAX_EDITED:,} characters"
            return False
        self.put(draft)
        return True

    @property
    def document(self) -> str:
        """All arguments as one JSON document, as they are or would be in the JSON view."""
        return open_document(self.form, self.draft).document or ""

    def to_fields(self) -> bool:
        """Go on in the fields; False, with a problem or a notice, when that is impossible."""
        closed = close_document(self.form, self.draft)
        if closed.document is not None:
            self.notice = "" if self.wrong.local else "only JSON here"
            return False
        self.put(closed)
        return True

    def reset(self) -> bool:
        """Return to the server's suggestions, or from them to the previous content."""
        fresh = initial_draft(self.form)
        if self.draft != fresh:
            self._undone = self.draft
            self.put(fresh)
        elif self._undone is not None:
            draft, self._undone = self._undone, None
            self.put(draft)
        else:
            return False
        return True

    def as_typed(self) -> Built:
        """Arguments sent although invalid: an unreadable text is sent as the string it is."""
        return arguments_of(self.form, self.draft, as_typed=True)

    def said(self, place: Place) -> FieldProblems:
        """Errors at the row of a place."""
        return self._all_said()[0].get(place, FieldProblems())

    def _all_said(self) -> tuple[dict[Place, FieldProblems], list[str]]:
        """Errors by the place of a row, and those without a row.

        A field that was never touched does not show "required" before a submission was tried, and a
        local problem hides schema errors.
        """
        if self._said is None:
            loud = {
                place: problem
                for place, problem in self.wrong.local.items()
                if problem != "required" or self.insists or place in self._touched
            }
            rows = () if self.in_json else self.rows
            self._said = placed(
                rows, loud, self.wrong.mismatches, {**self.wrong.notes, **self.built.notes}
            )
        return self._said

    def summary(self) -> Content:
        """Errors of the whole, above the fields; empty if there are none."""
        lines = [] if self.in_json else summary_lines(self._all_said()[1])
        if self.form.raw_only:
            lines.append(Content(f"JSON only: {self.form.raw_only}"))
        elif not self.in_json and not self.rows:
            lines.append(Content("takes no arguments"))
        if self.in_json:
            aside = [place for place in self._broken() if place[0] not in self.built.arguments]
            if aside:
                lines.append(Content(f"kept in its field, not in this text: {_listed(aside)}"))
        elif not takes_keys(self.form.whole.node):
            extra = [row.place for row in self.rows if not row.depth and row.field.is_key_free]
            if extra:
                lines.append(Content(f"also sent, not in the schema: {_listed(extra)}"))
        return Content("\n").join(lines)

    def alert(self) -> Content:
        """Result of the last action, to be seen everywhere in the form."""
        said = [self.notice] if self.notice else []
        if self.in_json:
            # The text may be longer than the screen, and the error has no place in it.
            said += [words for words in self._all_said()[1] if words not in said]
        lines = summary_lines(said)
        count = self.wrong.count() if self.insists else 0
        if count and () not in self.wrong.local:
            way = "f5: next" if count > 1 else "f5: go to it"
            words = f"{counted(count, 'problem')}. {way}"
            if self._can_force:
                words += " · f12: call anyway"
            lines.insert(0, Content.styled(words, "bold $text-warning"))
        return Content("\n").join(lines)

    def _broken(self) -> list[Place]:
        """Fields behind the JSON document whose text could not be read."""
        fields = replace(self.draft, document=None)
        problems = arguments_of(self.form, fields).problems
        return [at for at in problems if at and entry_at(self.form, fields, at).text.strip()]

    def variants(self, union: Field) -> tuple[Variant, ...]:
        """The alternatives of a union."""
        known = self._variants.get(id(union.node))
        if known is None:
            # The field keeps its node alive, and so the identity its own.
            known = self._variants[id(union.node)] = variants(self.form, union)
            self._unions.append(union)
        return known

    def is_below_union(self, row: FieldRow) -> bool:
        """True if a field is the content of a union that has a row of its own."""
        return row.role is RowRole.FIELD and row.place in {
            one.place for one in self.rows if one.role is RowRole.GROUP
        }


def _listed(places: Sequence[Place]) -> str:
    return some_named(places, MAX_LISTED, pointer)


def _was_typed(entry: FieldEntry) -> bool:
    return entry.present and entry.origin.is_chosen


class FormProblems:
    """As they are since the last edit; the schema's verdict comes later than that."""

    def __init__(self) -> None:
        self.local: dict[Place, str] = {}
        """What keeps a value from being read or sent, by place, () for the whole."""
        self._mismatches: tuple[Mismatch, ...] = ()
        self._doubtful: frozenset[int] = frozenset()
        self.notes: dict[Place, str] = {}
        """What the schema allows and some validators reject, by place."""

    def find(self, problems: Mapping[Place, str]) -> None:
        """Replace the problems."""
        self.local = dict(problems)

    def judge(self, mismatches: Sequence[Mismatch], at_risk: Sequence[Mismatch] = ()) -> None:
        """Replace the schema errors of the current arguments."""
        self._mismatches, self._doubtful = tuple(mismatches), frozenset()
        self.notes = {one.path: rejection_note(one) for one in at_risk}

    def edited(self, place: Place) -> None:
        """Drop schema errors that an edit at a place may have changed.

        Errors of the old value no longer hold, and those of the whole around it may not.
        """
        size = len(place)
        self.notes = {at: words for at, words in self.notes.items() if at[:size] != place}
        self._mismatches = tuple(one for one in self._mismatches if one.path[:size] != place)
        self._doubtful = frozenset(
            index
            for index, one in enumerate(self._mismatches)
            if place[: len(one.path)] == one.path
        )

    @property
    def mismatches(self) -> list[Mismatch]:
        """The ones without a local problem at the same place."""
        return [one for one in self._mismatches if one.path not in self.local]

    def certain(self) -> list[Mismatch]:
        """Those of them that still hold."""
        return [
            one
            for index, one in enumerate(self._mismatches)
            if index not in self._doubtful and one.path not in self.local
        ]

    def count(self) -> int:
        """Number of problems that prevent submitting."""
        return len(self.local) + len(self.certain())

    def count_missing(self) -> int:
        """Number of these that are missing required values."""
        missing = sum(said == "required" for said in self.local.values())
        return missing + sum(one.keyword == "required" for one in self.certain())

    def missing_names(self) -> tuple[str, ...]:
        """The keys of fields at the top that lack a required value; as the server wrote them."""
        places = [place for place, said in self.local.items() if said == "required"]
        places += [one.path for one in self.certain() if one.keyword == "required"]
        return tuple(str(place[0]) for place in places if len(place) == 1)


def placed(
    rows: Sequence[FieldRow],
    problems: Mapping[Place, str],
    mismatches: Iterable[Mismatch],
    notes: Mapping[Place, str],
) -> tuple[dict[Place, FieldProblems], list[str]]:
    """Assign errors to the places of rows, and return those without one; safe to show.

    Everything goes to the deepest row there is. A folded group only counts them.
    """
    folded = {
        row.place: row.role is RowRole.GROUP and not row.is_open
        for row in rows
        if row.role in (RowRole.FIELD, RowRole.GROUP)
    }
    lines: dict[Place, list[str]] = {}
    inside: dict[Place, int] = {}
    told: dict[Place, list[str]] = {}
    rest = [problems[()]] if () in problems else []
    said = [(place, words) for place, words in problems.items() if place]
    said += [(one.path, one.message) for one in mismatches]
    for place, words in said:
        at = _row_above(place, folded)
        if at is None:
            rest.append(f"{pointer(place)} {words}")
        elif at == place:
            lines.setdefault(at, []).append(words)
        elif folded[at]:
            inside[at] = inside.get(at, 0) + 1
        else:
            lines.setdefault(at, []).append(f"{pointer(place)} {words}")
    for place, words in notes.items():
        at = place if place in folded else _row_above(place, folded)
        if at == place:
            told.setdefault(at, []).append(words)
        elif at is not None and not folded[at]:
            told.setdefault(at, []).append(f"{pointer(place)} {words}")
    return {
        place: FieldProblems(
            tuple(lines.get(place, ())), inside.get(place, 0), tuple(told.get(place, ()))
        )
        for place in {*lines, *inside, *told}
    }, rest


def _row_above(place: Place, rows: Mapping[Place, bool]) -> Place | None:
    """The deepest place with a row on the way to a place."""
    for size in range(len(place), 0, -1):
        if place[:size] in rows:
            return place[:size]
    return None


def summary_lines(said: Sequence[str]) -> list[Content]:
    """List errors of the whole, up to a limit."""
    lines = [Content.styled(f"✗ {line}", "bold $text-error") for line in said[:MAX_LISTED]]
    if more := and_more(len(said) - MAX_LISTED):
        lines.append(Content(more))
    return lines
