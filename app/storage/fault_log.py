"""Faults of Signoff itself: unexpected exceptions, each with a trace in a file.

A handler calls `note_fault` and shows the words that it returns. Uncaught exceptions - in a task
that is not awaited, a callback, a thread, a finaliser - come here by `watch` and `watch_loop`, and
are passed to the listener.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..platforms.files import NO_LINK, open_file

if TYPE_CHECKING:
    import asyncio

FOLDER = "faults"
"""In the state folder."""
FILES_MAX = 20
"""Traces that are kept; the oldest go."""
TRACES_MAX = 10
"""Traces that one run writes. A fault that comes again is in the file that it has."""

OF_A_PROGRAM = (
    *(ArithmeticError, AssertionError, AttributeError, BufferError, ImportError),
    *(LookupError, NameError, NotImplementedError, RecursionError, SyntaxError, TypeError),
)
"""Kinds of exceptions that no server and no system raises on purpose."""

_NAME = re.compile(r"fault-\d{8}-\d{6}-\d{1,10}-\d{1,3}\.txt")
_lock = threading.RLock()
_written: dict[tuple[str, ...], Path] = {}
_listener: Callable[[str], None] | None = None


def note_fault(problem: BaseException, doing: str) -> str:
    """Write the trace of an unexpected exception; returns words that are safe to show.

    `doing`, in words of our own, is when it happened: "while it called a tool". Never raises.
    """
    try:
        from ..sandbox.faults import kind_of

        what = f"internal error ({kind_of(problem)})"
        with _lock:
            return f"{what}; {_kept(problem, doing)}"
    except Exception as other:
        return f"internal error; its trace could not be kept ({type(other).__name__})"


def fault_words(problem: BaseException, doing: str) -> str:
    """Call `note_fault` for an exception that may also come from a server or a network.

    Empty for those kinds: only errors in the program itself are faults.
    """
    while isinstance(problem, BaseExceptionGroup) and problem.exceptions:
        problem = problem.exceptions[0]
    return note_fault(problem, doing) if isinstance(problem, OF_A_PROGRAM) else ""


def tell_fault(problem: BaseException, doing: str) -> None:
    """Call `note_fault` and pass its words to the listener, for code without a screen."""
    words = note_fault(problem, doing)
    listener = _listener
    if listener is not None:
        try:
            listener(words)
            return
        except Exception as other:
            note_fault(other, "while it reported a fault")
    print_fault(words)


def print_fault(words: str) -> None:
    """One line on standard error, whatever the terminal can show."""
    sys.stderr.write(f"signoff: {words}\n".encode("ascii", "backslashreplace").decode("ascii"))


def watch(listener: Callable[[str], None] | None = None) -> None:
    """Take exceptions that no thread and no finaliser caught, from now on.

    `listener` gets them in words, from any thread; without one they go to standard error.
    """
    global _listener
    _listener = listener
    threading.excepthook = _on_thread
    sys.unraisablehook = _on_unraisable


def watch_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Take uncaught exceptions of a loop's tasks and callbacks, from now on."""
    loop.set_exception_handler(_on_loop)


def _on_loop(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    problem = context.get("exception")
    if isinstance(problem, OSError) and "transport" in context:
        # A peer that went away; the user of the connection gets the error, too.
        return
    if isinstance(problem, BaseException):
        tell_fault(problem, "in a task or callback that was not awaited")


def _on_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):
        name = "" if args.thread is None else f" {args.thread.name}"
        tell_fault(args.exc_value, f"in the thread{name}")


def _on_unraisable(args: sys.UnraisableHookArgs) -> None:
    if isinstance(args.exc_value, Exception) and not sys.is_finalizing():
        tell_fault(args.exc_value, "while it cleaned up an object")


def _kept(problem: BaseException, doing: str) -> str:
    """Write a trace; returns its path, or why it was not written, in words."""
    from ..platforms.files import why
    from ..sandbox.faults import place_of
    from .state_dir import StoreError, private_folder, shown, state_folder

    place = place_of(problem)
    path = _written.get(place)
    if path is not None and path.exists():
        return f"its trace is in {shown(path)}"
    if len(_written) >= TRACES_MAX:
        return f"its trace was not kept: this run has written {TRACES_MAX} others"
    try:
        private_folder(state_folder())
        folder = private_folder(state_folder() / FOLDER)
        path = _written[place] = _write(folder, _text(problem, doing))
        _tidy(folder)
    except StoreError as failed:
        return f"its trace could not be kept: {failed}"
    except OSError as failed:
        return f"its trace could not be kept: {why(failed)}"
    return f"its trace is in {shown(path)}"


def _text(problem: BaseException, doing: str) -> str:
    import platform

    from .. import __version__
    from ..content.text import cut, visible
    from ..sandbox.faults import trace_of

    heading = [
        f"Internal error of Signoff {__version__}, {visible(cut(doing, 200).text)}.",
        f"Python {platform.python_version()}, {platform.system()}, "
        f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')}, process {os.getpid()}",
        "Messages of exceptions and values of variables are left out: they may hold secrets.",
    ]
    return "\n".join([*heading, "", trace_of(problem), ""])


def _write(folder: Path, text: str) -> Path:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK
    for number in range(1_000):
        path = folder / f"fault-{stamp}-{os.getpid()}-{number}.txt"
        try:
            descriptor = open_file(path, flags, 0o600)
        except FileExistsError:
            continue
        try:
            with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
        except OSError:
            path.unlink(missing_ok=True)
            raise
        return path
    raise FileExistsError(17, "all names are taken")


def _tidy(folder: Path) -> None:
    """Remove the oldest traces beyond the bound; nothing else that lies there is touched."""
    found = []
    # Another Signoff may be tidying up.
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if _NAME.fullmatch(entry.name):
                found.append((entry.stat(follow_symlinks=False).st_mtime_ns, entry.path))
    for _, path in sorted(found)[:-FILES_MAX]:
        with contextlib.suppress(OSError):
            os.unlink(path)
