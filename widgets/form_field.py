"""One property of a tool's arguments: its name, what is in it, who put it there, what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.css.query import NoMatches
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Select, Static

from app.core.entries import NOT_SENT, Entry, Origin, entry_for, is_plain, json_text
from app.core.forms import Field, Kind
from app.core.jsonio import JsonValue
from app.core.subschemas import exact
from app.core.text import cut, visible
from widgets.field_editors import MAX_EDITED, ChoiceLine, TextEditor

MAX_NAME: Final = 128
MAX_LABEL: Final = 60
"""Characters of one choice that are drawn."""
MAX_EXACT: Final = 200
"""Characters of a text with hidden characters that are drawn once more, sanitised."""
FEW: Final = 5
"""Up to this many choices stand in one line, if they are short."""
LINE_WIDTH: Final = 40


class FormField(Widget):
    """A field with its editor; every change by the person is posted as `Edited`.

    Messages about keys arrive late, so `sync` reads the editor itself; without that, the last key
    before a submission could be missing from it.
    """

    DEFAULT_CSS = """
    FormField {
        layout: horizontal;
        height: auto;
        margin-bottom: 1;
        & > .name { width: 20; padding-right: 1; height: auto; }
        & > Vertical { width: 1fr; height: auto; }
        & .note { color: $text-muted; padding: 0 1; height: auto; }
        & .server {
            color: $text-muted;
            height: auto;
            margin-left: 1;
            padding-left: 1;
            border-left: heavy $foreground 30%;
        }
        &.-focused > .name { text-style: bold; }
        & Select { width: 1fr; }
        & Select.-textual-compact > SelectCurrent { padding: 0 1; }
    }
    """

    class Edited(Message):
        """The person changed the field; what stands in it is the widget's `entry`."""

        def __init__(self, widget: FormField) -> None:
            super().__init__()
            self.widget = widget

        @property
        def control(self) -> FormField:
            return self.widget

    def __init__(self, field: Field, entry: Entry) -> None:
        super().__init__()
        self.field = field
        self._entry = entry
        self._problem = ""
        self._mismatches: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        yield Static(self._label(), classes="name", markup=False)
        with Vertical():
            yield self._editor()
            yield Static(self._note(), classes="note", markup=False)
            words = _server_words(self.field)
            if words:
                yield Static(Content(words), classes="server", markup=False)

    @property
    def entry(self) -> Entry:
        return self._entry

    @property
    def editor(self) -> Widget:
        """The widget that takes the keys."""
        return self.query("TextEditor, ChoiceLine, Select, .locked").first()

    def show(self, entry: Entry, problem: str = "", mismatches: Sequence[str] = ()) -> None:
        """Draw this entry, the local problem, and what the schema says (sanitised texts)."""
        same = (entry, problem, tuple(mismatches)) == (self._entry, self._problem, self._mismatches)
        if same:
            return
        before, self._entry = self._entry, entry
        self._problem, self._mismatches = problem, tuple(mismatches)
        self._draw()
        if entry != before:
            self._show_in_editor()

    def sync(self) -> Entry:
        """What the editor holds at this moment, also where its message has not arrived yet."""
        entry = self._entry
        try:
            editor = self.editor
        except NoMatches:
            return entry
        if isinstance(editor, TextEditor):
            text = editor.text
            if text != entry.text:
                entry = replace(entry, text=text, origin=Origin.TYPED, present=bool(text))
        elif isinstance(editor, ChoiceLine | Select):
            if isinstance(editor, ChoiceLine):
                index = editor.taken - 1 if editor.taken else None
            else:
                index = editor.value if isinstance(editor.value, int) else None
            if index != _index_of(self.field, entry):
                values, _ = _choices(self.field)
                entry = NOT_SENT if index is None else Entry(exact(values[index]))
        if entry != self._entry:
            self._entry = entry
            self._draw()
        return entry

    def _draw(self) -> None:
        problem, mismatches, entry = self._problem, self._mismatches, self._entry
        self.set_class(bool(problem or mismatches), "-wrong")
        self.set_class(not entry.present, "-not-sent")
        for drawn in self.query(".name").results(Static):
            drawn.update(self._label())
        for drawn in self.query(".note").results(Static):
            drawn.update(self._note())

    def _label(self) -> Content:
        name = cut(self.field.name, MAX_NAME)
        shown = visible(name.text) + ("…" if name.is_cut else "")
        star = Content.styled(" *", "$text-error") if self.field.required else Content()
        return Content.assemble(Content(shown or '""'), star, "\n", _mark(self._entry))

    def _note(self) -> Content:
        lines: list[Content] = []
        wrong = [self._problem] if self._problem else list(self._mismatches)
        lines += [Content.styled(f"✗ {one}", "bold $text-error") for one in wrong]
        lines.append(
            Content(" · ".join((self.field.type_words, *_remarks(self.field, self._entry))))
        )
        text = self._entry.text
        if self._entry.present and not is_plain(text[:MAX_EDITED]):
            shown = visible(text[:MAX_EXACT])
            lines.append(Content(f"holds hidden characters: {shown}"))
        return Content("\n").join(lines)

    def _editor(self) -> Widget:
        field, entry = self.field, self._entry
        if len(entry.text) > MAX_EDITED:
            return _Locked(entry.text)
        if field.kind in (Kind.BOOLEAN, Kind.ENUM) and not entry.as_json:
            values, labels = _choices(field)
            taken = _index_of(field, entry)
            if len(values) < FEW and sum(map(len, labels)) <= LINE_WIDTH:
                return ChoiceLine(("not sent", *labels), 0 if taken is None else taken + 1)
            return Select(
                [(Content(label), index) for index, label in enumerate(labels)],
                prompt="not sent",
                value=Select.NULL if taken is None else taken,
                compact=True,
            )
        json = entry.as_json or field.kind is Kind.JSON
        editor = TextEditor(entry.text, one_line=field.kind is not Kind.JSON, json=json)
        editor.placeholder = _placeholder(field, entry)
        return editor

    def _show_in_editor(self) -> None:
        try:
            editor = self.editor
        except NoMatches:
            return
        field, entry = self.field, self._entry
        chosen = field.kind in (Kind.BOOLEAN, Kind.ENUM) and not entry.as_json
        fits = isinstance(editor, ChoiceLine | Select if chosen else TextEditor)
        if isinstance(editor, TextEditor):
            fits = fits and editor.json == (entry.as_json or field.kind is Kind.JSON)
        if not fits or len(entry.text) > MAX_EDITED:
            self._replace_editor(editor)
        elif isinstance(editor, TextEditor):
            editor.replace_text(entry.text)
            editor.placeholder = _placeholder(field, entry)
        elif isinstance(editor, ChoiceLine):
            taken = _index_of(field, entry)
            editor.taken = 0 if taken is None else taken + 1
        elif isinstance(editor, Select):
            taken = _index_of(field, entry)
            with editor.prevent(Select.Changed):
                editor.value = Select.NULL if taken is None else taken

    def _replace_editor(self, editor: Widget) -> None:
        focused = editor.has_focus
        new = self._editor()
        self.query_one(Vertical).mount(new, before=0)
        editor.remove()
        if focused:
            new.focus(scroll_visible=False)

    def on_descendant_focus(self) -> None:
        self.add_class("-focused")

    def on_descendant_blur(self) -> None:
        self.remove_class("-focused")

    @on(TextEditor.Changed)
    @on(ChoiceLine.Taken)
    @on(Select.Changed)
    def _edited(self, event: Message) -> None:
        event.stop()
        before = self._entry
        # An editor also reports what it was given.
        if self.sync() != before:
            self.post_message(self.Edited(self))

    @on(TextEditor.Hidden)
    def _pasted(self, event: TextEditor.Hidden) -> None:
        event.stop()
        self._entry = entry_for(self.field, event.text, Origin.TYPED)
        self._draw()
        self._show_in_editor()
        self.post_message(self.Edited(self))

    @on(TextEditor.Done)
    def _done(self, event: TextEditor.Done) -> None:
        event.stop()
        self.screen.focus_next()


