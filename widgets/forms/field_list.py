"""The rows of a form below each other, made as they come into view.

Also maps a row's values to its widget and its content.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import DescendantFocus, MouseScrollDown, MouseScrollUp
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widget import AwaitMount, Widget

from ...app.content.text import shortened
from ...app.protocol.answers.values import at
from ...app.schemas.form.entries import FieldEntry
from ...app.schemas.form.field_making import counted, takes_keys
from ...app.schemas.form.fields import FieldKind, Place
from ...app.schemas.form.form import property_names
from ...app.schemas.form.merging import Node
from ...app.schemas.form.rows import FieldRow, RowRole
from ..bindings import bindings_of
from ..keys import PATIENCE, KeysInOrder
from .field_editors import TextEditor
from .field_words import MAX_LABEL, glimpse
from .form_field import FormField, is_same_editor
from .form_row import FormRow, RowVerb
from .form_state import FormState
from .group_row import AddRow, GroupRow, Inside

Key = tuple[RowRole, Place]
"""The identity of a row."""
VALUE = "value"
"""The name of the value of a union, if its alternative is not a group."""


def key_of(row: FieldRow) -> Key:
    return row.role, row.place


def make_row(row: FieldRow, state: FormState, width: int) -> FormRow:
    """A widget for a row; `width` is how wide it will be, 0 if that is not known."""
    one = row.field
    made: FormRow
    match row.role:
        case RowRole.GROUP:
            made = GroupRow(one, inside(row, state), depth=row.depth, removable=_is_removable(row))
        case RowRole.FIELD:
            below = state.is_below_union(row)
            made = FormField(
                one,
                row.entry,
                name=VALUE if below else one.name,
                depth=row.depth,
                removable=_is_removable(row) and not below,
                by_title=state.by_title,
            )
        case _:
            with_key = row.role is RowRole.ADD_KEY
            words = "add key" if with_key else "add item"
            made = AddRow(one.place, words, depth=row.depth, with_key=with_key)
    made.likely_width = width
    show_row(made, row, state)
    return made


def can_show(widget: FormRow, row: FieldRow) -> bool:
    """True if a widget that was made for the row of this role and place still does."""
    if widget.depth != row.depth:
        return False
    if isinstance(widget, FormField):
        return is_same_editor(widget.field, row.field)
    return True


def show_row(widget: FormRow, row: FieldRow, state: FormState) -> None:
    """Let a widget draw its row as it is now."""
    if isinstance(widget, FormField):
        widget.show(row.entry, state.said(row.place), row.field)
    elif isinstance(widget, GroupRow):
        widget.show(row.field, inside(row, state), state.said(row.place))


def inside(row: FieldRow, state: FormState) -> Inside:
    """Describe the content of a group row."""
    found = state.variants(row.field) if row.field.kind is FieldKind.UNION else ()
    labels = tuple(_label(variant.label) for variant in found)
    one = found[row.variant].field if row.variant < len(found) else row.field
    words = _state(row, one.kind, one.node)
    if row.inside and not row.is_open:
        # The first values, by which folded items are recognized.
        words = f"{words} · {glimpse(at(state.built.arguments, row.place))}"
    elif not labels and not row.field.is_item:
        words = f"{words} · {row.field.type_words}"
    variant = row.variant if row.is_sent or row.is_open else None
    return Inside(words, row.is_sent, row.is_open, labels, variant)


def _state(row: FieldRow, kind: FieldKind, node: Node) -> str:
    """Describe the current value of a group."""
    if not row.is_sent:
        return "not sent"
    count = row.inside
    if kind is FieldKind.ARRAY:
        return counted(count, "item") if count else "empty: []"
    if kind is not FieldKind.OBJECT:
        return "sent"
    if not count:
        return "empty: {}"
    total = len(property_names(node))
    if takes_keys(node) or not total:
        return counted(count, "key")
    return f"{count:,} of {total:,} set"


def _is_removable(row: FieldRow) -> bool:
    return row.field.is_item or row.field.is_key_free


def _label(label: str) -> str:
    return shortened(label, MAX_LABEL)


AT_ONCE: Final = 8
"""Rows made in one go: what a small screen shows."""


class _More(Widget):
    """Placeholder for rows not made yet; posts a message once it is in sight."""

    DEFAULT_CSS = "_More { height: 1; color: $text-muted; }"

    class Seen(Message):
        """It was drawn."""

    def render(self) -> Content:
        return Content("… more fields below")

    def render_line(self, y: int) -> Strip:
        # Only lines on the screen are asked for, whichever container scrolls.
        self.post_message(self.Seen())
        return super().render_line(y)


def is_in(place: Place, group: Place) -> bool:
    """True if a place is a group's, or one inside it."""
    return place[: len(group)] == group


