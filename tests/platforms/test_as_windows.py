"""Signoff without anything that Windows has not: every module, and a call from end to end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("this is Windows itself", allow_module_level=True)

from tests.platforms import as_windows
from tests.servers import raw

ROOT = as_windows.ROOT

SERVER = raw("--only", "echo")
ALWAYS = ("--approve", "always")
FOR_POSIX = {"signoff.app.tui.terminal.posix_driver"}


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    names = ("STATE", "CONFIG", "CACHE")
    return subprocess.Popen(
        [sys.executable, "-m", "tests.platforms.as_windows", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        cwd=ROOT,
        env={**os.environ, **{f"XDG_{name}_HOME": str(folder / name) for name in names}},
    )


def said(folder: Path, *words: str, typed: str = "", status: int = 0) -> str:
    with start(folder, *words) as program:
        told, _ = program.communicate(typed)
    assert program.returncode == status, told
    assert not list(folder.rglob("fault-*")), told
    return told


@pytest.mark.slow
def test_every_module_is_imported(tmp_path: Path) -> None:
    assert said(tmp_path, "--import") == ""


def test_few_modules_are_for_posix_alone() -> None:
    every = {
        ".".join(("signoff", *file.relative_to(ROOT).with_suffix("").parts))
        for top in ("app", "widgets")
        for file in ROOT.joinpath(top).rglob("*.py")
        if file.stem not in ("__init__", "__main__")
    }
    assert every - set(as_windows.modules()) == FOR_POSIX


@pytest.mark.slow
def test_a_call_is_sent_answered_and_logged(tmp_path: Path) -> None:
    told = said(tmp_path, "call", "echo", "-a", "text=heard", *ALWAYS, "--", *SERVER)
    assert "outcome  answered" in told
    assert "┃ heard\n" in told
    assert said(tmp_path, "audit", "verify").startswith("intact: ")


@pytest.mark.slow
def test_plain_mode_reads_lines_until_it_is_ended(tmp_path: Path) -> None:
    typed = "call echo\nheard\n\n\nquit\n"
    assert "  ┃ heard\n" in said(tmp_path, "--plain", "--trust", "--", *SERVER, typed=typed)
    with start(tmp_path, "--plain", "--", *SERVER) as program:
        assert program.stdout is not None
        while "list shows them" not in program.stdout.readline():
            pass
        # The signal that plays Ctrl-Break, and a console that is closed.
        program.send_signal(signal.SIGUSR2)
        program.communicate()
    assert program.returncode == 128 + signal.SIGUSR2
    assert not list(tmp_path.rglob("fault-*"))
