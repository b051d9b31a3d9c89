from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from signoff.app.platforms import processes as processes_here
from signoff.app.transport.stdio.process import server_environment

PARENT = (
    "import subprocess, sys, time;"
    "c = subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(600)']);"
    "print(c.pid, flush=True); c.wait(); time.sleep(600)"
)


@pytest.fixture(params=["here", "windows"])
def processes(
    request: pytest.FixtureRequest,
) -> object:
    if request.param == "here":
        return processes_here
    return request.getfixturevalue("windows").load("processes")


def parent_and_child(
    mark: str = "", **apart: object
) -> tuple[subprocess.Popen[bytes], psutil.Process]:
    parent: subprocess.Popen[bytes] = subprocess.Popen(
        [sys.executable, "-S", "-c", PARENT],
        stdout=subprocess.PIPE,
        env={**os.environ, "THEIR_MARK": mark},
        **apart,  # type: ignore[call-overload]
    )
    assert parent.stdout is not None
    return parent, psutil.Process(int(parent.stdout.readline()))


def test_a_group_ends_with_all_that_was_started_in_it(processes: SimpleNamespace) -> None:
    parent, child = parent_and_child(**processes_here.APART)
    with parent:
        processes.end_group(parent, processes.KILL)
        processes.wait_for_end(parent)
        assert parent.wait() == -processes.KILL
        assert processes.wait_gone([child], 60)


def test_a_family_is_known_by_what_it_inherits(processes: SimpleNamespace) -> None:
    # The child is in the group of the test, so that only the variable tells whose it is.
    mark = uuid.uuid4().hex
    parent, child = parent_and_child(mark)
    with parent:
        found = processes.signal_family(parent.pid, ("THEIR_MARK", mark), signal.SIGTERM)
        assert {one.pid for one in found} == {parent.pid, child.pid}
        assert parent.wait() == -signal.SIGTERM
        assert processes.wait_gone([child], 60)


def test_a_child_that_was_just_executed_has_its_variables() -> None:
    for number in range(60):
        child = subprocess.Popen(
            [sys.executable, "-S", "-c", "import time; time.sleep(600)"],
            env={**os.environ, "THEIR_MARK": str(number)},
        )
        try:
            variables = processes_here.environment_of(psutil.Process(child.pid))
        finally:
            child.kill()
            child.wait()
        assert variables["THEIR_MARK"] == str(number)


def status_line(memory: int, env_end: int) -> bytes:
    """A line of /proc/PID/stat, of a program with a closing bracket in its name."""
    fields = ["R", *["1"] * 19, str(memory), *["7"] * 24, "0", "0", "9", str(env_end), "0"]
    return f"4711 (a) (b) {' '.join(fields)}\n".encode()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (status_line(4096, 0), True),
        (status_line(4096, 140722408230893), False),
        (status_line(0, 0), False),
        (b"4711 (short) R 1 2", False),
        (b"", False),
    ],
    ids=["being executed", "no variables", "thread of the kernel", "cut", "gone"],
)
def test_a_status_line_tells_whether_a_program_is_being_executed(
    line: bytes, expected: bool
) -> None:
    assert processes_here.is_being_executed(line) is expected


def test_who_is_not_of_the_family_is_left_alone(processes: SimpleNamespace) -> None:
    parent, child = parent_and_child()
    with parent:
        found = processes.signal_family(parent.pid, ("THEIR_MARK", "another"), processes.KILL)
        assert [one.pid for one in found] == [parent.pid]
        parent.wait()
        assert not processes.wait_gone([child], 0.1)
        child.kill()


def test_a_program_of_windows_is_known_by_its_ending(
    processes: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from signoff.app.transport.stdio import program

    monkeypatch.setattr(program, "program_files", processes.program_files)
    wanted = tmp_path / ("npx.cmd" if processes.__name__ == "processes_of_windows" else "npx")
    for name in ("npx", "npx.cmd"):
        (tmp_path / name).touch(0o700)
    environment = {"PATH": str(tmp_path), "PATHEXT": ".EXE;.CMD"}
    assert program.find_program("npx", environment) == str(wanted)
    assert program.find_program(str(tmp_path / "npx.cmd"), environment) == f"{tmp_path}/npx.cmd"
    assert program.find_program("", environment) == ""
    assert program.find_program("uvx", environment) == ""


def test_what_a_program_of_windows_needs_is_inherited(windows: SimpleNamespace) -> None:
    needed = windows.load("processes").NEEDED
    assert {"SYSTEMROOT", "PATHEXT", "TEMP", "USERPROFILE"} <= set(needed)
    assert not [name for name in needed if "KEY" in name or "TOKEN" in name]
    assert "SYSTEMROOT" not in server_environment()
