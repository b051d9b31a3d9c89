"""Reads the command line into one command with its values; also the text of `signoff --help`."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from typing import TYPE_CHECKING, Final, NamedTuple

from ... import __version__
from . import calling, live
from .calling import add_list, add_prompt, add_time_limit
from .lint import add_lint, settle_words
from .parser import NAME, Parser, describe, picked, shared_options
from .server import DEMO, ScreenOptions, SessionOptions, add_screen, add_session, read_session

if TYPE_CHECKING:
    from .offline import Alone

PAGE_NEEDS = frozenset({"mode", "html", "present"})
"""All that counts where the tour is written as a page."""


class OpenScreen(NamedTuple):
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


def read_engine(given: argparse.Namespace) -> OpenScreen:
    """`signoff`, and `signoff demo`."""
    return OpenScreen(read_session(given), picked(ScreenOptions, given))


def read_tour(given: argparse.Namespace) -> Tour:
    """`signoff tour`."""
    useless = tuple(f"--{name.replace('_', '-')}" for name in vars(given) if name not in PAGE_NEEDS)
    return Tour(*read_engine(given), given.present, given.html, useless)


def add_bench(parser: Parser) -> None:
    """Add the options of every command that opens the main screen."""
    screen = shared_options(parser, "screen options")
    add_screen(screen)
    add_time_limit(screen)
    add_session(shared_options(parser))


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


if TYPE_CHECKING:
    Command = OpenScreen | Tour | live.Live | Alone

SCREEN: Final = (
    (DEMO, add_demo, "open the bundled server"),
    ("tour", add_tour, "learn it by doing, on the bundled server"),
)
LIVE: Final = (
    ("tools", live.add_tools, "list tools, hints and verdicts"),
    ("call", calling.add_call, "make one call"),
    ("read", calling.add_read, "read one resource"),
    ("resources", add_list, "list resources, and templates of their addresses"),
    ("prompts", add_list, "list prompts"),
    ("prompt", add_prompt, "ask for one prompt"),
    ("tasks", add_list, "list the tasks that the server keeps"),
    ("matrix", live.add_matrix, "every tool under every policy and every host's rules"),
    (
        "archetypes",
        live.add_archetypes,
        "each tool beside the kind that its name tells, and which hints differ from it",
    ),
    ("diff", live.add_diff, "what changed in the definitions since last time"),
    ("doctor", live.add_doctor, "what is odd about a server, by code; calls nothing"),
    ("compat", live.add_compat, "what client libraries lose or reject of it"),
    ("report", live.add_report, "a server as one page of HTML, to hand to a reviewer"),
    ("evidence", live.add_evidence, "call tools under watch, and hold what they do against hints"),
    ("lint", add_lint, "what is doubtful about its definitions, and how to mend it"),
)
ALONE: Final = (
    ("policy", "policies, and why one decides as it does"),
    ("grants", "remembered approvals"),
    ("audit", "the audit log"),
    ("wire", "a captured session to look at: each message both ways"),
    ("replay", "a captured session as a stdio server"),
    ("test", "run flow files: steps on a server, and what is expected of each"),
    ("flow", "flow files: their mistakes, and their schema for editors"),
    ("config", "settings that last"),
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
    if given.mode == "call":
        _settle_tool(parser, given)
    if "on" in given:
        _settle_explained(parser, given)
    if given.mode == "lint":
        rest = settle_words(parser, given, rest)
    if rest == [DEMO] and "bundled" in given and given.bundled is None:
        # argparse takes all positional words from the first group of them: not the `demo` that
        # comes after options.
        given.bundled = DEMO
    elif rest and given.mode == "wire" and not any(word.startswith("-") for word in rest):
        # The same of words that come after options.
        given.words += rest
    elif rest:
        from ...schemas.secrets.commands import mask_words

        parser.error(f"unrecognized arguments: {' '.join(mask_words(rest))}")
    return _command(given)


def _command(given: argparse.Namespace) -> Command:
    if given.mode == "tour":
        return read_tour(given)
    if given.mode in (None, DEMO):
        return read_engine(given)
    if given.mode == "lint" and given.alone is not None:
        from .offline import Alone

        return Alone("lint of a file", given.alone)
    words = f"{given.mode} {given.verb}" if "verb" in given else given.mode
    if words in live.KINDS:
        return live.read_live(live.KINDS[words], given)
    from .offline import read_alone

    return read_alone(words, given)


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

        from ...content.text import visible
        from ...schemas.secrets.commands import mask_words

        meant = shlex.join([*words[:at], *mask_words(swapped[1:]), DEMO])
        parser.error(f"the {what} stands before {DEMO}; did you mean `signoff {visible(meant)}`?")


def _settle_tool(parser: Parser, given: argparse.Namespace) -> None:
    """One name of a tool: as a word, or by `--tool` where that word would look like an option."""
    if given.dashed_tool is None:
        if given.tool is None:
            parser.error("the following arguments are required: TOOL")
        return
    if given.tool == DEMO and given.bundled is None:
        given.tool, given.bundled = None, DEMO
    if given.tool is not None:
        parser.error("give the tool once: TOOL or --tool NAME")
    # Up to Python 3.12 argparse drops a value that is two dashes, even where it follows a `=`.
    given.tool = "--" if given.dashed_tool == [] else given.dashed_tool


def _settle_explained(parser: Parser, given: argparse.Namespace) -> None:
    """Find out if a tool or a server's request is to be explained."""
    if given.on and given.tool == DEMO and given.bundled is None:
        given.tool, given.bundled = None, DEMO
    if not given.on:
        if given.tool is None:
            parser.error("the following arguments are required: TOOL")
        return
    if given.tool is not None or given.assign:
        what = "-a" if given.assign else "TOOL"
        parser.error(f"--on is about what the server asks: leave {what} out")
    given.tool = ""


def make_parser(words: Collection[str] | None = None) -> Parser:
    """The parser of all commands.

    Making the options of a command takes a while: of those that are not among `words`, only the
    names are known.
    """

    def is_wanted(name: str) -> bool:
        return words is None or name in words

    parser = Parser(
        prog=NAME,
        usage=USAGE,
        description="Test how MCP tools get approved.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser._positionals.title = "commands"
    parser.add_argument("--version", action="version", version=f"signoff {__version__}")
    add_bench(parser)
    modes = parser.add_subparsers(
        dest="mode",
        prog=NAME,
        metavar="NAME",
    )
    for commands, add_shared in ((SCREEN, add_bench), (LIVE, live.add_live)):
        for name, add, help_words in commands:
            command = modes.add_parser(name, help=help_words)
            if is_wanted(name):
                add(command)
                describe(command, help_words)
                add_shared(command)
    for name, help_words in ALONE:
        without_server = modes.add_parser(name, help=help_words)
        if is_wanted(name):
            from . import offline

            offline.add_verbs(name, without_server)
    return parser


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
