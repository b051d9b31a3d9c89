"""Plain mode in a real terminal: a session of lines with a server, and what it writes."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.e2e.program import signoff
from tests.e2e.terminal import Terminal
from tests.servers import raw, recorded

ARMED = r"Type approve"
ROWS = 400
"""So that nothing that was written has left the sight of the tests."""


class Scene:
    """A session of plain lines with the scripted server."""

    def __init__(self, terminal: Terminal, folder: Path) -> None:
        self.terminal = terminal
        self.record = folder / "calls"
        self.pid_file = folder / "pids"

    def type(self, line: str) -> None:
        self.terminal.send(f"{line}\r")

    def wait(self, wanted: str) -> str:
        """Wait for what comes after everything that was waited for before."""
        return self.terminal.wait_for(wanted)

    def prompts(self, name: str = "raw") -> int:
        return len(re.findall(rf"(?m)^{name}>", self.terminal.text))

    def at_prompt(self, count: int, name: str = "raw") -> str:
        return self.terminal.wait_for(lambda text: self.prompts(name) >= count)

    def reply(self, line: str, name: str = "raw") -> str:
        """Type a line, and wait for what is written up to the next prompt."""
        before = self.prompts(name)
        self.type(line)
        text = self.at_prompt(before + 1, name)
        answer = re.split(rf"(?m)^{name}>", text)[before].partition("\n")[2]
        return "\n".join(row.rstrip() for row in answer.split("\n")).strip("\n")

    @property
    def sent(self) -> list[Any]:
        return recorded(self.record) if self.record.exists() else []


@contextlib.contextmanager
def session(
    folder: Path, *switches: str, columns: int = 100, options: tuple[str, ...] = (), **more: Any
) -> Iterator[Scene]:
    files = ("--record", str(folder / "calls"), "--pid-file", str(folder / "pids"))
    argv = signoff("--plain", *options, "--", *raw(*files, *switches))
    with Terminal(argv, columns, ROWS, **more) as terminal:
        scene = Scene(terminal, folder)
        terminal.wait_for(r"connected  \d+ tools")
        scene.at_prompt(1)
        yield scene


def is_plain(raw_bytes: bytes) -> bool:
    """Whether nothing was written but lines: no escape, no cursor, no return without a new line."""
    return b"\x1b" not in raw_bytes and not re.search(rb"\r(?!\n)", raw_bytes)
