"""Opening a part in the system's viewer: asked first, and only for what is looked at, not run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Offset
from textual.widgets import Static

from app.core.answers.openable import Openable
from app.core.approvals.approval import QUIET_SECONDS
from app.core.text import size, visible
from app.screens.guarded_dialog import GuardedDialog
from widgets.guarded_button import GuardedButton

_TICK = 0.05


class NoViewer(Exception):
    """Nothing here opens files; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def viewer_program() -> str:
    """The path of the program that opens a file in whatever the desktop has for it.

    Raises NoViewer.
    """
    if sys.platform == "win32":
        raise NoViewer("this works on Linux and macOS only; s saves it")
    is_mac = sys.platform == "darwin"
    name = "open" if is_mac else "xdg-open"
    # Without a desktop it would start a browser in this very terminal.
    if not is_mac and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise NoViewer("there is no desktop here (neither DISPLAY nor WAYLAND_DISPLAY); s saves it")
    found = shutil.which(name)
    if found is None:
        raise NoViewer(f"{name} is not installed; s saves it")
    return found


def start_viewer(program: str, file: Path) -> None:
    """Start it apart from this terminal and do not wait for it. Raises NoViewer."""
    try:
        subprocess.Popen(
            [program, str(file)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as problem:
        raise NoViewer(visible(problem.strerror or type(problem).__name__)) from None


class ViewerDialog(GuardedDialog[bool], inherit_bindings=False):
    """Names the file, the program and the type. What is risky is asked for a second time."""

    DEFAULT_CSS = """
    ViewerDialog { align: center middle; background: $background 70%; }
    ViewerDialog > Vertical {
        width: 90%; max-width: 90; height: auto;
        border: round $warning; background: $surface; padding: 0 1;
    }
    ViewerDialog Static { height: auto; }
    ViewerDialog Horizontal { height: 1; margin-top: 1; }
    ViewerDialog #spacer { width: 1fr; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+c,ctrl+q", "leave", "Do not open", id="viewer.leave"),
        Binding("tab,right", "move", "Next button", id="viewer.next"),
        Binding("shift+tab,left", "move", "Previous button", id="viewer.previous"),
        Binding("enter,space", "press", "Press the button"),
    ]

    def __init__(
        self,
        what: str,
        found: Openable,
        file: Path,
        amount: int,
        program: str,
        *,
        last_click: Offset | None = None,
        clock: Callable[[], float] = time.monotonic,
        quiet_seconds: float = QUIET_SECONDS,
    ) -> None:
        super().__init__(clock, quiet_seconds, last_click)
        self._what = what
        self._found = found
        self._file = file
        self._amount = amount
        self._program = program
        self._is_warned = False
        self._is_answered = False
        self.leave = GuardedButton("Do not open", id="leave")
        self.open = GuardedButton("Open", id="open")

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content(f"Open {self._what} in another program?")
            yield Static(classes="sheet", markup=False)
            yield Static(classes="status", markup=False)
            with Horizontal():
                yield self.leave
                yield Static(id="spacer")
                yield self.open

    @property
    def first_stop(self) -> GuardedButton:
        return self.leave

    @property
    def can_open(self) -> bool:
        return self.is_armed and self.is_active and not self._is_answered

    def on_mount(self) -> None:
        self._lay_out()
        self.restart()
        self.set_interval(_TICK, self._tick)

    def on_resize(self, event: events.Resize) -> None:
        self.restart()

    def on_guarded_button_pressed(self, message: GuardedButton.Pressed) -> None:
        message.stop()
        if message.button is self.open and self.can_open:
            self._open()
        elif self.is_armed:
            self._answer(False)

    def action_leave(self) -> None:
        if self.is_armed:
            self._answer(False)

    def action_move(self) -> None:
        if self.is_armed:
            other = self.leave if self.focused is self.open else self.open
            self.set_focus(other, scroll_visible=False)

    def action_press(self) -> None:
        if not self.is_armed:
            return
        if self.focused is self.open:
            self.was_too_soon = not self.keys.press(self.focused_since)
        else:
            self._answer(False)

    def draw(self) -> None:
        self.leave.is_armed = self.is_armed
        self.open.is_armed = self.can_open
        words = ""
        if not self.is_armed:
            words = "one moment"
        elif self.was_too_soon:
            words = "too soon after the last key: press it once more"
        self.query_one(".status", Static).update(Content.styled(words, "$foreground 60%"))

    def _tick(self) -> None:
        self.look()
        if self.keys.is_settled(self.clock()) and self.can_open:
            self._open()
        else:
            self.draw()

    def _open(self) -> None:
        if self._found.warning and not self._is_warned:
            self._is_warned = True
            self._lay_out()
            self.restart()
            return
        self._answer(True)

    def _answer(self, is_open: bool) -> None:
        """The first answer counts."""
        if not self._is_answered:
            self._is_answered = True
            self.dismiss(is_open)

    def _lay_out(self) -> None:
        found = self._found
        rows: list[str | tuple[str, str]] = [
            ("A server wrote this, and the program that opens it does not know.\n\n", ""),
            ("type     ", "$foreground 60%"),
            (f"{found.found}, by its first bytes\n", "bold"),
        ]
        if found.disagreement:
            rows.append((f"         ▲ {found.disagreement}\n", "bold $text-warning"))
        rows += [
            ("file     ", "$foreground 60%"),
            f"{visible(str(self._file))}, {size(self._amount)}\n",
            ("program  ", "$foreground 60%"),
            f"{visible(self._program)}\n\n",
            ("It starts what your desktop has for this type. The file goes when Signoff ends.", ""),
        ]
        if found.warning:
            rows.append((f"\n\n▲ {found.warning}", "bold $text-warning"))
        if self._is_warned:
            rows.append(("\nOpen it all the same?", "bold $text-error"))
            self.open.label = "Open all the same"
        self.query_one(".sheet", Static).update(Content.assemble(*rows))
