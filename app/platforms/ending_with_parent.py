"""A program that becomes a command which ends with the process that started it. Linux alone.

`ending_with_parent.py PARENT FILE COMMAND...` asks for SIGTERM at the death of its parent,
prctl(2), which stays after execve(2), and becomes COMMAND by that file. It runs by itself, with
nothing but the standard library.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final

_AT_PARENTS_DEATH: Final = 1


def ends_with_parent(
    argv: Sequence[str], executable: str | None
) -> tuple[Sequence[str], str | None]:
    """Return a command and its file that start `argv` so that it ends with this process.

    They are the same as given where the system has no way for that. A process that the command
    starts itself is not covered.
    """
    if sys.platform != "linux" or not executable:
        return argv, executable
    own = (sys.executable, "-I", "-S", os.path.abspath(__file__), str(os.getpid()), executable)
    return (*own, *argv), sys.executable


def main(words: Sequence[str]) -> None:
    """Become the command, unless the parent is gone already."""
    parent, file, *command = words
    ctypes.CDLL(None).prctl(_AT_PARENTS_DEATH, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != int(parent):
        return
    try:
        os.execv(file, command)
    except OSError as problem:
        sys.stderr.write(f"signoff: {command[0]}: {problem.strerror}\n")
        sys.exit(127)


if __name__ == "__main__":
    main(sys.argv[1:])
