"""Finds and identifies the program of a server as the system would.

It is opened before the server starts and read afterwards, from the open file, so that starting
waits for nothing; a replaced file of that name is noted in the result.

`script_word` finds the word of a command that an interpreter is to run.
"""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ...content.frozen import frozen
from ...platforms.files import NO_WAIT, open_file, read_at
from ...platforms.processes import program_files

if TYPE_CHECKING:
    from ...approval.fingerprint import RunFile, ServerFingerprint

INTERPRETERS = frozenset(
    (
        *("python", "py", "pypy", "node", "nodejs", "bun", "deno", "tsx", "ts-node", "uv"),
        *("sh", "bash", "dash", "zsh", "ruby", "perl", "php", "lua", "Rscript", "java", "dotnet"),
    )
)
"""Programs, without a version, whose first word that is not an option may be a file to run."""
_RUN = {"uv": "run", "bun": "run", "deno": "run"}
_CODE = frozenset(("-m", "-c", "-e", "-p", "--eval", "--print"))
"""What follows is a module or code, and no file."""
_FOLDER = frozenset(("--directory", "--cwd", "--project"))
"""The words after it are looked for in another folder."""
VALUED = frozenset(
    (
        *("-W", "-X", "-r", "--require", "--import", "--loader", "--experimental-loader"),
        *("-C", "--conditions", "--env-file", "--with", "--with-requirements", "--python"),
        *("--extra", "--group", "--package", "--config", "--tsconfig"),
        *("-cp", "-classpath", "--class-path"),
    )
)
"""Options whose value is a word of its own."""


def script_word(argv: Sequence[str]) -> str:
    """Return the word of the script, as far as the command alone shows it; empty: none.

    `python3 -u server.py` has one; `python3 -m server`, `npx server` and `uvx server` do not.
    """
    program = os.path.basename(argv[0]) if argv else ""
    if program.lower().endswith(".exe"):
        program = program[: -len(".exe")].lower()
    program = program.rstrip("0123456789.")
    if program not in INTERPRETERS:
        return ""
    run = _RUN.get(program, "")
    is_valued = False
    for word in argv[1:]:
        if is_valued:
            is_valued = False
        elif word in _CODE or word.partition("=")[0] in _FOLDER:
            return ""
        elif word.startswith("-"):
            is_valued = word in VALUED
        elif run and word == run:
            run = ""
        else:
            return word
    return ""


_HEAD_BYTES = 512
_PIECE = 1 << 20
_Content: TypeAlias = tuple[int, int, int, int]
"""Device, inode, size, time of the content; without rights."""
_Mark: TypeAlias = tuple[int, int, int, int, int]
"""Device, inode, size, time of the content, time of the inode."""


@frozen
class _Opened:
    """A file as it was before the start; `descriptor` is None if it may not be read."""

    role: str
    path: str
    real: str
    mark: _Mark
    descriptor: int | None


class _Changed(Exception):
    """A file is not the one that was opened."""


