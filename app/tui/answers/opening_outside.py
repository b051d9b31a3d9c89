"""Opening a part in the system's viewer: asked first, and only for what is looked at, not run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from textual.content import Content

from ...content.text import size, visible
from ...platforms.processes import APART
from ..approving.two_buttons import TwoButtonDialog
from .openable import Openable


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
            **APART,
        )
    except OSError as problem:
        raise NoViewer(visible(problem.strerror or type(problem).__name__)) from None


class ViewerDialog(TwoButtonDialog):
    """Names the file, the program and the type. What is risky is asked for a second time.

    `guard`: what TwoButtonDialog takes by name.
    """

    def __init__(
        self, what: str, found: Openable, file: Path, amount: int, program: str, **guard: Any
    ) -> None:
        super().__init__(f"Open {what} in another program?", "Do not open", "Open", **guard)
        self._found = found
        self._file = file
        self._amount = amount
        self._program = program
        self._is_warned = False

    def confirm(self) -> bool:
        if self._is_warned or not self._found.warning:
            return True
        self._is_warned = True
        self.does.label = "Open all the same"
        return False

    def sheet(self) -> Content:
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
        return Content.assemble(*rows)
