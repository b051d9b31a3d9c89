"""One row of a form: its name behind a guide of its depth, and its content."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from textual import events, on
from textual.content import Content
from textual.css.query import NoMatches
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.widget import Widget

from ...app.schemas.form.fields import Place
from .field_editors import TextEditor
from .field_words import Columns

REMOVE: Final = "✕"
TAIL_CELLS: Final = 2
"""A sign at the end of a line, and a blank before it."""


class RowVerb(StrEnum):
    """Actions on a row."""

    FOLD = "fold"
    ADD = "add"
    CHOOSE = "choose"
    REMOVE = "remove"
    UP = "up"
    DOWN = "down"
    RENAME = "rename"


class FormRow(Widget):
    """Draws itself; only the parts that take keys are widgets inside it.

    A form has many rows and a screen few lines, so a row has to cost little until it is used.
    """

    DEFAULT_CSS = """
    FormRow {
        layout: vertical;
        height: auto;
        margin-bottom: 1;
        &.-close, &.-dense { margin-bottom: 0; }
        & > .key { height: 1; max-height: 1; background: $surface-lighten-1; }
    }
    """

    # Its content never scrolls: a new row needs no second layout once it has its size.
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), repaint=False)

    class Asked(Message):
        """The user wants an action on a row; `text` was typed or picked for it."""

        def __init__(self, row: FormRow, verb: RowVerb, text: str | None = None) -> None:
            super().__init__()
            self.row = row
            self.verb = verb
            self.text = text

        @property
        def control(self) -> FormRow:
            return self.row

    class Resized(Message):
        """A row that helps only where the focus is takes another number of lines."""

    def __init__(
        self, place: Place, depth: int, *, removable: bool = False, is_close: bool = False
    ) -> None:
        super().__init__()
        self.place = place
        self.depth = depth
        self.removable = removable
        """Whether the row can be taken out, and shows the sign for it."""
        self.set_class(is_close, "-close")
        self.is_roomy = True
        """Whether help fits, also while the row is idle."""
        self._inner = 0
        """Lines that the widgets inside take, as they were laid out last."""
        self.likely_width = 0
        """The width of the row, if it is known before the layout."""
        self._drawn: tuple[tuple[int, int], list[Content]] | None = None
        self._counted: dict[tuple[int, int, bool], int] = {}
        """Lines by width, those of the widgets inside, and whether it is roomy."""

    @property
    def is_item(self) -> bool:
        """True if its parent is an array, in which it can move."""
        return self.removable and isinstance(self.place[-1], int)

    def name_lines(self, width: int) -> list[Content]:
        """Lines in the column of names."""
        return []

    def value_lines(self, width: int, inner: int) -> list[Content]:
        """Lines beside the name; the first `inner` lines are behind the widgets inside."""
        return []

    def sign(self) -> Content | None:
        """One cell at the end of the first line; None without a mark."""
        return None

    def set_roomy(self, is_roomy: bool) -> None:
        """Show the help always, or only while the row has the focus."""
        if is_roomy is not self.is_roomy:
            self.is_roomy = is_roomy
            self.set_class(not is_roomy, "-dense")
            self.redraw()

    def lines_needed(self, width: int, *, is_roomy: bool) -> int:
        """Return the number of lines it would take, with the one below it."""
        key = (width, self._inner, is_roomy)
        if key not in self._counted:
            now, self.is_roomy = self.is_roomy, is_roomy
            try:
                self._counted[key] = len(self.lines(width))
            finally:
                self.is_roomy = now
        return self._counted[key] + (is_roomy and not self.has_class("-close"))

    @property
    def editor(self) -> Widget | None:
        """The widget inside that takes the keys; None if the row itself does."""
        return None

    def focus_inside(self) -> None:
        """Focus the part of this row that takes keys."""
        self.give_focus(self.editor or self)

    @property
    def _focus_sort_key(self) -> tuple[int, int]:
        # Textual uses the drawn order; a row that was just made would come before all others.
        siblings = self.parent.children if self.parent is not None else ()
        return (siblings.index(self), 0) if self in siblings else super()._focus_sort_key

    def give_focus(self, widget: Widget) -> None:
        """Focus a widget before the next key arrives, and show it once it has a place."""
        self.screen.set_focus(widget, scroll_visible=False)
        self.call_after_refresh(self.bring_into_sight)

    def bring_into_sight(self) -> None:
        """Show the whole row, with its errors, and above all the focused part."""
        # The focus may have gone on, and the screen with it.
        focused = self.screen.focused if self.is_attached else None
        if focused is not None and self in focused.ancestors_with_self:
            self.scroll_visible(animate=False)
            focused.scroll_visible(animate=False)

    def on_resize(self) -> None:
        # With the focus a row takes more lines than before, and without it fewer.
        if not self.is_roomy:
            self.post_message(self.Resized())

    def ask(self, verb: RowVerb) -> None:
        """Request the user's action on this row, if it is possible."""
        if verb is RowVerb.RENAME:
            if self.removable and self.place and isinstance(self.place[-1], str):
                self.ask_for_key(verb, self.place[-1])
        elif verb in (RowVerb.FOLD, RowVerb.ADD) or self.removable:
            self.post_message(self.Asked(self, verb))

    def redraw(self, *, layout: bool = True) -> None:
        """Something to be drawn has changed, with `layout` perhaps the height too."""
        self._drawn = None
        self._counted.clear()
        self.refresh(layout=layout)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        if not width:
            return 0
        for child in self.children:
            self.fit(child, width)
        inner = super().get_content_height(container, viewport, width) if self._nodes else 0
        if self._nodes and inner != self._inner:
            self.call_next(self.refresh)
        self._inner = inner
        return len(self._all_lines(width))

    def render(self) -> Content:
        width = self.content_size.width
        return Content("\n").join(self._all_lines(width)) if width else Content()

    def _all_lines(self, width: int) -> list[Content]:
        key = (width, self._inner)
        if self._drawn is None or self._drawn[0] != key:
            self._drawn = (key, self.lines(width))
        return self._drawn[1]

    def lines(self, width: int) -> list[Content]:
        """The whole row, a line of the screen each."""
        columns = Columns.of(width, self.depth)
        guide = columns.guide(self.depth).stylize("dim")
        room = max(1, width - columns.start)
        if columns.is_narrow:
            names = self._with_verb(self.name_lines(max(1, width - columns.indent)), room)
            inner = max(0, self._inner - len(names))
            lines = [*names, *self.value_lines(room, inner)]
            return [Content.assemble(guide, line) for line in lines]
        names = self.name_lines(max(1, columns.start - columns.indent - 1))
        values = self._with_verb(self.value_lines(room, self._inner), room)
        gap = columns.start - columns.indent
        lines = []
        for y in range(max(len(names), len(values), self._inner, 1)):
            name = names[y] if y < len(names) else Content()
            value = values[y] if y < len(values) else Content()
            lines.append(Content.assemble(guide, name.pad_right(gap - name.cell_length), value))
        return lines

    def _with_verb(self, lines: list[Content], room: int) -> list[Content]:
        tail = [] if (sign := self.sign()) is None else [sign]
        if self.removable:
            tail.append(Content.styled(REMOVE, "dim"))
        if not tail:
            return lines
        first = (lines[0] if lines else Content()).truncate(
            max(1, room - TAIL_CELLS * len(tail)), pad=True
        )
        return [Content.assemble(first, *(part for one in tail for part in (" ", one))), *lines[1:]]

    @property
    def tail_cells(self) -> int:
        """Cells at the end of the first line, if the names are not above it."""
        return TAIL_CELLS * (self.removable + (self.sign() is not None))

    def fit(self, child: Widget, width: int = 0) -> Widget:
        """Put a widget inside where the lines leave room for it; before it is mounted, best."""
        width = width or self.content_size.width or self.likely_width
        columns = Columns.of(width, self.depth)
        is_first = not self.children or child is self.children[0]
        top = 0
        if columns.is_narrow and is_first:
            top = len(self.name_lines(max(1, width - columns.indent)))
        right = 0 if columns.is_narrow else self.tail_cells
        margin = (top, right, 0, columns.start)
        if width and tuple(child.styles.margin) != margin:
            child.styles.margin = margin
        return child

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if place is None:
            return
        event.stop()
        if self.removable and place.y == 0 and place.x >= self.content_size.width - 2:
            self.ask(RowVerb.REMOVE)
        else:
            self.clicked(place.x, place.y)

    def clicked(self, x: int, y: int) -> None:
        """A click that was for no verb and no widget inside."""
        self.focus_inside()

    def ask_for_key(self, verb: RowVerb, text: str = "") -> None:
        """Let the person type a key, then post `Asked` with it."""
        if self.query(".key"):
            return
        editor = KeyEditor(text, verb)
        self.mount(self.fit(editor), before=0 if self._nodes else None)
        self.redraw()
        self.give_focus(editor)

    @on(TextEditor.Done, ".key")
    def _key_typed(self, event: TextEditor.Done) -> None:
        event.stop()
        editor = event.editor
        if isinstance(editor, KeyEditor):
            text, verb = editor.text, editor.verb
            self.end_key()
            self.post_message(self.Asked(self, verb, text))

    def end_key(self) -> None:
        """Close the editor for a key, whatever was typed; the keys go back to the row."""
        try:
            editor = self.query_one(".key", KeyEditor)
        except NoMatches:
            return
        had_focus = editor.has_focus
        # It is there for a moment yet, and another one may be asked for.
        editor.remove_class("key")
        editor.remove()
        self.redraw()
        if had_focus:
            self.focus_inside()

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape" and self.query(".key"):
            event.stop()
            event.prevent_default()
            self.end_key()


class KeyEditor(TextEditor):
    """Takes the key of a map's entry; Enter ends it."""

    def __init__(self, text: str, verb: RowVerb) -> None:
        super().__init__(text, one_line=True, classes="key")
        self.verb = verb
        self.placeholder = Content("key, then enter")
        self.move_cursor(self.document.end)

    def take_over(self) -> None:
        """A key is changed, not replaced: the cursor stays at its end."""
