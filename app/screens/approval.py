"""The confirmation dialog: one call, everything about it, and a decision that has to be meant."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Offset, Size
from textual.screen import ModalScreen

from app.core.approval import (
    DECISION_SECONDS,
    QUIET_SECONDS,
    Decision,
    DecisionAnswer,
    Question,
    QuietGuard,
    approve,
    deny,
)
from app.core.text import visible
from app.screens.approval_box import ApprovalBox
from app.screens.deliberation import Deliberation
from widgets.guarded_button import GuardedButton
from widgets.sheet_view import SheetView

_TICK = 0.05


class ApprovalDialog(ModalScreen[Decision], inherit_bindings=False):
    """Asks about one call; the result is a Decision by `you` or by the `time limit`.

    It is deaf until keyboard and mouse have been quiet for `quiet_seconds`, and again after every
    change of its layout. `last_click` is where the mouse was last pressed, in cells of the screen:
    Approve never appears there. `clock` gives monotonic seconds.
    """

    AUTO_FOCUS = ""
    ALLOW_SELECT = False
    ESCAPE_TO_MINIMIZE = False
    CSS_PATH = "approval.tcss"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+c,ctrl+q", "deny", "Deny", id="approval.deny"),
        Binding("tab,right", "move(1)", "Next button", id="approval.next"),
        Binding("shift+tab,left", "move(-1)", "Previous button", id="approval.previous"),
        Binding("enter,space", "press", "Press the button"),
        Binding(
            "ctrl+y", "chord", "Approve", tooltip="Twice, with a pause in between, approves once."
        ),
        Binding("v", "description", "Whole description", id="approval.description"),
        Binding("down", "scroll_sheet('down')", "Scroll down", show=False),
        Binding("up", "scroll_sheet('up')", "Scroll up", show=False),
        Binding("pagedown", "scroll_sheet('page_down')", "Page down", show=False),
        Binding("pageup", "scroll_sheet('page_up')", "Page up", show=False),
        Binding("end", "scroll_sheet('end')", "To the end", show=False),
        Binding("home", "scroll_sheet('home')", "To the beginning", show=False),
    ]

    def __init__(
        self,
        question: Question,
        *,
        waiting: int = 0,
        last_click: Offset | None = None,
        clock: Callable[[], float] = time.monotonic,
        quiet_seconds: float = QUIET_SECONDS,
        decision_seconds: float = DECISION_SECONDS,
    ) -> None:
        super().__init__()
        self.question = question
        self._waiting = waiting
        self._last_click = last_click
        self._clock = clock
        self._guard = QuietGuard(quiet_seconds)
        self._keys = Deliberation()
        self._decision_seconds = decision_seconds
        self._deadline = clock() + decision_seconds
        self._focused_since = -math.inf
        self._was_quiet = False
        self._is_armed = False
        self._is_answered = False
        self._void_reason: str | None = None
        self._whole_description = False
        self._too_soon = False
        self._laid_out_for: Size | None = None
        self._box = ApprovalBox(question)

    @property
    def waiting(self) -> int:
        """How many other questions wait behind this one."""
        return self._waiting

    @property
    def is_armed(self) -> bool:
        """Whether keys and clicks are heard."""
        return self._is_armed

    @property
    def is_void(self) -> bool:
        return self._void_reason is not None

    @property
    def can_approve(self) -> bool:
        """Whether Approve would be taken now: heard, possible, and everything has been seen."""
        return (
            self._is_armed
            and not self._is_answered
            and not self.is_void
            and self.is_active
            and self._box.sheet.end_seen
            and self._box.sheet.is_visible
        )

    def set_waiting(self, count: int) -> None:
        """Show another count of waiting questions; nothing else moves."""
        self._waiting = count
        self._draw()

    def void(self, reason: str) -> None:
        """The call is no longer possible, for good; `reason` is in Signoff's words."""
        if self._is_answered or self.is_void:
            return
        self._void_reason = visible(reason)
        self._box.make_void(self._void_reason)
        if self.is_mounted:
            self._lay_out()
            self._restart()

    def compose(self) -> ComposeResult:
        yield self._box

    def on_mount(self) -> None:
        self._deadline = self._clock() + self._decision_seconds
        self._lay_out()
        self._restart()
        self.set_interval(_TICK, self._tick)
        self.watch(self.app, "app_focus", self._restart, init=False)

    def on_resize(self, event: events.Resize) -> None:
        if event.size != self._laid_out_for:
            self._lay_out()
        self._restart()

    def on_screen_resume(self) -> None:
        self._restart()

    async def on_key(self, event: events.Key) -> None:
        """Every key ends here: what is bound acts if the dialog hears it, the rest is lost."""
        event.stop()
        event.prevent_default()
        now = self._clock()
        if not self._is_armed:
            self._swallow(now)
            return
        self._keys.hear(now)
        self._too_soon = False
        active = self.active_bindings.get(event.key)
        if active is not None and active.node is self:
            await self.run_action(active.binding.action)
        self._draw()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._last_click = event.screen_offset
        self._keys.reset()
        self._lose(event)

    @on(events.MouseUp)
    @on(events.MouseScrollDown)
    @on(events.MouseScrollUp)
    @on(events.Paste)
    def _lose(self, event: events.Event) -> None:
        """What does nothing here, but shows that somebody is busy with something else."""
        event.stop()
        if not self._is_armed:
            self._swallow(self._clock())

    def on_descendant_focus(self) -> None:
        self._focused_since = self._clock()

    def on_guarded_button_pressed(self, message: GuardedButton.Pressed) -> None:
        message.stop()
        if not self._is_armed:
            return
        if message.button is self._box.deny:
            self._answer(deny("you", self._void_reason or ""))
        elif message.button is self._box.edit and not self.is_void:
            self._answer(Decision(DecisionAnswer.EDIT, "you"))
        elif message.button is self._box.approve and self.can_approve:
            self._answer(approve("you"))

    def on_sheet_view_moved(self, message: SheetView.Moved) -> None:
        message.stop()
        self._draw()

    def action_deny(self) -> None:
        if self._is_armed:
            self._answer(deny("you", self._void_reason or ""))

    def action_press(self) -> None:
        if not self._is_armed:
            return
        if self.focused is self._box.edit and not self.is_void:
            self._answer(Decision(DecisionAnswer.EDIT, "you"))
        elif self.focused is not self._box.approve:
            self.action_deny()
        elif self.can_approve:
            self._too_soon = not self._keys.press(self._focused_since)

    def action_chord(self) -> None:
        if self.can_approve:
            self._keys.press_chord()

    def action_move(self, step: int) -> None:
        if not self._is_armed:
            return
        buttons = self._box.buttons
        at = buttons.index(self.focused) if self.focused in buttons else -step
        self.set_focus(buttons[(at + step) % len(buttons)], scroll_visible=False)

    def action_scroll_sheet(self, where: str) -> None:
        if self._is_armed:
            getattr(self._box.sheet, f"scroll_{where}")(animate=False)

    def action_description(self) -> None:
        if self._is_armed:
            self._whole_description = not self._whole_description
            if self._lay_out():
                self._restart()

    def _answer(self, decision: Decision) -> None:
        """The first answer counts."""
        if self._is_answered:
            return
        self._is_answered = True
        if self.is_active:
            self.dismiss(decision)
            return
        # The palette or the help may stand on top; the time limit does not wait for them.
        self.pop_until_active()
        self.app.call_later(self.dismiss, decision)

    def _tick(self) -> None:
        now = self._clock()
        if now >= self._deadline:
            self._answer(deny("time limit", self._void_reason or ""))
            return
        # Armed only by the second look in a row: what was typed while the program was busy is
        # still in the queue at the first one, and is heard before the second.
        is_quiet = self._guard.is_armed(now)
        if is_quiet and self._was_quiet and not self._is_armed and self.is_active:
            self._arm(True)
        self._was_quiet = is_quiet
        if self._keys.is_settled(now) and self.can_approve:
            self._answer(approve("you"))
            return
        self._draw()

    def _swallow(self, now: float) -> None:
        self._guard.restart(now)
        self._was_quiet = False

    def _restart(self) -> None:
        """Painted anew or laid out anew: deaf again, and back to Deny."""
        self._guard.restart(self._clock())
        self._was_quiet = False
        self._keys.reset()
        self._arm(False)
        self.set_focus(self._box.deny, scroll_visible=False)

    def _arm(self, is_armed: bool) -> None:
        self._is_armed = is_armed
        self._box.sheet.is_deaf = not is_armed
        self._draw()

    def _lay_out(self) -> bool:
        self._laid_out_for = self.app.size
        changed = self._box.lay_out(self._laid_out_for, whole_description=self._whole_description)
        if self._last_click is not None:
            self.call_after_refresh(self._box.keep_off, self._last_click)
        self._draw()
        return changed

    def _draw(self) -> None:
        self._box.deny.is_armed = self._is_armed
        self._box.edit.is_armed = self._is_armed
        self._box.approve.is_armed = self.can_approve
        self._box.draw_divider(self._status())
        self._box.draw_top(self._deadline - self._clock(), self._waiting)

    def _status(self) -> tuple[str, ...]:
        """What the buttons wait for, the longest wording first."""
        if not self._is_armed:
            return ("one moment", "wait")
        if self.is_void:
            return ()
        if not self._box.sheet.end_seen:
            return ("Approve waits until the end has been seen", "not all seen yet", "not seen")
        if self._keys.is_waiting():
            return ("approving",)
        if self._too_soon:
            return ("too soon after the last key: press it once more", "too soon: once more")
        if self._keys.is_chord_open(self._clock()):
            return ("ctrl+y once more approves", "ctrl+y again")
        return ()
