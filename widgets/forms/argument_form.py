"""The form for a tool's arguments, as fields or as one JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static

from signoff.app.core.forms.drafts import Draft
from signoff.app.core.forms.entries import Origin
from signoff.app.core.forms.fields import Place
from signoff.app.core.forms.form import Form
from signoff.app.core.jsonio import JsonValue
from signoff.app.core.schema import Mismatch
from signoff.widgets.forms.field_editors import TextEditor
from signoff.widgets.forms.field_list import FieldList
from signoff.widgets.forms.form_field import FormField
from signoff.widgets.forms.form_keys import FORM_KEYS
from signoff.widgets.forms.form_row import FormRow, Verb
from signoff.widgets.forms.form_state import FormState
from signoff.widgets.saying import say

QUIET: Final = 0.08
"""Seconds without an edit after which `Changed` is posted."""
DOCUMENT_LINES: Final = 5
"""The JSON document takes no fewer."""


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
        &.-dense > .bar, &.-dense > .top { margin-bottom: 0; }
        & > .document { max-height: 40vh; min-height: 5; }
        &.-dense > .document { min-height: 2; }
    }
    """
    BINDINGS = FORM_KEYS

    class _Said(Message):
        def __init__(
            self,
            form: ArgumentForm,
            arguments: dict[str, JsonValue],
            origins: dict[str, Origin],
            problems: dict[Place, str],
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
        """The person asks for a call with these arguments.

        With `although_invalid` they were told what is wrong, or did not want to know.
        """

        def __init__(
            self,
            form: ArgumentForm,
            arguments: dict[str, JsonValue],
            origins: dict[str, Origin],
            *,
            although_invalid: bool = False,
        ) -> None:
            super().__init__(form, arguments, origins, {})
            self.although_invalid = although_invalid

    class EditorWanted(Message):
        """All arguments, as the JSON document `text`, are to be edited outside.

        Give the outcome to `put_document`.
        """

        def __init__(self, form: ArgumentForm, text: str) -> None:
            super().__init__()
            self.form = form
            self.text = text

        @property
        def control(self) -> ArgumentForm:
            return self.form

    class Alerted(Message):
        """Something else, or nothing any more, is to be said wherever in the form one looks."""

        def __init__(self, form: ArgumentForm, words: Content) -> None:
            super().__init__()
            self.form = form
            self.words = words

        @property
        def control(self) -> ArgumentForm:
            return self.form

    class HistoryWanted(Message):
        """Earlier arguments and presets are to be shown."""

        def __init__(self, form: ArgumentForm) -> None:
            super().__init__()
            self.form = form

        @property
        def control(self) -> ArgumentForm:
            return self.form

    def __init__(
        self,
        form: Form | None = None,
        draft: Draft | None = None,
        *,
        alerts_outside: bool = False,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """With `alerts_outside`, whoever holds the form draws what `Alerted` brings."""
        super().__init__(name=name, id=id, classes=classes)
        self._alerts_outside = alerts_outside
        self._alert = Content()
        self._state = FormState(form or Form(), draft)
        self._fields: FieldList | None = None
        self._document: TextEditor | None = None
        self._timer: Timer | None = None
        self._is_roomy = True

    def compose(self) -> ComposeResult:
        with Horizontal(classes="bar"):
            yield _Verb("fields", "show_fields")
            yield _Verb("JSON ctrl+j", "show_json")
            yield _Verb("reset ctrl+r", "reset")
            yield _Verb("history f11", "history")
        yield Static(classes="top", markup=False)

    def on_mount(self) -> None:
        self._rebuild()

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
    def problems(self) -> dict[Place, str]:
        """What keeps the arguments from being submitted, by place, () for the whole."""
        return self._synced().problems

    @property
    def counts(self) -> tuple[int, int]:
        """How many arguments are missing, and how many other problems there are."""
        state = self._synced()
        missing = state.count_missing()
        return missing, state.count_wrong() - missing

    @property
    def is_no_object(self) -> bool:
        """Whether the document is no JSON object: it cannot be sent, not even although invalid."""
        return () in self._synced().problems

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

    def put_document(self, text: str) -> None:
        """Show this text as the JSON document, whatever stood there; it may be broken."""
        self._sync()
        if self._state.put_document(text):
            self._switched()
        else:
            self._refresh()

    def set_roomy(self, is_roomy: bool) -> None:
        """Let every field say what helps, or only the one with the focus, on one line each."""
        if is_roomy is not self._is_roomy:
            self._is_roomy = is_roomy
            self.set_class(not is_roomy, "-dense")
            if self._fields is not None:
                self._fields.set_roomy(is_roomy)

    @property
    def is_laid_out(self) -> bool:
        """Whether every row that exists has its place."""
        return self._fields is None or self._fields.is_laid_out

    def lines_needed(self, width: int, *, is_roomy: bool) -> int:
        """How many lines of the screen the form would take, at least."""
        words = self._state.summary().plain
        lines = 1 + (words.count("\n") + 1 if words else 0)
        if is_roomy:
            lines += 1 + bool(words)
        if self._fields is not None:
            return lines + self._fields.lines_needed(width, is_roomy=is_roomy)
        return lines + DOCUMENT_LINES

    def show_mismatches(self, mismatches: Sequence[Mismatch]) -> None:
        """Put what the schema says of the current arguments at the fields that it is about.

        Not if something was typed meanwhile: `Changed` is posted for that, and judged anew.
        """
        if not self._sync():
            self._state.judge(mismatches)
            self._refresh()

    def focus_field(self, place: Place | str = ()) -> None:
        """Focus the row of a place, the first row without one, or the JSON editor.

        A name stands for a property. Groups above the place are opened.
        """
        wanted = (place,) if isinstance(place, str) and place else tuple(place)
        self._sync()
        self._focus(wanted)

    def _focus(self, place: Place, *, add: bool = False) -> None:
        if self._fields is not None and place:
            self._state.open_to(place)
            self._fields.show()
        if self._fields is not None:
            self._fields.focus_row(place, add=add)
        elif self._document is not None:
            self.screen.set_focus(self._document, scroll_visible=False)
            self.call_after_refresh(self._document.scroll_visible, animate=False)

    def submit(self, *, although_invalid: bool = False) -> bool:
        """Post `Submitted`, or go to the first problem, then to the next, and return False.

        A document that is no JSON object cannot be sent at all.
        """
        state = self._synced()
        if self._timer is not None:
            self._post_changed()
        sent = state.built
        if although_invalid:
            sent = state.as_typed()
        if () in sent.problems or (state.count_wrong() and not although_invalid):
            self._insist()
            return False
        self.post_message(
            self.Submitted(self, sent.arguments, sent.origins, although_invalid=although_invalid)
        )
        return True

    def action_submit(self) -> None:
        self.submit()

    def action_submit_invalid(self) -> None:
        self.submit(although_invalid=True)

    def action_edit_outside(self) -> None:
        self.post_message(self.EditorWanted(self, self._synced().document))

    def action_history(self) -> None:
        self._sync()
        self.post_message(self.HistoryWanted(self))

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
        place = self._focused_place()
        if place is None or self._fields is None:
            return
        row = self._fields.focused_row
        self._state.toggle_sent(place)
        self._after_edit()
        if not self._fields.holds(row):
            # Null instead of a group is another kind of row.
            self._focus(place)

    def action_put_default(self) -> None:
        place = self._focused_place()
        if place is not None and self._state.put_default(place):
            self._after_edit()

    def _focused_place(self) -> Place | None:
        self._sync()
        row = self._fields.focused_row if self._fields is not None else None
        return row.place if row is not None else None

    @on(FormRow.Asked)
    def _asked(self, event: FormRow.Asked) -> None:
        event.stop()
        if self._fields is None or not self._fields.holds(event.row):
            return
        inside = (self._focused_place() or ())[len(event.row.place) :]
        state, place = self._state, event.row.place
        goes_to: Place | None = None
        match event.verb:
            case Verb.FOLD:
                is_open = state.fold(place)
                self._refresh()
                if is_open:
                    self._fields.show_inside(place)
                return
            case Verb.ADD:
                goes_to = state.add(place, event.text)
                if goes_to is None and event.text is not None:
                    # The editor before has to be gone.
                    self.call_after_refresh(event.row.ask_for_key, Verb.ADD, event.text)
            case Verb.REMOVE:
                goes_to = state.remove(place)
            case Verb.UP | Verb.DOWN:
                goes_to = state.move(place, -1 if event.verb is Verb.UP else 1)
                goes_to = (*goes_to, *inside) if goes_to is not None else None
            case Verb.RENAME:
                goes_to = state.rename(place, event.text or "")
            case Verb.CHOOSE:
                state.choose(place, int(event.text or 0))
        self._after_edit()
        if goes_to is not None:
            self._focus(goes_to)

    def _insist(self) -> None:
        place = self._state.insist(self._fields.focused_index if self._fields else -1)
        self._refresh()
        self._focus(place)

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
            width = self.scrollable_content_region.width
            self._fields = FieldList(self._state, width, is_roomy=self._is_roomy)
            self.mount(self._fields)
        else:
            self._document = TextEditor(
                draft.document, json=True, is_whole=True, classes="document"
            )
            self.mount(self._document)
        self._refresh()

    @on(FormField.Edited)
    def _edited(self, event: FormField.Edited) -> None:
        event.stop()
        # A field of the form shown before may still have had something to say.
        if self._fields is not None and self._fields.holds(event.widget):
            self._sync()

    @on(TextEditor.SelectionChanged, ".document")
    def _cursor_moved(self, event: TextEditor.SelectionChanged) -> None:
        event.stop()
        if event.text_area.has_focus:
            # Its cursor is to be seen also where the form is scrolled by what is around it.
            self.call_after_refresh(event.text_area.scroll_visible, animate=False)

    @on(TextEditor.Changed, ".document")
    def _document_typed(self, event: TextEditor.Changed) -> None:
        event.stop()
        if event.text_area is self._document:
            self._sync()

    def _sync(self) -> bool:
        """Take over what the editors hold, ahead of their messages; whether that was any news.

        Before every redraw: drawing an older state over what was just typed would lose it.
        """
        found = self._fields.sync() if self._fields is not None else {}
        for place, entry in found.items():
            self._state.set_entry(place, entry)
        document = self._document.text if self._document is not None else None
        is_typed = document is not None and document != self._state.draft.document
        if document is not None and is_typed:
            self._state.set_document(document)
        if found or is_typed:
            self._after_edit()
        return bool(found) or is_typed

    def _synced(self) -> FormState:
        self._sync()
        return self._state

    def _after_edit(self) -> None:
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
        self.post_message(self.Changed(self, built.arguments, built.origins, self._state.problems))

    def _refresh(self) -> None:
        if self._fields is not None:
            self._fields.show()
        words, alert = self._state.summary(), self._state.alert()
        if alert != self._alert:
            self._alert = alert
            self.post_message(self.Alerted(self, alert))
        if not self._alerts_outside and alert.plain:
            words = Content("\n").join([alert, words]) if words.plain else alert
        for top in self.query(".top").results(Static):
            say(top, words)
            top.set_class(bool(words.plain), "-shown")
        for verb, current in zip(self.query(_Verb), (not self.in_json, self.in_json), strict=False):
            verb.set_class(current, "-current")
