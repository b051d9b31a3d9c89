"""The real command in the process of the tests, told and heard as one of its own would be.

Starting Python and importing what a command needs costs several times what the command does. What
is about the process itself - signals, its start and its end - is tested with `Command`.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

from signoff.app.cli.main import main
from signoff.app.storage import fault_log as faults

STREAMS = ("stdin", "stdout", "stderr")
EVERY_SIGNAL = sorted(signal.valid_signals())


def run_here(
    folder: Path, words: tuple[str, ...], stdin: str, environment: Mapping[str, str]
) -> tuple[int, str, str]:
    """The exit status, and what was written on standard output and standard error."""
    assert asyncio._get_running_loop() is None, "there is a loop already: use Command"
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        with (
            _environment(environment),
            contextlib.chdir(folder),
            _hooks(),
            _streams(_pipe_with(stdin), output.fileno(), errors.fileno()),
        ):
            status = _status(words)
        return status, _read(output), _read(errors)


def _status(words: tuple[str, ...]) -> int:
    try:
        main(words)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1


def _pipe_with(text: str) -> int:
    """Where this text can be read, and then the end of it."""
    reading, writing = os.pipe()
    with open(writing, "w", encoding="utf-8") as pipe:
        pipe.write(text)
    return reading


@contextlib.contextmanager
def _environment(whole: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    try:
        os.environ.clear()
        os.environ.update(whole)
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextlib.contextmanager
def _streams(*descriptors: int) -> Iterator[None]:
    """The three standard streams lead there, those of Python and those that a server inherits."""
    before = [getattr(sys, name) for name in STREAMS]
    kept = [os.dup(number) for number in range(3)]
    try:
        with contextlib.ExitStack() as opened:
            for number, (name, descriptor) in enumerate(zip(STREAMS, descriptors, strict=True)):
                os.dup2(descriptor, number)
                mode = "w" if number else "r"
                stream = opened.enter_context(open(number, mode, encoding="utf-8", closefd=False))
                setattr(sys, name, stream)
            os.close(descriptors[0])
            yield
    finally:
        for number, (name, stream) in enumerate(zip(STREAMS, before, strict=True)):
            setattr(sys, name, stream)
            os.dup2(kept[number], number)
            os.close(kept[number])


@contextlib.contextmanager
def _hooks() -> Iterator[None]:
    """What a command sets for the whole process is as it was, after it."""
    handlers = {one: signal.getsignal(one) for one in EVERY_SIGNAL}
    hooks = threading.excepthook, sys.unraisablehook
    told = faults._listener, dict(faults._written)
    try:
        faults._written.clear()
        yield
    finally:
        threading.excepthook, sys.unraisablehook = hooks
        faults._listener, faults._written = told
        for number, handler in handlers.items():
            if handler is not None and signal.getsignal(number) is not handler:
                signal.signal(number, handler)


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return io.TextIOWrapper(io.BytesIO(file.read()), encoding="utf-8").read()
