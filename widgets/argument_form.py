"""The form for a tool's arguments, as fields or as one JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static

from app.core.drafts import Draft, next_state
from app.core.entries import Entry, Origin
from app.core.forms import Form
from app.core.jsonio import JsonValue
from app.core.schema import Mismatch
from widgets.field_editors import TextEditor
from widgets.field_list import FieldList
from widgets.form_field import FormField
from widgets.form_state import FormState

QUIET: Final = 0.08
"""Seconds without an edit after which `Changed` is posted."""
NARROW: Final = 50
"""Below this width the names stand above their fields."""


class _Verb(Static):
    """Words that run an action of the form when clicked; keys do the same."""

    ALLOW_SELECT = False

    def __init__(self, words: str, action: str) -> None:
        super().__init__(Content(words), classes="verb", markup=False)
        self._action = action

    async def on_click(self) -> None:
        form = self.query_ancestor(ArgumentForm)
        await form.run_action(self._action)


class ArgumentForm(VerticalScroll, can_focus=False):
    """Edits the arguments of one tool.

    The draft is the truth and the fields only draw it, so it is complete before they are mounted.
    Schema verdicts come from outside, through `show_mismatches`.
    """

    DEFAULT_CSS = """
    ArgumentForm {
        height: 1fr;
        & > .bar { height: 1; margin-bottom: 1; }
        & .verb { width: auto; margin-right: 3; color: $text-muted; }
        & .verb:hover { color: $text-accent; }
        & .verb.-current { color: $foreground; text-style: bold; }
        & > .top { height: auto; margin-bottom: 1; display: none; }
        & > .top.-shown { display: block; }
        & > .document { max-height: 20; min-height: 5; }
        &.-narrow FormField { layout: vertical; }
        &.-narrow FormField > .name { width: 1fr; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "f5,ctrl+enter",
            "submit",
            "Call",
            id="form.submit",
            tooltip="Ask for the call with these arguments.",
        ),
        Binding(
            "ctrl+j",
            "toggle_json",
            "JSON",
            id="form.json",
            tooltip="Edit all arguments as one JSON document, or go back to the fields.",
        ),
        Binding(
            "ctrl+n",
            "toggle_sent",
            "Send or not",
            show=False,
            id="form.sent",
            tooltip="Leave this argument out, or send it: empty, or null where that may be.",
        ),
        Binding(
            "ctrl+r",
            "reset",
            "Reset",
            show=False,
            id="form.reset",
            tooltip="Back to the server's suggestions; again brings back what was there.",
        ),
    ]

    class _Said(Message):
        def __init__(
            self,
            form: ArgumentForm,
            arguments: dict[str, JsonValue],
            origins: dict[str, Origin],
            problems: dict[str, str],
        ) -> None:
            super().__init__()
            self.form = form
            self.arguments = arguments
            self.origins = origins
            self.problems = problems

        @property
        def control(self) -> ArgumentForm:
            return self.form

    class Changed(_Said):
        """The arguments changed, and nothing was edited for a moment since."""

    class Submitted(_Said):
        """The person asks for a call with these arguments; `problems` is empty."""

    def __init__(
        self,
        form: Form | None = None,
        draft: Draft | None = None,
        *,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._state = FormState(form or Form(), draft)
        self._fields: FieldList | None = None
        self._document: TextEditor | None = None
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        with Horizontal(classes="bar"):
            yield _Verb("fields", "show_fields")
            yield _Verb("JSON ctrl+j", "show_json")
            yield _Verb("reset ctrl+r", "reset")
        yield Static(classes="top", markup=False)

    def on_mount(self) -> None:
        self._rebuild()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < NARROW, "-narrow")

    @property
    def draft(self) -> Draft:
        """What has been entered; give it to `load` to go on later."""
        return self._synced().draft

    @property
    def arguments(self) -> dict[str, JsonValue]:
        """Everything that could be read."""
        return self._synced().built.arguments

    @property
    def origins(self) -> dict[str, Origin]:
        """Who put each argument there, with the names of `arguments`."""
        return self._synced().built.origins

    @property
    def problems(self) -> dict[str, str]:
        """What keeps the arguments from being submitted, by property name, "" for the whole."""
        return self._synced().built.problems

    @property
    def in_json(self) -> bool:
        """Whether the arguments are edited as one JSON document."""
        return self._state.in_json

    def load(self, form: Form, draft: Draft | None = None) -> None:
        """Show another tool's form, with an earlier draft or the server's suggestions.

        Nothing is posted; the arguments can be read at once.
        """
        self._stop_timer()
        self._state = FormState(form, draft)
        if self._fields is not None or self._document is not None:
            self._rebuild()

    def show_mismatches(self, mismatches: Sequence[Mismatch]) -> None:
        """Put what the schema says of the current arguments at the fields that it is about."""
        self._state.mismatches = tuple(mismatches)
        self._refresh()

    def focus_field(self, name: str = "") -> None:
        """Focus a property's field, the first field, or the JSON editor."""

        async def go() -> None:
            if self._fields is not None:
                await self._fields.focus_field(name)
            elif self._document is not None:
                self._document.focus()

        self.call_after_refresh(go)

    def submit(self) -> bool:
        """Post `Submitted`, or go to the first problem and return False."""
        built = self._synced().built
        if self._timer is not None:
            self._post_changed()
        if built.problems:
            self._insist()
            return False
        self.post_message(self.Submitted(self, built.arguments, built.origins, {}))
        return True

    def action_submit(self) -> None:
        self.submit()

    def action_toggle_json(self) -> None:
        if self.in_json:
            self.action_show_fields()
        else:
            self.action_show_json()

    def action_show_json(self) -> None:
        if self._synced().in_json:
            return
        if self._state.to_json():
            self._switched()
        else:
            self._refresh()

    def action_show_fields(self) -> None:
        if not self._synced().in_json:
            return
        if self._state.to_fields():
            self._switched()
        else:
            self._insist()

    def action_reset(self) -> None:
        if self._synced().reset():
            self._switched()

    def action_toggle_sent(self) -> None:
        self._sync()
        found = self._fields.focused_field if self._fields is not None else None
        if found is not None:
            self._set(found.field.name, next_state(found.field, found.entry))

    def _insist(self) -> None:
        self._state.insists = True
        self._refresh()
        self.focus_field(self._state.first_problem)

    def _switched(self) -> None:
        held = self.has_focus_within
        self._rebuild()
        if held:
            self.focus_field()
        self._changed_soon()

    def _rebuild(self) -> None:
        if not self.is_attached:
            return
        for old in (self._fields, self._document):
            if old is not None:
                old.remove()
        self._fields = self._document = None
        draft = self._state.draft
        if draft.document is None:
            self._fields = FieldList(self._state.form, draft)
            self.mount(self._fields)
        else:
            self._document = TextEditor(draft.document, json=True, classes="document")
            self.mount(self._document)
        self._refresh()

    @on(FormField.Edited)
    def _edited(self, event: FormField.Edited) -> None:
        event.stop()
        # A field of the form shown before may still have had something to say.
        if self._fields is not None and self._fields.holds(event.widget):
            self._set(event.widget.field.name, event.widget.entry)

    @on(TextEditor.Changed, ".document")
    def _document_typed(self, event: TextEditor.Changed) -> None:
        event.stop()
        if event.text_area is self._document:
            self._sync()

    def _sync(self) -> None:
        """Take over what the editors hold, ahead of their messages."""
        if self._fields is not None:
            for name, entry in self._fields.sync().items():
                if entry != self._state.draft.entry(name):
                    self._set(name, entry)
        if self._document is not None and self._document.text != self._state.draft.document:
            self._state.set_document(self._document.text)
            self._changed_soon()
            self._refresh()

    def _synced(self) -> FormState:
        self._sync()
        return self._state

    def _set(self, name: str, entry: Entry) -> None:
        self._state.set_entry(name, entry)
        self._changed_soon()
        self._refresh()

    def _changed_soon(self) -> None:
        self._stop_timer()
        self._timer = self.set_timer(QUIET, self._post_changed)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _post_changed(self) -> None:
        self._stop_timer()
        built = self._state.built
        self.post_message(self.Changed(self, built.arguments, built.origins, built.problems))

    def _refresh(self) -> None:
        if self._fields is not None:
            self._fields.show(self._state.draft, *self._state.at_fields())
        words = self._state.summary()
        for top in self.query(".top").results(Static):
            top.update(words)
            top.set_class(bool(words.plain), "-shown")
        for verb, current in zip(self.query(_Verb), (not self.in_json, self.in_json), strict=False):
            verb.set_class(current, "-current")
