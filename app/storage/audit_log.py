"""The audit log on disk: append-only lines, chained, shared by every Signoff that runs."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from ..content.frozen import frozen
from ..platforms.files import (
    NO_LINK,
    NO_WAIT,
    open_file,
    rights,
    room,
    set_rights,
    sync_data,
    sync_folder,
    user_id,
    why,
)
from ..platforms.limits import file_size_limit
from ..platforms.locks import unlock
from ..protocol.findings.findings import Severity
from .audit_files import FileEnd, end_of, lock, read_end, rotate, rotated_files
from .auditing.chain import TORN_LINE, seal, torn_fields
from .state_dir import FILE_MODE, StoreError, private_folder, shown, state_folder

NAME = "audit.jsonl"
FREE_MIN = 65_536
"""Bytes that must be free on the disk before a question is asked."""

REPLACED = "log-replaced"
"""The event of the log itself: the file is not as this process left it."""

PROBE_SECONDS = 0.05
LOCKED = "another program keeps it locked"

_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | NO_LINK | NO_WAIT
_TRIES = 20
_WORDS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file may not grow any further",
    errno.EROFS: "the disk is read-only",
    errno.EACCES: "you may not write it",
    errno.EPERM: "you may not write it",
    errno.ELOOP: "it is a symbolic link, which could lead anywhere",
}

Entry = tuple[str, Severity, Mapping[str, object]]


class AuditError(Exception):
    """Nothing can be written to the log; gives the reason, in words that are safe to show."""


@frozen
class _Known:
    """State of the log after this process last wrote: the file, its size, and its last record."""

    device: int
    inode: int
    size: int
    seq: int
    hash: str


def default_path() -> Path:
    """The log in the state folder.

    Never raises: if that folder may not be used, the first use of the log raises the reason.
    """
    import platformdirs

    return platformdirs.user_state_path("signoff", appauthor=False) / NAME


class AuditLog:
    """One log file and those that rotation put aside. Opened at the first use; thread-safe.

    Every append takes the lock on the file, looks whether another Signoff has appended or rotated
    since, and writes its line with one call. `keep` counts the rotated files.
    """

    def __init__(self, path: Path, max_bytes: int = 10_000_000, keep: int = 10) -> None:
        self.path = path
        self._max_bytes = max_bytes
        self._keep = max(1, keep)
        self._guard = threading.Lock()
        self._fd = -1
        self._known: _Known | None = None
        self._has_failed = False

    def append(
        self,
        event: str,
        severity: Severity,
        fields: Mapping[str, object],
        *,
        durable: bool = False,
    ) -> None:
        """Write one record; `durable`: and wait until the disk has it. Raises AuditError.

        A record that could not be written whole leaves nothing behind.
        """
        try:
            with self._guard:
                is_new = self._append((event, severity, fields))
                self._has_failed = False
                synced = os.dup(self._fd) if durable else -1
            if synced >= 0:
                # Other processes may append during this: a disk can take its time.
                _sync(synced, self.path.parent if is_new else None)
        except OSError as problem:
            self._has_failed = True
            raise AuditError(self._words(problem)) from None
        except AuditError:
            self._has_failed = True
            raise

    def probe(self) -> str:
        """The reason why the log cannot be written now; empty if it can."""
        with self._guard:
            try:
                self._open_newest()
                self._check_room()
                if not lock(self._fd, seconds=PROBE_SECONDS):
                    return f"{shown(self.path)}: {LOCKED}"
                unlock(self._fd)
            except OSError as problem:
                return self._words(problem)
            except AuditError as problem:
                return str(problem)
        return ""

    def close(self) -> None:
        """Let the file go; a later append opens it again."""
        with self._guard:
            self._drop()
            self._known = None

    def _append(self, entry: Entry) -> bool:
        """Write a record; True if it is the first of a file."""
        for _ in range(_TRIES):
            found = self._lock_newest()
            try:
                end, own = self._end(found)
                text, seq, newest = _sealed(end, [*own, entry])
                is_full = found.st_size > 0 and found.st_size + len(text) > self._max_bytes
                # A torn line and the record that accounts for it stay in one file.
                is_full = is_full and not text.startswith("\n")
                # Records are kept even in a folder in which nothing can be renamed.
                if not (is_full and rotate(self.path, self._keep)):
                    self._write(text.encode("ascii"), found.st_size)
                    size = found.st_size + len(text)
                    self._known = _Known(found.st_dev, found.st_ino, size, seq, newest)
                    return found.st_size == 0
            finally:
                unlock(self._fd)
        raise AuditError(f"{shown(self.path)}: it is rotated over and over")

    def _end(self, found: os.stat_result) -> tuple[FileEnd, list[Entry]]:
        """The record to continue, and remarks on the state of the file."""
        known = self._known
        same_file = known is not None and (known.device, known.inode) == (
            found.st_dev,
            found.st_ino,
        )
        if known is not None and same_file and known.size == found.st_size:
            return FileEnd(known.seq, known.hash), []
        end = read_end(self._fd, found.st_size)
        older = rotated_files(self.path)
        if not end.seq and older:
            end = replace(end_of(older[0]), torn=end.torn, is_unended=False)
        own: list[Entry] = []
        lost = "" if known is None else self._lost(known, same_file, end, found, older)
        if known is not None and lost:
            if not found.st_size:
                end = FileEnd(known.seq, known.hash)
            was = {"seq": known.seq, "hash": known.hash}
            own.append((REPLACED, Severity.ERROR, {"reason": lost, "expected": was}))
        if end.torn:
            own.insert(0, (TORN_LINE, Severity.WARNING, torn_fields(end.torn)))
        return end, own

    def _lost(
        self,
        known: _Known,
        same_file: bool,
        end: FileEnd,
        found: os.stat_result,
        older: list[Path],
    ) -> str:
        """In words, whether records are gone that this process has written or seen."""
        if end.hash == known.hash:
            return ""
        if same_file:
            if found.st_size > known.size:
                return ""
            return f"the file was cut from {known.size:,} to {found.st_size:,} bytes"
        if any(_is_file(file, known) for file in older):
            return ""
        if end.seq > known.seq and len(older) >= self._keep:
            return ""
        return "the file was removed, or another was put in its place"

    def _write(self, data: bytes, size: int) -> None:
        """Write data, usually at once; a partial write is undone."""
        written = 0
        try:
            while written < len(data):
                # After half a line, the next try raises the reason for it.
                written += os.write(self._fd, data[written:])
        except OSError:
            if written:
                with contextlib.suppress(OSError):
                    os.ftruncate(self._fd, size)
            raise

    def _lock_newest(self) -> os.stat_result:
        """Lock the file that the path leads to now, rather than one that has been rotated away.

        Returns how it was found, under the lock.
        """
        for turn in range(_TRIES):
            # The open file is nearly always the newest, which is checked below.
            if turn or self._fd < 0:
                self._open_newest()
            if not lock(self._fd):
                raise AuditError(f"{shown(self.path)}: {LOCKED}")
            found = self._newest()
            if found is not None:
                return found
            unlock(self._fd)
        raise AuditError(f"{shown(self.path)}: it is replaced over and over")

    def _newest(self) -> os.stat_result | None:
        """The file that is open, where the path leads to it."""
        try:
            there = os.stat(self.path)
        except FileNotFoundError:
            return None
        found = os.fstat(self._fd)
        return found if os.path.samestat(there, found) else None

    def _open_newest(self) -> None:
        if self._fd >= 0 and self._newest() is not None:
            return
        self._prepare_folder()
        try:
            fd = open_file(self.path, _FLAGS, FILE_MODE)
        except FileNotFoundError:
            raise AuditError(f"{shown(self.path)}: the folder does not exist") from None
        # The old one is let go only now: its number must not pass to the new one.
        self._drop()
        self._fd = fd
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            self._drop()
            raise AuditError(f"{shown(self.path)}: it is not a regular file")
        if rights(found) & 0o077 and found.st_uid == user_id():
            set_rights(fd, FILE_MODE)

    def _prepare_folder(self) -> None:
        """Make the usual folder, and see to it that it is private; others are taken as they are."""
        if self.path != default_path():
            return
        try:
            private_folder(state_folder())
        except StoreError as problem:
            raise AuditError(str(problem)) from None

    def _check_room(self) -> None:
        is_read_only, free = room(self._fd, self.path)
        if is_read_only:
            raise OSError(errno.EROFS, "")
        if free < FREE_MIN:
            raise AuditError(f"{shown(self.path)}: the disk has only {free:,} bytes left")
        limit = file_size_limit()
        size = os.fstat(self._fd).st_size
        if limit is not None and size + FREE_MIN > limit:
            raise AuditError(f"{shown(self.path)}: files may not grow beyond {limit:,} bytes")
        if self._has_failed:
            self._try_room()

    def _try_room(self) -> None:
        """After a failure: whether a file of that folder can grow, quotas and all."""
        # Without a name, or with an unpredictable one: a link could wait at any other.
        with tempfile.TemporaryFile(buffering=0, dir=self.path.parent) as trial:
            if os.write(trial.fileno(), bytes(FREE_MIN)) != FREE_MIN:
                raise OSError(errno.ENOSPC, "")

    def _drop(self) -> None:
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            os.close(fd)

    def _words(self, problem: OSError) -> str:
        return f"{shown(self.path)}: {_WORDS.get(problem.errno or 0) or why(problem)}"


def _sealed(end: FileEnd, entries: list[Entry]) -> tuple[str, int, str]:
    """Lines that continue a chain; number and hash of the last of them."""
    text = "\n" if end.torn or end.is_unended else ""
    seq, before = end.seq, end.hash
    for event, severity, fields in entries:
        seq += 1
        now = datetime.now().astimezone().isoformat(timespec="milliseconds")
        own = {"ts": now, "event": event, "severity": severity.value}
        line = seal({**fields, **own}, before, seq)
        before = line[-66:-2]
        text += line + "\n"
    return text, seq, before


def _is_file(path: Path, known: _Known) -> bool:
    try:
        found = os.stat(path)
    except OSError:
        return False
    return (found.st_dev, found.st_ino) == (known.device, known.inode)


def _sync(fd: int, folder: Path | None) -> None:
    """Wait until the disk has the file, and the name of a new one; closes `fd`."""
    try:
        sync_data(fd)
    finally:
        os.close(fd)
    if folder is not None:
        sync_folder(folder)
