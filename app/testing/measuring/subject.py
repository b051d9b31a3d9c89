"""The host that is measured, and how it is started."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from ...content.frozen import frozen
from .drivers import Driver, HostMode, Places
from .probe import SERVER_NAME


@frozen
class Subject:
    """The host that is measured: a known one, or a command."""

    driver: Driver | None
    mode: HostMode | None
    surface: str
    command: tuple[str, ...]
    """With placeholders."""
    name: str
    title: str
    version: str
    files_from: Path | None = None
    """The folder in which a command of the person was written, on which it may depend."""
    quiet: float | None = None
    """Seconds in place of the driver's."""

    @classmethod
    def of(
        cls, driver: Driver, mode: HostMode, surface: str, program: str, version: str
    ) -> Subject:
        """A known host whose program is here."""
        named = replace(driver, program=program)
        command = tuple(word.replace("{program}", program) for word in mode.commands[surface])
        return cls(named, mode, surface, command, driver.name, driver.title, version)

    def guess(self, tool: str, server: str = "") -> tuple[str, str]:
        """The group and name by which the model would call a tool that is not offered."""
        if self.driver is None:
            return "", tool

        def filled(text: str) -> str:
            return text.replace("{server}", server or SERVER_NAME).replace("{tool}", tool)

        return filled(self.driver.tool_group), filled(self.driver.tool_name)

    def words(self, places: Places) -> list[str]:
        """The command, filled; files of the person's folder as whole paths."""
        filled = [places.fill(word) for word in self.command]
        folder = self.files_from
        return filled if folder is None else [_absolute(word, folder) for word in filled]

    @property
    def seconds(self) -> float:
        return self.driver.seconds if self.driver is not None else 180.0

    @property
    def quiet_seconds(self) -> float:
        if self.quiet is not None:
            return self.quiet
        return self.driver.quiet_seconds if self.driver is not None else 45.0


def _absolute(word: str, folder: Path) -> str:
    """A word that names a file of the person's folder as a whole path: the host runs elsewhere."""
    if not word or word.startswith("-") or os.path.isabs(word):
        return word
    found = folder / word
    is_path = os.sep in word or "." in word
    return str(found) if is_path and found.exists() else word
