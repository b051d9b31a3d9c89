"""One value of a tool's arguments: its name, content, origin and errors."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from ...app.content.text import visible
from ...app.schemas.form.entries import NOT_SENT, FieldEntry, Origin, entry_for, value_of
from ...app.schemas.form.fields import Field, FieldKind
from ...app.schemas.form.merging import exact, identical
from . import field_words
from .choice_line import ChoiceLine, ChoiceList, is_short
from .field_editors import MAX_EDITED, TextEditor, drawn
from .field_words import FieldProblems, is_marked, name_content, told_lines, wrapped
from .form_row import FormRow
from .search_select import SearchSelect

PREVIEW_LINES: Final = 6
"""Lines of a text that are drawn before anyone edits it; an editor is as high at most."""
PREVIEW: Final = 2_000
"""Characters of a text that are laid out for that."""


class FormField(FormRow):
    """A field with its editor; every change by the person is posted as `Edited`.

    Messages about keys arrive late, so `sync` reads the editor itself; without that, the last key
    before a submission could be missing from it. An editor for texts is expensive, so it is made
    when the field gets the keys for the first time; until then the row draws the text itself.
    """

    DEFAULT_CSS = """
    FormField { &.-focused { text-style: none; } }
    """

    class Edited(Message):
        """The user changed the field; its content is the widget's `entry`."""

        def __init__(self, widget: FormField) -> None:
            super().__init__()
            self.widget = widget

        @property
        def control(self) -> FormField:
            return self.widget

    def __init__(
        self,
        field: Field,
        entry: FieldEntry,
        *,
        name: str = "",
        depth: int = 0,
        removable: bool = False,
        by_title: bool = False,
    ) -> None:
        """`by_title`: the title is the label, and the row below it describes the value."""
        super().__init__(field.place, depth, removable=removable, is_close=field.is_item)
        self.field = field
        self._shown_name = name or field.name
        self._title = field.title if by_title and field.title != self._shown_name else ""
        self._by_title = by_title
        self._entry = entry
        self._default = field_words.default_of(field)
        self._said = FieldProblems()
        self._editor: Widget | None = None
        # Until there is an editor, the row keeps its place among what tab goes to.
        self.can_focus = True

    def compose(self) -> ComposeResult:
        if self._editor is None and _is_picked(self.field, self._entry):
            self._editor = self._new_editor()
            yield self.fit(self._editor)

    def on_mount(self) -> None:
        self.can_focus = self._editor is None
        if self._editor is not None and self.screen.focused is self:
            self.give_focus(self._editor)

    @property
    def editor(self) -> Widget | None:
        """The widget that takes the keys, once there is one."""
        return self._editor

    def show(self, entry: FieldEntry, said: FieldProblems, field: Field | None = None) -> None:
        """Draw this entry and its errors; `field` may have become required or not."""
        if (entry, said) == (self._entry, self._said) and field in (None, self.field):
            return
        before, self._entry = self._entry, entry
        self.field = field or self.field
        self._said = said
        self.set_class(said.is_wrong, "-wrong")
        self.set_class(not entry.present, "-not-sent")
        if entry != before:
            self._show_in_editor()
        self.redraw()

    def sync(self) -> FieldEntry:
        """Return the editor's current content, even if its message has not arrived yet."""
        entry, editor = self._entry, self._editor
        if isinstance(editor, TextEditor):
            text = editor.text
            if text != entry.text:
                entry = replace(entry, text=text, origin=Origin.TYPED, present=bool(text))
        elif isinstance(editor, ChoiceLine | SearchSelect):
            index = editor.taken
            if isinstance(editor, ChoiceLine):
                index = editor.taken - 1 if editor.taken else None
            if index != field_words.index_of(self.field, entry):
                values = field_words.values_of(self.field)
                entry = NOT_SENT if index is None else FieldEntry(exact(values[index]))
        elif isinstance(editor, ChoiceList):
            taken = _taken(self.field, entry)
            if editor.taken is not None and (taken is None or set(taken) != editor.taken):
                chosen = [self.field.choices[index] for index in sorted(editor.taken)]
                entry = entry_for(self.field, list(chosen), Origin.TYPED)
        if entry != self._entry:
            self._entry = entry
            self.redraw()
        return entry

    def name_lines(self, width: int) -> list[Content]:
        style = "bold" if self.has_class("-focused") else ""
        label = self._title or self._shown_name
        lines = name_content(label, width - 2 * is_marked(self.field), style)
        if is_marked(self.field):
            lines[-1] = Content.assemble(lines[-1], Content.styled(" *", "$text-error"))
        if self._by_title:
            key = name_content(self._shown_name, width)[0]
            return [*lines, key.stylize("dim")] if self._title else lines
        if not self.field.is_item and self._has_details:
            lines.append(field_words.mark(self.field, self._entry).truncate(width))
        return lines

    @property
    def _has_details(self) -> bool:
        return self.is_roomy or self.has_class("-focused")

    def sign(self) -> Content:
        words = field_words.mark(self.field, self._entry)
        return words[:1]

    def value_lines(self, width: int, inner: int) -> list[Content]:
        is_behind = self._editor is not None
        lines = [Content()] * max(1, inner) if is_behind else self._preview(width)
        notes = self._said.contents()
        if self._by_title:
            asked = field_words.asked_line(self.field, width)
            return [*lines, asked, *(line.pad_left(1) for line in wrapped(notes, width - 2))]
        if self._has_details:
            is_item = self.field.is_item
            said = field_words.note(self.field, self._entry, self._default, is_item=is_item)
        else:
            said = " · ".join(field_words.remarks(self.field, self._entry))
        if said:
            notes.append(Content.styled(said, "$foreground-muted"))
        hidden = field_words.hidden_words(self._entry)
        notes += [Content.styled(one, "$foreground-muted") for one in hidden]
        lines += [line.pad_left(1) for line in wrapped(notes, width - 2)]
        if not self.field.is_item and self._has_details:
            words = field_words.server_words(self.field)
            lines += told_lines(words, width, is_roomy=self.is_roomy)
        return lines

    def _preview(self, width: int) -> list[Content]:
        """The text as its editor would draw it."""
        style = "on $surface"
        room = max(2, width - 2 - self.tail_cells)
        most = PREVIEW_LINES if self._has_details else 1
        entry = self._entry
        if len(entry.text) > MAX_EDITED:
            shown = visible(entry.text[: field_words.MAX_EXACT])
            words = f"cut: {field_words.MAX_EXACT} of {len(entry.text):,} characters"
            return wrapped([Content(shown), Content(f"… {words}, too many to edit here")], room)
        if entry.text:
            lines = list(drawn(entry.text[:PREVIEW]).wrap(room))
            if len(lines) > most:
                lines = [*lines[: most - 1], lines[most - 1].truncate(room - 1) + "…"]
        else:
            words = field_words.placeholder(self.field, entry)
            lines = [Content.styled(words, "dim").truncate(room)]
        padded = [line.pad_right(room - line.cell_length).pad(1, 1) for line in lines]
        return [line.stylize_before(style) for line in padded]

    def focus_inside(self) -> None:
        self._make_editor()
        self.give_focus(self._editor or self)

    def on_focus(self) -> None:
        # Only a field without an editor takes the focus itself. If the focus has gone on, as with
        # two quick tabs, it is not taken back.
        if self.screen.focused is self:
            self._make_editor()
            if self._editor is not None:
                self.give_focus(self._editor)

    def _make_editor(self) -> None:
        """Make the editor, if there is none yet and the text is not too long for one."""
        if self._editor is None and len(self._entry.text) <= MAX_EDITED and self.is_attached:
            self._editor = self._new_editor()
            if isinstance(self._editor, TextEditor):
                self._editor.take_over()
            self.can_focus = False
            self.mount(self.fit(self._editor))
            self.redraw()

    def _new_editor(self) -> Widget:
        field, entry = self.field, self._entry
        if field.kind is FieldKind.CHOICES and not entry.as_json:
            return ChoiceList(field_words.labels_of(field), _taken(field, entry))
        if field.kind in field_words.CHOSEN and not entry.as_json:
            labels = field_words.labels_of(field)
            taken = field_words.index_of(field, entry)
            if is_short(labels):
                return ChoiceLine(("not sent", *labels), 0 if taken is None else taken + 1)
            return SearchSelect(labels, taken)
        json = _is_json(field, entry)
        editor = TextEditor(
            entry.text, one_line=not json or field.kind is not FieldKind.JSON, json=json
        )
        editor.placeholder = Content(field_words.placeholder(field, entry))
        return editor

    def _show_in_editor(self) -> None:
        editor, field, entry = self._editor, self.field, self._entry
        if editor is None:
            if _is_picked(field, entry):
                self._replace_editor()
            return
        fits = isinstance(editor, TextEditor) is not _is_picked(field, entry)
        if isinstance(editor, TextEditor):
            fits = fits and editor.json == _is_json(field, entry)
        if not fits or len(entry.text) > MAX_EDITED:
            self._replace_editor()
        elif isinstance(editor, TextEditor):
            editor.replace_text(entry.text)
            editor.placeholder = Content(field_words.placeholder(field, entry))
        elif isinstance(editor, ChoiceLine):
            taken = field_words.index_of(field, entry)
            editor.taken = 0 if taken is None else taken + 1
        elif isinstance(editor, SearchSelect):
            editor.taken = field_words.index_of(field, entry)
        elif isinstance(editor, ChoiceList):
            editor.taken = _taken(field, entry)

    def _replace_editor(self) -> None:
        old = self._editor
        focused = old.has_focus if old is not None else self.has_focus
        self._editor = None
        if len(self._entry.text) <= MAX_EDITED:
            self._editor = self._new_editor()
            self.mount(self.fit(self._editor))
        self.can_focus = self._editor is None
        if focused:
            self.give_focus(self._editor or self)
        if old is not None:
            old.remove()

    def on_descendant_focus(self) -> None:
        self.add_class("-focused")
        self.redraw(layout=not self.is_roomy)

    def on_descendant_blur(self) -> None:
        self.remove_class("-focused")
        self.redraw(layout=not self.is_roomy)

    @on(TextEditor.Changed)
    @on(ChoiceLine.Taken)
    @on(SearchSelect.Taken)
    @on(ChoiceList.Toggled)
    def _edited(self, event: Message) -> None:
        event.stop()
        before = self._entry
        # An editor also reports what it was given.
        if self.sync() != before:
            self.post_message(self.Edited(self))

    @on(TextEditor.Hidden)
    def _pasted(self, event: TextEditor.Hidden) -> None:
        event.stop()
        if event.editor is not self._editor:
            return
        self._entry = entry_for(self.field, event.text, Origin.TYPED)
        self._show_in_editor()
        self.redraw()
        self.post_message(self.Edited(self))

    @on(TextEditor.Beyond)
    def _beyond(self, event: TextEditor.Beyond) -> None:
        """Use the first of the server's examples, or the one after the current value."""
        event.stop()
        offered = self.field.examples[: field_words.MAX_EXAMPLES]
        at = field_words.example_at(self.field, self.sync())
        if event.editor is self._editor and offered and at is not None:
            self._take_example((at + 1) % len(offered))

    def _take_example(self, at: int) -> None:
        self._entry = entry_for(self.field, self.field.examples[at], Origin.EXAMPLE)
        self._show_in_editor()
        if isinstance(self._editor, TextEditor):
            self._editor.move_cursor(self._editor.document.end)
        self.redraw()
        self.post_message(self.Edited(self))

    def clicked(self, x: int, y: int) -> None:
        lines = self.lines(self.content_size.width)
        at = None
        if y < len(lines) and field_words.example_at(self.field, self._entry) == -1:
            at = field_words.example_clicked(self.field, lines[y].plain, x)
        if at is not None:
            self._take_example(at)
        self.focus_inside()

    @on(TextEditor.Done)
    def _done(self, event: TextEditor.Done) -> None:
        if event.editor is self._editor:
            event.stop()
            self.screen.focus_next()


def is_same_editor(one: Field, other: Field) -> bool:
    """True if the editor of one field can edit another at its place."""
    return (one.kind, one.choices, one.labels) == (other.kind, other.choices, other.labels)


def _is_picked(field: Field, entry: FieldEntry) -> bool:
    """True if a value is picked, not typed."""
    return field.kind in (*field_words.CHOSEN, FieldKind.CHOICES) and not entry.as_json


def _is_json(field: Field, entry: FieldEntry) -> bool:
    return entry.as_json or field.kind is FieldKind.JSON or field.is_group


def _taken(field: Field, entry: FieldEntry) -> list[int] | None:
    """Indices of the choices that an array holds; None while it is not sent."""
    value, _ = value_of(field, entry)
    if not isinstance(value, list):
        return None
    return [
        index
        for index, choice in enumerate(field.choices)
        if any(identical(choice, one) for one in value)
    ]
