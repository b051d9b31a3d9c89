"""Options that many commands have: the bundled server, output, reports and simulated people."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from .declared import one_of, opt, options
from .parser import BUNDLED, DEMO, Parser
from .session import LOGS

JSON: Final = ("json", "print one JSON object")
MARKDOWN: Final = ("markdown", "print Markdown")
_REPORTS: Final = {"junit": "JUnit XML", "sarif": "SARIF 2.1.0", "html": "one HTML page"}

AS_JSON: Final[Any] = opt(f"--{JSON[0]}", JSON[1], rivals="shape")
AS_MARKDOWN: Final[Any] = opt(f"--{MARKDOWN[0]}", MARKDOWN[1], rivals="shape")
STRICT: Final[Any] = opt("--strict", "exit with 1 on warnings (errors: always 4)")
"""Lets warnings count."""
PERSON: Final[Any] = opt(
    "--person WHO",
    "let a simulated person answer every question: absent (each waits for its time limit), "
    "denies, approves, slow:SECONDS or erratic:SEED",
    inherited=True,
)


@options
class OutputOptions(NamedTuple):
    """Output of a command without a screen."""

    json: bool = AS_JSON
    show_secrets: bool = opt(
        "--show-secrets",
        "print secrets in arguments, commands and messages (default: masked)",
        group=LOGS,
    )


def add_bundled(parser: Parser) -> None:
    """The bundled server, as the last word of a command."""
    parser.add_argument(BUNDLED, nargs="?", choices=[DEMO], metavar=DEMO, help="the bundled server")


def report_file(kind: str) -> Any:
    """Declare a further report, with the file that it is written to; empty if not given."""
    return opt(f"--{kind} FILE", f"write {_REPORTS[kind]} to FILE, too (-: print only that)")


@options
class FindingReports(NamedTuple):
    """Reports of a command that has findings; of the files, empty for none."""

    json: bool = AS_JSON
    markdown: bool = AS_MARKDOWN
    junit: str = report_file("junit")
    sarif: str = report_file("sarif")
    html: str = report_file("html")


def hosts_option(words: str, **more: Any) -> Any:
    """Declare the hosts and policies that a report is about."""
    return opt("--hosts HOST[:MODE],...", words, **more)


def shapes(*kinds: tuple[str, str]) -> Any:
    """Declare an option for each kind of report, by its name and words; lines if none is given."""
    return one_of(*kinds, default="lines")