class Program:
    """One start of a server. `path` is the program, empty if there is none.

    `looked_at` may be called from any thread; until it was, or `close`, files are held open.
    """

    def __init__(
        self, argv: Sequence[str], environment: Mapping[str, str], folder: str = ""
    ) -> None:
        """`environment` is what the server gets: its PATH finds the program (execvpe(3)).

        `folder` is its working folder, if that is not this program's: relative paths begin there.
        """
        self._argv = tuple(argv)
        self._files: list[_Opened] = []
        self._begun: list[tuple[str, _Content]] = []
        """Path of each file, with its content at the start."""
        self._runs: ServerFingerprint | None = None
        self._is_closed = False
        self._lock = threading.Lock()
        self.path = find_program(argv[0], environment, folder) if argv else ""
        if not self.path:
            return
        program = self._open("program", self.path)
        if program is not None and (named := _interpreter(program)):
            self._open("interpreter", find_program(named, environment, folder))
        # A name of one's own for an interpreter is one all the same.
        real = program.real if program is not None else ""
        if word := script_word(argv) or script_word([real, *argv[1:]]):
            self._open("script", os.path.join(folder, word))

    def looked_at(self, key: bytes, values: Mapping[str, str]) -> ServerFingerprint:
        """Files, command and values of variables as approvals are bound to them.

        `key` is that of the keyed digests. Reads up to 50 MB of each file, once.
        """
        from ...approval.fingerprint import unknown_runs

        with self._lock:
            if self._runs is None:
                if self._is_closed or not self._files:
                    return unknown_runs("the program could not be looked at")
                self._runs = self._look(key, values)
                self._let_go()
            return self._runs

    def changed_files(self) -> tuple[str, ...]:
        """Return the names of files with another content on disk than at the start.

        A file that is gone does not count: an editor may be about to replace it.
        """
        changed: list[str] = []
        for path, content in self._begun:
            with contextlib.suppress(OSError):
                if _content(os.stat(path)) != content:
                    changed.append(os.path.basename(path))
        return tuple(dict.fromkeys(changed))

    def close(self) -> None:
        """Look at nothing any more. Returns soon, also where a file is being read."""
        if self._lock.acquire(timeout=0.5):
            try:
                self._is_closed = True
                self._let_go()
            finally:
                self._lock.release()

    def _look(self, key: bytes, values: Mapping[str, str]) -> ServerFingerprint:
        from ...approval.fingerprint import ServerFingerprint, keyed, unknown_runs
        from ...content.text import visible

        files: list[RunFile] = []
        for opened in self._files:
            try:
                files.append(_read(opened))
            except (OSError, _Changed):
                what = f"{visible(opened.path)} was changed after the server had been started"
                return unknown_runs(what, tuple(files))
        digests = ((name, keyed(key, name, value)) for name, value in sorted(values.items()))
        return ServerFingerprint(tuple(files), keyed(key, *self._argv), tuple(digests))

    def _open(self, role: str, path: str) -> _Opened | None:
        """Take note of a file, if it is one."""
        with contextlib.suppress(OSError, ValueError):
            found = os.stat(path)
            if not stat.S_ISREG(found.st_mode):
                return None
            descriptor: int | None = None
            with contextlib.suppress(OSError):
                descriptor = open_file(path, os.O_RDONLY | NO_WAIT)
                found = os.fstat(descriptor)
            opened = _Opened(
                role, os.path.abspath(path), os.path.realpath(path), _mark(found), descriptor
            )
            self._files.append(opened)
            self._begun.append((opened.path, _content(found)))
            return opened
        return None

    def _let_go(self) -> None:
        for opened in self._files:
            if opened.descriptor is not None:
                with contextlib.suppress(OSError):
                    os.close(opened.descriptor)
        self._files.clear()


def find_program(name: str, environment: Mapping[str, str], folder: str = "") -> str:
    """The file that is started for a name; empty if there is none.

    A name with a slash is that file; any other is looked for in the folders of PATH, in order.
    Relative paths begin in `folder`, by default in that of this program.
    """
    if not name:
        return ""
    folders = [""] if os.path.dirname(name) else os.get_exec_path(dict(environment))
    files = program_files(name, environment)
    candidates = [os.path.join(folder, one, file) for one in folders for file in files]
    for path in candidates:
        with contextlib.suppress(OSError, ValueError):
            if stat.S_ISREG(os.stat(path).st_mode) and os.access(path, os.X_OK):
                return path
    return ""


def _interpreter(program: _Opened) -> str:
    """The program that the first line of a script names: `#!/usr/bin/env -S node` names `node`."""
    if program.descriptor is None:
        return ""
    try:
        head = read_at(program.descriptor, _HEAD_BYTES, 0)
    except OSError:
        return ""
    if not head.startswith(b"#!"):
        return ""
    words = os.fsdecode(head[2:].split(b"\n", 1)[0]).split()
    if not words or os.path.basename(words[0]) != "env":
        return words[0] if words else ""
    return next((word for word in words[1:] if word[:1] != "-" and "=" not in word), "")


def _read(opened: _Opened) -> RunFile:
    """Describe a file. Raises _Changed if it was replaced since the start."""
    from ...approval.fingerprint import DIGESTED_MAX, Role, RunFile

    role = Role(opened.role)
    size, modified = opened.mark[2:4]
    sha256 = None
    if opened.descriptor is not None and size <= DIGESTED_MAX:
        sha256 = _digest(opened.descriptor, size)
    # Afterwards: what was changed in the meantime was perhaps read half.
    if _mark(os.stat(opened.path)) != opened.mark:
        raise _Changed
    time = modified if sha256 is None else None
    return RunFile(role, opened.path, opened.real, size, sha256, time)


def _digest(descriptor: int, size: int) -> str:
    import hashlib

    found, at = hashlib.sha256(), 0
    while at < size:
        piece = read_at(descriptor, min(_PIECE, size - at), at)
        if not piece:
            raise _Changed
        found.update(piece)
        at += len(piece)
    return found.hexdigest()


def _content(found: os.stat_result) -> _Content:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _mark(found: os.stat_result) -> _Mark:
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
