"""The options of the command line."""

from __future__ import annotations

import argparse
from typing import Any

from signoff.app import __version__

USAGE = """signoff [OPTIONS] (demo | --url URL | -- COMMAND [ARG...])
       signoff tour [--present | --html FILE] [OPTIONS]
       signoff tools [OPTIONS] [TARGET]
       signoff call TOOL [-a NAME=VALUE ...] [OPTIONS] [TARGET]
       signoff read URI [OPTIONS] [TARGET]
       signoff matrix [--markdown | --html | --json] [OPTIONS] [TARGET]
       signoff archetypes [--markdown | --json] [OPTIONS] [TARGET]
       signoff diff [--pin FILE [--update]] [OPTIONS] [TARGET]
       signoff policy (list | show NAME | check FILE | explain TOOL [TARGET])
       signoff grants (list | revoke ID | clear)
       signoff audit (show | verify)
       signoff config (path | show | check | edit | keys)"""

EPILOG = """\
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

exit status: 0 fine; 1 the tool or the protocol said error; 2 wrong usage; 3 not approved;
4 the answer breaks its contract; 5 the server could not be reached or was lost, or nothing
was sent; 6 a time limit; 10 the server asks for input or started a task; 70 a fault of
Signoff; 130 interrupted. diff: 7 harmless or reworded; 8 weaker hints, another output, tools
gone; 9 breaking. audit verify: 1 the log was changed; 7 not all of it is there.
"""

MAX_PAGES = 1_000
"""Pages that one command asks for: a server may have no end of them."""


