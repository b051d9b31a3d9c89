"""Forms in which a person writes the answer to a server's request. Nothing is sent from here.

The form leads back to the dialog, which shows the written values as they would be sent. A canned
answer fills the form from a file.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import ClassVar, Final

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from ....widgets.bars import Verb, VerbBar
from ....widgets.bindings import bindings_of
from ....widgets.forms.argument_form import ArgumentForm
from ....widgets.forms.form_body import FormVerb
from ....widgets.keys import KeysInOrder
from ....widgets.text_view.line_view import LineView
from ...approval.approval import NO_LIMIT
from ...approval.server_questions import AboutSampling, ServerQuestion
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import cut, sentence, visible
from ...protocol.server_requests.capabilities import ELICITATION, SAMPLING
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.form.drafts import Draft, draft_from_arguments, initial_draft
from ...schemas.form.edits import filled_by_signoff
from ...schemas.form.entries import Origin
from ...schemas.form.fields import Place
from ...schemas.form.form import Form, build_form
from ...storage.arguments import FileProblem, load_arguments, path_of
from ..arguments.editing import AROUND_ROWS, LEAST_ROWS, FormDialog

MESSAGE_ROWS = 6
_TICK = 0.5


@frozen
class FormAnswer:
    """The written values, and the origin of each member."""

    values: dict[str, JsonValue]
    origins: dict[str, Origin] = field(default_factory=dict)


class TimeIsUp:
    """No key was pressed for as long as a request may wait."""


class FormScreen(FormDialog["FormAnswer | TimeIsUp | None"]):
    """Asks for the fields of a schema. The result is None if nothing is to change."""

    CSS_PATH = "form_screen.tcss"
    VERB: ClassVar[FormVerb | None] = None
    """What the bar of the form has behind its own verbs."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("answer_form")

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
        `prefilled`: values of Signoff for places without a value.
        """
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
        """Close the form: its request has ended."""
        form = build_form(schema)
        self._form = ArgumentForm(form, begun(form, values, prefilled or {}), verb=self.VERB)

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
        self.say(self._status)
        self._form.focus_field(self._begins_at)
        self.set_interval(_TICK, self._look)
        if self._is_over:
            self.call_after_refresh(self.close)

    def close(self) -> None:
        """Close the form and drop unfinished typing and anything open above it."""
        self._is_over = True
        if self.is_mounted and isinstance(self.app, KeysInOrder):
            self.app.discard_typed_ahead()
        if self.is_active:
            self.dismiss(None)
        elif self.is_mounted and self in self.app.screen_stack:
            self.pop_until_active()
            self.app.call_later(self.dismiss, None)

    def on_resize(self, event: events.Resize) -> None:
        # The fields scroll; the lines around them keep their place.
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
        """Restart the time limit: a person is present."""
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
        self.dismiss(FormAnswer(values, origins))

    def _look(self) -> None:
        if time.monotonic() - self._last_sign >= self._seconds:
            self.dismiss(TimeIsUp())

    def say(self, words: str) -> None:
        """Show words below the fields; `words` are safe to show."""
        self.query_one(".status", Static).update(Content(words))


def begun(
    form: Form, values: Mapping[str, JsonValue] | None, prefilled: Mapping[str, JsonValue]
) -> Draft:
    """A draft with the origin of each value: the server, Signoff, or a person."""
    given = {**prefilled, **(values or {})}
    # Untouched fields hold the server's defaults, which stay marked as the server's.
    draft = draft_from_arguments(form, given, before=initial_draft(form)) if given else None
    for name, value in prefilled.items():
        if draft is not None and given[name] == value:
            draft = filled_by_signoff(draft, (name,))
    return draft or initial_draft(form)


LIMIT = 2_000


def said_by_server(question: ServerQuestion) -> list[str]:
    """The message of an elicitation, or the last message of a conversation."""
    if isinstance(question, AboutSampling):
        said = ""
        for message in question.sampling.messages:
            content = message.get("content")
            text = content.get("text") if isinstance(content, dict) else None
            said = text if isinstance(text, str) else said
    else:
        said = question.elicitation.message
    return visible(cut(said.strip(), LIMIT).text, multiline=True).split("\n")


KINDS: Final = (ELICITATION, SAMPLING)


def canned_answer(kind: str, given: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the fields of an answer to a request of this kind. Raises ValueError, in safe words.

    `given` is the fields themselves, the result that a model gave, one entry of a file for
    `--answer`, or such a file, of which the first entry counts that accepts.
    """
    if given and all(name in KINDS and isinstance(one, list) for name, one in given.items()):
        entries = given.get(kind)
        found = [_fields(kind, one) for one in entries] if isinstance(entries, list) else []
        first = next((one for one in found if one is not None), None)
        if first is None:
            raise ValueError(f"the file accepts no {kind}")
        return first
    fields = _fields(kind, given)
    if fields is None:
        raise ValueError("the file has no action accept, or no content")
    return fields


