"""Encodings of the command line and the output, and output that is closed by its reader."""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import locale
import os
import sys
from collections.abc import Sequence
from typing import Final, TextIO

FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors of writing without room for a file."""
GONE: Final = (errno.EPIPE, errno.EIO)
"""What writing fails with once the reader of a pipe has left, or a terminal is gone."""

_UNSAID: Final = frozenset({"ascii"})
"""The charset of the locales C and POSIX, which is wrong: a terminal nearly always draws UTF-8."""


def other_charset() -> str:
    """The locale's own charset if that is not UTF-8, such as ISO-8859-1; empty otherwise.

    A console of Windows takes Unicode, whatever charset the locale has for files.
    """
    if sys.flags.utf8_mode or sys.platform == "win32":
        return ""
    named = locale.getencoding()
    try:
        known = codecs.lookup(named).name
    except LookupError:
        return named
    return "" if known == "utf-8" or known in _UNSAID else named


def reopen_closed_streams() -> None:
    """Give the null device to standard streams that were closed at the start, as by `<&-`.

    The next file that is opened would get the number of one, such as the pipe of a server.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is not None:
            continue
        try:
            os.fstat(number)
        except OSError:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
        setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def prepare_output() -> None:
    """Use UTF-8 for files and pipes, whatever the locale; a terminal of another charset keeps its
    own.

    Such a terminal would take bytes of UTF-8 for control characters. It gets escapes for the signs
    that it has not. An encoding in `PYTHONIOENCODING` is the user's wish, and stays.
    """
    other = other_charset()
    is_wished = bool(os.environ.get("PYTHONIOENCODING", "").partition(":")[0])
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = other if other and stream.isatty() else "utf-8"
            encoding = stream.encoding if is_wished else encoding
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def as_typed(words: Sequence[str]) -> list[str]:
    """The words of a command line, as UTF-8 if the locale does not define their charset."""
    if codecs.lookup(sys.getfilesystemencoding()).name not in _UNSAID:
        return list(words)
    return [os.fsencode(word).decode("utf-8", "surrogateescape") for word in words]


def close_stdio() -> None:
    """Forget what can no longer be written, so that the interpreter does not try it at its end."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(ValueError):
            try:
                stream.flush()
            except OSError:
                _to_nowhere(stream)


def _to_nowhere(stream: TextIO) -> None:
    with contextlib.suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        stream.flush()
