"""Options of commands that open a server without a screen."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from .calling import (
    ArgumentOptions,
    Call,
    Prompt,
    Prompts,
    Read,
    Resources,
    Tasks,
    add_approve,
    add_arguments,
)
from .lint import Lint
from .parser import Parser, picked, shared_options
from .server import (
    JSON,
    OutputOptions,
    SessionOptions,
    add_bundled,
    add_connect_timeout,
    add_json,
    add_session,
    add_shape,
    add_show_secrets,
    read_session,
)

MOST_CALLS = 100
"""Of one tool, by `signoff evidence`."""
ASKED_BY_SERVER = ("elicitation", "sampling", "roots")


class Tools(NamedTuple):
    """List the tools."""


class Matrix(NamedTuple):
    """Every tool under every policy."""

    shape: str
    """lines, json, markdown or html."""
    only_differing: bool
    columns: str
    """Names with commas between; empty for all."""


class Archetypes(NamedTuple):
    """Options of `archetypes`."""

    shape: str
    """lines, json or markdown."""
    only_differing: bool


class Diff(NamedTuple):
    """Options of `diff`."""

    pin: str
    """The file of a baseline; empty for what was seen last."""
    update: bool


class Doctor(NamedTuple):
    """Options of `doctor`."""

    strict: bool
    """Whether warnings end it with a status of their own."""


class Compat(NamedTuple):
    """Options of `compat`."""

    json: bool
    junit: str
    """The file of a JUnit report; empty for none."""
    capture_file: str
    """A capture with results of calls; empty for none."""
    check: bool
    """Whether the installed clients are run, too."""
    client_env: list[str]
    """Folders with node_modules, or virtual environments."""
    strict: bool
    """Whether it fails, too, for what the specification allows."""
    tools: str
    """Patterns of names of the tools to call, with commas between; empty for all."""
    inputs: str
    """The file of their arguments; empty where they are made of the schemas."""
    approve: str
    """Who approves calls; empty if nothing is to be called."""
    answer: str
    person: str = ""

    @property
    def calls(self) -> bool:
        """True if tools are called."""
        return bool(self.approve or self.person)


class Report(NamedTuple):
    """Write a server's offers as a page."""

    html: str
    """The file; empty for standard output."""


class Evidence(NamedTuple):
    """Options of `evidence`."""

    tools: str
    """Patterns of names with commas between; empty for all."""
    inputs: str
    """The file of their arguments; empty where they are made of the schemas."""
    strict: bool
    calls: int
    """How often each tool is called."""
    approve: str
    answer: str
    person: str = ""


class Explain(NamedTuple):
    """The verdict on a tool, or on a server's request, and its reasons."""

    arguments: ArgumentOptions
    on: str
    """What the server asks: elicitation, sampling or roots; empty where it is about a tool."""


Work = (
    Tools
    | Call
    | Read
    | Resources
    | Prompts
    | Prompt
    | Tasks
    | Matrix
    | Archetypes
    | Diff
    | Doctor
    | Compat
    | Evidence
    | Report
    | Lint
    | Explain
)


KINDS: dict[str, type[Work]] = {
    "tools": Tools,
    "call": Call,
    "read": Read,
    "resources": Resources,
    "prompts": Prompts,
    "prompt": Prompt,
    "tasks": Tasks,
    "matrix": Matrix,
    "archetypes": Archetypes,
    "diff": Diff,
    "doctor": Doctor,
    "compat": Compat,
    "evidence": Evidence,
    "report": Report,
    "lint": Lint,
    "policy explain": Explain,
}


class Live(NamedTuple):
    """A command that runs a server without a screen."""

    session: SessionOptions
    output: OutputOptions
    work: Work


def read_live(kind: type[Work], given: argparse.Namespace) -> Live:
    """One of the commands without a screen."""
    if "assign" in given:
        given.arguments = picked(ArgumentOptions, given)
    session = read_session(given)
    if kind is Compat and session.server.protocol is None:
        # The clients of the table were measured on the revisions that begin with `initialize`.
        session = session._replace(server=session.server._replace(protocol="legacy"))
    return Live(session, picked(OutputOptions, given), picked(kind, given))


