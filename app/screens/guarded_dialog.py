"""A dialog that hears nothing until keyboard and mouse have been quiet, and no key by accident."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, TypeVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.screen import ModalScreen
from textual.widget import Widget

from app.screens.attention import Attention
from app.screens.deliberation import Deliberation

Result = TypeVar("Result")

SHEET_KEYS: Final[list[BindingType]] = [
    Binding("pagedown", "scroll_sheet('page_down')", "Page down", show=False),
    Binding("pageup", "scroll_sheet('page_up')", "Page up", show=False),
    Binding("end", "scroll_sheet('end')", "To the end", show=False),
    Binding("home", "scroll_sheet('home')", "To the beginning", show=False),
]
"""For a dialog with more to read than there is room for; it has `action_scroll_sheet`."""


class GuardedDialog(ModalScreen[Result], inherit_bindings=False):
    """Deaf at first, and again after every change of what is on the screen.

    `clock` gives monotonic seconds; `last_click` is where the mouse was last pressed, in cells of
    the screen. Whoever inherits draws in `draw`, says where the focus begins in `first_stop`, and
    calls `look` often.
    """

    DEFAULT_CSS = "GuardedDialog Toast { display: none; }"
    AUTO_FOCUS = ""
    ALLOW_SELECT = False
    ESCAPE_TO_MINIMIZE = False

    def __init__(
        self, clock: Callable[[], float], quiet_seconds: float, last_click: Offset | None
    ) -> None:
        super().__init__()
        self.clock = clock
        self.keys = Deliberation()
        self.last_click = last_click
        self.focused_since = -math.inf
        self.was_too_soon = False
        """Whether the last press on a button came too soon to count."""
        self._attention = Attention(clock, quiet_seconds)

    @property
    def is_armed(self) -> bool:
        """Whether keys and clicks are heard."""
        return self._attention.is_armed

    @property
    def first_stop(self) -> Widget:
        """Where the focus begins, and goes back to."""
        raise NotImplementedError

    def draw(self) -> None:
        """Something that is shown may be different now."""
        raise NotImplementedError

    def restart(self) -> None:
        """Painted anew or laid out anew: deaf again, and back to where the focus begins."""
        self._attention.restart()
        self.keys.reset()
        self.draw()
        self.set_focus(self.first_stop, scroll_visible=False)

    def look(self) -> None:
        """Look at the clock: it may hear from now on."""
        self._attention.look(can_hear=self.is_active)

    def on_mount(self) -> None:
        self.watch(self.app, "app_focus", self.restart, init=False)

    def on_screen_resume(self) -> None:
        self.restart()

    async def on_key(self, event: events.Key) -> None:
        """Every key ends here: what is bound acts if the dialog hears it, the rest is lost."""
        event.stop()
        event.prevent_default()
        if not self.is_armed:
            self._attention.swallow()
            return
        self.keys.hear(self.clock())
        self.was_too_soon = False
        active = self.active_bindings.get(event.key)
        if active is not None and active.node is self:
            await self.run_action(active.binding.action)
        self.draw()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self.last_click = event.screen_offset
        self.keys.reset()
        self._lose(event)

    @on(events.MouseUp)
    @on(events.MouseScrollDown)
    @on(events.MouseScrollUp)
    @on(events.Paste)
    def _lose(self, event: events.Event) -> None:
        """What does nothing here, but shows that somebody is busy with something else."""
        event.stop()
        self._attention.swallow()

    def on_descendant_focus(self) -> None:
        self.focused_since = self.clock()
