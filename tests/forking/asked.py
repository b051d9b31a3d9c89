"""What is asked of the fork server, and how that goes through its socket."""

from __future__ import annotations

import json
import os
import socket
import sys
from dataclasses import asdict, dataclass
from typing import Literal

Kind = Literal["module", "file", "code"]
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
"""A variable that Python reads at its start, and that a fork can obey all the same."""
LONGEST = 150_000
"""Bytes of a request that go through a socket at once."""
MOST_DESCRIPTORS = 3


@dataclass(frozen=True, slots=True)
class Run:
    """A Python program: what follows `python` on its command line, and where it begins."""

    kind: Kind
    name: str
    """The module, the path of the file, or the code itself."""
    words: tuple[str, ...]
    """What comes after it."""
    is_safe: bool
    """Whether nothing is put in front of the path of modules."""
    is_isolated: bool
    """Whether the variables of Python do not count."""
    is_unbuffered: bool
    environment: dict[str, str]
    folder: str
    session: bool
    """Whether it leads a session of its own."""
    terminal: bool = False
    """Whether the terminal at its standard input becomes that of its session."""


class TooLong(Exception):
    """A request that does not go through at once."""


def send(channel: socket.socket, run: Run, descriptors: tuple[int, ...]) -> None:
    """Raises TooLong, or OSError where nobody is there any more."""
    message = json.dumps(asdict(run)).encode()
    if len(message) > LONGEST:
        raise TooLong
    if sys.platform == "win32":
        raise NotImplementedError
    socket.send_fds(channel, [message], descriptors)


def receive(channel: socket.socket) -> tuple[Run, list[int]] | None:
    """The next request with the descriptors 0, 1 and 2; None when nobody will ask any more."""
    if sys.platform == "win32":
        raise NotImplementedError
    message, descriptors, _, _ = socket.recv_fds(channel, LONGEST + 1, MOST_DESCRIPTORS)
    if not message:
        return None
    found = json.loads(message)
    return Run(**{**found, "words": tuple(found["words"])}), list(descriptors)


def answer(channel: socket.socket, pid: int) -> None:
    channel.send(str(pid).encode())


def answered(channel: socket.socket) -> int:
    """The process id. Raises EOFError where the server has ended."""
    message = channel.recv(64)
    if not message:
        raise EOFError
    return int(message)


def pair() -> tuple[socket.socket, socket.socket]:
    if sys.platform == "win32":
        raise NotImplementedError
    ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for end in ends:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * LONGEST)
        os.set_inheritable(end.fileno(), False)
    return ends
