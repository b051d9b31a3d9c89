"""The approval dialog: one call in full, and a deliberate decision."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Offset, Size
from textual.widget import Widget
from textual.widgets import Static

from ....widgets.bindings import bindings_of
from ....widgets.buttons import ChoiceRow, GuardedButton
from ....widgets.forms.argument_form import ArgumentForm
from ....widgets.key_bar import BarKey
from ....widgets.sheets import SheetView
from ...approval.approval import (
    DECISION_SECONDS,
    QUIET_SECONDS,
    Decision,
    DecisionAnswer,
    approve,
    deny,
)
from ...approval.grants import Scope
from ...approval.questions.question_words import is_strongest
from ...approval.questions.questions import Question
from ...approval.server_questions import AboutElicitation, AboutSampling
from ...content.text import visible
from .approval_box import ApprovalBox, is_ready
from .approval_words import DIALOG_WORDS
from .clock import Clock
from .guarded_dialog import HELD_AFTER, TOO_SOON, GuardedDialog


class ApprovalDialog(GuardedDialog[Decision], inherit_bindings=False):
    """Asks about one call; the result is a Decision by `you` or by the `time limit`.

    It ignores input until keyboard and mouse have been quiet for `quiet_seconds`, and again after
    every change of its layout. `last_click` is the last mouse position pressed, in cells of the
    screen: Approve never appears there. `clock` gives monotonic seconds, `today` seconds since the
    epoch. After `decision_seconds` without a key, a turn of the wheel or a click it denies by
    itself; never, if they are NO_LIMIT.
    """

    HELP = """
# This question

