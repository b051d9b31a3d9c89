"""The real command in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.servers import raw

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Ended:
    """A command that has ended."""

    status: int
    stdout: str
    stderr: str

    @property
    def report(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.stdout)
        return found


class Command:
    """A running `signoff`; its caches are in `folder`."""

    def __init__(self, folder: Path, *words: str, stdin: str = "", **environment: str) -> None:
        self._stdin = stdin
        self.process = subprocess.Popen(
            [sys.executable, "-m", "signoff.app", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ
            | {"XDG_CACHE_HOME": str(folder), "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
            | environment,
            cwd=folder,
            text=True,
        )

    def end(self, seconds: float = 30) -> Ended:
        try:
            stdout, stderr = self.process.communicate(self._stdin, timeout=seconds)
        finally:
            self.process.kill()
        return Ended(self.process.returncode, stdout, stderr)


def call(tool: str, *words: str, server: tuple[str, ...] = ()) -> list[str]:
    """`signoff call TOOL ... -- SERVER`, with every tool of the scripted server."""
    return ["call", tool, *words, "--", *raw("--with", "all", *server)]


def run(folder: Path, *words: str, stdin: str = "", **environment: str) -> Ended:
    return Command(folder, *words, stdin=stdin, **environment).end()
