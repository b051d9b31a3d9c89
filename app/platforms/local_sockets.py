"""A local meeting place of processes of one user: a Unix socket, or a named pipe on Windows.

Both ends prove that they know a key, which is in a file that only its owner can read. Messages are
whole, as bytes. Everything here blocks, and belongs into threads.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import sys
import tempfile
from multiprocessing import AuthenticationError
from multiprocessing.connection import (
    Client,
    Connection,
    Listener,
    answer_challenge,
    deliver_challenge,
)
from pathlib import Path
from typing import Any, Final

MESSAGE_MAX: Final = 64_000_000
"""Bytes of one message."""
_ADDRESS_MAX: Final = 90
"""Bytes that the path of a Unix socket may have on every system, with some room."""

SOCKET: Final = ".socket"
"""How the name of a Unix socket ends; it begins with the id of its process."""
_OWN_FOLDER: Final = "signoff-meeting-"

GONE: Final = (OSError, EOFError, AuthenticationError)
"""The exceptions once the other end is gone, or is none of ours."""


class MeetingPlace:
    """One end that others connect to. Raises OSError if none can be made."""

    def __init__(self, folder: Path) -> None:
        """`folder` is one that only its owner can enter."""
        self._own_folder: str | None = None
        self.key = secrets.token_bytes(32)
        self.address = self._address(folder)
        self._listener = Listener(self.address, _FAMILY, backlog=16)

    def _address(self, folder: Path) -> str:
        name = f"{os.getpid()}-{secrets.token_hex(4)}"
        if sys.platform == "win32":
            return rf"\\.\pipe\signoff-{name}"
        path = str(folder / f"{name}{SOCKET}")
        if len(os.fsencode(path)) > _ADDRESS_MAX:
            self._own_folder = tempfile.mkdtemp(prefix=_OWN_FOLDER)
            path = os.path.join(self._own_folder, f"{name}{SOCKET}")
        return path

    def accept(self) -> Connection:
        """Wait for the next one to connect; what it is shows `is_ours`. Raises one of GONE."""
        # On Windows it has another class with the same methods.
        accepted: Any = self._listener.accept()
        connection: Connection = accepted
        return connection

    def is_ours(self, connection: Connection) -> bool:
        """Wait for the other end to prove that it knows the key, and prove it, too."""
        try:
            deliver_challenge(connection, self.key)
            answer_challenge(connection, self.key)
        except GONE:
            hang_up(connection)
            return False
        return True

    def close(self) -> None:
        """Remove it; connections stay."""
        with contextlib.suppress(OSError):
            self._listener.close()
        if self._own_folder is not None:
            shutil.rmtree(self._own_folder, ignore_errors=True)


def hang_up(connection: Connection) -> None:
    """End a connection, also while a thread reads from it or writes to it."""
    with contextlib.suppress(OSError, ValueError):
        if sys.platform != "win32":
            # A thread that waits does not notice that the descriptor is closed.
            end = socket.socket(fileno=os.dup(connection.fileno()))
            with end:
                end.shutdown(socket.SHUT_RDWR)
        else:
            connection.close()


def remove_left(address: str) -> None:
    """Remove what a process that was killed left of its meeting place."""
    path = Path(address)
    if path.suffix != SOCKET:
        return
    with contextlib.suppress(OSError):
        path.unlink()
        if path.parent.name.startswith(_OWN_FOLDER):
            path.parent.rmdir()


def meet(address: str, key: bytes) -> Connection:
    """Connect to a meeting place. Raises one of GONE."""
    met: Any = Client(address, _FAMILY, authkey=key)
    connection: Connection = met
    return connection


_FAMILY: Final = "AF_PIPE" if sys.platform == "win32" else "AF_UNIX"
