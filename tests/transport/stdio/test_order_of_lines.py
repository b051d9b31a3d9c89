"""Lines to a server: written at once where its pipe has room, queued where not, always in order."""

from __future__ import annotations

import os
import sys
import threading
import time

import pytest

from signoff.app.platforms.pipes import let_no_write_wait, write_all, write_at_once
from signoff.app.transport.stdio.lines import Line
from signoff.app.transport.stdio.process import ServerProcess

SLOW_ECHO = """
import sys, time
time.sleep(0.3)
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(line[:8] + b"\\n")
    sys.stdout.buffer.flush()
"""
LINES = 400


def test_lines_of_any_size_arrive_in_their_order() -> None:
    came: list[bytes] = []
    is_over = threading.Event()

    def take(line: Line) -> None:
        assert isinstance(line, bytes)
        came.append(line)
        if len(came) == LINES:
            is_over.set()

    process = ServerProcess(
        [sys.executable, "-c", SLOW_ECHO],
        on_line=take,
        on_stderr=lambda lines: None,
        on_exit=lambda ended: None,
    )
    try:
        process.send(b"%08d" % 0)
        process.attend()
        for number in range(1, LINES):
            # A pipe holds 64 kB: most of these wait for the server to read, and some are too
            # large to be written at once.
            process.send(b"%08d" % number + b"x" * (6_000 if number % 3 else 10))
        assert is_over.wait(60)
        deadline = time.monotonic() + 10
        while process.unsent and time.monotonic() < deadline:
            # The server may answer before the thread that wrote to it goes on.
            time.sleep(0.01)
        assert process.unsent == 0
        process.send(b"%08d" % LINES)
    finally:
        process.stop()
    process.send(b"too late")
    assert came[:LINES] == [b"%08d" % number for number in range(LINES)]
    assert b"too late" not in came


@pytest.mark.skipif(sys.platform == "win32", reason="there nothing is told of a pipe")
def test_a_pipe_that_is_full_takes_nothing_at_once_and_all_in_time() -> None:
    read_end, write_end = os.pipe()
    let_no_write_wait(write_end)
    many = b"y" * 300_000
    try:
        assert not write_at_once(write_end, many)
        written = 0
        while write_at_once(write_end, b"x" * 1_000):
            written += 1_000
        writing = threading.Thread(target=write_all, args=(write_end, many))
        writing.start()
        came = bytearray()
        while len(came) < written + len(many):
            came += os.read(read_end, 10_000)
        writing.join(10)
        assert bytes(came) == b"x" * written + many
        assert write_at_once(write_end, b"z")
        os.close(read_end)
        with pytest.raises(BrokenPipeError):
            write_at_once(write_end, b"z")
        with pytest.raises(BrokenPipeError):
            write_all(write_end, b"z")
    finally:
        os.close(write_end)
