"""Asks, once a session for each program, whether it may be started to play a server's sound."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Offset
from textual.widgets import Static

from app.core.approvals.approval import QUIET_SECONDS
from app.core.text import visible
from app.screens.guarded_dialog import GuardedDialog
from widgets.guarded_button import GuardedButton

_TICK = 0.05


class PlayDialog(GuardedDialog[bool], inherit_bindings=False):
    """`about` describes the sound, `program` is the path of the player."""

    DEFAULT_CSS = """
    PlayDialog { align: center middle; background: $background 70%; }
    PlayDialog > Vertical {
        width: 90%; max-width: 80; height: auto;
        border: round $warning; background: $surface; padding: 0 1;
    }
    PlayDialog Static { height: auto; }
    PlayDialog .status { height: 1; }
    PlayDialog Horizontal { height: 1; }
    PlayDialog #spacer { width: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+c,ctrl+q", "leave", "Do not play", id="play.leave"),
        Binding("tab,right,shift+tab,left", "move", "Other button", id="play.move"),
        Binding("enter,space", "press", "Press the button"),
    ]

    def __init__(
        self,
        about: str,
        program: str,
        *,
        last_click: Offset | None = None,
        clock: Callable[[], float] = time.monotonic,
        quiet_seconds: float = QUIET_SECONDS,
    ) -> None:
        super().__init__(clock, quiet_seconds, last_click)
        self._about = about
        self._program = program
        self._is_answered = False
        self.leave = GuardedButton("Do not play", id="leave")
        self.play = GuardedButton("Play", id="play")

    def compose(self) -> ComposeResult:
        words = Content.assemble(
            "A server made this sound; the program that plays it does not know.\n\n",
            ("sound    ", "$foreground 60%"),
            self._about,
            ("\nprogram  ", "$foreground 60%"),
            (visible(self._program), "bold"),
            "\n         gets a copy of it; it is not asked about again this session",
        )
        with Vertical() as box:
            box.border_title = Content("Play this sound?")
            yield Static(words, markup=False)
            yield Static(classes="status", markup=False)
            with Horizontal():
                yield self.leave
                yield Static(id="spacer")
                yield self.play

    @property
    def first_stop(self) -> GuardedButton:
        return self.leave

    def on_mount(self) -> None:
        self.restart()
        self.set_interval(_TICK, self._tick)

    def on_resize(self, event: events.Resize) -> None:
        self.restart()

    def on_guarded_button_pressed(self, message: GuardedButton.Pressed) -> None:
        message.stop()
        if self.is_armed:
            self._answer(message.button is self.play)

    def action_leave(self) -> None:
        if self.is_armed:
            self._answer(False)

    def action_move(self) -> None:
        if self.is_armed:
            other = self.leave if self.focused is self.play else self.play
            self.set_focus(other, scroll_visible=False)

    def action_press(self) -> None:
        if not self.is_armed:
            return
        if self.focused is self.play:
            self.was_too_soon = not self.keys.press(self.focused_since)
        else:
            self._answer(False)

    def draw(self) -> None:
        self.leave.is_armed = self.play.is_armed = self.is_armed
        words = "" if self.is_armed else "one moment"
        if self.is_armed and self.was_too_soon:
            words = "too soon after the last key: press it once more"
        self.query_one(".status", Static).update(Content.styled(words, "$foreground 60%"))

    def _tick(self) -> None:
        self.look()
        if self.keys.is_settled(self.clock()) and self.is_armed and self.is_active:
            self._answer(True)
        else:
            self.draw()

    def _answer(self, is_played: bool) -> None:
        """The first answer counts."""
        if not self._is_answered:
            self._is_answered = True
            self.dismiss(is_played)
