"""The addresses beyond this machine that a host reached for, as strace wrote them down."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from ....calls.effects.strace_lines import read_address
from ....platforms.files import NO_LINK, NO_WAIT, open_file

_LOOPBACK: Final = ("127.", "::1", "0.0.0.0", "::ffff:127.")
_BYTES: Final = 64_000_000
"""Bytes of the output that are read."""
ADDRESSES_MOST: Final = 1_000
_NAMES_PORT: Final = 53
LOOKUPS: Final = "name lookups (port 53)"


def read_reached(path: Path) -> set[str]:
    """The addresses in the output of strace, which a hostile host can replace."""
    found: set[str] = set()
    try:
        descriptor = open_file(path, os.O_RDONLY | NO_LINK | NO_WAIT)
    except OSError:
        return found
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return found
        while len(found) < ADDRESSES_MOST and file.tell() < _BYTES:
            line = file.readline(10_000)
            if not line:
                break
            address = read_address(line.decode(errors="replace"), "tcp")
            if address is not None and address.port and _is_far(address.host):
                # The address of a name server depends on the machine, not on the host.
                is_lookup = address.port == _NAMES_PORT
                found.add(LOOKUPS if is_lookup else f"{address.host}:{address.port}")
    return found


def _is_far(host: str) -> bool:
    return host != "::" and not host.startswith(_LOOPBACK)
