"""A name server that knows no name and notes each one that a host looks up (RFC 1035, 4.1)."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Final

NAMES_MOST: Final = 1_000
_HEADER: Final = 12
_LABEL_MAX: Final = 63
_NAME_MAX: Final = 255
_PACKET_MAX: Final = 4_096
_NO_SUCH_NAME: Final = b"\x81\x83"
"""A response, recursion available, with the code of a name that does not exist."""
_OWN: Final = ("localhost", "local", "arpa")
"""The last labels of names that mean this machine or its network."""


def name_in(packet: bytes) -> tuple[str, int] | None:
    """The name of the first question, and the end of that question; None if there is none."""
    labels: list[str] = []
    at, total = _HEADER, 0
    while at < len(packet) and (size := packet[at]):
        label = packet[at + 1 : at + 1 + size]
        total += size + 1
        if size > _LABEL_MAX or len(label) < size or total > _NAME_MAX:
            return None
        labels.append(label.decode("latin-1"))
        at += size + 1
    end = at + 5
    return (".".join(labels).lower(), end) if labels and end <= len(packet) else None


def answer_to(packet: bytes) -> tuple[str, bytes] | None:
    """The name of a query, and the response that no such name exists; None for anything else."""
    found = name_in(packet)
    is_query = len(packet) > _HEADER and not packet[2] & 0x80
    if found is None or not is_query:
        return None
    name, end = found
    counts = b"\x00\x01\x00\x00\x00\x00\x00\x00"
    return name, packet[:2] + _NO_SUCH_NAME + counts + packet[_HEADER:end]


@contextlib.contextmanager
def serving_names(names: socket.socket) -> Iterator[set[str]]:
    """Answer queries at a datagram socket as long as the block runs.

    The set gets the names that were looked up, raw, `NAMES_MOST` at most.
    """
    found: set[str] = set()
    is_over = threading.Event()

    def serve() -> None:
        while not is_over.is_set():
            with contextlib.suppress(OSError):
                packet, sender = names.recvfrom(_PACKET_MAX)
                if (answered := answer_to(packet)) is None:
                    continue
                name, response = answered
                if len(found) < NAMES_MOST and name.rpartition(".")[2] not in _OWN:
                    found.add(name)
                names.sendto(response, sender)

    thread = threading.Thread(target=serve, name="name server", daemon=True)
    thread.start()
    try:
        yield found
    finally:
        is_over.set()
        # It waits for a packet; the socket reaches itself, also from another network.
        with contextlib.suppress(OSError):
            names.sendto(b"", names.getsockname())
        thread.join(1.0)
