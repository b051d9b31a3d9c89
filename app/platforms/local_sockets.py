"""A local meeting place of processes of one user: a Unix socket, or a named pipe on Windows.

Both ends prove that they know a key, which is in a file that only its owner can read. Messages are
whole, as bytes. Everything here blocks, and belongs into threads.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sys
import tempfile
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Final

MESSAGE_MAX: Final = 64_000_000
"""Bytes of one message."""
_ADDRESS_MAX: Final = 90
"""Bytes that the path of a Unix socket may have on every system, with some room."""

GONE: Final = (OSError, EOFError, AuthenticationError)
"""What is raised once the other end is gone, or is none of ours."""


class MeetingPlace:
    """One end that others connect to. Raises OSError if none can be made."""

    def __init__(self, folder: Path) -> None:
        """`folder` is one that only its owner can enter."""
        self._own_folder: str | None = None
        self.key = secrets.token_bytes(32)
        self.address = self._address(folder)
        self._listener = Listener(self.address, _FAMILY, backlog=16, authkey=self.key)

    def _address(self, folder: Path) -> str:
        name = f"{os.getpid()}-{secrets.token_hex(4)}"
        if sys.platform == "win32":
            return rf"\\.\pipe\signoff-{name}"
        path = str(folder / f"{name}.socket")
        if len(os.fsencode(path)) > _ADDRESS_MAX:
            self._own_folder = tempfile.mkdtemp(prefix="signoff-")
            path = os.path.join(self._own_folder, "socket")
        return path

    def accept(self) -> Connection:
        """Wait for the next one to connect. Raises one of GONE if it is none of ours."""
        return self._listener.accept()

    def close(self) -> None:
        """Remove it; connections stay."""
        with contextlib.suppress(OSError):
            self._listener.close()
        if self._own_folder is not None:
            shutil.rmtree(self._own_folder, ignore_errors=True)


def meet(address: str, key: bytes) -> Connection:
    """Connect to a meeting place. Raises one of GONE."""
    return Client(address, _FAMILY, authkey=key)


_FAMILY: Final = "AF_PIPE" if sys.platform == "win32" else "AF_UNIX"
