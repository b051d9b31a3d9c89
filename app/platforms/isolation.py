"""A network of its own for programs: they reach this machine, and nothing else.

On Linux these are namespaces, made without rights of root where the system allows it. Sockets that
were opened in such a network stay in it, whichever process has them: so a server of this process
can be reached from there.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from .processes import APART

HOLDER_SECONDS: Final = 20.0
_RESOLVER: Final = "nameserver 127.0.0.1\noptions timeout:2 attempts:1\n"
_WORDS_MAX: Final = 400


class IsolationError(OSError):
    """Programs cannot be isolated here; the text has the reason."""


class Isolation(NamedTuple):
    """A network of its own, as long as it is not closed."""

    entry: tuple[str, ...]
    """The words before a command that start it in there."""
    listening: socket.socket
    """Listens on 127.0.0.1 in there."""
    names: socket.socket
    """A datagram socket on 127.0.0.1:53 in there, at which names are looked up."""
    holder: subprocess.Popen[bytes]
    channel: socket.socket

    def close(self) -> None:
        """Give it up; programs that still run in it are ended."""
        for one in (self.listening, self.names, self.channel):
            one.close()
        self.holder.wait()


if sys.platform == "linux":
    _PROGRAM: Final = (
        *(sys.executable, "-I", "-S"),
        str(Path(__file__).with_name("isolated_program.py")),
    )

    def isolate(folder: Path, kept: Sequence[str]) -> Isolation:
        """Make a network with only the loopback. Raises IsolationError.

        Args:
            folder: where a file for it can be written.
            kept: paths that programs in there need, beside those of PATH.
        """
        resolver = folder / "resolv.conf"
        own, other = socket.socketpair()
        try:
            resolver.write_text(_RESOLVER, encoding="ascii")
            needed = [*os.environ.get("PATH", "").split(":"), sys.executable, *kept]
            with other:
                holder = subprocess.Popen(
                    (*_PROGRAM, "hold", str(other.fileno()), str(resolver), *needed),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=[other.fileno()],
                    **APART,
                )
        except OSError as problem:
            own.close()
            raise IsolationError(problem.errno, problem.strerror) from None
        try:
            own.settimeout(HOLDER_SECONDS)
            said, descriptors, _, _ = socket.recv_fds(own, _WORDS_MAX, 2)
        except OSError:
            said, descriptors = b"it took too long", []
        if len(descriptors) != 2:
            own.close()
            holder.kill()
            holder.wait()
            raise IsolationError(0, said.decode(errors="replace") or "its process ended")
        listening, names = (socket.socket(fileno=one) for one in descriptors)
        entry = (*_PROGRAM, "enter", str(holder.pid))
        return Isolation(entry, listening, names, holder, own)

else:

    def isolate(folder: Path, kept: Sequence[str]) -> Isolation:
        """Fail: only Linux has network namespaces. Raises IsolationError."""
        raise IsolationError(0, "only Linux has network namespaces")
