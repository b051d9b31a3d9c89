"""Reads the command line into one command with its values; also the text of `signoff --help`."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator, Sequence
from typing import Final, cast

from .. import __version__
from .command import Command, OnServer
from .command_table import add_of, all_commands, wanted
from .commands import screen
from .commands.screen import OpenScreen
from .options.earlier import current_words
from .options.parser import DEMO, NAME, Parser, add_described
from .output.report_files import OnlyReport, printed_reports

_BEFORE_DEMO: Final = {
    "call": "tool",
    "read": "resource",
    "prompt": "prompt",
    "explain": "tool",
}
"""What comes before the bundled server, by the command."""
_IN_HELP: Final = {"tool": "TOOL", "resource": "URI", "prompt": "NAME"}


def split_words(words: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """The words for Signoff, and those behind `--`."""
    at = words.index("--") if "--" in words else len(words)
    return list(words[:at]), tuple(words[at + 1 :])


def command_of(behind: Sequence[str]) -> tuple[str, ...]:
    """The command behind `--`: a second `--` in front of it lets all its options pass."""
    return tuple(behind[1:] if behind[:1] == ("--",) else behind)


def read_options(words: list[str], behind: Sequence[str] = ()) -> Command:
    """Parse everything before `--`; exits with status 2 for an invalid command line.

    `behind` are the words after `--`: an option of Signoff among them would have no effect.
    """
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help", *words[2:]]
    parser = make_parser(words)
    words, notes = current_words(words, parser)
    parser.having = _having
    parser.tell_words(words)
    parser.complain_of_server(words)
    parser.complain_of_unknown(words, _having)
    parser.complain_of_lost(words, behind)
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
        from .options.parser import assignment_hint

        if given.mode and (others := _having(rest[0])):
            parser.complain_of_other(given.mode, rest[0], others)
        hint = assignment_hint(rest[0]) if _BEFORE_DEMO.keys() & words[:2] else ""
        parser.error(f"unrecognized arguments: {' '.join(mask_words(rest))}{hint}")
    if len(printed := printed_reports(given)) > 1:
        parser.meant(words).error(
            f"{' and '.join(printed)} print on standard output: write one report to a file"
        )
    if notes:
        from .output.printing import print_error

        for note in notes:
            print_error(note)
    command = cast("Command", given.read_command(given))
    if isinstance(command, OpenScreen):
        # The start screen runs what was chosen on it as a command line.
        return command._replace(read=read_options)
    if isinstance(command, OnServer):
        command = command._replace(advice=_advice(parser.prog, words))
    return OnlyReport(command) if printed else command


def _having(option: str) -> list[str]:
    """The commands that have an option of this name, in the order of the help."""
    return [
        name.removeprefix(f"{NAME} ")
        for name, parser in all_parsers()
        if option in parser._option_string_actions
    ]


def all_parsers(parser: Parser | None = None, name: str = NAME) -> Iterator[tuple[str, Parser]]:
    """Yield every command and verb with its parser, the program itself first."""
    whole = parser or make_parser()
    yield name, whole
    for verb, inner in whole.commands.items():
        yield from all_parsers(inner, f"{name} {verb}")


def _advice(program: str, words: list[str]) -> str:
    """Advice for a command line without a server whose only word is the bundled one."""
    for verb, what in _BEFORE_DEMO.items():
        at = words.index(verb) + 1 if verb in words[:2] else 0
        if at and words[at : at + 1] == [DEMO]:
            whole = " ".join([program, *words[:at], _IN_HELP[what], DEMO])
            lists = f"{program} {what}s {DEMO}"
            return f"which {what}? Give it before {DEMO}: {whole} ({lists} lists them)"
    return ""


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

        meant = shlex.join(mask_words([*words[:at], swapped[1], DEMO, *_assigned(words[at + 2 :])]))
        parser.error(f"the {what} comes before {DEMO}; did you mean `signoff {visible(meant)}`?")


def _assigned(words: Sequence[str]) -> Iterator[str]:
    """The words, with `-a` before each NAME=VALUE that follows no option."""
    for before, word in zip(["", *words], words, strict=False):
        if "=" in word and not word.startswith("-") and not before.startswith("-"):
            yield "-a"
        yield word


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
    if words is not None and (alone := wanted(words)) is not None:
        add_described(modes, alone[1].name, alone[1].words, add_of(*alone))
        return parser
    for feature, one in all_commands():
        if words is None or one.name in words:
            add_described(modes, one.name, one.words, add_of(feature, one))
        else:
            modes.add_parser(one.name, help=one.words)
    return parser


USAGE: Final = """signoff [OPTIONS] [demo | --url URL | --server NAME | -- COMMAND [ARG...]]
       signoff NAME [OPTIONS] [TARGET]   one of the commands below
       signoff NAME --help [all]         the options of a command"""

EPILOG: Final = """\
targets (one of them, in a command that needs a server):
  demo                 the bundled server
  --url URL            Streamable HTTP
  --server NAME        a server in the configuration files of hosts
  -- COMMAND [ARG...]  any stdio server; runs with your rights

examples:
  signoff              choose a server on a screen
  signoff demo
  signoff tour
  signoff -- npx -y @modelcontextprotocol/server-everything
  signoff demo --as vscode
  signoff tools demo --json
  signoff call delete_file demo -a path=notes/todo.txt --approve always --json
  signoff matrix demo --html matrix.html
  signoff policy explain delete_file demo -a path=notes/todo.txt
  signoff diff --pin tools.pin.json -- ./server
  signoff lint --strict -- ./server
  signoff compat --run-clients -- ./server
  signoff test checkout.flow.yaml
  signoff demo --capture session.jsonl
  signoff wire session.jsonl method:tools/call error
  signoff -- signoff replay session.jsonl

exit status: 0 success; 1 the tool or the protocol reported an error; 2 wrong usage; 3 not
approved; 4 the response breaks the output schema, or a check found an error; 5 connection
failed or lost, or not sent for a reason other than a denial; 6 the time limit of a call; 10 the
server needs input or started a task; 70 internal error; 130 interrupted. diff: 7 harmless
changes; 8 weaker hints, changed output schemas, tools removed; 9 breaking changes. test: 1 a step
failed; 2 a flow has mistakes; 5 a server was not reached. audit verify: 1 the log was changed;
7 records are missing.

more: signoff explain CODE, for a finding or an exit status; signoff manual lists the manual's pages
"""
