"""Forms over the bench: what a server asks for, written by a person. Nothing is sent from here.

The form leads back to the question, which shows what has been written as it would be sent.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from ....widgets.forms.argument_form import ArgumentForm
from ....widgets.keys_in_order import KeysInOrder
from ....widgets.lines.line_view import LineView
from ....widgets.verb_bar import Verb, VerbBar
from ...approval.approval import NO_LIMIT
from ...content.json.jsonio import JsonValue
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.form.drafts import Draft, draft_from_arguments, initial_draft
from ...schemas.form.edits import filled_by_signoff
from ...schemas.form.entries import Origin
from ...schemas.form.fields import Place
from ...schemas.form.form import Form, build_form
from ..arguments.form_dialog import AROUND_ROWS, LEAST_ROWS, FormDialog

MESSAGE_ROWS = 6
_TICK = 0.5


@dataclass(frozen=True, slots=True)
class Written:
    """What was written, and who put each member of it there."""

    values: dict[str, JsonValue]
    origins: dict[str, Origin] = field(default_factory=dict)


class TimeIsUp:
    """Nobody pressed a key for as long as a question may wait."""


class FormScreen(FormDialog["Written | TimeIsUp | None"]):
    """Asks for the fields of a schema. The result is None where nothing is to change."""

    CSS_PATH = "form_screen.tcss"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back", id="answer_form.back", tooltip="Back to the question."),
        Binding(
            "f5,ctrl+enter",
            "review",
            "Review",
            id="answer_form.review",
            tooltip="Take what is written; nothing is sent by it.",
        ),
    ]

    def __init__(
        self,
        schema: JsonValue,
        values: Mapping[str, JsonValue] | None,
        *,
        title: str,
        said: Sequence[str] = (),
        status: str = "",
        done: str = "Review",
        prefilled: Mapping[str, JsonValue] | None = None,
        begins_at: Place = (),
        seconds: float = NO_LIMIT,
    ) -> None:
        """`title`, `said`, `status` are safe to show; after `seconds` without a key it closes.
        `prefilled`: what Signoff puts there, where nobody has put anything else."""
        super().__init__()
        self._schema = schema
        self._title = title
        self._said = said
        self._status = status
        self._done = done
        self._begins_at = begins_at
        self._seconds = seconds
        self._last_sign = time.monotonic()
        self._is_over = False
        """Nobody waits for what is written here any more."""
        form = build_form(schema)
        self._form = ArgumentForm(form, begun(form, values, prefilled or {}))

    def compose(self) -> ComposeResult:
        # The keys of the screen below are not those that work now.
        yield Static(id="footer-cover")
        with Vertical():
            said = LineView(classes="message", gutter=True, max_rows=MESSAGE_ROWS)
            said.can_focus = False
            yield said
            with VerticalScroll(can_focus=False):
                yield self._form
            yield Static(classes="status", markup=False)
            review = Verb("review", self._done, "f5", is_main=True)
            yield VerbBar([review, Verb("back", "Back", "esc")])

    def on_mount(self) -> None:
        self.query_one(Vertical).border_title = Content(self._title)
        said = self.query_one(LineView)
        said.show_lines([[(line, "")] for line in self._said])
        said.display = bool(self._said)
        self.hide_history()
        self.say(self._status)
        self._form.focus_field(self._begins_at)
        self.set_interval(_TICK, self._look)
        if self._is_over:
            self.call_after_refresh(self.close)

    def close(self) -> None:
        """Nothing is to be written any more, be it still on its way or under other screens."""
        self._is_over = True
        if self.is_mounted and isinstance(self.app, KeysInOrder):
            self.app.lose_typing()
        if self.is_active:
            self.dismiss(None)
        elif self.is_mounted and self in self.app.screen_stack:
            self.pop_until_active()
            self.app.call_later(self.dismiss, None)

    def on_resize(self, event: events.Resize) -> None:
        # What is around the fields keeps its place; they scroll.
        rows = self.app.size.height - AROUND_ROWS - self.query_one(LineView).row_count
        self.query_one(VerticalScroll).styles.max_height = max(rows, LEAST_ROWS)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key | events.Paste | events.MouseDown):
            self._last_sign = time.monotonic()
        await super().on_event(event)

    def action_review(self) -> None:
        self._form.submit()

    @on(VerbBar.Picked)
    def _verb_picked(self, message: VerbBar.Picked) -> None:
        message.stop()
        if message.name == "review":
            self.action_review()
        else:
            self.action_back()

    @on(ArgumentForm.Changed)
    def _changed(self, message: ArgumentForm.Changed) -> None:
        message.stop()
        # A text keeps the keys that are typed into it to itself.
        self._last_sign = time.monotonic()
        self._check_values(message.arguments)

    def on_descendant_focus(self) -> None:
        self.note_sign()

    def note_sign(self) -> None:
        """Somebody is there: the time begins anew."""
        self._last_sign = time.monotonic()

    @on(ArgumentForm.Submitted)
    def _submitted(self, message: ArgumentForm.Submitted) -> None:
        message.stop()
        self._review(message.arguments, message.origins)

    @work(exclusive=True, group="review", exit_on_error=False)
    async def _review(self, values: dict[str, JsonValue], origins: dict[str, Origin]) -> None:
        verdict = await judge_arguments_in_worker(self._schema, values)
        if verdict.errors:
            self._form.show_mismatches(verdict.errors)
            self._form.submit()
            return
        self.dismiss(Written(values, origins))

    def _look(self) -> None:
        if time.monotonic() - self._last_sign >= self._seconds:
            self.dismiss(TimeIsUp())

    def say(self, words: str) -> None:
        """Say something below the fields; `words` are safe to show."""
        self.query_one(".status", Static).update(Content(words))


def begun(
    form: Form, values: Mapping[str, JsonValue] | None, prefilled: Mapping[str, JsonValue]
) -> Draft:
    """A draft that says of each value who put it there: the server, Signoff, or a person."""
    given = {**prefilled, **(values or {})}
    # Before anything was typed the server's defaults stand there, and stay the server's.
    draft = draft_from_arguments(form, given, before=initial_draft(form)) if given else None
    for name, value in prefilled.items():
        if draft is not None and given[name] == value:
            draft = filled_by_signoff(draft, (name,))
    return draft or initial_draft(form)
