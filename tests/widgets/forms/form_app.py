"""The argument form alone in an app, and hands at it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widget import Widget

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.form.drafts import Draft
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

    def compose(self) -> ComposeResult:
        yield self.shown

    def on_argument_form_changed(self, event: ArgumentForm.Changed) -> None:
        self.changes.append(event)

    def on_argument_form_submitted(self, event: ArgumentForm.Submitted) -> None:
        self.submissions.append(event)

    async def action_quit(self) -> None:
        self.quits += 1


def app_for(**properties: JsonValue) -> FormApp:
    return FormApp(build_form({"type": "object", "properties": dict(properties)}))


def many_booleans(count: int) -> FormApp:
    properties: dict[str, JsonValue] = {f"f{n}": {"type": "boolean"} for n in range(count)}
    return app_for(**properties)


def strips(app: App[Any]) -> list[Strip]:
    return [Strip(strip) for strip in app.screen._compositor.render_strips()]


def screen_text(app: App[Any]) -> str:
    return "\n".join(strip.text.rstrip() for strip in strips(app))


def line_with(app: App[Any], words: str) -> str:
    """The only row of the screen with these words, from its first sign on."""
    (found,) = [one.strip() for one in screen_text(app).split("\n") if words in one]
    return found


def field(app: FormApp, name: str) -> FormField:
    return next(one for one in app.query(FormField) if one.field.name == name)


def editor(found: FormField) -> Widget:
    """The widget that takes a field's keys, once it was focused."""
    assert found.editor is not None
    return found.editor


async def go(pilot: Pilot[None], name: str) -> FormField:
    """Focus a field and wait until it has the keys."""
    assert isinstance(pilot.app, FormApp)
    pilot.app.shown.focus_field(name)
    while True:
        await pilot.pause()
        for found in pilot.app.query(FormField):
            if found.field.name == name and found.editor is pilot.app.focused:
                return found


async def in_sight(pilot: Pilot[None], widget: Widget) -> Region:
    """Where a widget stands once it was scrolled into the screen; the time limit if it never is."""
    while not (widget.region and pilot.app.screen.region.contains_region(widget.region)):
        await pilot.pause()
    return widget.region


async def paste(pilot: Pilot[None], text: str) -> None:
    assert pilot.app.focused is not None
    pilot.app.focused.post_message(events.Paste(text))
    await pilot.pause()


async def settled(pilot: Pilot[None], done: Callable[[], bool]) -> None:
    while not done():
        await pilot.pause(0.01)


async def changed(pilot: Pilot[None], **expected: JsonValue) -> ArgumentForm.Changed:
    """The message that tells of these arguments, without guessing how long it takes."""
    app = pilot.app
    assert isinstance(app, FormApp)
    await settled(pilot, lambda: bool(app.changes) and app.changes[-1].arguments == expected)
    return app.changes.pop()
