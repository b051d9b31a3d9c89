"""A pane around a form that checks its content as it is typed, and before a call."""

from __future__ import annotations

import json

from textual import events, on, work
from textual.actions import parse
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from ....widgets.forms.argument_form import ArgumentForm
from ...calls.checks import argument_problems
from ...content.json.jsonio import JsonValue
from ...content.text import sentence
from ...protocol.tool import ToolDefinition
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.form.entries import Origin
from ...schemas.schema import SchemaAnswer, SchemaVerdict
from ..base.failures import NOT_DONE, TellsFailures

SLOW_SECONDS = 0.2
"""Seconds until the wait for a schema check is shown."""


class CheckingPane(Vertical, TellsFailures):
    """Requests calls with valid arguments, and with invalid ones that the user insists on.

    A subclass composes an `ArgumentForm` and a Static `.verdict`.
    """

    FAILED = NOT_DONE

    class CallWanted(Message, namespace="tool_pane"):
        """The form was submitted, and its arguments match the schema as far as is known.

        `although_invalid`: they are invalid, and the person wants to send them anyway.
        """

        def __init__(
            self,
            tool: ToolDefinition,
            arguments: dict[str, JsonValue],
            origins: dict[str, Origin],
            *,
            although_invalid: bool = False,
        ) -> None:
            super().__init__()
            self.tool = tool
            self.arguments = arguments
            self.origins = origins
            self.although_invalid = although_invalid

    class Checked(Message, namespace="tool_pane"):
        """`checked` and `problems` are newer: the typed arguments have been checked."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tool: ToolDefinition | None = None
        self.checked: dict[str, JsonValue] | None = None
        """Arguments as they were typed and checked last; None before."""
        self.problems: tuple[str, ...] = ()
        """How they break the input schema, in words."""
        self._verdict: SchemaVerdict | None = None
        self._waiting: list[str] = []
        """Calls that are to be made once they have been checked, as JSON."""

    def on_key(self, event: events.Key) -> None:
        # A letter that no field has taken is meant for the screen, which does not get it.
        focused = self.screen.focused
        if event.character is None or not event.character.isalnum() or focused is None:
            return
        for meant in self.screen._bindings.key_to_bindings.get(event.key, ()):
            _, action, parameters = parse(meant.action)
            can_be_done = self.screen.check_action(action, parameters)
            if can_be_done and self.form in focused.ancestors_with_self:
                words = f"esc first, then {event.character}: in the form letters are for fields."
                self.notify(words, title=meant.description, timeout=4, markup=False)

    @property
    def form(self) -> ArgumentForm:
        return self.query_one(ArgumentForm)

    @property
    def arguments(self) -> dict[str, JsonValue]:
        """The form's content, as far as it can be read."""
        return self.form.arguments

    def forget_check(self) -> None:
        """Another tool is about to be shown."""
        self._verdict, self.checked, self.problems = None, None, ()

    def submit(self, *, although_invalid: bool = False) -> None:
        """Request a call with the values of the form, or go to its first problem."""
        sent = None
        if self.tool is not None:
            sent = self.form.sendable(although_invalid=although_invalid)
        if sent is not None:
            self._want_call(sent.arguments, sent.origins, although_invalid=although_invalid)

    @on(ArgumentForm.Changed)
    def _arguments_changed(self, message: ArgumentForm.Changed) -> None:
        message.stop()
        if () in message.problems:
            # Arguments that are not a JSON object are not compared with a schema.
            self.workers.cancel_group(self, "validate")
            self.form.show_mismatches(())
            self.post_message(self.Checked())
        else:
            self.check(message.arguments)

    @on(ArgumentForm.Submitted)
    def _submitted(self, message: ArgumentForm.Submitted) -> None:
        message.stop()
        self._want_call(
            message.arguments, message.origins, although_invalid=message.although_invalid
        )

    def _want_call(
        self,
        arguments: dict[str, JsonValue],
        origins: dict[str, Origin],
        *,
        although_invalid: bool,
    ) -> None:
        if self.tool is None:
            return
        wanted = self.CallWanted(self.tool, arguments, origins, although_invalid=although_invalid)
        if although_invalid:
            self.post_message(wanted)
        else:
            self._call_once_checked(wanted)

    @work(exclusive=True, group="validate", exit_on_error=False)
    async def check(self, arguments: dict[str, JsonValue]) -> None:
        """Check arguments against the whole schema, in the worker, and mark the fields."""
        tool = self.tool
        if tool is not None:
            verdict = await judge_arguments_in_worker(tool.input_schema, arguments)
            self._take_verdict(tool, arguments, verdict)

    @work(group="submit", exit_on_error=False)
    async def _call_once_checked(self, wanted: CallWanted) -> None:
        """Request the call of valid arguments; errors are marked and stay here.

        Unchecked arguments are passed on: they are not a mismatch, and need approval.
        """
        key = json.dumps([wanted.tool.name, wanted.arguments])
        if key in self._waiting:
            return
        self._waiting.append(key)
        slow = self.set_timer(SLOW_SECONDS, self._say_slow)
        try:
            verdict = await self._verdict_on(wanted.tool, wanted.arguments)
        finally:
            slow.stop()
            self._waiting.remove(key)
        if verdict.answer is not SchemaAnswer.INVALID:
            self.post_message(wanted)
            return
        if self._is_shown(wanted.tool) and same_text(self.arguments, wanted.arguments):
            # The errors are known by now, and it goes to the first.
            self.submit()
        else:
            problems = "; ".join(argument_problems(verdict))
            self.say(
                f"{wanted.tool.display_name} was not called. {sentence(problems, begins=True)}"
            )

    async def _verdict_on(
        self, tool: ToolDefinition, arguments: dict[str, JsonValue]
    ) -> SchemaVerdict:
        """The newest verdict, if it is on exactly these arguments; else a new one."""
        known = self._verdict if self._is_shown(tool) else None
        if known is not None and same_text(self.checked, arguments):
            return known
        verdict = await judge_arguments_in_worker(tool.input_schema, arguments)
        self._take_verdict(tool, arguments, verdict)
        return verdict

    def _take_verdict(
        self, tool: ToolDefinition, arguments: dict[str, JsonValue], verdict: SchemaVerdict
    ) -> None:
        # Later typing is checked soon; until then the older verdict does not apply to it.
        if not self._is_shown(tool) or not same_text(self.arguments, arguments):
            return
        self.form.show_mismatches(verdict.errors, verdict.rejected_by_clients)
        self._verdict = verdict
        self.checked, self.problems = arguments, tuple(argument_problems(verdict))
        self.post_message(self.Checked())

    def _is_shown(self, tool: ToolDefinition) -> bool:
        """True if the form is the one of this very definition."""
        shown = self.tool
        return shown is not None and (shown.name, shown.digest) == (tool.name, tool.digest)

    def _say_slow(self) -> None:
        words = "checking the arguments against the schema, which takes a while"
        self.query_one(".verdict", Static).update(Content(words))

    def say(self, words: str) -> None:
        self.notify(words, severity="warning", timeout=8, markup=False)

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._keep_focus_in_sight)

    def on_descendant_focus(self) -> None:
        # The field may just have been mounted, and have had no place when it got the focus.
        self.call_after_refresh(self._keep_focus_in_sight)

    def _keep_focus_in_sight(self) -> None:
        focused = self.screen.focused
        if focused is not None and self.form in focused.ancestors:
            focused.scroll_visible(animate=False)


def same_text(one: JsonValue, other: JsonValue) -> bool:
    """True if two values are sent as the same text: 1, 1.0 and true are equal in Python."""
    return one == other and json.dumps(one) == json.dumps(other)
