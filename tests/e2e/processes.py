"""Is a process still there, and what else belongs to it? (Linux /proc, with os.kill elsewhere.)"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterable
from pathlib import Path

_PROC = Path("/proc")


def is_alive(pid: int) -> bool:
    """Whether the process still runs. A zombie is gone: it holds no pipe and does no work."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        if _PROC.joinpath("self").exists():
            return False
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return True
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def processes_alive(pids: Iterable[int]) -> list[int]:
    """Those of the given process ids that still run."""
    return [pid for pid in pids if is_alive(pid)]


def wait_gone(pid: int, timeout: float = 60.0) -> None:
    """Return once the process is gone.

    Raises:
        AssertionError: it still runs after `timeout` seconds.
    """
    deadline = time.monotonic() + timeout
    while is_alive(pid):
        if time.monotonic() > deadline:
            raise AssertionError(f"process {pid} still runs after {timeout} s: {_command(pid)}")
        time.sleep(0.02)


def descendants(pid: int) -> list[int]:
    """Ids of the children of a process, their children and so on, as of now."""
    children: dict[int, list[int]] = {}
    for entry in _PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            stat = (entry / "stat").read_text(encoding="utf-8", errors="replace")
            parent = int(stat.rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    found: list[int] = []
    todo = [pid]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def started_at(pid: int) -> str:
    """When the process started, in the kernel's ticks: tells it from a later one of the same id."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]


def seconds_of_work(pid: int) -> float:
    """The processor time that a process has used so far; 0 where it is gone."""
    if sys.platform == "win32":
        raise NotImplementedError
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0.0
    user, system = stat.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def working_in(folder: Path) -> list[int]:
    """Ids of the processes whose working directory is the folder or below it."""
    found = []
    inside = folder.resolve()
    for entry in _PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if Path(os.readlink(entry / "cwd")).is_relative_to(inside):
                found.append(int(entry.name))
    return found


def kill(pids: Iterable[int]) -> None:
    """SIGKILL each process that is still there."""
    if sys.platform == "win32":
        raise NotImplementedError
    for pid in pids:
        if pid != os.getpid():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def _command(pid: int) -> str:
    try:
        return (_PROC / str(pid) / "cmdline").read_text(errors="replace").replace("\0", " ").strip()
    except OSError:
        return "?"
