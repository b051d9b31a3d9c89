"""The command line read: the words become one command with its values."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from ... import __version__
from . import calling, live, with_screen
from .lint import add_lint, settle_words
from .offers import add_list, add_prompt
from .parser import NAME, Parser
from .server import DEMO
from .usage import EPILOG, USAGE

if TYPE_CHECKING:
    from .alone import Alone

    Command = with_screen.Bench | with_screen.Tour | live.Live | Alone

SCREEN: Final = (
    (DEMO, with_screen.add_demo, "open the bundled server"),
    ("tour", with_screen.add_tour, "learn it by doing, on the bundled server"),
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
    """Parse everything before `--`; ends the process with status 2 for what makes no sense."""
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
        return with_screen.read_tour(given)
    if given.mode in (None, DEMO):
        return with_screen.read_bench(given)
    if given.mode == "lint" and given.alone is not None:
        from .alone import Alone

        return Alone("lint of a file", given.alone)
    words = f"{given.mode} {given.verb}" if "verb" in given else given.mode
    if words in live.KINDS:
        return live.read_live(live.KINDS[words], given)
    from .alone import read_alone

    return read_alone(words, given)


def _complain_of_order(parser: Parser, words: list[str]) -> None:
    """End with what was probably meant where the bundled server stands before the tool."""
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
    """A tool, or what the server asks."""
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
        parents=[with_screen.bench_group()],
        description="Test how MCP tools get approved.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser._positionals.title = "commands"
    parser.add_argument("--version", action="version", version=f"signoff {__version__}")
    modes = parser.add_subparsers(
        dest="mode",
        prog=NAME,
        metavar="NAME",
    )
    for commands, shared in ((SCREEN, with_screen.bench_group), (LIVE, live.live_group)):
        for name, add, help_words in commands:
            if is_wanted(name):
                add(modes.add_parser(name, parents=[shared()], help=help_words))
            else:
                modes.add_parser(name, help=help_words)
    for name, help_words in ALONE:
        without_server = modes.add_parser(name, help=help_words)
        if is_wanted(name):
            from . import alone

            alone.add_verbs(name, without_server)
    return parser
