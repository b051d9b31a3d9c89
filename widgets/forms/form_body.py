"""Where arguments are edited: their fields, or one JSON document."""

from __future__ import annotations

from typing import Final

from textual.widget import Widget

from ...app.schemas.form.fields import Place
from .field_editors import TextEditor
from .field_list import FieldList
from .form_state import FormState

DOCUMENT_LINES: Final = 5
"""The JSON document takes no fewer."""


class FormBody:
    """The one of the two that is shown, as a child of the form `holder`; neither before `draw`."""

    def __init__(self, holder: Widget) -> None:
        self.fields: FieldList | None = None
        self.document: TextEditor | None = None
        self._holder = holder

    @property
    def is_drawn(self) -> bool:
        """Whether there is anything."""
        return self.fields is not None or self.document is not None

    def draw(self, state: FormState, *, is_roomy: bool) -> None:
        """Begin anew with what a state says, instead of what is there."""
        for old in (self.fields, self.document):
            if old is not None:
                old.remove()
        self.fields = self.document = None
        text = state.draft.document
        if text is None:
            width = self._holder.scrollable_content_region.width
            self.fields = FieldList(state, width, is_roomy=is_roomy)
            self._holder.mount(self.fields)
        else:
            self.document = TextEditor(text, json=True, is_whole=True, classes="document")
            self._holder.mount(self.document)

    def lines_needed(self, width: int, *, is_roomy: bool) -> int:
        """How many lines of the screen it would take, at least."""
        if self.fields is not None:
            return self.fields.lines_needed(width, is_roomy=is_roomy)
        return DOCUMENT_LINES

    def focus(self, place: Place, *, add: bool = False) -> None:
        """Focus the row of a place, the first row without one, or the document."""
        if self.fields is not None:
            self.fields.focus_row(place, add=add)
        elif self.document is not None:
            self._holder.screen.set_focus(self.document, scroll_visible=False)
            self._holder.call_after_refresh(self.document.scroll_visible, animate=False)

    def focused_place(self) -> Place | None:
        """The place of the row with the focus."""
        row = self.fields.focused_row if self.fields is not None else None
        return row.place if row is not None else None

    def focused_index(self) -> int:
        """The number of the row with the focus; -1 without one."""
        return self.fields.focused_index if self.fields is not None else -1

    def give(self, state: FormState) -> bool:
        """Put into the state what the editors hold; whether that was any news."""
        found = self.fields.sync() if self.fields is not None else {}
        for place, entry in found.items():
            state.set_entry(place, entry)
        document = self.document.text if self.document is not None else None
        is_typed = document is not None and document != state.draft.document
        if document is not None and is_typed:
            state.set_document(document)
        return bool(found) or is_typed