Only the last button approves: it sends the call or your reply, or accepts the response that the
question is about. Press `enter` on it, or click it, or use `ctrl+y` if the bottom line offers it:
one press, or, if the line shows two, a second one after half a second and within three. A press
counts after a moment without any other key, which is drawn filling in the button. Every other key
and button approves nothing. In a question of the server, Decline and `esc` are replies, too, if the
request has one for them: declined or cancelled.
Until half a second has passed without input, the dialog accepts `esc` and no other key.
"""

    CSS_PATH = "approval.tcss"

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("approval"), *bindings_of("sheet")]
    MORE_KEYS: ClassVar[tuple[BarKey, ...]] = ()
    """Keys of a subclass for the bottom line."""

    def __init__(
        self,
        question: Question,
        *,
        waiting: int = 0,
        last_click: Offset | None = None,
        clock: Clock | None = None,
        today: Callable[[], float] = time.time,
        quiet_seconds: float = QUIET_SECONDS,
        decision_seconds: float = DECISION_SECONDS,
        form: ArgumentForm | None = None,
    ) -> None:
        super().__init__(clock, quiet_seconds, last_click)
        self.question = question
        self._waiting = waiting
        self._decision_seconds = decision_seconds
        self._painted_at = self.now()
        self._is_answered = False
        self._was_space = False
        self._no_chord_at: float | None = None
        """Whether the last key was Space on Approve, which does nothing."""
        self._void_reason: str | None = None
        self._in_full = False
        self._laid_out_for = Size(0, 0)
        self._words = DIALOG_WORDS.of(question)
        self._box = ApprovalBox(question, today=today, form=form, more_keys=self.MORE_KEYS)

    @property
    def is_void(self) -> bool:
        return self._void_reason is not None

    @property
    def can_approve(self) -> bool:
        """True if Approve would be taken now: armed, possible, and everything has been seen."""
        return (
            self.is_armed
            and not self._is_answered
            and not self.is_void
            and self.is_active
            and is_ready(self.question)
            and self._box.sheet.end_seen
            and self._box.sheet.is_visible
        )

    def limit(self, decision_seconds: float) -> None:
        """Another time limit, from now on."""
        self._decision_seconds = decision_seconds
        self.last_sign = self.now()

    def set_waiting(self, count: int) -> None:
        """Show another count of waiting questions; nothing else moves."""
        self._waiting = count
        self.draw()

    def answer_simulated(self, decision: Decision) -> None:
        """Take the decision of a simulated person, as set on the command line.

        No stillness is needed, since a simulation cannot press a key by mistake. The first answer
        counts, and a void request stays void.
        """
        if not self.is_void:
            self._answer(decision)

    def void(self, reason: str) -> None:
        """The call is no longer possible, for good; `reason` is in Signoff's words."""
        if self._is_answered or self.is_void:
            return
        self._void_reason = visible(reason)
        self._box.make_void(self._void_reason)
        if self.is_mounted:
            self._lay_out()
            self.restart()

    def compose(self) -> ComposeResult:
        # The keys of the screen below are not those that work now.
        yield Static(id="footer-cover")
        yield self._box

    def on_mount(self) -> None:
        self._painted_at = self.now()
        # A key held since before may be silent for as long as it takes to repeat.
        chord_at = getattr(self.app, "last_chord_at", -math.inf)
        self.was_typed_into = self._painted_at - chord_at < HELD_AFTER
        self._lay_out()
        self.restart()
        self.clock.wake(self, self.tick)

    def on_resize(self, event: events.Resize) -> None:
        if event.size != self._laid_out_for:
            self._lay_out()
        self.restart()

    def on_guarded_button_pressed(self, message: GuardedButton.Pressed) -> None:
        message.stop()
        if not self.is_armed:
            return
        if message.button is self._box.approve:
            self._approve()
        else:
            self._press_other(message.button)

    def on_choice_row_picked(self, message: ChoiceRow.Picked) -> None:
        message.stop()
        if self.is_armed and not self.is_void:
            self._chose(self._box.remember.pick(message.index))
            self.disturb()

    def on_sheet_view_moved(self, message: SheetView.Moved) -> None:
        message.stop()
        self.draw()

    def action_deny(self) -> None:
        if self.is_armed:
            self.leave_at_once()

    def leave_at_once(self) -> None:
        closed = self._void_reason or ""
        is_of_server = isinstance(self.question, AboutElicitation | AboutSampling)
        # Closed without a choice is an answer of its own to what a server asks.
        answer = DecisionAnswer.CANCEL if is_of_server else DecisionAnswer.DENY
        self._answer(Decision(answer, "you", closed))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "edit":
            # Of a call the button alone: there the key would deny.
            is_of_server = isinstance(self.question, AboutElicitation | AboutSampling)
            return is_of_server and self.question.can_edit
        return super().check_action(action, parameters)

    def action_edit(self) -> None:
        if self.is_armed and not self.is_void:
            self._answer(Decision(DecisionAnswer.EDIT, "you"))

    def action_press(self) -> None:
        if self.focused is not self._box.approve:
            self.action_press_other()
        elif self.can_approve:
            self.was_too_soon = not self.keys.press(self.focused_since)

    def action_press_other(self) -> None:
        """Space is typed in every sentence: it presses any button but the one that approves."""
        self._was_space = self.focused is self._box.approve
        silent = (self._box.approve, self._box.remember.choices)
        if self.is_armed and self.focused not in silent:
            self._press_other(self.focused)

    def action_chord(self) -> None:
        if self.can_approve and is_strongest(self.question):
            self._no_chord_at = self.keys.newest
        if not self.can_approve or is_strongest(self.question):
            return
        if self._box.takes_one_press:
            self.was_too_soon = not self.keys.press_once()
        else:
            self.keys.press_chord()

    def action_move(self, step: int, goes_round: bool = False) -> None:
        if self.is_armed:
            self.step_focus(self._box.stops, step, goes_round=goes_round)

    def action_aside(self, step: int) -> None:
        if self.focused is self._box.remember.choices:
            self._step_choice(step)
        else:
            self.action_move(step)

    def action_vertical(self, step: int) -> None:
        if self.focused is self._box.remember.choices:
            self._step_choice(step)
        else:
            self.action_scroll_sheet("down" if step > 0 else "up")

    def action_scroll_sheet(self, where: str) -> None:
        if self.is_armed:
            getattr(self._box.sheet, f"scroll_{where}")(animate=False)

    def action_in_full(self) -> None:
        if self.is_armed:
            self._in_full = not self._in_full
            if self._lay_out():
                self.restart()
            if self._in_full:
                self.call_after_refresh(self._box.show_rest)
            else:
                self._box.sheet.scroll_home(animate=False)

    def _step_choice(self, step: int) -> None:
        """Another choice, by a key that is not merely held down."""
        if self.is_armed and not self.keys.is_repeat():
            self._chose(self._box.remember.step(step))

    def _chose(self, has_moved: bool) -> None:
        """Take another choice of what to remember; ignore input again if anything moved."""
        self.keys.reset()
        if not has_moved:
            self._box.label_approve(self._laid_out_for)
            self.draw()
            return
        focused = self.focused
        self._lay_out()
        self.restart()
        if focused is self._box.remember.choices:
            self.set_focus(focused, scroll_visible=False)

    def _press_other(self, button: Widget | None) -> None:
        """Press another button than Approve; unknown ones deny."""
        if button is self._box.edit and not self.is_void:
            self._answer(Decision(DecisionAnswer.EDIT, "you"))
        elif button is self._box.deny_session and not self.is_void:
            self._answer(replace(deny("you", "denied for this session"), for_session=True))
        else:
            self._answer(deny("you", self._void_reason or ""))

    def _approve(self) -> None:
        if not self.can_approve:
            return
        decision = replace(approve("you"), remember=self._box.remember.remember)
        if isinstance(self.question, AboutElicitation | AboutSampling):
            decision = replace(decision, answer_sent=self.question.snapshot)
        self._answer(decision)

    def _answer(self, decision: Decision) -> None:
        """The first answer counts."""
        if self._is_answered:
            return
        self._is_answered = True
        decision = replace(decision, seconds=self.now() - self._painted_at)
        if self.is_active:
            self.dismiss(decision)
            return
        # The palette or the help may be on top; the time limit does not wait for them.
        self.pop_until_active()
        self.app.call_later(self.dismiss, decision)

    def tick(self) -> None:
        now = self.now()
        if now >= self._deadline:
            self._answer(deny("time limit", self._void_reason or ""))
            return
        self.look()
        if self.keys.is_settled(now) and self.can_approve:
            self._approve()
            return
        self.draw()

    @property
    def first_stop(self) -> Widget:
        return self._box.deny

    @property
    def _deadline(self) -> float:
        return max(self._painted_at, self.last_sign) + self._decision_seconds

    def _lay_out(self) -> bool:
        self._laid_out_for = self.app.size
        changed = self._box.lay_out(self._laid_out_for, in_full=self._in_full)
        if self.last_click is not None:
            self.call_after_refresh(self._box.keep_off, self.last_click)
        self.draw()
        return changed

    def draw(self) -> None:
        self._box.was_typed_into = self.was_typed_into
        self._box.arm(self.is_armed, self.can_approve, self.filled)
        self._box.sheet.is_deaf = not self.may_scroll
        self._box.draw_status(self._status())
        self._box.draw_top(self._deadline - self.now(), self._waiting)

    def _status(self) -> tuple[str, ...]:
        """Conditions that the buttons wait for, longest wording first."""
        if deaf := self.hearing_words:
            return deaf
        if self.is_void:
            return ()
        if not is_ready(self.question):
            return self._words.unready
        if not self._box.sheet.end_seen:
            return self._words.unseen
        if self.keys.is_waiting():
            return (f"{self._words.doing} - any key stops it", self._words.doing)
        if self.was_too_soon:
            return TOO_SOON
        if self._no_chord_at == self.keys.newest:
            return ("ctrl+y does not approve a changed tool: use the button", "use the button")
        if self._was_space and self.focused is self._box.approve:
            return ("press enter, not space", "enter, not space")
        if self.keys.is_chord_open(self.now()) and not self._box.takes_one_press:
            does = self._words.does
            if self._box.remember.remember.scope is not Scope.ONCE:
                does = f"{does} and remember"
            if self.keys.is_chord_hurried:
                return (f"Too fast. Wait, then press ctrl+y again to {does}.", "wait, then ctrl+y")
            left = self.keys.chord_left(self.now())
            why = f"{self.keys.lapse}: " if self.keys.lapse else ""
            again = f"press ctrl+y again within {left} s to {does}"
            return (f"{why}{again}", again, f"ctrl+y again, {left} s", "ctrl+y again")
        if self.focused is self._box.deny_session:
            return self._words.denied
        return ()
