"""A relay between an agent and its MCP server, which keeps a copy of every message.

A program of its own, of the standard library alone, and run by its path: some hosts wait for a
server for three seconds only.

    tap.py FOLDER [--cwd FOLDER] -- COMMAND [ARG...]

Bytes pass unchanged both ways. Each line that is complete is appended to a file of this process in
FOLDER before it is passed on: `>` and the line for what the agent sent, `<` for the server, `!` for
the start and the end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Sequence

LINE_LIMIT = 16_000_000
"""Bytes of a line that are kept; of a longer one the size only."""
FILE_LIMIT = 200_000_000
"""Bytes of the file; then nothing more is kept, and the messages still pass."""
CHUNK = 65_536


class Copies:
    """The file that takes the copies. A full disk ends the copies and not the relay."""

    def __init__(self, folder: str) -> None:
        name = f"{os.getpid()}-{uuid.uuid4().hex}.tap"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        self._descriptor = os.open(os.path.join(folder, name), flags, 0o600)
        self._lock = threading.Lock()
        self._room = FILE_LIMIT

    def add(self, sign: bytes, line: bytes) -> None:
        record = sign + line + b"\n"
        with self._lock:
            self._room -= len(record)
            if self._room < 0:
                return
            with contextlib.suppress(OSError):
                while record:
                    record = record[os.write(self._descriptor, record) :]


class Splitter:
    """Copies whole lines of one direction."""

    def __init__(self, copies: Copies, sign: bytes) -> None:
        self._copies = copies
        self._sign = sign
        self._kept = bytearray()
        self._size = 0

    def feed(self, chunk: bytes) -> None:
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            self._add(piece)
            self.end()
        self._add(rest)

    def end(self) -> None:
        """The line is complete, or the stream is."""
        if self._size > LINE_LIMIT:
            self._copies.add(b"!", b"overlong " + self._sign + b" %d" % self._size)
        elif self._size:
            self._copies.add(self._sign, bytes(self._kept))
        self._kept, self._size = bytearray(), 0

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= LINE_LIMIT:
            self._kept += piece


def relay(source: int, target: int, splitter: Splitter) -> None:
    """Pass bytes on until either end is closed."""
    with contextlib.suppress(OSError):
        while chunk := os.read(source, CHUNK):
            splitter.feed(chunk)
            while chunk:
                chunk = chunk[os.write(target, chunk) :]
    splitter.end()


def run(folder: str, command: Sequence[str], cwd: str | None) -> int:
    """Start the server and relay until it has ended; returns its exit status."""
    copies = Copies(folder)
    try:
        server = subprocess.Popen(
            command, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
    except OSError as problem:
        copies.add(b"!", f"failed {problem.strerror or problem}".encode())
        sys.stderr.write(f"signoff: {command[0]} could not be started: {problem.strerror}\n")
        return 127
    copies.add(b"!", b"started %d" % server.pid)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: server.send_signal(number))
    assert server.stdin is not None
    assert server.stdout is not None
    to_server, from_server = server.stdin, server.stdout

    def to() -> None:
        relay(0, to_server.fileno(), Splitter(copies, b">"))
        with contextlib.suppress(OSError):
            to_server.close()

    def back() -> None:
        relay(from_server.fileno(), 1, Splitter(copies, b"<"))

    # A daemon: if the server ends first, nothing more is read from the agent.
    threading.Thread(target=to, daemon=True).start()
    answers = threading.Thread(target=back, daemon=True)
    answers.start()
    status = server.wait()
    # A grandchild may hold the pipe, so not for ever.
    answers.join(2.0)
    copies.add(b"!", b"ended %d" % status)
    return status if status >= 0 else 128 - status


def main(words: Sequence[str]) -> int:
    at = words.index("--") if "--" in words else len(words)
    given, command = list(words[:at]), list(words[at + 1 :])
    cwd = given[2] if given[1:2] == ["--cwd"] and len(given) == 3 else None
    if not command or len(given) != (3 if cwd is not None else 1):
        sys.stderr.write("usage: tap.py FOLDER [--cwd FOLDER] -- COMMAND [ARG...]\n")
        return 2
    return run(given[0], command, cwd)


if __name__ == "__main__":
    # Not sys.exit: the thread that reads stdin is still in the read.
    STATUS = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(STATUS)
