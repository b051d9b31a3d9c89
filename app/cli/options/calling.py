"""The commands that ask one thing of a server: `signoff call`, `signoff read`."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from .approval import ArgumentOptions, add_approve, add_arguments
from .output import add_json
from .parser import Parser
from .server import add_bundled

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
