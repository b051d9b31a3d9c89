"""Textual's driver for Windows consoles, which are never stopped or queried."""

from __future__ import annotations

from typing import Any, Final

from textual.app import App
from textual.drivers.windows_driver import WindowsDriver


class ConsoleDriver(WindowsDriver):
    """Textual's own, with the methods that an app needs of every driver of Signoff."""

    fileno: Final = -1
    """The terminal for the shell's job control, of which there is none."""

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        self.is_drawing = False
        """Whether the terminal belongs to Textual now, or to an editor."""

    def start_application_mode(self) -> None:
        self.is_drawing = True
        super().start_application_mode()

    def stop_application_mode(self) -> None:
        self.is_drawing = False
        super().stop_application_mode()

    def disable_mouse(self) -> None:
        """End the reports of the mouse."""
        self._disable_mouse_support()
