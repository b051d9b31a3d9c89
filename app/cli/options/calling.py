"""Options of `signoff call`, `read` and `prompt`: arguments, approver; and of the lists."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from .declared import add_options, opt, options
from .parser import Parser
from .server import PERSON
from .session import JUDGING, SessionOptions

ALTHOUGH: Final = (
    "send arguments that break the input schema, once you have approved that (on the screen: f12); "
    "values that cannot be parsed are sent as strings"
)


def tools_opt() -> Any:
    """Declare the option that chooses among the tools of a server by name."""
    return opt("--tools GLOB", "only tools that match, separated by commas: 'get_*,list_*'")


TOOL_MISSING: Final = "the following arguments are required: TOOL"


@options
class ArgumentOptions(NamedTuple):
    """The tool and its arguments, as they were written."""

    tool: str = opt("TOOL", "the exact name of the tool", nargs="?")
    """Whether it is missing is checked after the server is known."""
    assign: tuple[str, ...] = opt("-a NAME=VALUE", "set one argument")
    """`NAME=VALUE`; they go over `args`."""
    args: str = opt("--args JSON|@FILE|-", "set all arguments as a JSON object")
    """A JSON object, `@FILE` or `-`; empty where none was given."""
    although_invalid: bool = opt("--although-invalid", ALTHOUGH)
    """Whether arguments that break the input schema ask for approval, and are sent if approved."""


def _approve(help: str, default: str) -> Any:
    choices = ("ask", "policy", "always", "never")
    return opt("--approve", help, default=default, choices=choices, group=JUDGING, rivals="who")


APPROVE: Final = _approve(
    "ask: you decide when the policy asks; policy: run only calls that it allows; always: run all "
    "that it does not refuse; never: run none (default: ask, or policy without a terminal)",
    "ask",
)
"""Who answers questions."""
APPROVE_TO_CALL: Final = _approve(
    "call the tools; sets who answers when the policy asks (default: call nothing)", ""
)
"""The same of a command that calls nothing without it."""
PERSON_ASKED: Final[Any] = PERSON._replace(group=JUDGING, rivals="who")
"""A simulated person in their place."""
ANSWER: Final[Any] = opt(
    "--answer FILE",
    "JSON file with an object of replies to the server's own requests, by kind (default: ask on "
    "the terminal, or decline)",
    group=JUDGING,
)


def add_time_limit(parser: Parser) -> None:
    """Until when a question waits."""
    add_options(parser, SessionOptions, names=("decision_seconds",))
