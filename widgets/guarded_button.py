"""A button that is pressed only by a whole click of the left button, and only while armed.

The keyboard is not its business: whoever owns it decides which key presses count.
"""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget


class GuardedButton(Widget, can_focus=True):
    """One line of text; focus shows as a pair of arrows and inverse, so without colour too."""

    DEFAULT_CSS = """
    GuardedButton {
        width: auto;
        height: 1;
        content-align-horizontal: center;
        pointer: pointer;
        color: $foreground;
        background: $foreground 10%;
        &:hover { background: $foreground 20%; }
        &:focus { text-style: bold reverse; }
        &.-idle { color: $foreground 40%; pointer: default; }
        &.-idle:hover { background: $foreground 10%; }
    }
    """

    ALLOW_SELECT = False

    label: reactive[str] = reactive("", layout=True)
    is_armed: reactive[bool] = reactive(False)
    """Whether it can be pressed now."""
    room: reactive[int] = reactive(3, layout=True)
    """Cells on either side of the label; without any, focus is inverse only."""

    class Pressed(Message):
        def __init__(self, button: GuardedButton) -> None:
            super().__init__()
            self.button = button

        @property
        def control(self) -> GuardedButton:
            return self.button

    def __init__(self, label: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.set_reactive(GuardedButton.label, label)
        self._is_down = False

    def on_mount(self) -> None:
        self.set_class(not self.is_armed, "-idle")

    def render(self) -> Content:
        left, right = "▸◂" if self.has_focus else "  "
        return Content(
            f"{left:^{self.room}}{self.label}{right:^{self.room}}" if self.room else self.label
        )

    def focus_on_click(self) -> bool:
        """A click presses or does nothing; it never prepares the next key."""
        return False

    def watch_is_armed(self, is_armed: bool) -> None:
        self._is_down = False
        self.set_class(not is_armed, "-idle")

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._is_down = self.is_armed and event.button == 1

    def on_leave(self) -> None:
        self._is_down = False

    def on_mouse_up(self, event: events.MouseUp) -> None:
        was_down, self._is_down = self._is_down, False
        if was_down and self.is_armed and event.button == 1:
            self.post_message(self.Pressed(self))
