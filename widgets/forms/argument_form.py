"""The form for a tool's arguments, as fields or as one JSON document.

Its messages are found under their names in `ArgumentForm`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Final, TypeAlias

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from ...app.content.json.jsonio import JsonValue
from ...app.schemas.form.drafts import Draft
from ...app.schemas.form.entries import Built, FieldEntry, Origin, is_plain
from ...app.schemas.form.fields import Place
from ...app.schemas.form.form import Form
from ...app.schemas.form.merging import exact
from ...app.schemas.schema import Mismatch
from ..bindings import bindings_of
from ..labels import say
from .field_editors import TextEditor
from .form_body import HISTORY, FormBar, FormBody, FormVerb
from .form_field import FormField
from .form_row import FormRow, RowVerb
from .form_state import FormState
from .group_steps import take_step


class _OfForm(Message):
    def __init__(self, form: Widget) -> None:
        super().__init__()
        self.form = form

    @property
    def control(self) -> Widget:
        return self.form


class _OfArguments(_OfForm):
    def __init__(
        self,
        form: Widget,
        arguments: dict[str, JsonValue],
        origins: dict[str, Origin],
        problems: dict[Place, str],
    ) -> None:
        super().__init__(form)
        self.arguments = arguments
        self.origins = origins
        self.problems = problems


class Changed(_OfArguments, namespace="argument_form"):
    """The arguments changed, and nothing was edited for a moment since."""


class Submitted(_OfArguments, namespace="argument_form"):
    """The user asks for a call with these arguments.

    With `although_invalid` they have seen the errors, or insist.
    """

    def __init__(
        self,
        form: Widget,
        arguments: dict[str, JsonValue],
        origins: dict[str, Origin],
        *,
        although_invalid: bool = False,
    ) -> None:
        super().__init__(form, arguments, origins, {})
        self.although_invalid = although_invalid


class EditorWanted(_OfForm, namespace="argument_form"):
    """The JSON document `text` is to be edited outside; give the outcome to `put_document`."""

    def __init__(self, form: Widget, text: str) -> None:
        super().__init__(form)
        self.text = text


class Alerted(_OfForm, namespace="argument_form"):
    """The alert changed, or ended; it is shown at every scroll position of the form."""

    def __init__(self, form: Widget, words: Content) -> None:
        super().__init__(form)
        self.words = words


class HistoryWanted(_OfForm, namespace="argument_form"):
    """Earlier arguments and presets are to be shown."""


QUIET: Final = 0.08
"""Seconds without an edit after which `Changed` is posted."""


class ArgumentForm(VerticalScroll, can_focus=False):
    """Edits the arguments of one tool.

    The draft is the truth and the fields only draw it, so it is complete before they are mounted.
    Schema verdicts come from outside, through `show_mismatches`.
    """

    DEFAULT_CSS = """
    ArgumentForm {
        height: 1fr;
        & > .top { height: auto; margin-bottom: 1; display: none; }
        & > .top.-shown { display: block; }
        &.-dense > FormBar, &.-dense > .top { margin-bottom: 0; }
        & > .document { max-height: 40vh; min-height: 5; }
        &.-dense > .document { min-height: 2; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("form")

    Changed: TypeAlias = Changed
    Submitted: TypeAlias = Submitted
    EditorWanted: TypeAlias = EditorWanted
    Alerted: TypeAlias = Alerted
    HistoryWanted: TypeAlias = HistoryWanted

    def __init__(
        self,
        form: Form | None = None,
        draft: Draft | None = None,
        *,
        alerts_outside: bool = False,
        verb: FormVerb | None = HISTORY,
        by_title: bool = False,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """With `alerts_outside`, the form's owner draws the words of `Alerted`. `by_title`: labels
        are the schema's titles, and a field has two rows.

        A form with another `verb` than HISTORY is not of a call: its owner has the keys that submit
        it, and nothing is sent although it is invalid.
        """
        super().__init__(name=name, id=id, classes=classes)
        self.verb = verb
        self._alerts_outside = alerts_outside
        self._alert = Content()
        self._state_of = partial(FormState, can_force=self._is_of_call, by_title=by_title)
        self._state = self._state_of(form or Form(), draft)
        self._body = FormBody(self)
        self._timer: Timer | None = None
        self._is_roomy = True

    def compose(self) -> ComposeResult:
        yield FormBar(self, self.verb)
        yield Static(classes="top", markup=False)

    def on_mount(self) -> None:
        self._rebuild()

    @property
    def draft(self) -> Draft:
        """The draft; give it to `load` to go on later."""
        return self._synced().draft

    @property
    def arguments(self) -> dict[str, JsonValue]:
        """Everything that could be read."""
        return self._synced().built.arguments

    @property
    def origins(self) -> dict[str, Origin]:
        """Origin of each argument, with the names of `arguments`."""
        return self._synced().built.origins

    @property
    def problems(self) -> dict[Place, str]:
        """Problems that prevent submitting, by place, () for the whole."""
        return self._synced().wrong.local

    @property
    def counts(self) -> tuple[int, int]:
        """Number of missing arguments, and of other problems."""
        wrong = self._synced().wrong
        missing = wrong.count_missing()
        return missing, wrong.count() - missing

    @property
    def missing_names(self) -> tuple[str, ...]:
        """The keys of required fields at the top that have no value; not yet safe to show."""
        return self._synced().wrong.missing_names()

    @property
    def is_no_object(self) -> bool:
        """True if the document is not a JSON object: it cannot be sent, even as invalid
        arguments."""
        return () in self._synced().wrong.local

    @property
    def in_json(self) -> bool:
        """True if the arguments are edited as one JSON document."""
        return self._state.in_json

    @property
    def focused_place(self) -> Place | None:
        """The place of the row that has the focus; None if none has it."""
        return self._focused_place()

    def put_example(self, place: Place, text: str) -> None:
        """Put a text of the server's into a field, because the person wants it there."""
        self._sync()
        shown = text if (is_text := is_plain(text)) else exact(text)
        self._state.set_entry(place, FieldEntry(shown, Origin.EXAMPLE, as_json=not is_text))
        self._after_edit()
        fields = self._body.fields
        row = fields.focused_row if fields is not None else None
        if row is not None and row.place == place and isinstance(row.editor, TextEditor):
            # The next keys go on from there.
            row.editor.move_cursor(row.editor.document.end)

    def load(self, form: Form, draft: Draft | None = None) -> None:
        """Show another tool's form, with an earlier draft or the server's suggestions.

        Nothing is posted; the arguments can be read at once.
        """
        self._stop_timer()
        self._state = self._state_of(form, draft)
        if self._body.is_drawn:
            self._rebuild()

    def put_document(self, text: str) -> None:
        """Show this text as the JSON document, whatever stood there; it may be broken."""
        self._sync()
        if self._state.put_document(text):
            self._switched()
        else:
            self._refresh()

    def set_roomy(self, is_roomy: bool) -> None:
        """Let every field show its help, or only the one with the focus, on one line each."""
        if is_roomy is not self._is_roomy:
            self._is_roomy = is_roomy
            # The rows have a class of their own; to style all of them again is what a long form
            # can least afford.
            self.set_class(not is_roomy, "-dense", update=False)
            for part in self.children:
                if part is not self._body.fields:
                    part.update_node_styles()
            if self._body.fields is not None:
                self._body.fields.set_roomy(is_roomy)

    @property
    def is_laid_out(self) -> bool:
        """True if every row that exists has its place."""
        return self._body.fields is None or self._body.fields.is_laid_out

    def lines_needed(self, width: int, *, is_roomy: bool) -> int:
        """Return the least number of lines for the form."""
        words = self._state.summary().plain
        lines = 1 + (words.count("\n") + 1 if words else 0)
        if is_roomy:
            lines += 1 + bool(words)
        return lines + self._body.lines_needed(width, is_roomy=is_roomy)

    def show_mismatches(
        self, mismatches: Sequence[Mismatch], at_risk: Sequence[Mismatch] = ()
    ) -> None:
        """Show schema errors of the current arguments at their fields.

        `at_risk`: values that are valid but that some validators reject; only noted.

        Ignored if something was typed since: `Changed` is posted for that, and judged again.
        """
        if not self._sync():
            self._state.judge(mismatches, at_risk)
            self._refresh()

    def focus_field(self, place: Place | str = ()) -> None:
        """Focus the row of a place, the first row without one, or the JSON editor.

        A name means a property. Groups above the place are opened.
        """
        wanted = (place,) if isinstance(place, str) and place else tuple(place)
        self._sync()
        self._focus(wanted)

    def _focus(self, place: Place, *, add: bool = False) -> None:
        if self._body.fields is not None and place:
            self._state.open_to(place)
            self._body.fields.show()
        self._body.focus(place, add=add)

    def sendable(self, *, although_invalid: bool = False) -> Built | None:
        """The arguments, or None and the focus goes to the first problem, then to the next.

        A document other than a JSON object cannot be sent.
        """
        state = self._synced()
        if self._timer is not None:
            self._post_changed()
        sent = state.as_typed() if although_invalid else state.built
        if () in sent.problems or (state.wrong.count() and not although_invalid):
            self._insist()
            return None
        return sent

    def submit(self, *, although_invalid: bool = False) -> bool:
        """Post `Submitted`; False if the arguments cannot be sent, as `sendable` shows."""
        sent = self.sendable(although_invalid=although_invalid)
        if sent is not None:
            given = (self, sent.arguments, sent.origins)
            self.post_message(self.Submitted(*given, although_invalid=although_invalid))
        return sent is not None

    @property
    def _is_of_call(self) -> bool:
        return self.verb is HISTORY

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("submit", "submit_invalid", "history"):
            return self._is_of_call
        return super().check_action(action, parameters)

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
        place, fields = self._focused_place(), self._body.fields
        if place is None or fields is None:
            return
        row = fields.focused_row
        self._state.toggle_sent(place)
        self._after_edit()
        if not fields.holds(row):
            # Null instead of a group is another kind of row.
            self._focus(place)

    def action_put_default(self) -> None:
        place = self._focused_place()
        if place is not None and self._state.put_default(place):
            self._after_edit()

    def _focused_place(self) -> Place | None:
        self._sync()
        return self._body.focused_place()

    @on(FormRow.Asked)
    def _asked(self, event: FormRow.Asked) -> None:
        event.stop()
        fields, place = self._body.fields, event.row.place
        if fields is None or not fields.holds(event.row):
            return
        inside = (self._focused_place() or ())[len(place) :]
        if event.verb is RowVerb.FOLD:
            is_open = self._state.fold(place)
            self._refresh()
            if is_open:
                fields.show_inside(place)
            return
        goes_to = take_step(self._state, event.verb, place, event.text, inside)
        if event.verb is RowVerb.ADD and goes_to is None and event.text is not None:
            # The editor before has to be gone.
            self.call_after_refresh(event.row.ask_for_key, RowVerb.ADD, event.text)
        self._after_edit()
        if event.verb is RowVerb.CHOOSE:
            fields.let_keys_on(event.row)
        if goes_to is not None:
            self._focus(goes_to)

    def _insist(self) -> None:
        place = self._state.insist(self._body.focused_index())
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
        self._body.draw(self._state, is_roomy=self._is_roomy)
        self._refresh()

    @on(FormField.Edited)
    def _edited(self, event: FormField.Edited) -> None:
        event.stop()
        # The message may come from a field of the form shown before.
        if self._body.fields is not None and self._body.fields.holds(event.widget):
            self._sync()

    @on(TextEditor.SelectionChanged, ".document")
    def _cursor_moved(self, event: TextEditor.SelectionChanged) -> None:
        event.stop()
        if event.text_area.has_focus:
            # Its cursor has to be in sight even if a container scrolls the form.
            self.call_after_refresh(event.text_area.scroll_visible, animate=False)

    @on(TextEditor.Changed, ".document")
    def _document_typed(self, event: TextEditor.Changed) -> None:
        event.stop()
        if event.text_area is self._body.document:
            self._sync()

    def _sync(self) -> bool:
        """Take over the editors' content, ahead of their messages; True if it was new.

        Before every redraw: drawing an older state over newly typed text would lose it.
        """
        is_news = self._body.give(self._state)
        if is_news:
            self._after_edit()
        return is_news

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
        self.post_message(
            self.Changed(self, built.arguments, built.origins, self._state.wrong.local)
        )

    def _refresh(self) -> None:
        if self._body.fields is not None:
            self._body.fields.show()
        words, alert = self._state.summary(), self._state.alert()
        if alert != self._alert:
            self._alert = alert
            self.post_message(self.Alerted(self, alert))
        if not self._alerts_outside and alert.plain:
            words = Content("\n").join([alert, words]) if words.plain else alert
        for top in self.query(".top").results(Static):
            say(top, words)
            top.set_class(bool(words.plain), "-shown")
        for bar in self.query(FormBar):
            bar.show(in_json=self.in_json)
