"""A guarded dialog with two buttons: leave, and do it."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Offset
from textual.widgets import Static

from ....widgets.bindings import bindings_of
from ....widgets.buttons import GuardedButton, reserve_bar
from ...approval.approval import QUIET_SECONDS
from .clock import Clock
from .guarded_dialog import TOO_SOON, GuardedDialog


class TwoButtonDialog(GuardedDialog[bool], inherit_bindings=False):
    """The result is True to do it; `leave` and `does` label the buttons.

    A subclass gives the text in `sheet`, and may ask again in `confirm`.
    """

    DEFAULT_CSS = """
    TwoButtonDialog { align: center middle; background: $background 70%; }
    TwoButtonDialog > Vertical {
        width: 90%; max-width: 90; height: auto;
        border: round $warning; background: $surface; padding: 0 1;
    }
    TwoButtonDialog Static { height: auto; }
    TwoButtonDialog .status { height: 1; }
    TwoButtonDialog Horizontal { height: 1; }
    TwoButtonDialog #spacer { width: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("two_buttons")

    def __init__(
        self,
        title: str,
        leave: str,
        does: str,
        *,
        last_click: Offset | None = None,
        clock: Clock | None = None,
        quiet_seconds: float = QUIET_SECONDS,
    ) -> None:
        super().__init__(clock, quiet_seconds, last_click)
        self._title = title
        self._is_answered = False
        self.leave = GuardedButton(leave, id="leave")
        self.does = GuardedButton(does, id="does")

    def sheet(self) -> Content:
        """Everything that has to be known before it is done."""
        raise NotImplementedError

    def confirm(self) -> bool:
        """True if a press is enough; else the sheet and the button can show the reason."""
        return True

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content(self._title)
            yield Static(classes="sheet", markup=False)
            yield Static(classes="status", markup=False)
            with Horizontal():
                yield self.leave
                yield Static(id="spacer")
                yield self.does

    @property
    def first_stop(self) -> GuardedButton:
        return self.leave

    @property
    def can_do(self) -> bool:
        """True if the second button would be taken now."""
        return self.is_armed and self.is_active and not self._is_answered

    def on_mount(self) -> None:
        self._show_sheet()
        self.restart()
        self.clock.wake(self, self.tick)

    def on_resize(self, event: events.Resize) -> None:
        reserve_bar((self.leave, self.does), self.query_one(Horizontal).size.width)
        self.restart()

    def on_guarded_button_pressed(self, message: GuardedButton.Pressed) -> None:
        message.stop()
        if message.button is self.does and self.can_do:
            self._confirm_and_answer()
        elif self.is_armed:
            self._answer(False)

    def action_leave(self) -> None:
        if self.is_armed:
            self.leave_at_once()

    def leave_at_once(self) -> None:
        self._answer(False)

    def action_move(self, step: int, goes_round: bool = False) -> None:
        if self.is_armed:
            self.step_focus((self.leave, self.does), step, goes_round=goes_round)

    def action_press(self) -> None:
        if self.is_armed and self.focused is self.does:
            self.was_too_soon = not self.keys.press(self.focused_since)
        else:
            self.action_press_leave()

    def action_press_leave(self) -> None:
        if self.is_armed and self.focused is not self.does:
            self._answer(False)

    def draw(self) -> None:
        self.leave.is_armed = self.is_armed
        self.does.is_armed = self.can_do
        self.does.filled = self.filled
        words = next(iter(self.hearing_words), "")
        if not words and self.was_too_soon:
            words = TOO_SOON[0]
        self.query_one(".status", Static).update(Content.styled(words, "bold $text-warning"))

    def tick(self) -> None:
        self.look()
        if self.keys.is_settled(self.now()) and self.can_do:
            self._confirm_and_answer()
        else:
            self.draw()

    def _confirm_and_answer(self) -> None:
        if self.confirm():
            self._answer(True)
        else:
            self._show_sheet()
            self.restart()

    def _answer(self, is_done: bool) -> None:
        """The first answer counts."""
        if not self._is_answered:
            self._is_answered = True
            self.dismiss(is_done)

    def _show_sheet(self) -> None:
        self.query_one(".sheet", Static).update(self.sheet())
