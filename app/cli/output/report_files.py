"""Reports beside the normal output: files, or one of them in its place on standard output."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, NamedTuple, TextIO

from ...cli.targets.given_files import write_given
from ...content.text import visible

if TYPE_CHECKING:
    from ..command import Command

STANDARD_OUTPUT: Final = "-"
REPORTS: Final = ("junit", "sarif", "html", "comment", "badge")
"""The options for reports that take a file."""
_SHAPES: Final = ("json", "markdown")
_OUTPUT: ContextVar[TextIO | None] = ContextVar("standard output for a report", default=None)


def write_report(option: str, file: str, text: str) -> None:
    """Write one report, to standard output for `-`. Raises UsageError, which names the option."""
    if file == STANDARD_OUTPUT:
        from .printing import encodable

        output = _OUTPUT.get() or sys.stdout
        output.write(encodable(text, output))
        output.flush()
        return
    write_given(option, file, text)


def write_page(page: str, file: str, words: str) -> None:
    """Write a page, and report the contents of a file in short. Raises UsageError."""
    write_report("--html", file, page)
    if file != STANDARD_OUTPUT:
        from .printing import tell

        tell(f"{visible(file)}: {words}")


def printed_reports(given: argparse.Namespace) -> list[str]:
    """The options that print in place of the normal output, if a report is among them."""
    values = vars(given)
    files = [f"--{name} -" for name in REPORTS if values.get(name) == STANDARD_OUTPUT]
    shapes = [one for one in _SHAPES if values.get(one) is True or values.get("shape") == one]
    return [*files, *(f"--{one}" for one in shapes)] if files else []


class OnlyReport(NamedTuple):
    """A command that prints a report in place of its normal output."""

    command: Command

    def run(self, argv: tuple[str, ...]) -> int:
        with only_report():
            return self.command.run(argv)


@contextlib.contextmanager
def only_report() -> Iterator[None]:
    """Let nothing but `write_report` reach standard output."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        token = _OUTPUT.set(sys.stdout)
        try:
            with contextlib.redirect_stdout(nowhere):
                yield
        finally:
            _OUTPUT.reset(token)
