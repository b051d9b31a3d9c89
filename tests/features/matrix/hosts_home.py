"""A home with files of hosts that have the server `raw`, and commands that run in it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.running import Ended, run
from tests.servers import raw


class HomeWithHosts:
    """A home with files of hosts, and a project in it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.work = self.home / "work"
        (self.work / ".git").mkdir(parents=True)
        program, *args = raw()
        self.entry = {"command": program, "args": args}

    def write(self, path: str, value: object) -> Path:
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        text = value if isinstance(value, str) else json.dumps(value, indent=1)
        file.write_text(text, encoding="utf-8")
        return file

    def run(self, *words: str, server: tuple[str, ...] = ()) -> Ended:
        home = str(self.home)
        target = server or ("--", *raw())
        return run(self.work, *words, *target, HOME=home, USERPROFILE=home)
