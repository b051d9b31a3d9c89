"""Giving the terminal back to the shell, and drawing again when it says `fg`."""

from __future__ import annotations

import time

from textual.app import App

from ..platforms.jobs import stop_until_continued, why_not_suspended
from .terminal.terminal_driver import TerminalDriver


class Suspends(App[None]):
    """An app that can be stopped from its shell and from outside."""

    def was_away(self, seconds: float) -> None:
        """The whole program stood still for so long."""

    def action_suspend_process(self) -> None:
        """Give the terminal back to the shell until it says `fg`."""
        driver = self._driver
        if not isinstance(driver, TerminalDriver):
            return
        why_not = why_not_suspended(driver.fileno)
        if why_not:
            self.notify(f"Not suspended: {why_not}.", timeout=6, markup=False)
        else:
            self._suspend(driver)

    def stopped_from_outside(self) -> None:
        """Somebody sent the signal that the shell's ctrl+z sends."""
        # While an editor has the terminal, the stop is its own.
        if isinstance(self._driver, TerminalDriver) and self._driver.is_drawing:
            self.action_suspend_process()

    def continued_from_outside(self) -> None:
        """It was stopped by a signal that nobody hears, and left the terminal as it was."""
        driver = self._driver
        if isinstance(driver, TerminalDriver) and driver.is_drawing:
            driver.suspend_application_mode()
            self._draw_again(driver)

    def _suspend(self, driver: TerminalDriver) -> None:
        # Before as well: no press that waits for its stillness may find it in here.
        self.app_suspend_signal.publish(self)
        driver.suspend_application_mode()
        since = time.monotonic()
        stop_until_continued(driver.fileno)
        self.was_away(time.monotonic() - since)
        self._draw_again(driver)

    def _draw_again(self, driver: TerminalDriver) -> None:
        driver.resume_application_mode()
        self.app_resume_signal.publish(self)
        self.refresh(layout=True)
