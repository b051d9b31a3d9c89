"""Windows as far as it can be had elsewhere: modules of `signoff.app.platforms` as they are there.

What only Windows has is played by what is here. That shows that our own code does what it means
to do; whether Windows does what is believed of it, only Windows shows.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sys
from types import ModuleType
from typing import Any

assert sys.platform != "win32"

FAR = 0x7FFF_FFF0


class FakeMsvcrt(ModuleType):
    """`msvcrt`: locks of one byte, and descriptors of handles (which are descriptors here)."""

    LK_NBLCK, LK_UNLCK = 2, 0

    def __init__(self) -> None:
        super().__init__("msvcrt")
        self.held: set[int] = set()
        self.keys: list[str] = []
        self.shown = ""

    def locking(self, descriptor: int, mode: int, size: int) -> None:
        """As the C library says it: EACCES where it is locked, and where there is no lock."""
        assert (os.lseek(descriptor, 0, os.SEEK_CUR), size) == (FAR, 1)
        refused = PermissionError(errno.EACCES, "Permission denied")
        if mode == self.LK_UNLCK:
            if descriptor not in self.held:
                raise refused
            self.held.discard(descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise refused from None
        self.held.add(descriptor)

    def open_osfhandle(self, handle: int, flags: int) -> int:
        if flags & os.O_APPEND:
            fcntl.fcntl(handle, fcntl.F_SETFL, fcntl.fcntl(handle, fcntl.F_GETFL) | os.O_APPEND)
        return handle

    def kbhit(self) -> bool:
        return bool(self.keys)

    def getwch(self) -> str:
        return self.keys.pop(0)

    def putwch(self, sign: str) -> None:
        self.shown += sign


def create_file(
    name: str, access: int, share: int, security: int, how: int, attributes: int, template: int
) -> int:
    """CreateFileW, where a handle is a descriptor; without all rights to share it, it is none."""
    assert (share, security, attributes, template) == (7, 0, 0x80, 0)
    flags = {0x8: os.O_RDONLY, 0x4: os.O_WRONLY, 0xC: os.O_RDWR}[access >> 28]
    flags |= {1: os.O_CREAT | os.O_EXCL, 3: 0, 4: os.O_CREAT}[how]
    return os.open(name, flags, 0o666)


def install(msvcrt: FakeMsvcrt) -> None:
    """Put what only Windows has into this process. `sys.platform` is left as it is."""
    sys.modules["msvcrt"] = msvcrt
    winapi: Any = ModuleType("_winapi")
    winapi.GENERIC_READ, winapi.GENERIC_WRITE = 0x8000_0000, 0x4000_0000
    winapi.CreateFile, winapi.CloseHandle = create_file, os.close
    sys.modules["_winapi"] = winapi
    vars(os).update(O_NOINHERIT=0, O_BINARY=0)
