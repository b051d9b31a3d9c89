"""A form over the bench: checked as it is typed, edited elsewhere, and closed again."""

from __future__ import annotations

from typing import TypeVar

from textual import on, work
from textual.screen import ModalScreen

from ....widgets.forms.argument_form import ArgumentForm
from ...content.json.jsonio import JsonValue
from ...sandbox.worker import judge_arguments_in_worker
from ..failures import TellsFailures
from ..fresh_sizes import FreshSizes

Result = TypeVar("Result")
AROUND_ROWS = 7
"""The frame, and the lines around the fields."""
LEAST_ROWS = 3


class FormDialog(FreshSizes, ModalScreen[Result], TellsFailures):
    """Whoever inherits sets `_schema` and composes `_form`, of which nothing was kept earlier."""

    FAILED = "This could not be done"
    AUTO_FOCUS = ""

    _schema: JsonValue
    _form: ArgumentForm

    def action_back(self) -> None:
        self.dismiss(None)

    def hide_history(self) -> None:
        """Nothing was kept of it earlier."""
        self._form.query(".verb").last().display = False

    @on(ArgumentForm.EditorWanted)
    def _editor_wanted(self, message: ArgumentForm.EditorWanted) -> None:
        message.stop()
        self._edit(message.text)

    @on(ArgumentForm.HistoryWanted)
    def _history_wanted(self, message: ArgumentForm.HistoryWanted) -> None:
        message.stop()

    @work(exclusive=True, group="check", exit_on_error=False)
    async def _check_values(self, values: dict[str, JsonValue]) -> None:
        verdict = await judge_arguments_in_worker(self._schema, values)
        self._form.show_mismatches(verdict.errors, verdict.rejected_by_clients)

    @work(exclusive=True, group="edit", exit_on_error=False)
    async def _edit(self, text: str) -> None:
        from ..editor import NotEdited
        from .editing import edit_on_terminal

        try:
            self._form.put_document(await edit_on_terminal(self.app, text))
        except NotEdited as problem:
            self.notify(f"{problem}.", markup=False)
        self._form.focus_field()
