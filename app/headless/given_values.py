"""Values with a name that are given as options: headers, and inputs of configured servers.

`NAME=@FILE` reads a file, `NAME=$VARIABLE` a variable of the environment, `NAME=-` asks on the
terminal; anything else is the value itself, which the list of processes shows.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ..configuration.headers import header_problem
from ..content.frozen import frozen
from ..content.text import visible
from ..platforms.files import NO_CONTROL, open_file
from .targets import UsageError

FILE_MAX: Final = 100_000
"""Bytes of a file that is read for a value."""
_VARIABLE: Final = re.compile(r"\$(?:\{(?P<braced>\w+)\}|(?P<bare>\w+))")


@frozen
class GivenValue:
    """A value and whether it was written on the command line itself."""

    name: str
    value: str
    is_literal: bool = False


def read_given_value(
    option: str, given: str, environ: Mapping[str, str], ask: Callable[[str], str]
) -> GivenValue:
    """Read one `NAME=...`. Raises UsageError; its words never have the value."""
    name, equals, source = given.partition("=")
    if not equals or not name:
        raise UsageError(
            f"{option}: expected NAME=@FILE, NAME=$VARIABLE, NAME=- (asked) or NAME=VALUE"
        )
    about = f"{option} {visible(name)}"
    if source == "-":
        return GivenValue(name, ask(name))
    if source.startswith("@"):
        return GivenValue(name, _of_file(about, source[1:]))
    if found := _VARIABLE.fullmatch(source):
        variable = found["braced"] or found["bare"]
        if variable not in environ:
            raise UsageError(f"{about}: the variable {variable} is not set here")
        return GivenValue(name, environ[variable])
    return GivenValue(name, source, is_literal=True)


def repeated(given: str) -> str:
    """The option's value in a command that repeats this one; it never has the value itself."""
    name, _, source = given.partition("=")
    if source.startswith("@"):
        return f"{name}=@{os.path.abspath(source[1:])}"
    return given if source == "-" or _VARIABLE.fullmatch(source) else f"{name}=-"


def read_headers(
    given: Sequence[str], environ: Mapping[str, str], ask: Callable[[str], str]
) -> tuple[GivenValue, ...]:
    """Read the values of `--header`. Raises UsageError."""
    found = tuple(read_given_value("--header", one, environ, ask) for one in given)
    seen: set[str] = set()
    for one in found:
        if problem := header_problem(one.name, one.value):
            raise UsageError(f"--header {visible(one.name)}: {problem}")
        if one.name.lower() in seen:
            raise UsageError(f"--header {visible(one.name)} is given twice")
        seen.add(one.name.lower())
    return found


def ask_on_terminal(name: str) -> str:
    """Ask for a value on the terminal, without an echo. Raises UsageError without a terminal."""
    import getpass

    if os.name == "posix":
        try:
            os.close(open_file("/dev/tty", os.O_RDWR | NO_CONTROL))
        except OSError:
            raise UsageError(
                f"{visible(name)}=-: no terminal to ask on; use @FILE or $VARIABLE"
            ) from None
    try:
        return getpass.getpass(f"{visible(name)} (not shown): ")
    except (EOFError, OSError):
        raise UsageError(f"{visible(name)}=-: no value was typed") from None


def _of_file(about: str, path: str) -> str:
    shown = visible(path)
    try:
        with open(path, "rb") as file:
            data = file.read(FILE_MAX + 1)
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or type(problem).__name__
        raise UsageError(f"{about}: {shown} cannot be read: {why}") from None
    if len(data) > FILE_MAX:
        raise UsageError(f"{about}: {shown} has more than {FILE_MAX:,} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{about}: {shown} is not UTF-8 text") from None
    return text.removesuffix("\n").removesuffix("\r")
