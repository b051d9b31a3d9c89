"""How the scripted server's process starts and ends, mostly badly."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from tests.servers._wire import Wire, append
from tests.servers.answers import LAST_WORDS


def at_start(options: argparse.Namespace, wire: Wire) -> None:
    """Everything that happens before the first line is read."""
    if sys.platform == "win32":
        raise NotImplementedError
    note(options, "server", os.getpid())
    if options.ignore_sigterm:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if options.sigterm_file:
        file = options.sigterm_file
        signal.signal(signal.SIGTERM, lambda number, frame: append(file, b"SIGTERM\n"))
    if options.crash_on_signal:
        signal.signal(signal.SIGUSR1, lambda number, frame: wire.end(7, LAST_WORDS))
    if options.exit_on_signal:
        signal.signal(signal.SIGUSR1, lambda number, frame: wire.end(options.exit_code))
    if options.grandchild:
        note(options, "grandchild", _grandchild())
    if options.noise_at_start:
        wire.send_bytes(b"Starting the server on port 8080...\n\n")
        wire.send_bytes(b'{"level":"info","msg":"ready"}\n\x1b[32mOK\x1b[0m\n')
    if options.stderr_flood:
        wire.print_error(
            "".join(f"\x1b[33mSTDERR-FLOOD line {n:04}\x1b[0m {'.' * 70}\n" for n in range(200))
        )
    if options.die_at_start is not None:
        wire.end(options.die_at_start, LAST_WORDS)
    if options.start_never:
        time.sleep(3600)
    time.sleep(options.start_delay)


def after_list(options: argparse.Namespace, wire: Wire) -> None:
    """Set the clocks that the first list starts."""
    if options.crash_after is not None:
        _after(options.crash_after, lambda: wire.end(7, LAST_WORDS))
    if options.leader_exits is not None:
        _after(options.leader_exits, lambda: wire.end(options.exit_code))


def at_end(options: argparse.Namespace, wire: Wire) -> None:
    """Stdin was closed."""
    while options.ignore_eof:
        time.sleep(3600)
    wire.end(options.exit_code)


def note(options: argparse.Namespace, kind: str, pid: int) -> None:
    """Tell the test a process id."""
    if options.pid_file:
        append(options.pid_file, f"{kind} {pid}\n".encode())


def _after(seconds: float, end: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()


def _grandchild() -> int:
    """Start a process that holds stdout and ignores SIGTERM; a disposition outlives exec."""
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        return subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL).pid
    finally:
        signal.signal(signal.SIGTERM, before)
