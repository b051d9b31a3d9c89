"""A fork becomes the program that was asked for, and ends as Python ends."""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import gc
import os
import runpy
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import NoReturn

from tests.forking.asked import NO_BYTECODE, Run

_FIRST_WORD = {"module": "-m", "code": "-c"}
_NAMES = ("stdin", "stdout", "stderr")


def become(
    run: Run,
    descriptors: Sequence[int],
    path: Sequence[str],
    begun: Callable[[], None],
    kept: int | None = None,
) -> NoReturn:
    """Run the program in this process, and end it.

    `descriptors` become 0, 1 and 2; whatever else is open is closed, but for `kept`. `path` is
    that of modules without what a program or a variable puts in front of it. `begun` is called
    once it leads its session, if it shall.
    """
    status = 1
    try:
        try:
            if run.session and sys.platform != "win32":
                os.setsid()
        finally:
            begun()
        _take_place(run, descriptors, kept)
        _open_streams(run)
        sys.argv = [_FIRST_WORD.get(run.kind, run.name), *run.words]
        variable = [] if run.is_isolated else os.environ.get("PYTHONPATH", "").split(os.pathsep)
        first = [] if run.is_safe else [_in_front(run)]
        sys.path[:] = [*first, *(one for one in variable if one), *path]
        gc.enable()
        gc.set_threshold(700, 10, 10)
        status = _run(run)
    except BaseException:
        traceback.print_exc()
    finally:
        _end(status)


def _take_place(run: Run, descriptors: Sequence[int], kept: int | None) -> None:
    if sys.platform == "win32":
        raise NotImplementedError
    if run.terminal:
        # Opening it as the leader of a session makes it the terminal of that.
        os.close(os.open(os.ttyname(descriptors[0]), os.O_RDWR))
    for at, one in enumerate([fcntl.fcntl(one, fcntl.F_DUPFD, 3) for one in descriptors]):
        os.dup2(one, at)
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) != kept:
            with contextlib.suppress(OSError):
                os.close(int(name))
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(run.folder)
    os.environ.clear()
    os.environ.update(run.environment)
    sys.dont_write_bytecode = bool(os.environ.get(NO_BYTECODE))
    time.tzset()
    tempfile.tempdir = None


def _open_streams(run: Run) -> None:
    """As Python opens them where the characters are UTF-8 by the locale C."""
    for number, name in enumerate(_NAMES):
        stream = open(  # noqa: SIM115
            number,
            "r" if number == 0 else "w",
            buffering=1 if os.isatty(number) or number == 2 else -1,
            encoding="utf-8",
            errors="backslashreplace" if number == 2 else "surrogateescape",
            closefd=False,
        )
        if run.is_unbuffered and number:
            stream.reconfigure(write_through=True)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _in_front(run: Run) -> str:
    if run.kind == "file":
        return os.path.dirname(os.path.realpath(run.name))
    return run.folder if run.kind == "module" else ""


def _run(run: Run) -> int:
    """The exit status."""
    try:
        if run.kind == "module":
            runpy.run_module(run.name, run_name="__main__", alter_sys=True)
        elif run.kind == "file":
            runpy.run_path(run.name, run_name="__main__")
        else:
            main = sys.modules["__main__"] = ModuleType("__main__")
            exec(compile(run.name, "<string>", "exec"), vars(main))
    except SystemExit as ended:
        return _status(ended)
    except KeyboardInterrupt:
        traceback.print_exc()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException as problem:
        sys.excepthook(type(problem), problem, problem.__traceback__)
        return 1
    return 0


def _status(ended: SystemExit) -> int:
    if ended.code is None:
        return 0
    if isinstance(ended.code, int):
        return ended.code & 0xFF
    print(ended.code, file=sys.stderr)
    return 1


def _end(status: int) -> NoReturn:
    try:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        for name in _NAMES[1:]:
            try:
                getattr(sys, name).flush()
            except (OSError, ValueError, AttributeError):
                status = status or 120
    finally:
        os._exit(status)
