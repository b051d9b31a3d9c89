"""Options of `signoff lint`: of a server, of a file, and the page of a rule."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from .parser import Parser, picked
from .server import DEMO, JSON, add_shape

EXPLAIN = "explain"
_FOR_FILES = frozenset(
    ("mode", "words", "bundled", "alone", "strict", "pin", "rules", "shape", "audit", "no_audit")
)
"""What counts for a file of definitions, of all that may have been given."""


class Lint(NamedTuple):
    """Judge the definitions of a server by the rules."""

    shape: str
    """lines, json, markdown, sarif or junit."""
    strict: bool
    """Whether warnings end it with a status of their own."""
    pin: str
    """The file of a baseline; empty for none."""
    rules: str
    """The file that weighs the rules; empty for none."""


class LintFile(NamedTuple):
    """Judge the definitions in a file."""

    file: str
    lint: Lint
    audit: str | None
    """The log in which answers are looked for; None for the usual one."""
    no_audit: bool


class LintExplain(NamedTuple):
    """Explains one rule; all rules, if no code is given."""

    code: str


def add_lint(lint: Parser) -> None:
    """Add the options of `signoff lint` beside those of every command with a server."""
    lint.add_argument(
        "words",
        nargs="*",
        metavar=f"{DEMO} | FILE | {EXPLAIN} [CODE]",
        help="the bundled server; a file with an answer to tools/list, signoff tools --json or a "
        "baseline; or the page of a rule",
    )
    lint.add_argument(
        "--strict", action="store_true", help="end with 1 where there are warnings (errors: 4)"
    )
    lint.add_argument(
        "--pin", metavar="FILE", default="", help="what changed since this baseline, too"
    )
    lint.add_argument(
        "--rules", metavar="FILE", default="", help="how much each rule matters, as TOML"
    )
    kinds = (
        ("markdown", "print Markdown"),
        ("sarif", "print SARIF 2.1.0"),
        ("junit", "print JUnit XML"),
    )
    add_shape(lint, (JSON, *kinds))


def settle_words(parser: Parser, given: argparse.Namespace, rest: list[str]) -> list[str]:
    """Find out which of the three commands is meant; returns unknown words."""
    words = [*given.words, *(word for word in rest if not word.startswith("-"))]
    given.bundled = DEMO if words == [DEMO] else None
    given.alone = None
    if words[:1] == [EXPLAIN]:
        if len(words) > 2:
            parser.error(f"lint {EXPLAIN} takes one code")
        given.alone = LintExplain(words[1] if len(words) == 2 else "")
    elif words and given.bundled is None:
        if len(words) > 1:
            parser.error(f"lint takes one target: {DEMO}, --url, a file, or -- COMMAND")
        useless = sorted(set(vars(given)) - _FOR_FILES)
        if useless:
            names = ", ".join(f"--{name.replace('_', '-')}" for name in useless)
            parser.error(f"for a file no server is started: leave {names} out")
        audit, no_audit = vars(given).get("audit"), vars(given).get("no_audit", False)
        given.alone = LintFile(words[0], picked(Lint, given), audit, no_audit)
    return [word for word in rest if word.startswith("-")]
