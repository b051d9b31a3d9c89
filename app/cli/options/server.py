"""Options that many commands have: the bundled server, output, reports and simulated people."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final, NamedTuple

from .parser import BUNDLED, Parser

DEMO = "demo"


def add_bundled(parser: Parser) -> None:
    """The bundled server, as the last word of a command."""
    parser.add_argument(BUNDLED, nargs="?", choices=[DEMO], metavar=DEMO, help="the bundled server")


JSON = ("json", "print one JSON object")
MARKDOWN = ("markdown", "print Markdown")


class OutputOptions(NamedTuple):
    """Output of a command without a screen."""

    json: bool = False
    show_secrets: bool = False


def add_json(parser: Parser) -> None:
    name, words = JSON
    parser.add_argument(f"--{name}", action="store_true", help=words)


_REPORTS: Final = {"junit": "JUnit XML", "sarif": "SARIF 2.1.0", "html": "one page of HTML"}


def add_report_files(
    parser: argparse._ActionsContainer, kinds: Sequence[str] = ("junit", "html")
) -> None:
    """Add further reports, each with the file that it is written to; empty if not given."""
    for kind in kinds:
        words = f"write {_REPORTS[kind]} to FILE, too (-: print only that)"
        parser.add_argument(f"--{kind}", metavar="FILE", default="", help=words)


def add_hosts(parser: argparse._ActionsContainer, words: str) -> None:
    """Add the hosts and policies that a report is about, as `columns`."""
    parser.add_argument(
        "--hosts",
        dest="columns",
        metavar="HOST[:MODE],...",
        action="append",
        default=[],
        help=words,
    )


def add_shape(parser: Parser, kinds: Sequence[tuple[str, str]]) -> None:
    """One option for each kind of report, by its name and words; lines where none is given."""
    shape = parser.add_mutually_exclusive_group()
    for name, words in kinds:
        shape.add_argument(
            f"--{name}", dest="shape", action="store_const", const=name, default="lines", help=words
        )


def add_person(parser: argparse._ActionsContainer) -> None:
    """Add the simulated person and their delay."""
    parser.add_argument(
        "--person",
        default=argparse.SUPPRESS,
        metavar="WHO",
        help="let a simulated person answer every question: absent (each waits for its time "
        "limit), denies, approves, slow:SECONDS or erratic:SEED",
    )
