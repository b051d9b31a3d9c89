"""A text in the person's own editor, while the terminal is lent to it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from signoff.app.core.text import visible
from signoff.app.editor import NotEdited, editor_command

if TYPE_CHECKING:
    from textual.app import App

TAKEN_MAX = 2_000_000
"""Characters that are taken back from an editor."""
_LOOK_SECONDS = 0.03
_SAVING_SECONDS = 1.0


async def edit_on_terminal(app: App[object], text: str) -> str:
    """`edit` with the person's editor; the app goes on running meanwhile and draws nothing.

    Raises NotEdited.
    """
    command = editor_command(os.environ)
    edited, failure = text, None
    try:
        with app.batch_update(), app.suspend():
            try:
                edited = await edit(text, command)
            except Exception as problem:
                # The terminal would not be taken back with an exception on its way.
                failure = problem
    except SuspendNotSupported:
        raise NotEdited("this terminal cannot be lent to an editor") from None
    if failure is not None:
        raise failure
    return edited


async def edit(text: str, command: Sequence[str]) -> str:
    """Edit a text in a program that has the terminal; the text as it was saved there.

    It is in a file that only its owner can read, in a folder of its own, and both are gone
    afterwards, with whatever the editor has put beside it. Raises NotEdited.
    """
    with _private_file(text) as path:
        try:
            status = await _run([*command, str(path)])
        except OSError as problem:
            words = (problem.strerror or type(problem).__name__).lower()
            raise NotEdited(f"{visible(command[0])} cannot be started: {words}") from None
        if status:
            how = f"status {status}" if status > 0 else f"signal {-status}"
            raise NotEdited(f"the editor ended with {how}, the arguments are as they were")
        data = _read_back(path)
    # Bytes that are no text stay visible as escapes: the JSON view says where they are.
    edited = data.decode("utf-8", "backslashreplace").removeprefix("\ufeff")
    if not text.endswith("\n"):
        edited = edited.removesuffix("\n")
    if len(edited) > TAKEN_MAX:
        words = f"{len(edited):,} characters are too many, at most {TAKEN_MAX:,} are taken"
        raise NotEdited(f"{words}; the arguments are as they were")
    return edited


def _read_back(path: Path) -> bytes:
    """What an editor left: only of a file, and no more of it than can be taken."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(os.open(path, flags), "rb") as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return file.read(4 * TAKEN_MAX + 1)
    except FileNotFoundError:
        raise NotEdited("the editor removed the file, the arguments are as they were") from None
    except OSError:
        pass
    raise NotEdited("the editor left no file that can be read, the arguments are as they were")


@contextlib.contextmanager
def _private_file(text: str) -> Iterator[Path]:
    folder = tempfile.mkdtemp(prefix="signoff-")
    try:
        path = Path(folder, "arguments.json")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            whole = text if text.endswith("\n") else f"{text}\n"
            file.write(whole.encode("utf-8", "backslashreplace"))
        yield path
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _run(command: Sequence[str]) -> int:
    """Run a program in the foreground of the terminal; its exit status, negative for a signal.

    It is a process group of its own, so that ctrl+c in it is not for Signoff; nobody could bring
    it back after ctrl+z, so it is always continued.
    """
    process = subprocess.Popen(list(command), process_group=0)
    with _foreground(process.pid):
        try:
            while True:
                found, status = os.waitpid(process.pid, os.WNOHANG | os.WUNTRACED)
                if found and os.WIFSTOPPED(status):
                    os.killpg(process.pid, signal.SIGCONT)
                elif found:
                    process.returncode = os.waitstatus_to_exitcode(status)
                    return process.returncode
                await asyncio.sleep(_LOOK_SECONDS)
        finally:
            if process.returncode is None:
                # Signoff is ending: an editor may save what it has.
                with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                    os.killpg(process.pid, signal.SIGHUP)
                    process.wait(_SAVING_SECONDS)
                # One that does not listen would hold a terminal that is no longer its own.
                with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait(_SAVING_SECONDS)


@contextlib.contextmanager
def _foreground(group: int) -> Iterator[None]:
    """Make a process group the one that the terminal listens to, if it is this one until now."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        yield
        return
    try:
        if os.tcgetpgrp(terminal) != os.getpgrp():
            yield
            return
        _set_foreground(terminal, group)
        try:
            yield
        finally:
            _set_foreground(terminal, os.getpgrp())
    finally:
        os.close(terminal)


def _set_foreground(terminal: int, group: int) -> None:
    # Who is in the background is stopped for this, unless the signal is blocked.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
    try:
        with contextlib.suppress(OSError):
            os.tcsetpgrp(terminal, group)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
