"""The commands on flow files: their schema, their mistakes, and the test that they are."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

from .output import add_json
from .people import add_person

if TYPE_CHECKING:
    from typing import TypeAlias

    from .parser import Parser

    Verbs: TypeAlias = "argparse._SubParsersAction[Parser]"


class FlowSchema(NamedTuple):
    """The JSON Schema of flow files."""


class FlowCheck(NamedTuple):
    """What is wrong with flow files."""

    flows: tuple[str, ...]
    json: bool = False


class RunFlows(NamedTuple):
    """Run flow files."""

    flows: tuple[str, ...]
    json: bool = False
    words: str = ""
    """Only what has them in its name; empty for all."""
    stops: bool = False
    """Whether nothing is run after the first that fails."""
    jobs: int = 1
    """How many flows are run at once."""
    person: str = ""
    """Who answers in the place of everybody."""
    retries: int | None = None
    """How often a failed step is tried again, whatever the flows say."""
    update: bool = False
    """Whether to offer to write anew what failed."""
    settle: bool = False
    """Whether to offer matchers for values that were others this time."""
    watch: bool = False
    """Whether to run them again whenever they change."""
    junit: str = ""
    html: str = ""
    """The files of further reports; empty for none."""


FlowWork = FlowSchema | FlowCheck | RunFlows
MOST_JOBS = 64
MOST_RETRIES = 100


def add_flow_verbs(kinds: Verbs) -> None:
    """The verbs of `signoff flow`."""
    kinds.add_parser("schema", help="print the JSON Schema of flow files, for editors")
    check = kinds.add_parser("check", help="read flow files and name every mistake with its line")
    check.add_argument("flows", nargs="+", metavar="FLOW")
    add_json(check)


def add_test(test: Parser) -> None:
    """The options of `signoff test`."""
    test.add_argument("flows", nargs="+", metavar="FLOW", help="a flow file, or a folder of such")
    add_json(test)
    test.add_argument(
        "-k",
        dest="words",
        default="",
        metavar="WORDS",
        help="only flows and steps with these words in their names, and what they need",
    )
    test.add_argument(
        "-x", dest="stops", action="store_true", help="stop after the first step that fails"
    )
    test.add_argument(
        "--jobs",
        type=_jobs,
        default=1,
        metavar="N",
        help="so many at once, a server each (1)",
    )
    test.add_argument(
        "--retries", type=_retries, metavar="N", help="try a failed step so often again; told"
    )
    again = test.add_mutually_exclusive_group()
    again.add_argument(
        "--update",
        action="store_true",
        help="offer to write what was seen in the place of what failed; comments and layout stay",
    )
    again.add_argument(
        "--settle",
        action="store_true",
        help="offer to expect times, ids and whatever else changed since the recording by shape",
    )
    again.add_argument(
        "--watch", action="store_true", help="run them again when they or their servers change"
    )
    add_person(test)
    test.add_argument("--junit", metavar="FILE", default="", help="write JUnit XML as well")
    test.add_argument("--html", metavar="FILE", default="", help="write one page of HTML as well")


def _retries(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text[:9]) <= MOST_RETRIES):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to {MOST_RETRIES}")
    return int(text)


def _jobs(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:9]) <= MOST_JOBS):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to {MOST_JOBS}")
    return int(text)
