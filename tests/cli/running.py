"""The real command: in a process of its own, or, where that is not the point, in this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.here import run_here
from tests.servers import raw

ROOT = Path(__file__).resolve().parents[2]
START_VARIABLES = ("PYTHON", "LANG", "LC_", "TZ", "TMPDIR")
"""What Python reads once, and never again."""


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
            env=whole(folder, environment),
            cwd=folder,
            text=True,
        )

    def end(self, seconds: float = 60) -> Ended:
        try:
            stdout, stderr = self.process.communicate(self._stdin, timeout=seconds)
        finally:
            self.process.kill()
        return Ended(self.process.returncode, stdout, stderr)


def call(tool: str, *words: str, server: tuple[str, ...] = ()) -> list[str]:
    """`signoff call TOOL ... -- SERVER`, with every tool of the scripted server."""
    return ["call", tool, *words, "--", *raw("--with", "all", *server)]


def whole(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a command: that of the tests, and what is given."""
    own = {"XDG_CACHE_HOME": str(folder), "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
    return {**os.environ, **own, **environment}


def run(folder: Path, *words: str, stdin: str = "", **environment: str) -> Ended:
    """A command from its first word to its exit status, without a process of its own."""
    at_the_start = [name for name in environment if name.startswith(START_VARIABLES)]
    assert not at_the_start, f"{at_the_start} count only where a process starts: use Command"
    return Ended(*run_here(folder, words, stdin, whole(folder, environment)))
