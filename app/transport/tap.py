"""A relay between an agent and its MCP server, which keeps a copy of every message.

A program of its own, of the standard library alone, and run by its path: some hosts wait for a
server for three seconds only.

    tap.py FOLDER [--cwd FOLDER] -- COMMAND [ARG...]

Each line that is complete is appended to a file of this process in FOLDER before it is passed on:
`>` and a line of the agent, `<` and a line of the server, `!` for the start, the end and refusals.

The server's bytes pass unchanged. A line of the agent passes only if every reader takes it for the
same one message: strict JSON, an object, no name twice, within the limits. Characters outside ASCII
pass as escapes, since some readers end a line at one of them. The agent gets an error for any other
line, and for all that could not be copied."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Sequence
from typing import Any

LINE_LIMIT = 16_000_000
"""Bytes of a line that are kept; of a longer one the size only."""
FILE_LIMIT = 200_000_000
"""Bytes of the file; then nothing more is kept, and nothing of the agent passes."""
NOTES_LIMIT = 1_000_000
"""Bytes beyond it for the lines of the relay itself."""
FILES_MOST = 100
"""Starts of the server in one session."""
DEPTH_MOST = 100
VALUES_MOST = 1_000_000
SHOWN = 200
CHUNK = 65_536
_NOT_ASCII = re.compile("[^\x00-\x7f]")
_TOP = ("jsonrpc", "id", "method", "params", "result", "error")
_CALL = ("name", "arguments", "_meta", "task")


class Refused(ValueError):
    """Why a line of the agent is not passed on; `identity` is the id of its message, if known."""

    def __init__(self, reason: str, identity: object = None) -> None:
        super().__init__(reason)
        self.identity = identity


def passable(line: bytes) -> bytes:
    """Return the line as it is passed on, without its end. Raises Refused."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("not UTF-8") from None
    text = text.rstrip("\r")
    if "\r" in text:
        raise Refused("a carriage return within the line")
    try:
        message = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except RecursionError:
        raise Refused("nested too deeply") from None
    except Refused:
        raise
    except ValueError:
        raise Refused("not JSON") from None
    _check_message(message)
    return _NOT_ASCII.sub(_escaped, text).encode("ascii")


def _escaped(found: re.Match[str]) -> str:
    # All of them are inside strings, where JSON allows this form.
    return json.dumps(found[0])[1:-1]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise Refused("a name is given twice in an object")
    return members


def _no_constant(name: str) -> Any:
    raise Refused(f"{name} is not JSON")


def _check_message(message: Any) -> None:
    """Raise Refused for anything that readers could take for different messages."""
    if not isinstance(message, dict):
        raise Refused("not one JSON-RPC message")
    given = message.get("id")
    identity = given if isinstance(given, int | str) and not isinstance(given, bool) else None
    if "method" in message and not isinstance(message["method"], str):
        raise Refused("the method is not a string", identity)
    if _has_variant(message, _TOP) or _has_variant(message.get("params"), _CALL):
        raise Refused(
            "a name in capital letters, which some readers take for the usual one", identity
        )
    level: list[tuple[Any, int]] = [(message, 1)]
    values = 1
    for value, depth in level:
        inner = value.values() if isinstance(value, dict) else value
        values += len(inner)
        level += [(one, depth + 1) for one in inner if isinstance(one, dict | list)]
        if depth > DEPTH_MOST:
            raise Refused("nested too deeply", identity)
        if values > VALUES_MOST:
            raise Refused("too many values", identity)
        if any(isinstance(one, float) and math.isinf(one) for one in inner):
            raise Refused("a number too large for a double", identity)


def _has_variant(members: Any, names: Sequence[str]) -> bool:
    if not isinstance(members, dict):
        return False
    return any(name not in names and name.casefold() in names for name in members)


