"""A copy of Signoff that a test changes, with commands that run it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.cli.running import ROOT, whole


class Copied:
    """`signoff` as a package in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.app = folder / "signoff" / "app"
        for top in ("app", "widgets"):
            hidden = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / top, folder / "signoff" / top, ignore=hidden)

    def signoff(self, *words: str, status: int = 0, **environment: str) -> str:
        """The output of a command, which has to end with this status."""
        return self.python("-m", "signoff.app", *words, status=status, **environment)

    def python(self, *words: str, status: int = 0, **environment: str) -> str:
        state = {"PYTHONPATH": str(self.folder), "XDG_STATE_HOME": str(self.folder / "state")}
        done = subprocess.run(
            [sys.executable, *words],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=whole(self.folder, {**state, **environment}),
            timeout=120,
        )
        assert done.returncode == status, done.stderr
        return done.stdout
