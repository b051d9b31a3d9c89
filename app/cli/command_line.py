"""Reads the command line into one command with its values; also the text of `signoff --help`."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Collection
from typing import Any, Final, NamedTuple, cast

from .. import __version__
from .command import Command
from .commands import screen
from .options.parser import NAME, Parser, add_described
from .options.server import DEMO


class _Entry(NamedTuple):
    """A command of the help: `add` of a module, which is imported only if it is asked for."""

    name: str
    words: str
    module: str
    add: str = "add"


COMMANDS: Final = (
    _Entry(DEMO, "open the bundled server", "commands.screen"),
    _Entry("tour", "learn it by doing, on the bundled server", "commands.tour"),
    _Entry("tools", "list tools, hints and verdicts", "commands.tools"),
    _Entry("call", "make one call", "commands.call"),
    _Entry("read", "read one resource", "commands.read"),
    _Entry(
        "resources",
        "list resources, and templates of their addresses",
        "commands.resources",
        "add_resources",
    ),
    _Entry("prompts", "list prompts", "commands.resources", "add_prompts"),
    _Entry("prompt", "ask for one prompt", "commands.prompt"),
    _Entry("tasks", "list the tasks that the server keeps", "commands.resources", "add_tasks"),
    _Entry("matrix", "every tool under every policy and every host's rules", "commands.matrix"),
    _Entry(
        "archetypes",
        "each tool beside the kind that its name tells, and which hints differ from it",
        "commands.archetypes",
    ),
    _Entry("diff", "what changed in the definitions since last time", "commands.diff"),
    _Entry("doctor", "what is odd about a server, by code; calls nothing", "commands.doctor"),
    _Entry("compat", "what client libraries lose or reject of it", "commands.compat"),
    _Entry("report", "a server as one page of HTML, to hand to a reviewer", "commands.report"),
    _Entry(
        "evidence",
        "call tools under watch, and hold what they do against hints",
        "evidence.evidence",
    ),
    _Entry("lint", "what is doubtful about its definitions, and how to mend it", "commands.lint"),
    _Entry("policy", "policies, and why one decides as it does", "commands.policy"),
    _Entry("grants", "remembered approvals", "commands.grants"),
    _Entry("audit", "the audit log", "commands.audit"),
    _Entry("wire", "a captured session to look at: each message both ways", "commands.wire"),
    _Entry("replay", "a captured session as a stdio server", "commands.replay"),
    _Entry(
        "test",
        "run flow files: steps on a server, and what is expected of each",
        "commands.flow",
        "add_test",
    ),
    _Entry("flow", "flow files: their mistakes, and their schema for editors", "commands.flow"),
    _Entry("config", "settings that last", "commands.config"),
)


_BEFORE_DEMO: Final = {
    "call": "tool",
    "read": "resource",
    "prompt": "prompt",
    "explain": "tool",
}
"""What stands before the bundled server, by the command."""


def read_options(words: list[str]) -> Command:
    """Parse everything before `--`; exits with status 2 for an invalid command line."""
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    parser = make_parser(words)
    parser.tell_words(words)
    parser.complain_of_server(words)
    parser.complain_of_unknown(words)
    _complain_of_order(parser, words)
    given, rest = parser.parse_known_args(words)
    if "adjust_words" in given:
        rest = given.adjust_words(parser, given, rest)
    if rest == [DEMO] and "bundled" in given and given.bundled is None:
        # argparse takes all positional words from the first group of them: not the `demo` that
        # comes after options.
        given.bundled = DEMO
    elif rest:
        from ..schemas.secrets.commands import mask_words

        parser.error(f"unrecognized arguments: {' '.join(mask_words(rest))}")
    return cast("Command", given.read_command(given))


def _complain_of_order(parser: Parser, words: list[str]) -> None:
    """Exit with a suggestion if the bundled server comes before the tool."""
    for verb, what in _BEFORE_DEMO.items():
        if verb not in words[:2]:
            continue
        at = words.index(verb) + 1
        swapped = words[at : at + 2]
        if len(swapped) < 2 or swapped[0] != DEMO or swapped[1] == DEMO:
            continue
        if swapped[1].startswith("-"):
            continue
        import shlex

        from ..content.text import visible
        from ..schemas.secrets.commands import mask_words

        meant = shlex.join([*words[:at], *mask_words(swapped[1:]), DEMO])
        parser.error(f"the {what} stands before {DEMO}; did you mean `signoff {visible(meant)}`?")


def make_parser(words: Collection[str] | None = None) -> Parser:
    """Make the parser of all commands.

    Making the options of a command takes a while: of those that are not among `words`, only the
    names are known.
    """
    parser = Parser(
        prog=NAME,
        usage=USAGE,
        description="Test how MCP tools get approved.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser._positionals.title = "commands"
    parser.add_argument("--version", action="version", version=f"signoff {__version__}")
    screen.add(parser)
    modes = parser.add_subparsers(dest="mode", prog=NAME, metavar="NAME")
    for one in COMMANDS:
        if words is None or one.name in words:
            add_described(modes, one.name, one.words, _add_of(one))
        else:
            modes.add_parser(one.name, help=one.words)
    return parser


def _add_of(entry: _Entry) -> Callable[[Parser], None]:
    module: Any = importlib.import_module(f".{entry.module}", __package__)
    return cast("Callable[[Parser], None]", getattr(module, entry.add))


USAGE: Final = """signoff [OPTIONS] (demo | --url URL | -- COMMAND [ARG...])
       signoff NAME [OPTIONS] [TARGET]   one of the commands below
       signoff NAME --help               what it takes"""

EPILOG: Final = """\
targets (one of them, in every command that needs a server):
  demo                 the bundled server
  --url URL            Streamable HTTP
  -- COMMAND [ARG...]  any stdio server; runs with your rights

examples:
  signoff demo
  signoff tour
  signoff -- npx -y @modelcontextprotocol/server-everything
  signoff demo --as vscode
  signoff tools demo --json
  signoff call delete_file demo -a path=notes/todo.txt --approve always --json
  signoff matrix demo --html > matrix.html
  signoff policy explain delete_file demo -a path=notes/todo.txt
  signoff diff --pin tools.pin.json -- ./server
  signoff lint --strict -- ./server
  signoff compat --check -- ./server
  signoff test checkout.flow.yaml
  signoff demo --capture session.jsonl
  signoff wire session.jsonl method:tools/call error
  signoff -- signoff replay session.jsonl

exit status: 0 fine; 1 the tool or the protocol said error; 2 wrong usage; 3 not approved;
4 the answer breaks its contract; 5 the server could not be reached or was lost, or nothing
was sent; 6 a time limit; 10 the server asks for input or started a task; 70 a fault of
Signoff; 130 interrupted. diff: 7 harmless or reworded; 8 weaker hints, another output, tools
gone; 9 breaking. test: 1 a step failed; 2 a flow has mistakes; 5 a server was not reached.
audit verify: 1 the log was changed; 7 not all of it is there.
"""
