"""Signoff on the server whose definitions change, with a state folder that outlives a program."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from signoff.app.approval.grants import Grant
from signoff.app.storage.store import Store
from tests.e2e.program import HEADER_ROWS, signoff, wait_for_armed_dialog
from tests.e2e.steps import (
    ON_REMEMBER,
    OPEN_DIALOG,
    be_still,
    pid_on_screen,
    tab_to,
    wait_for_start,
)
from tests.e2e.terminal import Terminal
from tests.servers import recorded
from tests.servers import shifting as server

TOOL = "shape_shifter"
NOTICE = "Definitions changed"


class Folder:
    """What several programs share: the state folder, the shape of the tool, the calls received."""

    def __init__(self, path: Path, shape: str = "restore", state: Path | None = None) -> None:
        self.path = path
        self.record = path / "calls"
        self.state = state or path / "state"
        self._shape = path / "shape"
        self.shape(shape)

    def shape(self, name: str) -> None:
        """Let the server list another definition from now on."""
        self._shape.write_text(name, encoding="utf-8")

    @property
    def command(self) -> list[str]:
        files = (str(self._shape), str(self.record))
        return [sys.executable, "-S", str(server.__file__), *files]

    @property
    def calls(self) -> list[dict[str, Any]]:
        """What the server really received, without the line of each."""
        return recorded(self.record)

    def grants(self) -> list[Grant]:
        """All that are remembered now, the newest first, read as another Signoff would."""
        with Store.open(self.state / "signoff") as store:
            assert not store.problem
            return list(store.grants.all(time.time()))

    @property
    def log(self) -> Path:
        return self.state / "signoff" / "audit.jsonl"

    def program(
        self,
        *options: str,
        trust: bool = True,
        program: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
    ) -> Program:
        """Start Signoff; `program` replaces `python -m signoff.app`."""
        words = [*options, *(["--trust"] if trust else []), "--", *self.command]
        argv = [*program, *words] if program else signoff(*words)
        own = {"XDG_STATE_HOME": str(self.state), **(env or {})}
        return Program(Terminal(argv, env=own, cwd=self.path))


class Program:
    """A running Signoff and the moves of the one who sits before it."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.made = 0
        """Calls so far, in the program's own count."""

    def __enter__(self) -> Program:
        try:
            wait_for_start(self.terminal)
        except BaseException:
            self.terminal.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.terminal.close()

    def choose(self, tool: str = TOOL) -> None:
        """Click a tool in the list."""
        self.terminal.click(tool, below=HEADER_ROWS)
        self.terminal.wait_for(rf"╭─ {tool}\b")

    def call(self, tool: str = TOOL) -> Terminal:
        """Choose a tool and ask for a call of it."""
        self.choose(tool)
        self.terminal.press("f5")
        self.made += 1
        return self.terminal

    def ask(self, tool: str = TOOL) -> str:
        """Call a tool and wait until its question takes answers; the screen's text."""
        self.call(tool)
        return wait_for_armed_dialog(self.terminal)

    def ended(self, words: str) -> str:
        """Wait until the newest call has ended so; the screen's text."""
        assert self.made
        return self.terminal.wait_for(rf"(?s)│ {self.made}  \S+ +{words}")

    def notify(self) -> None:
        """Let the server tell that its list has changed."""
        if sys.platform == "win32":
            raise NotImplementedError
        os.kill(pid_on_screen(self.terminal), signal.SIGUSR1)

    def answered_with(self, words: str) -> str:
        """Wait until the newest call's answer says so, wrapped or not; the screen's text."""
        assert self.made
        return self.terminal.wait_for(
            lambda text: re.search(rf"^{self.made}  .*{words}", self._answer(text))
        )

    @staticmethod
    def _answer(text: str) -> str:
        """What the pane at the bottom right says, in one line."""
        rows = text.partition("─Response")[2].split("\n")[1:]
        return " ".join(row.rpartition("││")[2].strip(" │") for row in rows)

    def read_notice(self) -> None:
        """Wait for the notice that definitions have changed, and click away what there is of it."""
        self.terminal.wait_for(NOTICE)
        while count := self.terminal.text.count(NOTICE):
            self.terminal.click(NOTICE)
            self._wait_for_fewer_notices(count)

    def _wait_for_fewer_notices(self, count: int) -> None:
        self.terminal.wait_for(lambda text: text.count(NOTICE) < count)

    def remember(self, label: str) -> None:
        """In the open question, by keyboard: choose how much to remember; touch nothing else."""
        terminal = self.terminal
        focus_remember(terminal)
        for _ in range(6):
            be_still()
            if f"(•) {label}" in terminal.text:
                break
            terminal.press("right")
        terminal.wait_for(lambda text: f"(•) {label}" in text and "moment" not in text)


def focus_remember(terminal: Terminal) -> None:
    """By keyboard, from Deny: to the choices of what to remember."""
    tab_to(terminal, ON_REMEMBER)


def approve_by_chord(terminal: Terminal) -> None:
    """In a question that takes answers: ctrl+y, a pause, ctrl+y; with whatever is remembered."""
    terminal.press("ctrl+y")
    terminal.wait_for(lambda text: "ctrl+y again" in text or OPEN_DIALOG not in text)
    be_still()
    if OPEN_DIALOG in terminal.text:
        terminal.press("ctrl+y")
    terminal.wait_for(lambda text: OPEN_DIALOG not in text)


def deny(terminal: Terminal) -> None:
    """Answer the open question with Esc, once it listens, whatever would be remembered."""
    terminal.wait_for(lambda text: OPEN_DIALOG in text and "moment" not in text)
    terminal.press("escape")
    terminal.wait_for(lambda text: OPEN_DIALOG not in text)
