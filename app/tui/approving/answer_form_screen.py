"""The form for an answer to a server, which a file may fill in."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from ....widgets.forms.argument_form import ArgumentForm
from ....widgets.verb_bar import VerbBar
from ...approval.approval import NO_LIMIT
from ...approval.server_questions import AboutSampling, ServerQuestion
from ...content.text import cut, visible
from ...protocol.server_requests.capabilities import ELICITATION, SAMPLING
from ...schemas.form.form import build_form
from ...storage.arguments import FileProblem, load_arguments, path_of
from .answer_form import FormScreen, begun
from .answer_text import said_by_server
from .canned import canned_answer

ASKED = "a file with the answer, or for --answer: enter takes it, esc leaves"


class AnswerFormScreen(FormScreen):
    """Asks for the fields of an answer to a server."""

    DEFAULT_CSS = """
    AnswerFormScreen #answer-file { border: none; height: 1; padding: 0; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f11", "ask_file", "File", id="answer_form.file", tooltip="Fill it in from a file.")
    ]

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
            status="Nothing is sent from here: F5 goes back to the question with it.",
            seconds=decision_seconds,
        )

    def hide_history(self) -> None:
        """Nothing was kept of it earlier; a file may have been written."""
        self._form.query(".verb").last(Static).update("file f11")

    @on(ArgumentForm.HistoryWanted)
    async def _history_key(self, message: ArgumentForm.HistoryWanted) -> None:
        message.stop()
        await self.action_ask_file()

    async def action_ask_file(self) -> None:
        """Ask for the file, where the words about sending stand."""
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
            self.say(f"Not taken: {problem}.")
            return
        form = build_form(self._schema)
        self._form.load(form, begun(form, values, self.question.prefilled))
        self._check_values(self._form.arguments)
        self.say(f"From {visible(typed.strip())}. F5 goes back to the question with it.")
        self._end_asking()

    def _end_asking(self) -> None:
        self.query("#answer-file").remove()
        self._form.focus_field()
