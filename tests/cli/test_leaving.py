"""The end of the process: what still happens at it, and what nobody waits for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.started_anew


def ended(code: str, *words: str, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    """What a program of its own wrote, and how it ended."""
    env = None if home is None else {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=150, env=env
    )


@pytest.mark.slow
def test_the_interpreter_is_not_taken_apart(tmp_path: Path) -> None:
    code = """
import os, signoff.app.cli.main
class Kept:
    def __del__(self, write=os.write):
        write(2, b"taken apart")
kept = Kept()
signoff.app.cli.main.main()
"""
    result = ended(code, "policy", "list", home=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert "annotations" in result.stdout


def test_threads_exit_handlers_and_output_are_done_first() -> None:
    code = """
import atexit, sys, threading, time
from signoff.app.cli.process import end_process
def work():
    time.sleep(0.2)
    print("thread")
atexit.register(print, "handler")
threading.Thread(target=work).start()
sys.stderr.write("error")
end_process(5)
"""
    result = ended(code)
    assert (result.returncode, result.stderr) == (5, "error")
    assert result.stdout.split() == ["thread", "handler"]


@pytest.mark.parametrize("missing", ["threading._shutdown", "atexit._run_exitfuncs"])
def test_a_python_without_the_quick_way_ends_in_its_own(missing: str) -> None:
    code = f"""
import atexit, threading
from signoff.app.cli.process import end_process
atexit.register(print, "handler")
del {missing}
end_process(5)
"""
    result = ended(code)
    assert (result.returncode, result.stdout) == (5, "handler\n")


def test_a_reader_of_the_output_who_left_is_no_fault(tmp_path: Path) -> None:
    code = """
import os, sys
from signoff.app.cli.process import end_process
ours, theirs = os.pipe()
os.close(ours)
os.dup2(theirs, 1)
print("lost")
end_process(3)
"""
    result = ended(code, home=tmp_path)
    assert (result.returncode, result.stderr) == (3, "")
