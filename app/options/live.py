"""The commands that open a server: with a screen, and without one."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from signoff.app.options.approval import (
    ArgumentOptions,
    add_approve,
    add_arguments,
    add_time_limit,
)
from signoff.app.options.lint import Lint
from signoff.app.options.offers import Prompt, Prompts, Resources, Tasks
from signoff.app.options.output import (
    JSON,
    OutputOptions,
    ScreenOptions,
    add_json,
    add_screen,
    add_shape,
    add_show_secrets,
)
from signoff.app.options.parser import Parser, group, picked
from signoff.app.options.server import (
    SessionOptions,
    add_bundled,
    add_connect_timeout,
    add_session,
    read_session,
)

MAX_PAGES = 1_000
"""Pages that one command asks for: a server may have no end of them."""
ASKED_BY_SERVER = ("elicitation", "sampling", "roots")
PAGE_NEEDS = frozenset({"mode", "html", "present"})
"""All that counts where the tour is written as a page."""


class Bench(NamedTuple):
    """Open a server on the screen."""

    session: SessionOptions
    screen: ScreenOptions


class Tour(NamedTuple):
    """Open the bundled server with the tour over it, or write the tour as a page."""

    session: SessionOptions
    screen: ScreenOptions
    present: bool
    html: str
    """The file of the page; empty where there is to be none."""
    useless: tuple[str, ...]
    """The options that count for nothing on a page."""


class Tools(NamedTuple):
    """List the tools."""


class Call(NamedTuple):
    """Make one call, or a few of the same."""

    arguments: ArgumentOptions
    approve: str
    """Who answers questions: ask, policy, always or never."""
    answer: str
    """The file of what the server is told that asks meanwhile; empty for none."""
    preset: str
    """Arguments that were kept under a name; empty where none are wanted."""
    pages: int
    """How many pages of the answer to ask for; 0: there is one call."""
    page_parameter: str
    """What takes the cursor of a page; empty where its name says so."""
    twice: bool
    """Make it twice, and compare the answers."""
    person: str = ""
    """Who answers every question, where nobody real does: `slow:30`."""


class Read(NamedTuple):
    """Read one resource."""

    uri: str
    approve: str
    answer: str
    person: str = ""


class Matrix(NamedTuple):
    """Every tool under every policy."""

    shape: str
    """lines, json, markdown or html."""
    only_differing: bool
    columns: str
    """Names with commas between; empty for all."""


class Archetypes(NamedTuple):
    """Each tool beside the kind that its name tells."""

    shape: str
    """lines, json or markdown."""
    only_differing: bool


class Diff(NamedTuple):
    """What changed in the definitions."""

    pin: str
    """The file of a baseline; empty for what was seen last."""
    update: bool


class Doctor(NamedTuple):
    """Tell what is odd about a server."""

    strict: bool
    """Whether warnings end it with a status of their own."""


class Report(NamedTuple):
    """Write what a server offers as a page."""

    html: str
    """The file; empty for standard output."""


class Evidence(NamedTuple):
    """Call tools where what they do is watched."""

    tools: str
    """Patterns of names with commas between; empty for all."""
    inputs: str
    """The file of their arguments; empty where they are made of the schemas."""
    strict: bool
    approve: str
    answer: str
    person: str = ""


class Explain(NamedTuple):
    """The verdict on a tool, or on what the server asks, and its reasons."""

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


def read_bench(given: argparse.Namespace) -> Bench:
    """`signoff`, and `signoff demo`."""
    return Bench(read_session(given), picked(ScreenOptions, given))


def read_tour(given: argparse.Namespace) -> Tour:
    """`signoff tour`."""
    useless = tuple(f"--{name.replace('_', '-')}" for name in vars(given) if name not in PAGE_NEEDS)
    return Tour(*read_bench(given), given.present, given.html, useless)


def read_live(kind: type[Work], given: argparse.Namespace) -> Live:
    """One of the commands without a screen."""
    if "assign" in given:
        given.arguments = picked(ArgumentOptions, given)
    return Live(read_session(given), picked(OutputOptions, given), picked(kind, given))


def bench_group() -> Parser:
    """What every command takes that opens the bench."""
    bench = group()
    add_session(bench)
    add_screen(bench)
    add_time_limit(bench)
    return bench


def add_demo(demo: Parser) -> None:
    """The bundled server is all that this says."""


def add_tour(tour: Parser) -> None:
    way = tour.add_mutually_exclusive_group()
    way.add_argument(
        "--present", action="store_true", help="large and slow, for those who watch a projector"
    )
    way.add_argument(
        "--html", metavar="FILE", default="", help="write the tour as one page, with pictures"
    )


def live_group() -> Parser:
    """What every command without a screen takes that opens a server."""
    live = group()
    add_session(live)
    add_connect_timeout(live)
    add_show_secrets(live)
    return live


def add_tools(tools: Parser) -> None:
    add_json(tools)
    add_bundled(tools)


def add_doctor(doctor: Parser) -> None:
    doctor.add_argument(
        "--strict", action="store_true", help="end with 1 where there are warnings (errors: 4)"
    )
    add_json(doctor)
    add_bundled(doctor)


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
    add_json(evidence)
    add_bundled(evidence)
    add_approve(evidence)


def add_call(call: Parser) -> None:
    call.add_argument("tool", nargs="?", metavar="TOOL", help="the exact name of the tool")
    call.add_argument(
        "--tool", dest="dashed_tool", metavar="NAME", help="instead of TOOL, where it begins with -"
    )
    add_bundled(call)
    add_arguments(call)
    call.add_argument(
        "--preset", default="", metavar="NAME", help="arguments kept under a name; -a goes over it"
    )
    add_json(call)
    add_approve(call)
    several = call.add_mutually_exclusive_group()
    several.add_argument(
        "--pages",
        type=_pages,
        default=0,
        metavar="N",
        help="ask for up to N pages of the answer, each a call of its own, and check them",
    )
    several.add_argument(
        "--twice",
        action="store_true",
        help="make the call twice, and hold the answers against what the tool claims of repeating",
    )
    call.add_argument(
        "--page-parameter",
        default="",
        metavar="NAME",
        help="what takes the cursor of a page, where its name does not say so",
    )


def _pages(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:9]) <= MAX_PAGES):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to {MAX_PAGES:,}")
    return int(text)


def add_read(read: Parser) -> None:
    read.add_argument("uri", metavar="URI", help="exactly as the server wrote it")
    add_bundled(read)
    add_json(read)
    add_approve(read)


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
