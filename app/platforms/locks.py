"""Locks on open files. The system frees them when the process ends, however it ends.

They belong to one opening of a file, so that they also hold between two threads.
"""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import contextlib
    import errno
    import os
    import time
    from collections.abc import Iterator

    WAIT_SECONDS = 5.0
    """How long `wait_for_lock` waits before it gives up."""
    _PAUSE = 0.01
    _FAR = 0x7FFF_FFF0
    """The place of the locked byte, beyond the end of the data: a locked byte cannot be read by
    others. The C library takes no more than 31 bits for it.
    """

    def try_lock(descriptor: int, *, shared: bool = False) -> None:
        """Lock it at once; raises BlockingIOError if another holder has it.

        Shared locks do not exist here: a shared lock is an exclusive one.
        """
        import msvcrt

        with _at_the_lock(descriptor):
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            except OSError as problem:
                if problem.errno not in (errno.EACCES, errno.EDEADLK):
                    raise
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from None

    def wait_for_lock(descriptor: int, *, shared: bool = False) -> None:
        """Lock it as soon as no other process has it. Raises OSError."""
        end = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                return try_lock(descriptor, shared=shared)
            except BlockingIOError:
                if time.monotonic() >= end:
                    raise
                time.sleep(_PAUSE)

    def unlock(descriptor: int) -> None:
        """Let go of the lock, if it is held."""
        import msvcrt

        with _at_the_lock(descriptor), contextlib.suppress(OSError):
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

    @contextlib.contextmanager
    def _at_the_lock(descriptor: int) -> Iterator[None]:
        before = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            yield
        finally:
            os.lseek(descriptor, before, os.SEEK_SET)

else:
    import fcntl

    def try_lock(descriptor: int, *, shared: bool = False) -> None:
        """Lock it at once; raises BlockingIOError if another holder has it."""
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)

    def wait_for_lock(descriptor: int, *, shared: bool = False) -> None:
        """Lock it as soon as no other holder has it. Raises OSError."""
        fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)

    def unlock(descriptor: int) -> None:
        """Let go of the lock, if it is held."""
        fcntl.flock(descriptor, fcntl.LOCK_UN)
