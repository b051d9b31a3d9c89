"""Addresses as strace writes them. Pure."""

from __future__ import annotations

import re

from ...calls.deeds import SeenAddress
from .strace_lines import unquoted

QUIET_SOCKETS = frozenset({"/var/run/nscd/socket", "/run/nscd/socket"})
"""What libraries ask for names of users and hosts."""
_INET = re.compile(
    r"sin6?_port=htons\((\d+)\).*?(?:inet_addr\(\"([^\"]+)\"\)|inet_pton\(AF_INET6, \"([^\"]+)\")"
)
_UNIX = re.compile(r"sun_path=(@?)(\"(?:[^\"\\]|\\.)*\")")


def read_address(arg: str, kind: str) -> SeenAddress | None:
    """The address in a `sockaddr`; None where there is none of a kind that leads anywhere."""
    if (found := _INET.search(arg)) is not None:
        host = found[2] or found[3]
        return SeenAddress(host, int(found[1]), kind if kind != "unix" else "tcp")
    if (found := _UNIX.search(arg)) is not None:
        path = (unquoted(found[2]) or "").rstrip("\0")
        if path and path not in QUIET_SOCKETS:
            return SeenAddress(found[1] + path, None, "unix")
    return None