class FieldList(Vertical):
    """All rows of one form; rows that were never in sight are values only.

    The existing widgets are always the beginning of the list of rows, without a gap.
    """

    DEFAULT_CSS = "FieldList { height: auto; }"
    # As in a row: what scrolls is around it.
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), repaint=False)
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("row")

    def __init__(self, state: FormState, width: int = 0, *, is_roomy: bool = True) -> None:
        super().__init__()
        self._likely_width = width
        self._is_roomy = is_roomy
        self._state = state
        self._rows = state.rows
        self._made: list[FormRow] = []
        """Placeholders for `_rows`, from the first one on."""
        self._ready = False
        self._wanted: tuple[Place, bool] | None = None
        self._is_followed = False
        """Whether what has the focus stays in sight while rows around it find their height."""

    def compose(self) -> ComposeResult:
        self._made = [self._new_row(row) for row in self._rows[:AT_ONCE]]
        yield from self._made
        if len(self._rows) > AT_ONCE:
            yield _More()

    def on_mount(self) -> None:
        self._ready = True
        if self._wanted is not None:
            place, add = self._wanted
            self.focus_row(place, add=add)
        self._tell_keys(KeysInOrder.focus_came)

    def on_unmount(self) -> None:
        self._tell_keys(KeysInOrder.focus_came)

    def _tell_keys(self, tell: Callable[[KeysInOrder, object], None]) -> None:
        if isinstance(self.app, KeysInOrder):
            tell(self.app, self)

    def let_keys_on(self, row: FormRow) -> None:
        """Release keys that wait for a row's result once all rows are there."""
        self.run_worker(self._came(row), group="keys", exclusive=True)

    async def _came(self, row: FormRow) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                await AwaitMount(self, [one for one in self._made if not one.is_mounted])
        except TimeoutError:
            pass
        finally:
            if isinstance(self.app, KeysInOrder):
                self.app.focus_came(row)

    @property
    def focused_row(self) -> FormRow | None:
        focused = self.screen.focused
        if focused is None:
            return None
        return next((one for one in focused.ancestors_with_self if isinstance(one, FormRow)), None)

    @property
    def focused_index(self) -> int:
        """The number of the row with the focus; -1 without one."""
        row = self.focused_row
        return self._made.index(row) if row is not None and row in self._made else -1

    def holds(self, row: FormRow | None) -> bool:
        """True if a row is still one of this form's."""
        return row in self._made

    def sync(self) -> dict[Place, FieldEntry]:
        """Return the current content of editors that differ from their rows."""
        found = {}
        for widget, row in zip(self._made, self._rows, strict=False):
            if isinstance(widget, FormField) and widget.is_attached:
                entry = widget.sync()
                if entry != row.entry:
                    found[row.place] = entry
        return found

    def show(self) -> None:
        """Draw the state as it is now: only rows that came or went are made or removed."""
        if not self._ready:
            return
        if not self._is_as_made(self._state.rows):
            self._change(self._state.rows)
        self._rows = self._state.rows
        for widget, row in zip(self._made, self._rows, strict=False):
            show_row(widget, row, self._state)

    def set_roomy(self, is_roomy: bool) -> None:
        """Let every row show its help, or only the one with the focus."""
        self._is_roomy = is_roomy
        for row in self._made:
            row.set_roomy(is_roomy)

    @property
    def is_laid_out(self) -> bool:
        """True if every row that exists has its place."""
        return self._ready and all(row.size.height for row in self._made)

    def lines_needed(self, width: int, *, is_roomy: bool) -> int:
        """Return the least number of lines for the rows."""
        made = sum(row.lines_needed(width, is_roomy=is_roomy) for row in self._made)
        return made + (len(self._rows) - len(self._made)) * (3 if is_roomy else 1)

    def action_step(self, by: int) -> None:
        """Focus the row above or below; at either end nothing."""
        index = self.focused_index + by
        if self.focused_index < 0:
            return
        while 0 <= index < len(self._rows):
            while index >= len(self._made) and self._grow():
                pass
            row = self._made[index]
            if (row.editor or row).focusable:
                row.focus_inside()
                return
            index += by

    def on_text_editor_leaves(self, message: TextEditor.Leaves) -> None:
        message.stop()
        self.action_step(message.step)

    def focus_row(self, place: Place, *, add: bool = False) -> None:
        """Focus the row of a place, or the deepest one above it; the first row without one.

        With `add`, the row that adds to the place.
        """
        if not self._ready:
            self._wanted = (place, add)
            self._tell_keys(KeysInOrder.expect_focus)
            return
        index = self._index_of(place, add=add)
        if index is None:
            return
        while index >= len(self._made) and self._grow():
            pass
        if index < len(self._made):
            self._made[index].focus_inside()

    def show_inside(self, place: Place) -> None:
        """Scroll as much of an opened group into view as there is room for."""

        def go() -> None:
            below = [row for row in self._made if is_in(row.place, place)]
            for row in (*below[-1:], *below[:1]):
                row.scroll_visible(animate=False, immediate=True)

        self.call_after_refresh(go)

    def _index_of(self, place: Place, *, add: bool) -> int | None:
        best: tuple[int, int] | None = None
        for index, row in enumerate(self._rows):
            if place and add is not (row.role in (RowRole.ADD_ITEM, RowRole.ADD_KEY)):
                continue
            own = row.place
            if place[: len(own)] == own and (best is None or len(own) >= best[0]):
                best = (len(own), index)
        if best is None or not place:
            return 0 if self._rows else None
        return best[1]

    def action_ask(self, verb: str) -> None:
        row = self._row_for(RowVerb(verb))
        if row is not None:
            row.ask(RowVerb(verb))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action != "ask" or not self.is_attached:
            return True
        return self._row_for(RowVerb(str(parameters[0]))) is not None

    def _row_for(self, verb: RowVerb) -> FormRow | None:
        """Return the row for a key: the focused row, or the item around it that is to be moved."""
        row = self.focused_row
        if row is None:
            return None
        if verb in (RowVerb.UP, RowVerb.DOWN):
            items = [one for one in self._made if one.is_item and is_in(row.place, one.place)]
            return items[-1] if items else None
        if not row.removable or (verb is RowVerb.RENAME and row.is_item):
            return None
        return row

    @on(_More.Seen)
    def _seen(self, event: _More.Seen) -> None:
        event.stop()
        if self._grow():
            self.call_after_refresh(self._look_again)

    def _look_again(self) -> None:
        """Refresh the placeholder, which may still be in sight and draws only on request."""
        for more in self.query(_More):
            more.refresh()

    def on_resize(self) -> None:
        row = self.focused_row
        if row is not None and self._is_followed:
            row.bring_into_sight()

    @on(FormRow.Resized)
    def _row_resized(self, event: FormRow.Resized) -> None:
        event.stop()
        row = self.focused_row
        if row is not None and self._is_followed:
            self.call_after_refresh(row.bring_into_sight)

    @on(MouseScrollDown)
    @on(MouseScrollUp)
    def _looks_elsewhere(self) -> None:
        self._is_followed = False

    @on(DescendantFocus)
    def _ahead_of_the_focus(self) -> None:
        self._is_followed = True
        # Tab has to find the next row in place.
        if self.focused_row in self._made[-2:]:
            self._grow()

    def _new_row(self, row: FieldRow) -> FormRow:
        made = make_row(row, self._state, self.content_size.width or self._likely_width)
        made.set_roomy(self._is_roomy)
        return made

    def _is_as_made(self, rows: Sequence[FieldRow]) -> bool:
        if len(rows) != len(self._rows):
            return False
        same = all(key_of(new) == key_of(old) for new, old in zip(rows, self._rows, strict=True))
        return same and all(map(can_show, self._made, rows))

    def _change(self, rows: Sequence[FieldRow]) -> None:
        """Make the rows that are new and drop those that are gone; all others stay in place."""
        was_whole = len(self._made) == len(self._rows)
        old = {key_of(row): index for index, row in enumerate(self._rows[: len(self._made)])}
        made: list[FormRow] = []
        kept, last, new, end = set[FormRow](), -1, 0, 0
        focused = self._focused_among(rows, old)
        for index, row in enumerate(rows):
            at = old.get(key_of(row), -1)
            if at > last and can_show(self._made[at], row):
                if new > AT_ONCE and index > focused:
                    break
                last, end = at, index + 1
                kept.add(self._made[at])
            else:
                new += 1
        if was_whole and new <= AT_ONCE:
            end = len(rows)
        end = min(len(rows), max(end, AT_ONCE))
        for row in rows[:end]:
            at = old.get(key_of(row), -1)
            reused = self._made[at] if at >= 0 else None
            made.append(reused if reused in kept and reused else self._new_row(row))
        self._mount_in_order(made, is_whole=end == len(rows))

    def _focused_among(self, rows: Sequence[FieldRow], old: Mapping[Key, int]) -> int:
        """Index of the focused row among other rows, -1 if it is not there."""
        focused = self.focused_row
        for index, row in enumerate(rows):
            at = old.get(key_of(row))
            if focused is not None and at is not None and self._made[at] is focused:
                return index
        return -1

    def _mount_in_order(self, made: list[FormRow], *, is_whole: bool) -> None:
        gone = [row for row in self._made if row not in set(made)]
        run: list[FormRow] = []
        for row in made:
            if row.is_attached:
                if run:
                    self.mount(*run, before=row)
                run = []
            else:
                run.append(row)
        more = next(iter(self.query(_More)), None)
        if run:
            self.mount(*run, before=more) if more else self.mount(*run)
        if is_whole and more is not None:
            more.remove()
        elif not is_whole and more is None:
            self.mount(_More())
        for row in gone:
            row.remove()
        self._made = made

    def _grow(self) -> bool:
        """Make some more rows; False if none are left."""
        start = len(self._made)
        now = [self._new_row(row) for row in self._rows[start : start + AT_ONCE]]
        if not now or not self.is_attached:
            return False
        self._mount_in_order([*self._made, *now], is_whole=start + len(now) == len(self._rows))
        return True
