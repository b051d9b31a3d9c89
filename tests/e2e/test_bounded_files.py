"""Options that take a file: neither a pipe nor an endless device holds a command up."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from signoff.app.platforms import files
from tests.cli.running import run

DEMO = ("--no-audit", "--no-memory", "demo")
COMMANDS = {
    "wire": ("wire", "FILE"),
    "replay": ("replay", "FILE"),
    "compat": ("compat", "--capture-file", "FILE"),
    "inputs": ("compat", "--approve", "never", "--tools", "*", "--inputs", "FILE", *DEMO),
    "args": ("call", "echo", "--args", "@FILE", *DEMO),
    "answer": ("call", "echo", "--answer", "FILE", *DEMO),
    "name=@": ("call", "echo", "text=@FILE", *DEMO),
    "definitions": ("lint", "--definitions", "FILE"),
    "pin": ("diff", "--pin", "FILE", *DEMO),
    "baseline": ("decide", "--baseline", "FILE", *DEMO),
    "expected": ("matrix", "--expect-decisions", "FILE", *DEMO),
    "policy": ("tools", "--policy", "FILE", *DEMO),
    "flow": ("test", "FILE"),
    "config": ("tools", "--config", "FILE", "--server", "x"),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=list(COMMANDS))
@pytest.mark.parametrize("kind", ["pipe", "zero"])
def test_a_file_option_ends_with_an_error(
    kind: str, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has neither")
    monkeypatch.setattr(files, "PIPE_SECONDS", 0.2)
    path = "/dev/zero"
    if kind == "pipe":
        path = str(tmp_path / "pipe")
        os.mkfifo(path)
    given = [word.replace("FILE", path) for word in words]
    ended = run(tmp_path, *given)
    assert ended.status not in (0, 70), ended.stdout
    assert "Traceback" not in ended.stderr