class _Locked(Static, can_focus=True):
    """A text too large to be edited in place."""

    def __init__(self, text: str) -> None:
        shown = visible(text[:MAX_EXACT])
        words = f"{shown}\n… cut: {MAX_EXACT} of {len(text):,} characters, too many to edit here"
        super().__init__(Content(words), classes="locked server", markup=False)


def _mark(entry: Entry) -> Content:
    if not entry.present:
        return Content.styled("· not sent", "dim")
    if entry.origin is Origin.DEFAULT:
        return Content.styled("◌ server's default", "dim")
    return Content.styled("● you typed it", "$text-primary")


def _remarks(field: Field, entry: Entry) -> list[str]:
    """What the eye misses in a text."""
    if not entry.present:
        return ["a text is kept here but not sent"] if entry.text else []
    if entry.as_json and field.kind is not Kind.JSON:
        return ["written as JSON"]
    if field.kind is not Kind.STRING:
        return []
    if not entry.text:
        return ["sent as the empty string"]
    remarks = []
    if "\n" in entry.text:
        remarks.append(f"{entry.text.count(chr(10)) + 1} lines")
    if entry.text != entry.text.strip():
        remarks.append("blanks at an end")
    return remarks


def _placeholder(field: Field, entry: Entry) -> Content:
    if entry.present and field.kind is Kind.STRING and not entry.as_json:
        return Content("empty string")
    return Content("required" if field.required else "not sent")


def _server_words(field: Field) -> str:
    lines = [visible(field.title)] if field.title and field.title != field.name else []
    if field.description:
        lines.append(visible(field.description, multiline=True))
    if field.pattern:
        lines.append(f"pattern {visible(field.pattern)}")
    return "\n".join(lines)


def _choices(field: Field) -> tuple[tuple[JsonValue, ...], list[str]]:
    values = (True, False) if field.kind is Kind.BOOLEAN else field.choices
    bare = all(isinstance(value, str) and value.strip() for value in values)
    labels = []
    for value in values:
        words = value if bare and isinstance(value, str) else json_text(value).replace("\n", " ")
        short = cut(words, MAX_LABEL)
        labels.append(visible(short.text) + ("…" if short.is_cut else ""))
    return values, labels


def _index_of(field: Field, entry: Entry) -> int | None:
    if not entry.present:
        return None
    values, _ = _choices(field)
    return next((index for index, value in enumerate(values) if exact(value) == entry.text), None)
