"""Options of `signoff call`, `read` and `prompt`: arguments, approver; and of the lists."""

from __future__ import annotations

from typing import Final, NamedTuple

from .declared import add_options
from .parser import Parser, shared_options
from .server import add_person
from .session import SessionOptions


class ArgumentOptions(NamedTuple):
    """The tool and its arguments, as they were written."""

    tool: str
    assign: tuple[str, ...] = ()
    """`NAME=VALUE`; they go over `args`."""
    args: str = ""
    """A JSON object, `@FILE` or `-`; empty where none was given."""
    although_invalid: bool = False
    """Whether arguments that break the input schema ask for approval, and are sent if approved."""


ALTHOUGH: Final = (
    "send arguments that break the input schema, once you have approved that (on the screen: f12); "
    "values that cannot be parsed are sent as strings"
)
TOOL_MISSING: Final = "the following arguments are required: TOOL"


def add_tool(parser: Parser) -> None:
    """The name of a tool; whether it is missing is checked after the server is known."""
    parser.add_argument("tool", nargs="?", metavar="TOOL", help="the exact name of the tool")


def add_arguments(parser: Parser, *, although: str = ALTHOUGH) -> None:
    """The arguments of a tool; `although` is the help of `--although-invalid`."""
    parser.add_argument(
        "-a",
        dest="assign",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set one argument",
    )
    parser.add_argument(
        "--args", default="", metavar="JSON|@FILE|-", help="set all arguments as a JSON object"
    )
    parser.add_argument(
        "--although-invalid",
        action="store_true",
        help=although,
    )


def add_approve(parser: Parser, default: str = "ask") -> None:
    """Add the approver and its time limit; with "" as default, also whether to call."""
    approval = shared_options(parser, "policy and approval", "approval")
    who = approval.add_mutually_exclusive_group()
    who.add_argument(
        "--approve",
        choices=["ask", "policy", "always", "never"],
        default=default,
        help="ask: you decide when the policy asks; policy: run only calls that it allows; always: "
        "run all that it does not refuse; never: run none (default: ask, or policy "
        "without a terminal)"
        if default
        else "call the tools; sets who answers when the policy asks (default: call nothing)",
    )
    add_person(who)
    approval.add_argument(
        "--answer",
        default="",
        metavar="FILE",
        help="JSON file with an object of replies to the server's own requests, by kind (default: "
        "ask on the terminal, or decline)",
    )
    add_time_limit(parser)


def add_time_limit(parser: Parser) -> None:
    """Until when a question waits."""
    add_options(parser, SessionOptions, names=("decision_seconds",))
