"""Describes an unexpected exception as text that may be kept and handed on.

The message of an exception is left out: it can hold a server's text, an argument or a secret. So
are the values of variables. The places and the kinds remain.
"""

from __future__ import annotations

import errno
import linecache
import os
from collections.abc import Iterator
from types import TracebackType

from ..content.text import cut, visible

TRACE_MAX = 48_000
"""Characters of one trace."""
FRAMES_MAX = 60
"""Frames of one exception; of a longer traceback both ends are kept."""
CHAIN_MAX = 12
"""Exceptions of one trace, with those that they came from and those of a group."""
_LINE_MAX = 200
_HOMES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Elsewhere(Exception):
    """The cause of an exception that was raised in another process; `trace` is its text."""

    def __init__(self, trace: str) -> None:
        super().__init__(trace)
        self.trace = trace


def kind_of(problem: BaseException) -> str:
    """The type of an exception, and for one of the system's the name of its error."""
    kind = visible(cut(type(problem).__qualname__, 80).text)
    code = errno.errorcode.get(problem.errno or 0, "") if isinstance(problem, OSError) else ""
    return f"{kind}, {code}" if code else kind


def trace_of(problem: BaseException) -> str:
    """Kinds and places, the innermost call last, and the exceptions that led to this one."""
    lines: list[str] = []
    for heading, one in _chain(problem):
        if heading:
            lines += ["", heading]
        if isinstance(one, Elsewhere):
            lines += [f"  {line}" for line in one.trace.splitlines()]
            continue
        lines.append(kind_of(one))
        lines += _frames(one.__traceback__)
    text = "\n".join(visible(line, max_blanks=100) for line in lines)
    if len(text) > TRACE_MAX:
        text = f"{text[:TRACE_MAX]}\n[cut: {TRACE_MAX:,} of {len(text):,} characters]"
    return text


def place_of(problem: BaseException) -> tuple[str, ...]:
    """Return the kinds and places that distinguish one fault from another."""
    found = []
    for _, one in _chain(problem):
        at = one.__traceback__
        while at is not None and at.tb_next is not None:
            at = at.tb_next
        where = "" if at is None else f"{at.tb_frame.f_code.co_filename}:{at.tb_lineno}"
        found.append(f"{kind_of(one)} {where}")
    return tuple(found)


def _chain(problem: BaseException) -> Iterator[tuple[str, BaseException]]:
    """Yield an exception, those of its group, and its causes, each with its heading."""
    waiting: list[tuple[str, BaseException]] = [("", problem)]
    known: set[int] = set()
    while waiting and len(known) < CHAIN_MAX:
        heading, one = waiting.pop(0)
        if id(one) in known:
            continue
        known.add(id(one))
        yield heading, one
        if isinstance(one, BaseExceptionGroup):
            waiting += [("in the group:", inner) for inner in one.exceptions[:CHAIN_MAX]]
        if isinstance(one.__cause__, Elsewhere):
            waiting.append(("in another process:", one.__cause__))
        elif one.__cause__ is not None:
            waiting.append(("caused by:", one.__cause__))
        elif one.__context__ is not None and not one.__suppress_context__:
            waiting.append(("while handling:", one.__context__))


def _frames(traceback: TracebackType | None) -> Iterator[str]:
    places: list[tuple[str, int, str]] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        places.append((code.co_filename, traceback.tb_lineno or 0, code.co_qualname))
        traceback = traceback.tb_next
    left_out = len(places) - FRAMES_MAX
    for number, (file, line, name) in enumerate(places):
        if left_out > 0 and FRAMES_MAX // 2 <= number < FRAMES_MAX // 2 + left_out:
            if number == FRAMES_MAX // 2:
                yield f"  [{left_out:,} more]"
            continue
        yield f"  {cut(_shown(file), 300).text}, line {line}, in {cut(name, 200).text}"
        # Only files that code was loaded from: such a line is part of a program, not of its data.
        source = linecache.getline(file, line).strip() if os.path.isabs(file) else ""
        if source:
            yield f"    {cut(source, _LINE_MAX).text}"


def _shown(file: str) -> str:
    """A path without the folders above the program or the library: they may name a person."""
    if file.startswith(_OURS + os.sep):
        inside = file[len(_OURS) + 1 :]
        if "site-packages" not in inside and "dist-packages" not in inside:
            return inside
    for home in _HOMES:
        if home in file:
            return file.rpartition(home)[2]
    if os.path.isabs(file):
        return os.path.join("…", *file.split(os.sep)[-2:])
    return file
