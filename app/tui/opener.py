"""Gives an address to the program that the desktop has for it, after somebody has consented."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys

from ..platforms.processes import APART
from ..protocol.answers.links import look_at

WAIT_SECONDS = 5.0
"""How long a program may take to say that it could not open something; it goes on after that."""

_DESKTOP = ("DISPLAY", "WAYLAND_DISPLAY")
_PROGRAMS = {"darwin": ("open",)}
_ELSEWHERE = ("xdg-open", "wslview")


def find_program() -> str:
    """The path of the program that opens addresses; empty where there is none, or no desktop.

    Without a desktop xdg-open would start a browser in the very terminal that Signoff draws on.
    """
    has_desktop = sys.platform == "darwin" or any(os.environ.get(name) for name in _DESKTOP)
    if not has_desktop:
        return ""
    names = _PROGRAMS.get(sys.platform, _ELSEWHERE)
    return next((found for name in names if (found := shutil.which(name))), "")


async def open_outside(uri: str, program: str) -> str:
    """Open an address outside; returns what went wrong, in words, and "" where nothing did.

    Raises ValueError for what is never opened. There is no shell, and an address that is opened
    begins with its scheme, so it is never taken for an option.
    """
    facts = look_at(uri)
    if not facts.can_open:
        raise ValueError(facts.why_not)
    nothing = asyncio.subprocess.DEVNULL
    try:
        # A session of its own: whatever is started cannot draw on this terminal.
        process = await asyncio.create_subprocess_exec(
            *(program, uri), stdin=nothing, stdout=nothing, stderr=nothing, **APART
        )
    except OSError as problem:
        return f"{program} could not be started: {problem.strerror}"
    with contextlib.suppress(TimeoutError):
        status = await asyncio.wait_for(process.wait(), WAIT_SECONDS)
        if status != 0:
            return f"{program} ended with status {status}"
    return ""
