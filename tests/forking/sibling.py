"""A fork whose parent is the parent of the process that forks: for Linux with glibc.

So it is waited for by the one that asked for it, as if that had started it itself.
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import struct
import sys
import threading
from functools import cache

_CLONE_PARENT = 0x00008000
_CLONE_CHILD_SETTID = 0x01000000
_CALLS = {"x86_64": (56, 3), "aarch64": (220, 4)}
"""By machine: the number of the system call `clone`, and which argument is for the thread's id."""
_SIZE_OF_THREAD = 1024
"""Bytes of glibc's record of a thread among which its id stands."""


def is_possible() -> bool:
    return sys.platform == "linux" and platform.machine() in _CALLS and _place_of_id() != 0


def fork_sibling() -> int:
    """Like `os.fork`. Only for the main thread of a process that has no other."""
    if sys.platform == "win32":
        raise NotImplementedError
    python = ctypes.PyDLL(None, use_errno=True)
    number, at = _CALLS[platform.machine()]
    rest = [ctypes.c_long(0) for _ in range(4)]
    rest[at - 1] = ctypes.c_long(_place_of_id())
    flags = _CLONE_PARENT | _CLONE_CHILD_SETTID | signal.SIGCHLD
    python.PyOS_BeforeFork()
    pid: int = python.syscall(ctypes.c_long(number), ctypes.c_long(flags), *rest)
    if pid == 0:
        python.PyOS_AfterFork_Child()
    else:
        python.PyOS_AfterFork_Parent()
    if pid < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return pid


@cache
def _place_of_id() -> int:
    """Where glibc keeps the id of the main thread, by which it is signalled; 0 if not found."""
    start, number = threading.main_thread().ident, os.getpid()
    if platform.libc_ver()[0] != "glibc" or start is None:
        return 0
    record = struct.unpack(f"{_SIZE_OF_THREAD // 4}i", ctypes.string_at(start, _SIZE_OF_THREAD))
    places = [at for at, one in enumerate(record) if one == number]
    return start + 4 * places[0] if len(places) == 1 else 0
