"""Takes `signoff proxy` out of the command of an entry, so that the real command is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..files.servers import ServerEntry
from .commands import base_name

PROXY: Final = "proxy"
"""The command of Signoff that a host starts in the place of a server."""
_PROGRAM: Final = "signoff"
_MODULES: Final = ("signoff", "signoff.app")
_RUNNERS: Final = ("uvx", "uv", "pipx")


def take_out_proxy(entry: ServerEntry) -> None:
    """Leave the words of the real command in the entry, and keep those before them."""
    while at := command_at(entry.words):
        entry.proxy = (*entry.proxy, *entry.words[:at])
        (entry.command, entry.command_spot), *rest = entry.args[at - 1 :]
        entry.args = rest


def command_at(words: Sequence[str]) -> int:
    """Return where the real command begins behind `signoff proxy ... --`; 0 without a proxy."""
    if PROXY not in words[1:]:
        return 0
    at = words.index(PROXY, 1)
    if not _starts_signoff(words[:at]) or "--" not in words[at:]:
        return 0
    begins = words.index("--", at) + 1
    return begins if begins < len(words) else 0


def _starts_signoff(words: Sequence[str]) -> bool:
    """True for the program, its module in Python, and a runner of packages that starts it."""
    program = base_name(words[0])
    if len(words) == 1:
        return program == _PROGRAM
    if program.startswith("py"):
        return words[-2] == "-m" and words[-1] in _MODULES
    return program in _RUNNERS and base_name(words[-1]) == _PROGRAM
