"""The fields of a form below each other, made as they come into view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import DescendantFocus
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from app.core.drafts import Draft
from app.core.entries import Entry
from app.core.forms import Form
from widgets.form_field import FormField

AT_ONCE: Final = 6
"""Fields mounted in one go: a field costs about 10 ms, and the screen has to go on meanwhile."""


class _More(Widget):
    """Stands for the fields that do not exist yet, and says so when someone gets to see it."""

    DEFAULT_CSS = "_More { height: 1; color: $text-muted; }"

    class Seen(Message):
        """It was drawn."""

    def render(self) -> Content:
        return Content("… more fields below")

    def render_line(self, y: int) -> Strip:
        # Lines are asked for only where they are on the screen, whoever scrolls.
        self.post_message(self.Seen())
        return super().render_line(y)


class FieldList(Vertical):
    """All fields of one form; those that nobody has seen yet are values only."""

    DEFAULT_CSS = "FieldList { height: auto; }"

    def __init__(self, form: Form, draft: Draft) -> None:
        super().__init__()
        self.fields = {one.name: FormField(one, draft.entry(one.name)) for one in form.fields}
        self._waiting = list(self.fields.values())
        self._ready = False
        self._wanted: str | None = None

    def compose(self) -> ComposeResult:
        yield from self._next()
        if self._waiting:
            yield _More()

    async def on_mount(self) -> None:
        self._ready = True
        if self._wanted is not None:
            await self.focus_field(self._wanted)

    @property
    def focused_field(self) -> FormField | None:
        focused = self.screen.focused
        if focused is None:
            return None
        return next(
            (one for one in focused.ancestors_with_self if isinstance(one, FormField)), None
        )

    def holds(self, field: FormField) -> bool:
        return self.fields.get(field.field.name) is field

    def sync(self) -> dict[str, Entry]:
        """What the editors hold at this moment."""
        return {
            name: field.sync() if field.is_attached else field.entry
            for name, field in self.fields.items()
        }

    def show(
        self, draft: Draft, problems: Mapping[str, str], mismatches: Mapping[str, Sequence[str]]
    ) -> None:
        """Draw this draft, with local problems and what the schema says (sanitised) by name."""
        for name, field in self.fields.items():
            field.show(draft.entry(name), problems.get(name, ""), mismatches.get(name, ()))

    async def focus_field(self, name: str = "") -> None:
        """Focus a field by its property name, the first one without it."""
        if not self._ready:
            self._wanted = name
            return
        field = self.fields.get(name) or next(iter(self.fields.values()), None)
        if field is None:
            return
        grown = False
        while field in self._waiting and await self._grow():
            grown = True
        if not field.is_attached:
            return
        if grown:
            # A field can be scrolled into view only when it has a place.
            self.call_after_refresh(field.editor.focus)
        else:
            field.editor.focus()

    @on(_More.Seen)
    async def _seen(self, event: _More.Seen) -> None:
        event.stop()
        await self._grow()

    @on(DescendantFocus)
    async def _ahead_of_the_focus(self) -> None:
        # Tab has to find the next field in place.
        made = len(self.fields) - len(self._waiting)
        found = self.focused_field
        if self._waiting and found in list(self.fields.values())[made - 2 : made]:
            await self._grow()

    def _next(self) -> list[FormField]:
        now, self._waiting = self._waiting[:AT_ONCE], self._waiting[AT_ONCE:]
        return now

    async def _grow(self) -> bool:
        """Make some more fields; False if there is no place for them (any more)."""
        ends = self.query(_More)
        if not ends or not self._waiting:
            return False
        await self.mount(*self._next(), before=ends.first())
        if not self._waiting:
            ends.remove()
        return True
