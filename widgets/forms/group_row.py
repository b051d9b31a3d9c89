"""Rows of groups, and rows that add to them."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from ...app.content.frozen import frozen
from ...app.schemas.form.fields import Field, Place
from ..bindings import bindings_of
from ..keys import KeysInOrder
from . import field_words
from .choice_line import ChoiceLine, is_short
from .field_words import Columns, FieldProblems, is_marked, name_content, told_lines, wrapped
from .form_row import FormRow, RowVerb
from .search_select import SearchSelect, is_letter

WHOLE: Final = "arguments"
"""What a union of all arguments is called: nothing names it."""


@frozen
class Inside:
    """Content of a group row: in words, and for a union its alternatives.

    `variants` are sanitised labels; `words` are our own.
    """

    words: str = ""
    is_sent: bool = True
    is_open: bool = False
    variants: tuple[str, ...] = ()
    variant: int | None = 0
    """None while the group is folded and not sent."""


class GroupRow(FormRow, can_focus=True):
    """An object, an array, a map or a union: a sign, and its content in words."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    GroupRow { &:focus { background: $surface-lighten-1; } }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("group")

    def __init__(self, field: Field, inside: Inside, *, depth: int, removable: bool) -> None:
        super().__init__(field.place, depth, removable=removable)
        self.field = field
        self._inside = inside
        self._said = FieldProblems()
        self._picker: Widget | None = None
        self.set_class(inside.is_open, "-close")

    def compose(self) -> ComposeResult:
        self._picker = self._new_picker()
        if self._picker is not None:
            yield self.fit(self._picker)

    def show(self, field: Field, inside: Inside, said: FieldProblems) -> None:
        """Draw a group: its content and its errors."""
        if (field, inside, said) == (self.field, self._inside, self._said):
            return
        before, self._inside = self._inside, inside
        self.field, self._said = field, said
        self.set_class(said.is_wrong, "-wrong")
        self.set_class(inside.is_open, "-close")
        if inside.variants != before.variants:
            self._replace_picker()
        elif isinstance(self._picker, ChoiceLine | SearchSelect):
            self._picker.taken = inside.variant
        self.redraw()

    def name_lines(self, width: int) -> list[Content]:
        style = "bold" if self.has_focus else ""
        lines = name_content(
            self.field.name if self.place else WHOLE, width - 2 - 2 * is_marked(self.field), style
        )
        lines = [line.pad_left(2) for line in lines]
        lines[0] = Content.assemble("▾" if self._inside.is_open else "▸", lines[0][1:])
        if is_marked(self.field):
            lines[-1] = Content.assemble(lines[-1], Content.styled(" *", "$text-error"))
        return lines

    def value_lines(self, width: int, inner: int) -> list[Content]:
        inside = self._inside
        style = "$foreground-muted" if inside.is_sent else "dim"
        words = [Content.styled(inside.words, style)]
        if not inside.is_open:
            # One line, so that folding makes room.
            words = [words[0].truncate(max(1, width - 3 - 2 * self.removable), ellipsis=True)]
        lines = wrapped([*words, *self._said.contents()], width - 3)
        lines = [Content()] * inner + [line.pad_left(1) for line in lines]
        if inside.is_open and (self.is_roomy or self.has_focus):
            told = field_words.server_words(self.field)
            lines += told_lines(told, width, is_roomy=self.is_roomy)
        return lines

    def focus_inside(self) -> None:
        self.give_focus(self)

    def on_focus(self) -> None:
        self.redraw(layout=not self.is_roomy)

    def on_blur(self) -> None:
        self.redraw(layout=not self.is_roomy)

    def on_unmount(self) -> None:
        if isinstance(self.app, KeysInOrder):
            self.app.focus_came(self)

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        # In a form, letters are for typing: none of them is a key of the screen.
        return is_letter(character)

    def clicked(self, x: int, y: int) -> None:
        self.give_focus(self)
        self.action_fold()

    def action_fold(self, is_open: bool | None = None) -> None:
        if is_open is None or is_open is not self._inside.is_open:
            self.ask(RowVerb.FOLD)

    def _new_picker(self) -> Widget | None:
        inside = self._inside
        if not inside.variants:
            return None
        if is_short(inside.variants):
            return ChoiceLine(inside.variants, inside.variant)
        return SearchSelect(inside.variants, inside.variant, may_be_nothing=False)

    def _replace_picker(self) -> None:
        old, self._picker = self._picker, self._new_picker()
        if self._picker is not None:
            self.mount(self.fit(self._picker))
        if old is not None:
            if old.has_focus:
                self.give_focus(self._picker or self)
            old.remove()

    @on(ChoiceLine.Taken)
    @on(SearchSelect.Taken)
    def _picked(self, event: Message) -> None:
        event.stop()
        if isinstance(event, ChoiceLine.Taken | SearchSelect.Taken) and event.index is not None:
            # The next key may lead to a field of the variant, which is yet to be made.
            if isinstance(self.app, KeysInOrder):
                self.app.expect_focus(self)
            self.post_message(self.Asked(self, RowVerb.CHOOSE, str(event.index)))


class AddRow(FormRow, can_focus=True):
    """`+ add item`, or `+ add key`, which asks for the key first."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    AddRow { color: $text-muted; &:focus { color: $foreground; text-style: bold; } }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("group: add")

    def __init__(self, place: Place, words: str, *, depth: int, with_key: bool) -> None:
        super().__init__(place, depth)
        self._words = words
        self._with_key = with_key

    def lines(self, width: int) -> list[Content]:
        guide = Columns.of(width, self.depth).guide(self.depth).stylize("dim")
        lines = [Content()] * self._inner + [Content(f"+ {self._words}")]
        return [Content.assemble(guide, line) for line in lines]

    def clicked(self, x: int, y: int) -> None:
        self.give_focus(self)
        self.action_add()

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        return is_letter(character)

    def action_add(self) -> None:
        if self._with_key:
            self.ask_for_key(RowVerb.ADD)
        else:
            self.ask(RowVerb.ADD)

    def on_key(self, event: events.Key) -> None:
        super().on_key(event)
        if self._with_key and is_letter(event.character) and event.character is not None:
            event.stop()
            event.prevent_default()
            self.ask_for_key(RowVerb.ADD, event.character)
