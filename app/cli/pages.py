"""Reports of one HTML page: the option for the file, and its writing."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from ..content.text import visible
from ..headless.printing import tell
from ..headless.targets import UsageError

STANDARD_OUTPUT: Final = "-"


def add_html(parser: argparse._ActionsContainer) -> None:
    """Add `--html FILE`; its value is empty if it is not given."""
    parser.add_argument(
        "--html",
        metavar="FILE",
        default="",
        help="write one page of HTML to FILE (-: standard output)",
    )


def write_page(page: str, file: str, words: str) -> None:
    """Write a page, and report its contents in short. Raises UsageError if it cannot be written."""
    if file == STANDARD_OUTPUT:
        print(page, end="")
        return
    try:
        Path(file).write_text(page, encoding="utf-8")
    except OSError as problem:
        shown = visible(file)
        raise UsageError(f"--html {shown} cannot be written: {problem.strerror}") from None
    tell(f"{visible(file)}: {words}")
