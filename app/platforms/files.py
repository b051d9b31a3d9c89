"""Opening and reading files, their owners and rights, and syncing them to disk.

Windows has neither modes nor these flags. The right to read a file there is inherited from its
folder, which for those that Signoff chooses is the user's own; nothing here checks or changes that.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path

if sys.platform == "win32":
    NO_LINK = 1 << 29
    """For `open_file`: refuse a path that is a symbolic link.

    Checked just before: another writer of the folder could put one there in between.
    """
    NO_WAIT = 0
    """For `open_file`: a pipe is opened without waiting for its other end."""
    NO_CONTROL = 0
    """For `open_file`: a terminal that is opened does not become that of this process."""

    _SHARED_BY_ALL = 0x7  # FILE_SHARE_READ, FILE_SHARE_WRITE, FILE_SHARE_DELETE
    _CREATE_NEW, _OPEN_EXISTING, _OPEN_ALWAYS = 1, 3, 4
    _ATTRIBUTE_NORMAL = 0x80

    def open_file(path: str | Path, flags: int, mode: int = 0o777) -> int:
        """Open as `os.open` does; a child process does not inherit it. Raises OSError.

        As on POSIX it can be renamed and removed while it is open, which `os.open` does not allow.
        """
        import _winapi
        import msvcrt

        if flags & NO_LINK and os.path.islink(path):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        reads, writes = _winapi.GENERIC_READ, _winapi.GENERIC_WRITE
        access = {os.O_RDONLY: reads, os.O_WRONLY: writes}.get(flags & 3, reads | writes)
        how = _OPEN_EXISTING
        if flags & os.O_CREAT:
            how = _CREATE_NEW if flags & os.O_EXCL else _OPEN_ALWAYS
        handle = _winapi.CreateFile(
            *(str(path), access, _SHARED_BY_ALL, 0, how, _ATTRIBUTE_NORMAL, 0)
        )
        try:
            return msvcrt.open_osfhandle(handle, flags & (os.O_APPEND | 3) | os.O_NOINHERIT)
        except OSError:
            _winapi.CloseHandle(handle)
            raise

    def _await(descriptor: int, until: float) -> bool:
        """Windows waits in the read itself."""
        return False

    def read_at(descriptor: int, size: int, start: int) -> bytes:
        """Up to so many bytes from a place on; the descriptor must not be read by two at once."""
        os.lseek(descriptor, start, os.SEEK_SET)
        return os.read(descriptor, size)

    def user_id() -> int:
        """The user that this process counts as, as in `st_uid`."""
        return 0

    def rights(found: os.stat_result) -> int:
        """The mode of a file; what the group and all others may do is not known on Windows."""
        return stat.S_IMODE(found.st_mode) & 0o700

    def set_rights(descriptor: int, mode: int) -> None:
        """Set the mode of an open file; nothing on Windows."""

    def set_group(descriptor: int, group: int) -> None:
        """Give an open file to a group; nothing on Windows."""

    def sync_data(descriptor: int) -> None:
        """Wait until written data is on disk. Raises OSError."""
        os.fsync(descriptor)

    def sync_folder(folder: Path) -> None:
        """Wait until the disk has the names in a folder; nothing on Windows, which has no way."""

    def room(descriptor: int, path: Path) -> tuple[bool, int]:
        """Return whether the disk of an open file is read-only, and its free bytes."""
        import shutil

        return False, shutil.disk_usage(path.parent).free

else:
    NO_LINK = os.O_NOFOLLOW
    NO_WAIT = os.O_NONBLOCK
    NO_CONTROL = os.O_NOCTTY

    def open_file(path: str | Path, flags: int, mode: int = 0o777) -> int:
        """Open as `os.open` does; a child process does not inherit it. Raises OSError."""
        return os.open(path, flags | os.O_CLOEXEC, mode)

    def _await(descriptor: int, until: float) -> bool:
        """Wait for bytes of a pipe or a device; True at its end. Raises TimeoutError."""
        import select

        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        left = until - time.monotonic()
        found = poll.poll(max(0.0, left) * 1000)
        if not found:
            words = f"nothing more came from this pipe or device within {PIPE_SECONDS:g} s"
            raise TimeoutError(errno.ETIMEDOUT, words)
        return not found[0][1] & select.POLLIN

    def read_at(descriptor: int, size: int, start: int) -> bytes:
        """Up to so many bytes from a place on."""
        return os.pread(descriptor, size, start)

    def user_id() -> int:
        """The user that this process counts as, as in `st_uid`."""
        return os.geteuid()

    def rights(found: os.stat_result) -> int:
        """The mode of a file, without its type."""
        return stat.S_IMODE(found.st_mode)

    def set_rights(descriptor: int, mode: int) -> None:
        """Set the mode of an open file."""
        os.fchmod(descriptor, mode)

    def set_group(descriptor: int, group: int) -> None:
        """Give an open file to a group. Raises OSError."""
        if os.fstat(descriptor).st_gid != group:
            os.fchown(descriptor, -1, group)

    def sync_data(descriptor: int) -> None:
        """Wait until written data is on disk. Raises OSError."""
        if sys.platform == "darwin":
            import fcntl

            # There fsync leaves it in the drive's own memory; not every file system has this.
            try:
                fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            except OSError:
                os.fsync(descriptor)
        else:
            os.fdatasync(descriptor)

    def sync_folder(folder: Path) -> None:
        """Wait until the disk has the names in a folder. Raises OSError."""
        opened = open_file(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)

    def room(descriptor: int, path: Path) -> tuple[bool, int]:
        """Return whether the disk of an open file is read-only, and its free bytes."""
        disk = os.fstatvfs(descriptor)
        return bool(disk.f_flag & os.ST_RDONLY), disk.f_bavail * disk.f_frsize


def why(problem: OSError) -> str:
    """The reason of the operating system, without the path."""
    return (problem.strerror or type(problem).__name__).lower()


def usual_rights() -> int:
    """The mode that a new file has by the umask; asking for it changes that for a moment."""
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


PIPE_SECONDS = 10.0
"""How long the content of a pipe or device may take."""
_PIECE = 1_000_000


def read_bounded(path: str | Path, most: int) -> bytes:
    """The whole content of a file, a pipe or a device, with at most so many bytes.

    Raises OSError, with words in `strerror` if the content is longer, or if a pipe or device
    takes longer than PIPE_SECONDS.
    """
    try:
        descriptor = open_file(path, os.O_RDONLY | NO_WAIT | NO_CONTROL)
    except ValueError:
        raise OSError(errno.EINVAL, "no file can have this name", str(path)) from None
    try:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        until = time.monotonic() + PIPE_SECONDS
        pieces: list[bytes] = []
        count = 0
        while count <= most:
            if not is_file and _await(descriptor, until):
                break
            try:
                piece = os.read(descriptor, min(_PIECE, most + 1 - count))
            except BlockingIOError:
                continue
            if not piece:
                break
            pieces.append(piece)
            count += len(piece)
    finally:
        os.close(descriptor)
    if count > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", str(path))
    return b"".join(pieces)


NEW = ".new"
"""The ending of a file that is to replace another one; its name begins with a dot."""


def replace_whole(
    path: Path,
    data: bytes,
    mode: int = 0o600,
    group: int | None = None,
    check: Callable[[], None] | None = None,
) -> None:
    """Write a file, over one that is there: whenever it ends, one of the two is there, whole.

    `check` is called once all is written, and stops the replacement if it raises. Raises OSError.
    """
    made = path.with_name(f".{secrets.token_hex(8)}{NEW}")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK
        with open(open_file(made, flags, 0o600), "wb") as file:
            if group is not None:
                set_group(file.fileno(), group)
            set_rights(file.fileno(), mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if check is not None:
            check()
        os.replace(made, path)
    finally:
        with contextlib.suppress(OSError):
            made.unlink()
