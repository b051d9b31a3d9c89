"""The argument form alone in an app, and hands at it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Self

from textual import events
from textual.app import ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widget import Widget

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.drafts import Draft
from signoff.app.schemas.form.entries import Origin
from signoff.app.schemas.form.form import Form, build_form
from signoff.widgets.forms.argument_form import ArgumentForm
from signoff.widgets.forms.form_field import FormField
from signoff.widgets.keys import KeysInOrder

PAYLOADS = [
    "[red]x[/]",
    "[@click=app.quit]x[/]",
    "[/foo] x",
    "[link=https://example.com]x[/link]",
    "\x1b]0;pwn\x07",
    "\x1b[2J",
    "\x9b31m",
    "a\rb\x08c\x00",
    "\u202egnp",
    "a\u200b\u2066b\x7f",
    "x" + "\u0301" * 12,
    "$v {x} \\[",
]
SCHEMA: JsonValue = {
    "type": "object",
    "required": ["path", "count"],
    "properties": {
        "path": {"type": "string", "default": "notes/todo.txt", "description": "the file"},
        "count": {"type": "integer", "minimum": 0},
        "tags": {"type": "array"},
        "mode": {"enum": ["fast", "slow"], "default": "fast"},
        "flag": {"type": "boolean"},
        "color": {"enum": ["red", "green", "blue", "cyan", "pink", "grey"]},
        "note": {"type": ["string", "null"]},
    },
}


class FormApp(KeysInOrder):
    def __init__(self, form: Form, draft: Draft | None = None) -> None:
        super().__init__()
        self.shown = ArgumentForm(form, draft)
        self.changes: list[ArgumentForm.Changed] = []
        self.submissions: list[ArgumentForm.Submitted] = []
        self.quits = 0
        self.pilot: Pilot[None]

    def compose(self) -> ComposeResult:
        yield self.shown

    def on_argument_form_changed(self, event: ArgumentForm.Changed) -> None:
        self.changes.append(event)

    def on_argument_form_submitted(self, event: ArgumentForm.Submitted) -> None:
        self.submissions.append(event)

    async def action_quit(self) -> None:
        self.quits += 1

    @asynccontextmanager
    async def on(self, width: int = 100, height: int = 70) -> AsyncIterator[Self]:
        """The form on a screen of this size."""
        async with self.run_test(size=(width, height)) as self.pilot:
            await self.pause()
            yield self

    @property
    def arguments(self) -> Any:
        return self.shown.arguments

    @property
    def origins(self) -> Mapping[str, Origin]:
        return self.shown.origins

    @property
    def strips(self) -> list[Strip]:
        return [Strip(strip) for strip in self.screen._compositor.render_strips()]

    @property
    def text(self) -> str:
        """The rows of the screen."""
        return "\n".join(strip.text.rstrip() for strip in self.strips)

    def line_with(self, words: str) -> str:
        """The only row of the screen with these words, from its first sign on."""
        (found,) = [one.strip() for one in self.text.split("\n") if words in one]
        return found

    def field(self, name: str) -> FormField:
        return next(one for one in self.query(FormField) if one.field.name == name)

    async def pause(self) -> None:
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pause()

    async def paste(self, text: str) -> None:
        assert self.focused is not None
        self.focused.post_message(events.Paste(text))
        await self.pause()

    def type_ahead(self, *keys: str) -> None:
        """Keys that come at once, as from a terminal while the form is busy."""
        for key in keys:
            self.post_message(events.Key(key, key if len(key) == 1 else None))

    async def go(self, name: str) -> FormField:
        """Focus a field and wait until it has the keys."""
        self.shown.focus_field(name)
        while True:
            await self.pause()
            for found in self.query(FormField):
                if found.field.name == name and found.editor is self.focused:
                    return found

    async def in_sight(self, widget: Widget) -> Region:
        """Where a widget is once it was scrolled into the screen; the time limit if it never is."""
        while not (widget.region and self.screen.region.contains_region(widget.region)):
            await self.pause()
        return widget.region

    async def until(self, done: Callable[[], bool]) -> None:
        while not done():
            await self.pilot.pause(0.01)

    async def changed(self, **expected: JsonValue) -> ArgumentForm.Changed:
        """The message about these arguments, without guessing how long it takes."""
        await self.until(lambda: bool(self.changes) and self.changes[-1].arguments == expected)
        return self.changes.pop()


def form_of(schema: JsonValue) -> FormApp:
    return FormApp(build_form(schema))


def app_for(**properties: JsonValue) -> FormApp:
    return form_of({"type": "object", "properties": dict(properties)})


def many_booleans(count: int) -> FormApp:
    properties: dict[str, JsonValue] = {f"f{n}": {"type": "boolean"} for n in range(count)}
    return app_for(**properties)


def editor(found: FormField) -> Widget:
    """The widget that takes a field's keys, once it was focused."""
    assert found.editor is not None
    return found.editor
