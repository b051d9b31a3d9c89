"""Starts a program on the far end of a pseudo-terminal."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.forking.popen import TAKE_TERMINAL

_ROOT = Path(__file__).resolve().parents[2]


def start(
    argv: Sequence[str],
    slave: int,
    home: Path,
    extra: Mapping[str, str],
    cwd: Path | None,
    *,
    takes_terminal: bool = True,
    stdout: int | None = None,
) -> subprocess.Popen[bytes]:
    """Run `argv` with the terminal `slave` as its own and `home` as its home.

    `extra` adds to the few environment variables it gets; `cwd` None means the home folder.
    `takes_terminal` False: it reads and writes the terminal without being its session, so that
    nobody sends SIGHUP when it goes. `stdout` is another descriptor for its standard output.
    """
    taking = [sys.executable, "-I", "-S", "-c", TAKE_TERMINAL] if takes_terminal else []
    return subprocess.Popen(
        [*taking, *argv],
        stdin=slave,
        stdout=slave if stdout is None else stdout,
        stderr=slave,
        env=_environment(home) | dict(extra),
        cwd=cwd or home,
        start_new_session=True,
    )


def _environment(home: Path) -> dict[str, str]:
    own = {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(_ROOT),
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "TEXTUAL_ANIMATIONS": "none",
        "HOME": str(home),
        "TMPDIR": tempfile.gettempdir(),
    }
    return own | {
        f"XDG_{name}_HOME": str(home / name.lower())
        for name in ("CONFIG", "DATA", "STATE", "CACHE")
    }
