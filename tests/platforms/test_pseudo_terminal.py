"""A program in a pseudo-terminal has its size, and hears of another one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no pseudo-terminal", allow_module_level=True)

from signoff.app.platforms.processes import APART
from signoff.app.platforms.terminal import open_pair, set_size

PROGRAM = """
import os, signal, sys
def tell(*_):
    print(*os.get_terminal_size(0), flush=True)
signal.signal(signal.SIGWINCH, tell)
tell()
sys.stdin.readline()
"""


def test_a_program_hears_of_another_size() -> None:
    ours, other = open_pair(100, 30)
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=other, stdout=subprocess.PIPE, text=True, **APART
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "100 30\n"
        set_size(ours, 80, 24, process.pid)
        assert process.stdout.readline() == "80 24\n"
    finally:
        process.kill()
        process.communicate()
        os.close(ours)
        os.close(other)
