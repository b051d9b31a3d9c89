"""Starts processes apart from this one, and ends them with all their children.

Processes whose parents have ended are adopted, so that none escapes by a double fork. Linux alone
can do that. Elsewhere nothing is done, and a process that left its session and cleared its
variables stays unknown.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import psutil


if sys.platform == "win32":
    APART: Final[dict[str, Any]] = {
        "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    }
    """For `subprocess.Popen`: it has a console of its own without a window, and no Ctrl-C of this
    one reaches it.
    """
    KILL: Final = signal.SIGTERM
    """Ends a process without asking it, which on Windows every signal does that ends one."""
    NEEDED: Final = (
        *("APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS"),
        *("OS", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES"),
        *("PROGRAMFILES(X86)", "PROGRAMW6432", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP"),
        *("USERNAME", "USERPROFILE", "WINDIR"),
    )
    """Variables without which hardly a program of this system runs."""

    def wait_for_end(process: subprocess.Popen[bytes]) -> None:
        """Wait until it has ended; its number stays its own as long as `process` is kept."""
        process.wait()

    def end_group(process: subprocess.Popen[bytes], number: int) -> None:
        """Signal a process that was started apart, and its children. Raises OSError.

        Only reachable ones: a process whose own parent has ended is left.
        """
        import psutil

        with contextlib.suppress(psutil.Error):
            own = psutil.Process(process.pid)
            for one in (*own.children(recursive=True), own):
                with contextlib.suppress(psutil.Error):
                    one.send_signal(number)

    def in_group(pid: int, leader: int) -> bool:
        """True if a process is in the group of another; Windows does not have such groups."""
        return False

    def in_session(pid: int, other: int) -> bool:
        """True if two processes are in the same session; Windows has only one."""
        return True

    def program_files(name: str, environment: Mapping[str, str]) -> list[str]:
        """The names of files that a program may have: those with an ending in `PATHEXT`."""
        known = environment.get("PATHEXT") or ".COM;.EXE;.BAT;.CMD"
        endings = [ending.lower() for ending in known.split(";") if ending]
        if name.lower().endswith(tuple(endings)):
            return [name]
        return [name + ending for ending in endings]

else:
    APART: Final[dict[str, Any]] = {"start_new_session": True}
    KILL: Final = signal.SIGKILL
    NEEDED: Final = ()

    def wait_for_end(process: subprocess.Popen[bytes]) -> None:
        """Wait until it has ended; its number and group stay its own until `process.wait`."""
        if hasattr(os, "waitid"):
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        else:
            # macOS before Python 3.13
            process.wait()

    def end_group(process: subprocess.Popen[bytes], number: int) -> None:
        """Signal a process that was started apart, and its whole group. Raises OSError."""
        os.killpg(process.pid, number)

    def in_group(pid: int, leader: int) -> bool:
        """True if a process is in the group that another one leads."""
        with contextlib.suppress(OSError):
            return os.getpgid(pid) == leader
        return False

    def in_session(pid: int, other: int) -> bool:
        """True if two processes are in the same session. Raises OSError if either has ended."""
        return os.getsid(pid) == os.getsid(other)

    def program_files(name: str, environment: Mapping[str, str]) -> list[str]:
        """The names of files that a program may have."""
        return [name]


def signal_family(pid: int, variable: tuple[str, str], number: int) -> list[psutil.Process]:
    """Signal a process that was started apart and all its living children; returns them.

    Processes outside its group, such as daemons, are recognised by an inherited variable; on
    Windows all of them are.
    """
    import psutil

    signalled = []
    for process in family(pid, variable):
        with contextlib.suppress(psutil.Error, OSError):
            process.send_signal(number)
            signalled.append(process)
    return signalled


def family(pid: int, variable: tuple[str, str]) -> Iterator[psutil.Process]:
    """The living among a process that was started apart and all that it started, likewise."""
    import psutil

    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            is_one = process.pid == pid or _is_family(process, pid, variable)
            if is_one and process.status() != psutil.STATUS_ZOMBIE:
                yield process


def _is_family(process: psutil.Process, pid: int, variable: tuple[str, str]) -> bool:
    import psutil

    if in_group(process.pid, pid):
        return True
    with contextlib.suppress(psutil.Error, OSError):
        return environment_of(process).get(variable[0]) == variable[1]
    return False


def environment_of(process: psutil.Process) -> dict[str, str]:
    """The variables that a process was started with. Raises psutil.Error.

    While a program is being executed the system has none of them, and a process would look as if
    it had been started without any: this waits until they are there.
    """
    variables = process.environ()
    deadline = time.monotonic() + EXECUTED_SECONDS
    while not variables and time.monotonic() < deadline:
        is_unfinished = is_being_executed(_status_line(process.pid))
        # Read after the status: it may have been executed between the two.
        variables = process.environ()
        if not is_unfinished:
            break
        time.sleep(0.001)
    return variables


def _status_line(pid: int) -> bytes:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
        return file.read()
    return b""


def is_being_executed(status: bytes) -> bool:
    """True if a line of /proc/PID/stat shows memory, and no end of the variables: proc(5).

    A process with an empty environment has such an end, and a thread of the kernel has no memory.
    """
    fields = status[status.rfind(b")") + 1 :].split()
    return len(fields) > _ENV_END and fields[_MEMORY] != b"0" and fields[_ENV_END] == b"0"


def wait_gone(processes: list[psutil.Process], seconds: float) -> bool:
    """True if all of them were gone in time; a zombie counts as gone."""
    import psutil

    def is_gone(process: psutil.Process) -> bool:
        try:
            return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
        except psutil.Error:
            return True

    deadline = time.monotonic() + seconds
    while not all(is_gone(process) for process in processes):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


_SET: Final = 36
_GET: Final = 37
"""PR_SET_CHILD_SUBREAPER and PR_GET_CHILD_SUBREAPER of prctl(2)."""


END_SECONDS: Final = 5.0

EXECUTED_SECONDS: Final = 1.0
"""How long a process may take at most from its execution to its variables."""
_MEMORY: Final = 20
_ENV_END: Final = 48
"""vsize and env_end of /proc/PID/stat, counted from the field after the name."""


class Adopted:
    """The children that this process did not have before.

    `is_gone`: False if one of them could not be ended.
    """

    def __init__(self) -> None:
        self._before = {one.pid for one in _children()}
        self.is_gone = True

    def end(self) -> None:
        """Kill them, with all that they started."""
        import psutil

        deadline = time.monotonic() + END_SECONDS
        while True:
            own = [one for one in _children() if one.pid not in self._before]
            left = [one for one in own if not _is_zombie(one)]
            if not left or time.monotonic() > deadline:
                break
            for one in left:
                with contextlib.suppress(psutil.Error):
                    for each in (*one.children(recursive=True), one):
                        with contextlib.suppress(psutil.Error):
                            each.kill()
            time.sleep(0.02)
        self.is_gone = not left
        for one in own:
            _bury(one.pid)


def _children() -> list[psutil.Process]:
    import psutil

    return psutil.Process().children()


def _is_zombie(process: psutil.Process) -> bool:
    import psutil

    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.Error:
        return True


def _bury(pid: int) -> None:
    """Ask for the status of a child that has ended, so that the system forgets it."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.waitpid(pid, os.WNOHANG)


@contextlib.contextmanager
def adopting() -> Iterator[Adopted]:
    """Be given the processes that lose their parents, and end all new children with the block.

    Nothing else of this program may start a process during that time.
    """
    before = _control(_GET)
    adopted = Adopted()
    if before is not None:
        _control(_SET, 1)
    try:
        yield adopted
    finally:
        adopted.end()
        if before is not None:
            _control(_SET, before)


def _control(option: int, value: int = 0) -> int | None:
    """The answer to `prctl`; None on a system without it."""
    if sys.platform != "linux":
        return None
    import ctypes

    try:
        library = ctypes.CDLL(None, use_errno=True)
        found = ctypes.c_int(value)
        given = ctypes.byref(found) if option == _GET else ctypes.c_ulong(value)
        done: int = library.prctl(option, given, 0, 0, 0)
    except (OSError, AttributeError):
        return None
    return found.value if done == 0 else None
