"""External programs: the user's editor and the system's opener."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence

from ...content.text import visible
from ...platforms.files import why
from ...platforms.processes import APART
from ...protocol.answers.links import look_at

IS_WINDOWS = sys.platform == "win32"
FALLBACKS = ("notepad",) if IS_WINDOWS else ("nano", "vi")


class NotEdited(Exception):
    """The text stays as it was; the message gives the reason, in words that are safe to show."""


def editor_command(variables: Mapping[str, str], fallbacks: Sequence[str] = FALLBACKS) -> list[str]:
    """The command of the editor, without the file. Raises NotEdited if there is none.

    `VISUAL` counts before `EDITOR`; they are split into words as a shell does, without running one.
    """
    for name in ("VISUAL", "EDITOR"):
        given = variables.get(name, "").strip()
        if not given:
            continue
        try:
            words = split_words(given)
        except ValueError as problem:
            raise NotEdited(f"${name} cannot be read: {visible(str(problem)).lower()}") from None
        if words and shutil.which(words[0], path=variables.get("PATH")):
            return words
        raise NotEdited(f"the editor of ${name} was not found: {visible(given)}")
    for one in fallbacks:
        if found := shutil.which(one, path=variables.get("PATH")):
            return [found]
    raise NotEdited("no editor found: set EDITOR, for example to nano")


def split_words(given: str, *, is_windows: bool = IS_WINDOWS) -> list[str]:
    """The words of a command line in a variable; ValueError for an open quote.

    On Windows a backslash separates folders and does not escape.
    """
    if not is_windows:
        return shlex.split(given)
    lexer = shlex.shlex(given, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters, lexer.escape, lexer.quotes = True, "", "", '"'
    return list(lexer)


WAIT_SECONDS = 5.0
"""Seconds in which a program may report that it could not open something; it goes on after that."""

_DESKTOP = ("DISPLAY", "WAYLAND_DISPLAY")
_PROGRAMS = {"darwin": ("open",)}
_ELSEWHERE = ("xdg-open", "wslview")


def find_program() -> str:
    """The path of the program that opens addresses; empty if there is none, or no desktop.

    Without a desktop xdg-open would start a browser in the very terminal that Signoff draws on.
    """
    has_desktop = sys.platform == "darwin" or any(os.environ.get(name) for name in _DESKTOP)
    if not has_desktop:
        return ""
    names = _PROGRAMS.get(sys.platform, _ELSEWHERE)
    return next((found for name in names if (found := shutil.which(name))), "")


async def open_outside(uri: str, program: str) -> str:
    """Open an address outside; returns the error in words, or "".

    Raises ValueError for an address that is never opened. The program starts without a shell, and
    an opened address begins with its scheme, so it is never taken for an option.
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
        return f"{program} could not be started: {why(problem)}"
    with contextlib.suppress(TimeoutError):
        status = await asyncio.wait_for(process.wait(), WAIT_SECONDS)
        if status != 0:
            return f"{program} ended with status {status}"
    return ""
