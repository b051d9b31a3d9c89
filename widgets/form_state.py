"""What an argument form knows: the draft, what is wrong with it, and what was undone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from textual.content import Content

from app.core.drafts import (
    Draft,
    arguments_of,
    close_document,
    initial_draft,
    open_document,
    set_document,
)
from app.core.entries import Entry, Origin
from app.core.forms import Form
from app.core.jsonio import pointer
from app.core.schema import Mismatch
from widgets.field_editors import MAX_EDITED

MAX_LISTED: Final = 20


class FormState:
    """The draft of one form, and everything said about it; no widget."""

    def __init__(self, form: Form, draft: Draft | None = None) -> None:
        self.form = form
        self._undone: Draft | None = None
        self.put(initial_draft(form) if draft is None else draft)

    def put(self, draft: Draft) -> None:
        """Go on with another draft of the same form, as if it had just been loaded."""
        self.draft = draft
        self.mismatches: tuple[Mismatch, ...] = ()
        self.notice = ""
        self.insists = False
        self._touched = {name for name, one in draft.entries.items() if _was_typed(one)}
        self.built = arguments_of(self.form, draft)

    @property
    def in_json(self) -> bool:
        return self.draft.document is not None

    def set_entry(self, name: str, entry: Entry) -> None:
        self._touched.add(name)
        self._edit(replace(self.draft, entries={**self.draft.entries, name: entry}))
        # What the schema said of the old value is no longer true.
        self.mismatches = tuple(one for one in self.mismatches if one.path[:1] != (name,))

    def set_document(self, text: str) -> None:
        self._edit(set_document(self.draft, text))
        self.mismatches = ()

    def _edit(self, draft: Draft) -> None:
        self.draft = draft
        self.notice = ""
        self.built = arguments_of(self.form, draft)

    def to_json(self) -> bool:
        """Go on in the JSON document; False, with a notice, when it would be too large to edit."""
        opened = open_document(self.form, self.draft)
        if len(opened.document or "") > MAX_EDITED:
            self.notice = f"too large for the JSON editor: over {MAX_EDITED:,} characters"
            return False
        self.put(opened)
        return True

    def to_fields(self) -> bool:
        """Go on in the fields; False, with a problem or a notice, when that is impossible."""
        closed = close_document(self.form, self.draft)
        if closed.document is not None:
            self.notice = "" if self.built.problems else "only JSON here"
            return False
        self.put(closed)
        return True

    def reset(self) -> bool:
        """Back to the server's suggestions, or from them to what stood there before."""
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

    @property
    def first_problem(self) -> str:
        """The property to go to, "" for the whole."""
        problems = self.built.problems
        return next((one.name for one in self.form.fields if one.name in problems), "")

    def at_fields(self) -> tuple[dict[str, str], dict[str, list[str]]]:
        """Local problems and mismatches by property name, as far as they are to be drawn.

        A field that nobody touched does not say "required" before a submission was tried, and
        where there is a local problem the schema has nothing to add.
        """
        problems = self.built.problems
        loud = {
            name: problem
            for name, problem in problems.items()
            if problem != "required" or self.insists or name in self._touched
        }
        placed, _ = self._place()
        return loud, {name: said for name, said in placed.items() if name not in problems}

    def summary(self) -> Content:
        """The lines above the fields; empty if there is nothing to say."""
        _, rest = self._place()
        whole = self.built.problems.get("", "") if self.in_json else ""
        lines = _wrong([line for line in (whole, self.notice, *rest) if line])
        if self.form.raw_only:
            lines.append(Content(f"JSON only: {self.form.raw_only}"))
        elif not self.form.fields:
            lines.append(Content("takes no arguments"))
        if self.in_json:
            aside = [name for name in self._broken() if name not in self.built.arguments]
            if aside:
                lines.append(Content(f"kept in its field, not in this text: {_listed(aside)}"))
        elif self.draft.extras:
            names = _listed(list(self.draft.extras))
            lines.append(Content(f"also sent, not in the schema: {names}"))
        return Content("\n").join(lines)

    def _broken(self) -> list[str]:
        """Fields behind the JSON document whose text could not be read."""
        fields = replace(self.draft, document=None)
        problems = arguments_of(self.form, fields).problems
        return [name for name in problems if self.draft.entry(name).text.strip()]

    def _place(self) -> tuple[dict[str, list[str]], list[str]]:
        names = () if self.in_json else {one.name for one in self.form.fields}
        return place(self.mismatches, names)


def place(
    mismatches: Iterable[Mismatch], names: Collection[str]
) -> tuple[dict[str, list[str]], list[str]]:
    """Messages by property name, and those that belong to none of `names`; safe to show."""
    placed: dict[str, list[str]] = {}
    rest: list[str] = []
    for one in mismatches:
        name = one.path[0] if one.path else None
        if isinstance(name, str) and name in names:
            where = f"{pointer(one.path)} " if len(one.path) > 1 else ""
            placed.setdefault(name, []).append(f"{where}{one.message}")
        else:
            rest.append(f"{pointer(one.path)} {one.message}")
    return placed, rest


def _wrong(said: Sequence[str]) -> list[Content]:
    lines = [Content.styled(f"✗ {line}", "bold $text-error") for line in said[:MAX_LISTED]]
    if len(said) > MAX_LISTED:
        lines.append(Content(f"and {len(said) - MAX_LISTED:,} more"))
    return lines


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MAX_LISTED:,} more" if len(names) > MAX_LISTED else ""
    return ", ".join(pointer((name,)) for name in names[:MAX_LISTED]) + more


def _was_typed(entry: Entry) -> bool:
    return entry.present and entry.origin is Origin.TYPED