def _fields(kind: str, entry: JsonValue) -> dict[str, JsonValue] | None:
    if isinstance(entry, str):
        is_action = entry in ("accept", "decline", "cancel")
        return {"text": entry} if kind == SAMPLING and not is_action else None
    if not isinstance(entry, dict):
        return None
    content = entry.get("content")
    if isinstance(entry.get("action"), str) and set(entry) <= {"action", "content"}:
        return content if entry["action"] == "accept" and isinstance(content, dict) else None
    if kind == SAMPLING and isinstance(content, dict) and content.get("type") == "text":
        rest = {name: one for name, one in entry.items() if name in ("model", "stopReason")}
        return {"text": content.get("text", ""), **rest}
    return entry


ASKED = "a file with the reply, or an --answer file · enter: use it · esc: cancel"


class AnswerFormScreen(FormScreen):
    """Asks for the fields of an answer to a server."""

    DEFAULT_CSS = """
    AnswerFormScreen #answer-file { border: none; height: 1; padding: 0; }
    """
    VERB: ClassVar[FormVerb | None] = FormVerb("f11", "File", "screen.ask_file")

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("answer_form: questions")

    def __init__(self, question: ServerQuestion, decision_seconds: float = NO_LIMIT) -> None:
        self.question = question
        self._kind = SAMPLING if isinstance(question, AboutSampling) else ELICITATION
        what = "a model's words" if isinstance(question, AboutSampling) else "data"
        server = visible(cut(question.server_name, 40).text)
        super().__init__(
            question.form_schema,
            question.draft,
            title=f"{server} asks for {what}",
            said=said_by_server(question),
            prefilled=question.prefilled,
            status="Nothing is sent yet. f5: back to the dialog with these values.",
            seconds=decision_seconds,
        )

    async def action_ask_file(self) -> None:
        """Prompt for the file, at the place of the words about sending."""
        if not self.query("#answer-file"):
            field = Input(placeholder=ASKED, id="answer-file")
            bar = self.query_one(VerbBar)
            await self.query_one(Vertical).mount(field, before=bar)
        self.query_one("#answer-file").focus()

    def action_back(self) -> None:
        """From the name of the file to the form, from there to the question."""
        if self.query("#answer-file"):
            self._end_asking()
        else:
            super().action_back()

    @on(Input.Changed, "#answer-file")
    def _name_changed(self, message: Input.Changed) -> None:
        message.stop()
        self.note_sign()

    @on(Input.Submitted, "#answer-file")
    def _name_given(self, message: Input.Submitted) -> None:
        message.stop()
        self._load(message.value)

    @work(exclusive=True, group="load", exit_on_error=False)
    async def _load(self, typed: str) -> None:
        try:
            given = await asyncio.to_thread(load_arguments, path_of(typed))
            values = canned_answer(self._kind, given)
        except (FileProblem, ValueError) as problem:
            self.say(f"Not taken: {sentence(problem)}")
            return
        form = build_form(self._schema)
        self._form.load(form, begun(form, values, self.question.prefilled))
        self._check_values(self._form.arguments)
        self.say(f"From {visible(typed.strip())}. f5: back to the dialog with these values.")
        self._end_asking()

    def _end_asking(self) -> None:
        self.query("#answer-file").remove()
        self._form.focus_field()
