"""The body of a form: its fields, or one JSON document, with a bar of words and the keys."""

from __future__ import annotations

from typing import Final, NamedTuple

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from ...app.schemas.form.fields import Place
from ..key_bar import bar_words
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
        """True if there is anything."""
        return self.fields is not None or self.document is not None

    def draw(self, state: FormState, *, is_roomy: bool) -> None:
        """Redraw everything from a state."""
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
        """Return the least number of lines it takes."""
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
        """Put the editors' content into the state; True if it was new."""
        found = self.fields.sync() if self.fields is not None else {}
        for place, entry in found.items():
            state.set_entry(place, entry)
        document = self.document.text if self.document is not None else None
        is_typed = document is not None and document != state.draft.document
        if document is not None and is_typed:
            state.set_document(document)
        return bool(found) or is_typed


class _Verb(Static):
    """A key with its verb, which runs an action of the form when clicked."""

    ALLOW_SELECT = False

    def __init__(self, key: str, verb: str, form: Widget, action: str) -> None:
        words = bar_words([(key, "")]) if key else Content("")
        super().__init__(
            Content.assemble(words, " " * bool(key), verb), classes="verb", markup=False
        )
        self._form = form
        self._action = action

    async def on_click(self) -> None:
        await self._form.run_action(self._action)


class FormVerb(NamedTuple):
    """A key with its verb on the bar of a form; the action is looked for from the form on."""

    key: str
    verb: str
    action: str


HISTORY: Final = FormVerb("f11", "History", "history")
"""The verb of a form whose arguments are kept."""


class FormBar(Horizontal):
    """Fields or JSON, reset, and one more verb, such as history."""

    DEFAULT_CSS = """
    FormBar {
        height: 1; margin-bottom: 1;
        & .verb { width: auto; margin-right: 3; color: $text-muted; }
        & .verb:hover { color: $text-accent; }
        & .verb.-current { color: $foreground; text-style: bold; }
    }
    """

    def __init__(self, form: Widget, last: FormVerb | None) -> None:
        """`last` is the verb behind the others."""
        super().__init__(classes="bar")
        self._form = form
        self._last = last

    def compose(self) -> ComposeResult:
        yield _Verb("", "Fields", self._form, "show_fields")
        yield _Verb("ctrl+j", "JSON", self._form, "show_json")
        yield _Verb("ctrl+r", "Reset", self._form, "reset")
        if self._last is not None:
            yield _Verb(self._last.key, self._last.verb, self._form, self._last.action)

    def show(self, *, in_json: bool) -> None:
        """Mark the current one of the two modes."""
        for verb, current in zip(self.query(_Verb), (not in_json, in_json), strict=False):
            verb.set_class(current, "-current")