def add_live(parser: Parser) -> None:
    """Add the options of every command that opens a server without a screen."""
    shared = shared_options(parser)
    add_session(shared)
    add_connect_timeout(shared)
    add_show_secrets(shared)


def add_tools(tools: Parser) -> None:
    add_json(tools)
    add_bundled(tools)


def add_doctor(doctor: Parser) -> None:
    doctor.add_argument(
        "--strict", action="store_true", help="end with 1 where there are warnings (errors: 4)"
    )
    add_json(doctor)
    add_bundled(doctor)


def add_compat(compat: Parser) -> None:
    compat.add_argument(
        "--capture-file",
        metavar="FILE",
        default="",
        help="judge the results of calls in a capture, too; without a target, all of its session",
    )
    compat.add_argument(
        "--junit", metavar="FILE", default="", help="write a JUnit XML report to FILE"
    )
    compat.add_argument(
        "--check",
        action="store_true",
        help="run the installed client libraries against a replay, and report where they differ",
    )
    compat.add_argument(
        "--client-env",
        metavar="DIR",
        action="append",
        default=[],
        help="a folder with node_modules, or a virtual environment, with clients for --check",
    )
    compat.add_argument(
        "--strict",
        action="store_true",
        help="end with 1 if a client rejects only what the specification allows",
    )
    compat.add_argument(
        "--tools",
        metavar="GLOB",
        default="",
        help="with --approve: call only these, with commas between: 'get_*,list_*'",
    )
    compat.add_argument(
        "--inputs",
        metavar="FILE",
        default="",
        help="with --approve: arguments by tool, as JSON (else they are made of the schemas)",
    )
    add_json(compat)
    add_bundled(compat)
    add_approve(compat, default="")


def add_report(report: Parser) -> None:
    report.add_argument(
        "--html", metavar="FILE", default="", help="write the page there, not to standard output"
    )
    add_bundled(report)


def add_evidence(evidence: Parser) -> None:
    evidence.add_argument(
        "--tools",
        metavar="GLOB",
        default="",
        help="only these, with commas between: 'get_*,list_*'",
    )
    evidence.add_argument(
        "--inputs",
        metavar="FILE",
        default="",
        help="arguments by tool, as JSON; {scratch} stands for the folder (else they are made of "
        "the input schemas)",
    )
    evidence.add_argument(
        "--strict", action="store_true", help="end with 1 where a tool came to no answer"
    )
    evidence.add_argument(
        "--calls",
        metavar="N",
        type=_call_count,
        default=2,
        help="call each tool N times with the same arguments (default: 2); one that changes "
        "something only in its third call needs 3",
    )
    add_json(evidence)
    add_bundled(evidence)
    add_approve(evidence)


def _call_count(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= MOST_CALLS):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST_CALLS}")
    return int(text)


def add_matrix(matrix: Parser) -> None:
    add_bundled(matrix)
    kinds = (("markdown", "print a Markdown table"), ("html", "print one page of HTML"))
    add_shape(matrix, (JSON, *kinds))
    matrix.add_argument(
        "--only-differing", action="store_true", help="only tools on which the columns disagree"
    )
    matrix.add_argument(
        "--columns", metavar="NAMES", default="", help="policies and hosts, with commas between"
    )


def add_archetypes(archetypes: Parser) -> None:
    add_bundled(archetypes)
    add_shape(archetypes, (JSON, ("markdown", "print Markdown")))
    archetypes.add_argument(
        "--only-differing", action="store_true", help="only tools with a hint that differs"
    )


def add_diff(diff: Parser) -> None:
    add_bundled(diff)
    add_json(diff)
    diff.add_argument(
        "--pin", metavar="FILE", default="", help="compare with this baseline, not with last time"
    )
    diff.add_argument(
        "--update", action="store_true", help="write the baseline anew after comparing"
    )


def add_explain(explain: Parser) -> None:
    explain.add_argument("tool", nargs="?", metavar="TOOL", help="the exact name of the tool")
    add_bundled(explain)
    explain.add_argument(
        "--on",
        choices=ASKED_BY_SERVER,
        default="",
        help="instead of TOOL, what the server asks; --args are the params of its request",
    )
    add_arguments(explain)
    add_json(explain)