class CopyFile:
    """The file that takes the copies."""

    def __init__(self, folder: str) -> None:
        name = f"{os.getpid()}-{uuid.uuid4().hex}.tap"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        self._descriptor = os.open(os.path.join(folder, name), flags, 0o600)
        self._lock = threading.Lock()
        self._size = 0

    def add(self, sign: bytes, line: bytes) -> bool:
        """Append a line; False if it is not kept: no room, or the file is not as it was left."""
        record = sign + line + b"\n"
        most = FILE_LIMIT + (NOTES_LIMIT if sign == b"!" else 0)
        with self._lock:
            if self._size + len(record) > most or not self._is_intact():
                return False
            with contextlib.suppress(OSError):
                while record:
                    written = os.write(self._descriptor, record)
                    self._size += written
                    record = record[written:]
        return not record

    def _is_intact(self) -> bool:
        """False once the agent, which has the rights to it, removed or changed the file."""
        found = os.fstat(self._descriptor)
        return found.st_size == self._size and found.st_nlink > 0


class Splitter:
    """Splits one direction into whole lines; of an overlong one only the size is kept."""

    def __init__(self, take: Callable[[bytes, int], None]) -> None:
        """`take` gets each line that is not empty, and its size if it is overlong, else 0."""
        self._take = take
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
        if self._size:
            self._take(bytes(self._kept), self._size if self._size > LINE_LIMIT else 0)
        self._kept, self._size = bytearray(), 0

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= LINE_LIMIT:
            self._kept += piece


class ToAgent:
    """The relay's output: the server's bytes, and errors of the relay between its lines."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_between = True
        self._waiting: list[bytes] = []

    def write(self, chunk: bytes) -> None:
        with self._lock:
            end = chunk.rfind(b"\n") + 1
            _write_all(1, chunk[:end])
            self._is_between = self._is_between if not chunk else end == len(chunk)
            if end:
                self._flush()
            _write_all(1, chunk[end:])

    def report(self, problem: Refused) -> None:
        error = {"code": -32700, "message": f"signoff: not passed on: {problem}"}
        body = {"jsonrpc": "2.0", "id": problem.identity, "error": error}
        with self._lock:
            self._waiting.append(json.dumps(body).encode() + b"\n")
            if self._is_between:
                self._flush()

    def _flush(self) -> None:
        for line in self._waiting:
            _write_all(1, line)
        self._waiting.clear()


def _write_all(target: int, data: bytes) -> None:
    while data:
        data = data[os.write(target, data) :]


class FromAgent:
    """Passes the agent's lines on to the server, or refuses them."""

    def __init__(self, copies: CopyFile, target: int, to_agent: ToAgent) -> None:
        self._copies = copies
        self._target = target
        self._to_agent = to_agent

    def take(self, line: bytes, overlong: int) -> None:
        if not line.strip() and not overlong:
            return
        try:
            if overlong:
                raise Refused(f"a line of {overlong:,} bytes")
            line = passable(line)
            if not self._copies.add(b">", line):
                raise Refused("the copy of it could not be kept", json.loads(line).get("id"))
        except Refused as problem:
            begin = line[:SHOWN].replace(b"\r", b" ")
            self._copies.add(b"!", b"refused " + str(problem).encode() + b": " + begin)
            with contextlib.suppress(OSError):
                self._to_agent.report(problem)
            return
        _write_all(self._target, line + b"\n")


def relay(source: int, feed: Callable[[bytes], None]) -> None:
    """Read until either end is closed."""
    with contextlib.suppress(OSError):
        while chunk := os.read(source, CHUNK):
            feed(chunk)


def run(folder: str, command: Sequence[str], cwd: str | None) -> int:
    """Start the server and relay until it has ended; returns its exit status."""
    copies = CopyFile(folder)
    if len(os.listdir(folder)) > FILES_MOST:
        copies.add(b"!", b"refused more than %d starts of the server: " % FILES_MOST)
        return 127
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

    to_agent = ToAgent()
    from_agent = FromAgent(copies, to_server.fileno(), to_agent)

    def to() -> None:
        splitter = Splitter(from_agent.take)
        relay(0, splitter.feed)
        with contextlib.suppress(OSError):
            splitter.end()
            to_server.close()

    def keep(line: bytes, overlong: int) -> None:
        if overlong:
            copies.add(b"!", b"overlong < %d" % overlong)
        else:
            copies.add(b"<", line)

    def back() -> None:
        splitter = Splitter(keep)

        def feed(chunk: bytes) -> None:
            splitter.feed(chunk)
            to_agent.write(chunk)

        relay(from_server.fileno(), feed)
        splitter.end()

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
