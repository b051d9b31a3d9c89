"""The commands for what a server has beside its tools: resources, prompts, one prompt, tasks."""

from __future__ import annotations

from typing import NamedTuple

from .approval import add_approve
from .output import add_json
from .parser import Parser
from .server import add_bundled


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