class _Parser(argparse.ArgumentParser):
    """Says what was probably meant by a word that it does not know."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as problem:
            hint = _did_you_mean(str(value), [str(choice) for choice in action.choices or ()])
            problem.message += hint
            raise

    def options_for(self, words: list[str]) -> list[str]:
        """The long options that may stand among words, by the subcommands that are in them."""
        found = [option for option in self._option_string_actions if option.startswith("--")]
        for action in self._actions:
            verbs = action.choices if isinstance(action.choices, dict) else {}
            chosen = next((word for word in words if word in verbs), "")
            if chosen:
                found += verbs[chosen].options_for(words[words.index(chosen) + 1 :])
        return found


def _did_you_mean(given: str, known: list[str]) -> str:
    from signoff.app.core.suggesting import did_you_mean

    return did_you_mean(given, known)


def _complain_of_unknown(parser: _Parser, words: list[str]) -> None:
    """End with what is wrong where an option is unknown: what follows it would be blamed else."""
    known = parser.options_for(words)
    for before, word in zip(["", *words], words, strict=False):
        name = word.partition("=")[0]
        if not name.startswith("--") or name == "--" or " " in name or before == "-a":
            continue
        if not any(option.startswith(name) for option in known):
            from signoff.app.core.secret_commands import mask_words
            from signoff.app.core.text import visible

            shown = visible(mask_words([word])[0])
            parser.error(f"unrecognized arguments: {shown}{_did_you_mean(name, known)}")


def _complain_of_order(parser: _Parser, words: list[str], demo: str) -> None:
    """End with what was probably meant where the bundled server stands before the tool."""
    for verb, what in (("call", "tool"), ("read", "resource"), ("explain", "tool")):
        if verb not in words[:2]:
            continue
        at = words.index(verb) + 1
        swapped = words[at : at + 2]
        if len(swapped) < 2 or swapped[0] != demo or swapped[1] == demo:
            continue
        if swapped[1].startswith("-"):
            continue
        import shlex

        from signoff.app.core.secret_commands import mask_words
        from signoff.app.core.text import visible

        meant = shlex.join([*words[:at], *mask_words(swapped[1:]), demo])
        parser.error(f"the {what} stands before {demo}; did you mean `signoff {visible(meant)}`?")


def read_options(words: list[str], demo: str) -> argparse.Namespace:
    """Parse everything before `--`; ends the process with status 2 for what makes no sense."""
    parser = _parser()
    _complain_of_unknown(parser, words)
    _complain_of_order(parser, words, demo)
    options, rest = parser.parse_known_args(words)
    given = vars(options)
    if given.get("mode") == "call":
        _settle_tool(parser, options, demo)
    if rest == [demo] and "bundled" in given and given["bundled"] is None:
        # argparse takes all positional words from the first group of them: not the `demo` that
        # comes after options.
        options.bundled = demo
    elif rest:
        from signoff.app.core.secret_commands import mask_words

        parser.error(f"unrecognized arguments: {' '.join(mask_words(rest))}")
    return options


def _settle_tool(parser: argparse.ArgumentParser, options: argparse.Namespace, demo: str) -> None:
    """One name of a tool: as a word, or by `--tool` where that word would look like an option."""
    if options.dashed_tool is None:
        if options.tool is None:
            parser.error("the following arguments are required: TOOL")
        return
    if options.tool == demo and options.bundled is None:
        options.tool, options.bundled = None, demo
    if options.tool is not None:
        parser.error("give the tool once: TOOL or --tool NAME")
    # Up to Python 3.12 argparse drops a value that is two dashes, even where it follows a `=`.
    options.tool = "--" if options.dashed_tool == [] else options.dashed_tool


def _parser() -> _Parser:
    common, screen = _common(), _screen()
    parser = _Parser(
        prog="signoff",
        usage=USAGE,
        parents=[common, screen],
        description="Test how MCP tools get approved.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"signoff {__version__}")
    modes = parser.add_subparsers(
        dest="mode",
        prog="signoff",
        metavar="demo | tour | tools | call | read | matrix | archetypes | diff | policy | grants"
        " | audit | config",
    )
    modes.add_parser("demo", parents=[common, screen], help="open the bundled server")
    _add_tour(
        modes.add_parser(
            "tour", parents=[common, screen], help="learn it by doing, on the bundled server"
        )
    )
    live = _headless(common)
    tools = modes.add_parser("tools", parents=[live], help="list tools, hints and verdicts")
    _add_json(tools)
    _add_bundled(tools)
    _add_call(modes.add_parser("call", parents=[live], help="make one call"))
    _add_read(modes.add_parser("read", parents=[live], help="read one resource"))
    _add_matrix(
        modes.add_parser(
            "matrix", parents=[live], help="every tool under every policy and every host's rules"
        )
    )
    _add_archetypes(
        modes.add_parser(
            "archetypes",
            parents=[live],
            help="each tool beside the kind that its name tells, and which hints differ from it",
        )
    )
    _add_diff(
        modes.add_parser(
            "diff", parents=[live], help="what changed in the definitions since last time"
        )
    )
    _add_policy(modes.add_parser("policy", help="policies, and why one decides as it does"), live)
    _add_grants(modes.add_parser("grants", help="remembered approvals"))
    _add_audit(modes.add_parser("audit", help="the audit log"))
    _add_config(modes.add_parser("config", help="settings that last"))
    return parser


def _common() -> _Parser:
    common = _plain()
    common.add_argument("--url", metavar="URL", help="a server over Streamable HTTP")
    common.add_argument("--name", metavar="NAME", help="what to call the server on the screen")
    common.add_argument(
        "--env",
        action="append",
        metavar="NAME[=VALUE]",
        help="a variable for the server, which otherwise inherits only PATH, HOME and the like",
    )
    common.add_argument(
        "--protocol",
        choices=["auto", "legacy", "2026-07-28"],
        help="what to speak: find out (auto), begin with initialize (legacy), or the revision "
        "without it",
    )
    trust = common.add_mutually_exclusive_group()
    trust.add_argument(
        "--trust", action="store_true", help="let this server's hints count (demo: the default)"
    )
    trust.add_argument("--no-trust", action="store_true", help="show its hints, never obey them")
    rules = common.add_mutually_exclusive_group()
    rules.add_argument(
        "--policy", metavar="NAME|FILE", help="who decides what is asked (cautious); policy list"
    )
    rules.add_argument(
        "--as", dest="host", metavar="HOST", help="decide by the rules of a known host; policy list"
    )
    log = common.add_mutually_exclusive_group()
    log.add_argument("--audit", metavar="FILE", help="the audit log (in the state folder)")
    log.add_argument("--no-audit", action="store_true", help="keep no audit log")
    common.add_argument(
        "--no-memory",
        action="store_true",
        help="use and keep no remembered approvals and no history of definitions",
    )
    common.add_argument(
        "--timeout", type=_seconds, metavar="S", help="seconds without a sign of a call (60)"
    )
    common.add_argument(
        "--max-time", type=_seconds, metavar="S", help="seconds of a call altogether (600)"
    )
    return common


def _screen() -> _Parser:
    screen = _plain()
    screen.add_argument(
        "--plain",
        action="store_true",
        help="numbered lines and questions in place of the screen: for screen readers, serial "
        "lines, logs and scripts (by itself where the terminal cannot place a cursor)",
    )
    screen.add_argument(
        "--graphics",
        choices=["auto", "on", "off", "kitty", "iterm2", "sixel"],
        help="draw images in real pixels (auto: in terminals known for it; on: through tmux, too; "
        "or by the protocol named)",
    )
    screen.add_argument(
        "--theme",
        metavar="NAME",
        type=_theme,
        help="auto (light where the terminal is light), dark, light, or a theme of Textual",
    )
    _add_time_limit(screen)
    return screen


def _add_time_limit(parser: _Parser) -> None:
    parser.add_argument(
        "--decision-seconds",
        type=_time_limit,
        default=argparse.SUPPRESS,
        metavar="S|off",
        help="seconds after which an open question is denied, or off (120)",
    )


def _headless(common: _Parser) -> _Parser:
    headless = _Parser(add_help=False, parents=[common])
    headless.add_argument(
        "--connect-timeout",
        type=_seconds,
        default=argparse.SUPPRESS,
        metavar="S",
        help="seconds until the tools have to be listed (60)",
    )
    headless.add_argument(
        "--show-secrets",
        action="store_true",
        help="print what is masked otherwise: secrets in arguments, commands and messages",
    )
    return headless


def _add_tour(tour: _Parser) -> None:
    way = tour.add_mutually_exclusive_group()
    way.add_argument(
        "--present", action="store_true", help="large and slow, for those who watch a projector"
    )
    way.add_argument(
        "--html", metavar="FILE", default="", help="write the tour as one page, with pictures"
    )


def _add_call(call: _Parser) -> None:
    call.add_argument("tool", nargs="?", metavar="TOOL", help="the exact name of the tool")
    call.add_argument(
        "--tool", dest="dashed_tool", metavar="NAME", help="instead of TOOL, where it begins with -"
    )
    _add_bundled(call)
    _add_arguments(call)
    call.add_argument(
        "--preset", default="", metavar="NAME", help="arguments kept under a name; -a goes over it"
    )
    _add_json(call)
    _add_approve(call)
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


def _add_read(read: _Parser) -> None:
    read.add_argument("uri", metavar="URI", help="exactly as the server wrote it")
    _add_bundled(read)
    _add_json(read)
    _add_approve(read)


def _add_approve(parser: _Parser) -> None:
    parser.add_argument(
        "--approve",
        choices=["ask", "policy", "always", "never"],
        default="ask",
        help="who answers when the policy asks (ask; without a terminal that means: not approved)",
    )
    _add_time_limit(parser)


def _add_matrix(matrix: _Parser) -> None:
    _add_bundled(matrix)
    shape = matrix.add_mutually_exclusive_group()
    for name, words in (
        ("json", "print one JSON object"),
        ("markdown", "print a Markdown table"),
        ("html", "print one page of HTML"),
    ):
        shape.add_argument(
            f"--{name}", dest="shape", action="store_const", const=name, default="lines", help=words
        )
    matrix.add_argument(
        "--only-differing", action="store_true", help="only tools on which the columns disagree"
    )
    matrix.add_argument(
        "--columns", metavar="NAMES", default="", help="policies and hosts, with commas between"
    )


def _add_archetypes(archetypes: _Parser) -> None:
    _add_bundled(archetypes)
    shape = archetypes.add_mutually_exclusive_group()
    for name, words in (("json", "print one JSON object"), ("markdown", "print Markdown")):
        shape.add_argument(
            f"--{name}", dest="shape", action="store_const", const=name, default="lines", help=words
        )
    archetypes.add_argument(
        "--only-differing", action="store_true", help="only tools with a hint that differs"
    )


def _add_diff(diff: _Parser) -> None:
    _add_bundled(diff)
    _add_json(diff)
    diff.add_argument(
        "--pin", metavar="FILE", default="", help="compare with this baseline, not with last time"
    )
    diff.add_argument(
        "--update", action="store_true", help="write the baseline anew after comparing"
    )


def _add_policy(policy: _Parser, live: _Parser) -> None:
    verbs = _verbs(policy)
    _add_json(verbs.add_parser("list", help="the policies and host models that there are"))
    show = verbs.add_parser("show", help="print a policy as TOML, to start one's own from")
    show.add_argument("name", metavar="NAME")
    check = verbs.add_parser("check", help="read a policy file and say what is wrong with it")
    check.add_argument("file", metavar="FILE")
    explain = verbs.add_parser(
        "explain", parents=[live], help="the verdict on a tool, the rule and the reasons"
    )
    explain.add_argument("tool", metavar="TOOL", help="the exact name of the tool")
    _add_bundled(explain)
    _add_arguments(explain)
    _add_json(explain)


def _add_grants(grants: _Parser) -> None:
    verbs = _verbs(grants)
    _add_json(verbs.add_parser("list", help="scope, age, uses and expiry of each"))
    revoke = verbs.add_parser("revoke", help="take one back")
    revoke.add_argument("id", type=int, metavar="ID")
    clear = verbs.add_parser("clear", help="take all back")
    clear.add_argument(
        "--reset", action="store_true", help="move a damaged store aside and start a new one"
    )


def _add_audit(audit: _Parser) -> None:
    verbs = _verbs(audit)
    show = verbs.add_parser("show", help="print records")
    _add_json(show)
    for name, metavar, words in (
        ("since", "TIME", "not before this ISO date or time"),
        ("until", "TIME", "not after it"),
        ("server", "NAME", "of this server"),
        ("tool", "NAME", "of this tool"),
        ("event", "NAME", "asked, decided, sent, ended, ..."),
        ("severity", "LEVEL", "note, warning or error, and what is above it"),
        ("outcome", "NAME", "ok, tool-error, denied, not-sent, ..."),
        ("session", "ID", "of one run of Signoff"),
        ("text", "WORDS", "with these words anywhere"),
    ):
        show.add_argument(f"--{name}", metavar=metavar, default="", help=words)
    verify = verbs.add_parser("verify", help="check that no record was changed, added or removed")
    verify.add_argument(
        "--expect", metavar="HASH", default="", help="the hash that the newest record must have"
    )
    verify.add_argument(
        "--from",
        dest="first",
        type=int,
        default=1,
        metavar="N",
        help="accept a log that begins with record N, where rotation removed those before it",
    )
    for one in (show, verify):
        one.add_argument("--audit", metavar="FILE", default="", help="another log than the usual")


def _add_config(config: _Parser) -> None:
    verbs = _verbs(config)
    verbs.add_parser("path", help="print where the file of settings is")
    _add_json(verbs.add_parser("show", help="each setting, its value and where that comes from"))
    verbs.add_parser("check", help="name every mistake with its line")
    verbs.add_parser("edit", help="open the file in $EDITOR, and check it afterwards")
    _add_json(verbs.add_parser("keys", help="every action whose keys can be chosen in [keys]"))


def _verbs(parser: _Parser) -> Any:
    return parser.add_subparsers(dest="verb", required=True, metavar="VERB", prog=parser.prog)


def _add_arguments(parser: _Parser) -> None:
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


def _add_bundled(parser: _Parser) -> None:
    parser.add_argument("bundled", nargs="?", choices=["demo"], metavar="demo")


def _add_json(parser: _Parser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _plain() -> _Parser:
    return _Parser(add_help=False, argument_default=argparse.SUPPRESS)


def _time_limit(text: str) -> float:
    from signoff.app.core.approvals.time_limit import read_time_limit

    try:
        return read_time_limit(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def _theme(text: str) -> str:
    from signoff.app.core.settings.settings import BY_NAME

    try:
        return str(BY_NAME["theme"].kind.read(text))
    except ValueError as problem:
        raise argparse.ArgumentTypeError(f"a theme {problem}") from None


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value


def _pages(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:9]) <= MAX_PAGES):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to {MAX_PAGES:,}")
    return int(text)
