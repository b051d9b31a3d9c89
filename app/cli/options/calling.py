"""Options of `signoff call`, `read` and `prompt`: arguments, approver; and of the lists."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from .parser import Parser
from .server import add_bundled, add_json, add_person

MAX_PAGES = 1_000
"""Pages that one command asks for: a server may have no end of them."""


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


class ArgumentOptions(NamedTuple):
    """The tool and its arguments, as they were written."""

    tool: str
    assign: tuple[str, ...] = ()
    """`NAME=VALUE`; they go over `args`."""
    args: str = ""
    """A JSON object, `@FILE` or `-`; empty where none was given."""
    although_invalid: bool = False
    """Whether arguments that break the input schema are asked about, and sent if approved."""


def add_arguments(parser: Parser) -> None:
    """The arguments of a tool."""
    parser.add_argument(
        "-a", dest="assign", action="append", default=[], metavar="NAME=VALUE", help="an argument"
    )
    parser.add_argument(
        "--args", default="", metavar="JSON|@FILE|-", help="all arguments as a JSON object"
    )
    parser.add_argument(
        "--although-invalid",
        action="store_true",
        help="take arguments that break the input schema (f12 on the screen); a value that cannot "
        "be read as what it should be is the string that it is",
    )


def add_approve(parser: Parser, default: str = "ask") -> None:
    """Add the approver and its time limit; with "" as default, also whether to call."""
    who = parser.add_mutually_exclusive_group()
    who.add_argument(
        "--approve",
        choices=["ask", "policy", "always", "never"],
        default=default,
        help="who answers when the policy asks (ask; without a terminal that means: not approved)"
        if default
        else "call the tools, and who answers when the policy asks (without it nothing is called)",
    )
    add_person(who)
    parser.add_argument(
        "--answer",
        default="",
        metavar="FILE",
        help="what the server is told that asks meanwhile, by kind and in order (JSON); "
        "else it is asked on the terminal, or declined",
    )
    add_time_limit(parser)


def add_time_limit(parser: argparse._ActionsContainer) -> None:
    """Until when a question waits."""
    parser.add_argument(
        "--decision-seconds",
        type=_time_limit,
        default=argparse.SUPPRESS,
        metavar="S|off",
        help="seconds after which an open question is denied, or off (120)",
    )


def _time_limit(text: str) -> float:
    from ...approval.approval import read_time_limit

    try:
        return read_time_limit(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


class Resources(NamedTuple):
    """List the resources, and the templates of them."""


class Prompts(NamedTuple):
    """List the prompts."""


class Tasks(NamedTuple):
    """List the tasks that the server keeps."""


class Prompt(NamedTuple):
    """Ask for one prompt."""

    prompt: str
    given: tuple[str, ...]
    """`NAME=VALUE`, each a string."""
    although_invalid: bool
    """Whether to ask with arguments that the prompt does not name, or without some it needs."""
    approve: str
    answer: str
    person: str = ""


def add_list(parser: Parser) -> None:
    """`signoff resources`, `signoff prompts`, and `signoff tasks`."""
    add_json(parser)
    add_bundled(parser)


def add_prompt(prompt: Parser) -> None:
    prompt.add_argument("prompt", metavar="NAME", help="the exact name of the prompt")
    add_bundled(prompt)
    prompt.add_argument(
        "-a", dest="given", action="append", default=[], metavar="NAME=VALUE", help="an argument"
    )
    prompt.add_argument(
        "--although-invalid",
        action="store_true",
        help="take arguments that the prompt does not name, and leave out some that it needs",
    )
    add_json(prompt)
    add_approve(prompt)
