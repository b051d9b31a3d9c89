"""Running sessions of Signoff: each holds a lock that the system drops when it ends."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from pathlib import Path

from ..platforms.files import NO_LINK, open_file
from ..platforms.locks import try_lock, wait_for_lock
from .keys import as_key
from .state_dir import FILE_MODE, StoreError, private_folder, shown, why


class Sessions:
    """Lock files in a folder of their own, one for each session that has something to lose.

    A lock is better than a process id: it holds across containers, and no number is used again.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, int] = {}
        self._guard = threading.Lock()

    def begin(self, session: str) -> None:
        """Hold the lock of a session of this process. Raises StoreError."""
        with self._guard:
            if session in self._held:
                return
            try:
                private_folder(self._folder)
                self._held[session] = _hold(self._path(session))
            except OSError as problem:
                words = f"{shown(self._folder)}: a session cannot be marked as running"
                raise StoreError(f"{words}: {why(problem)}") from None

    def end(self, session: str) -> None:
        """Release the lock of a session; nothing happens if it never began."""
        with self._guard:
            held = self._held.pop(session, None)
            if held is not None:
                with contextlib.suppress(OSError):
                    self._path(session).unlink()
                os.close(held)

    @property
    def held(self) -> tuple[str, ...]:
        with self._guard:
            return tuple(self._held)

    def is_gone(self, session: str) -> bool:
        """True if no process holds it any more; in doubt it is alive."""
        return _is_free(self._path(session))

    def tidy(self) -> None:
        """Remove lock files without a holder."""
        with contextlib.suppress(OSError), os.scandir(self._folder) as found:
            for entry in found:
                _is_free(Path(entry.path))

    def _path(self, session: str) -> Path:
        return self._folder / hashlib.sha256(as_key(session)).hexdigest()[:32]


def _hold(path: Path) -> int:
    """An open and locked file. Raises OSError."""
    while True:
        held = open_file(path, os.O_RDWR | os.O_CREAT | NO_LINK, FILE_MODE)
        try:
            wait_for_lock(held, shared=True)
            if _is_at(held, path):
                return held
        except BaseException:
            os.close(held)
            raise
        os.close(held)  # somebody tidied up between opening and locking


def _is_free(path: Path) -> bool:
    """True if the lock has no holder; a free file is removed."""
    try:
        held = open_file(path, os.O_RDWR | NO_LINK)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        try_lock(held)
        if _is_at(held, path):
            path.unlink()
    except OSError:
        return False
    finally:
        os.close(held)
    return True


def _is_at(held: int, path: Path) -> bool:
    try:
        here, there = os.fstat(held), os.lstat(path)
    except FileNotFoundError:
        return False
    return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)
