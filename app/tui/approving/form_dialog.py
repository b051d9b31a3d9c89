"""The dialog of a form that a server wants filled in: the form itself, then its guarded reply.

It begins like every dialog: the first button has the focus, and keys are ignored until it was
quiet. Then the keys go to the form. `f5` ends that: the form takes no more keys, and the dialog
listens again after the quiet time. Only then the reply can be sent, as it is in the form.
"""

from __future__ import annotations

from typing import Any, ClassVar

from textual import events, on, work
from textual.binding import BindingType
from textual.widget import Widget

from ....widgets.bindings import bindings_of
from ....widgets.forms.argument_form import ArgumentForm
from ....widgets.keys import KeysInOrder
from ...approval.approval import Decision, DecisionAnswer
from ...approval.questions.questions import Question
from ...approval.server_questions import AboutElicitation, filled
from ...content.json.jsonio import JsonValue
from ...content.text import sentence
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.form.entries import Origin
from ...schemas.form.form import build_form
from ..arguments.editing import edit_on_terminal
from ..base.failures import NOT_DONE, TellsFailures
from .answer_form import begun
from .approval import ApprovalDialog
from .guarded_dialog import LEAVES


class FormQuestionDialog(ApprovalDialog, TellsFailures, inherit_bindings=False):
    """Asks about an elicitation with a form. `options`: those of ApprovalDialog."""

    FAILED = NOT_DONE
    HELP = """
# A server asks for data

Fill the fields in; nothing is sent while you type. `f5`, or `tab` behind the last field, checks the
values and ends that; `shift+tab` on the first one leads to the buttons. Then send the values as you
would approve a call: `enter` on the last button, a click on it, or `ctrl+y`, a pause, `ctrl+y`. `e`
goes back to the fields, `v` shows the exact JSON. `esc` cancels at any moment.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_of("approval"),
        *bindings_of("sheet"),
        *bindings_of("approval: form"),
    ]

    def __init__(self, question: AboutElicitation, **options: Any) -> None:
        self._schema = question.form_schema
        form = build_form(self._schema)
        draft = begun(form, question.draft, question.prefilled)
        self._form = ArgumentForm(form, draft, verb=None, by_title=True)
        self._form.set_roomy(False)
        self._form.disabled = True
        by_person = any(one.is_chosen for one in question.origins.values())
        self._has_begun = question.is_ready and by_person
        """Whether the form had the keys, or a person has filled it in elsewhere."""
        super().__init__(question, form=self._form, **options)

    @property
    def is_filling(self) -> bool:
        """True while the keys go to the form."""
        return self._box.is_filling

    @property
    def can_approve(self) -> bool:
        return super().can_approve and not self.is_filling

    @property
    def first_stop(self) -> Widget:
        focused = self.focused
        return focused if self.is_filling and focused is not None else super().first_stop

    def tick(self) -> None:
        super().tick()
        if self.is_armed and not self._has_begun and not self.is_void and not self.is_answered:
            self._has_begun = True
            self._fill()

    def void(self, reason: str) -> None:
        self._drop_form()
        super().void(reason)

    def takes(self, event: events.Key | events.Paste) -> bool:
        if not self.is_filling:
            return True
        self.last_sign = self.now()
        if isinstance(event, events.Key) and event.key == LEAVES:
            event.stop()
            self.leave_at_once()
        return False

    def on_descendant_focus(self) -> None:
        if not self.is_filling:
            return
        self.last_sign = self.now()
        if self.focused is not None and self._form not in self.focused.ancestors_with_self:
            # Behind the last field.
            self._form.submit()

    def action_deny(self) -> None:
        # Letters and ctrl+c belong to the fields.
        if not self.is_filling:
            super().action_deny()

    def action_edit(self) -> None:
        if self.is_armed and not self.is_void and not self.is_filling:
            self._fill()

    def action_in_full(self) -> None:
        if not self.is_filling:
            super().action_in_full()

    def action_file(self) -> None:
        """Fill the form in from a file, on a screen of its own."""
        if self.is_filling:
            self._answer(Decision(DecisionAnswer.EDIT, "you"))

    def action_review(self) -> None:
        if self.is_filling:
            self._form.submit()

    def action_press(self) -> None:
        if not self.is_filling:
            super().action_press()

    def action_press_other(self) -> None:
        if not self.is_filling:
            super().action_press_other()

    def action_move(self, step: int, goes_round: bool = False) -> None:
        if not self.is_filling:
            super().action_move(step, goes_round)
        elif step > 0:
            self.focus_next()
        elif self.focused is self._first_field:
            self._leave_form()
        else:
            self.focus_previous()

    @property
    def _first_field(self) -> Widget | None:
        chain = (one for one in self.focus_chain if self._form in one.ancestors_with_self)
        return next(chain, None)

    def _leave_form(self) -> None:
        """Back to the buttons, with what was there before."""
        self._end_filling()
        self._lay_out()
        self.restart()

    def _fill(self) -> None:
        """Give the keys to the form."""
        self._in_full = False
        self._box.is_filling = True
        self._form.disabled = False
        self._lay_out()
        self._form.focus_field()
        self.draw()

    def _end_filling(self) -> None:
        """Take the keys from the form."""
        self._box.is_filling = False
        self._form.disabled = True

    def _drop_form(self) -> None:
        """End it for good: keys that go on for the form are lost."""
        if self.is_filling:
            self._end_filling()
            if isinstance(self.app, KeysInOrder):
                self.app.discard_typed_ahead()

    def _press_other(self, button: Widget | None) -> None:
        if button is self._box.edit and not self.is_void:
            self._fill()
        else:
            super()._press_other(button)

    def _answer(self, decision: Decision) -> None:
        if decision.by == "you":
            self._end_filling()
        elif not self.is_answered:
            self._drop_form()
        super()._answer(decision)

    @on(ArgumentForm.Changed)
    def _changed(self, message: ArgumentForm.Changed) -> None:
        message.stop()
        self.last_sign = self.now()
        self._judge(message.arguments)

    @work(exclusive=True, group="check", exit_on_error=False)
    async def _judge(self, values: dict[str, JsonValue]) -> None:
        verdict = await judge_arguments_in_worker(self._schema, values)
        self._form.show_mismatches(verdict.errors, verdict.rejected_by_clients)
        if self.is_filling:
            self._lay_out()

    @on(ArgumentForm.Submitted)
    def _submitted(self, message: ArgumentForm.Submitted) -> None:
        message.stop()
        self._review(message.arguments, message.origins)

    @work(exclusive=True, group="review", exit_on_error=False)
    async def _review(self, values: dict[str, JsonValue], origins: dict[str, Origin]) -> None:
        verdict = await judge_arguments_in_worker(self._schema, values)
        if not self.is_filling:
            return
        if verdict.errors:
            self._form.show_mismatches(verdict.errors)
            self._form.submit()
            return
        if values != self._form.arguments:
            # Something was typed in between.
            self._form.submit()
            return
        assert isinstance(self.question, AboutElicitation)
        self._take(filled(self.question, values, origins))

    def _take(self, question: Question) -> None:
        """Ask about exactly this reply from now on."""
        self.question = question
        self._box.take(question)
        self._box.sheet.end_seen = False
        self._leave_form()

    @on(ArgumentForm.EditorWanted)
    def _editor_wanted(self, message: ArgumentForm.EditorWanted) -> None:
        message.stop()
        self._edit(message.text)

    @work(exclusive=True, group="edit", exit_on_error=False)
    async def _edit(self, text: str) -> None:
        from ..base.external import NotEdited

        try:
            self._form.put_document(await edit_on_terminal(self.app, text))
        except NotEdited as problem:
            self.notify(sentence(problem), markup=False)
        self._form.focus_field()
