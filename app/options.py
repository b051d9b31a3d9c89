"""The options of the command line."""

from __future__ import annotations

import argparse
from typing import Any

from app import __version__

USAGE = """signoff [OPTIONS] (demo | --url URL | -- COMMAND [ARG...])
       signoff tools [OPTIONS] [TARGET]
       signoff call TOOL [-a NAME=VALUE ...] [OPTIONS] [TARGET]
       signoff read URI [OPTIONS] [TARGET]
       signoff matrix [--markdown | --html | --json] [OPTIONS] [TARGET]
       signoff diff [--pin FILE [--update]] [OPTIONS] [TARGET]
       signoff policy (list | show NAME | check FILE | explain TOOL [TARGET])
       signoff grants (list | revoke ID | clear)
       signoff audit (show | verify)"""

EPILOG = """\
targets (one of them, in every command that needs a server):
  demo                 the bundled server
  --url URL            Streamable HTTP
  -- COMMAND [ARG...]  any stdio server; runs with your rights

examples:
  signoff demo
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


def read_options(words: list[str], demo: str) -> argparse.Namespace:
    """Parse everything before `--`; ends the process with status 2 for what makes no sense."""
    parser = _parser()
    options, rest = parser.parse_known_args(words)
    given = vars(options)
    if rest == [demo] and "bundled" in given and given["bundled"] is None:
        # argparse takes all positional words from the first group of them: not the `demo` that
        # comes after options.
        options.bundled = demo
    elif rest:
        from app.core.secret_commands import mask_words

        parser.error(f"unrecognized arguments: {' '.join(mask_words(rest))}")
    return options


def _parser() -> argparse.ArgumentParser:
    common, screen = _common(), _screen()
    parser = argparse.ArgumentParser(
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
        metavar="demo | tools | call | read | matrix | diff | policy | grants | audit",
    )
    modes.add_parser("demo", parents=[common, screen], help="open the bundled server")
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
    _add_diff(
        modes.add_parser(
            "diff", parents=[live], help="what changed in the definitions since last time"
        )
    )
    _add_policy(modes.add_parser("policy", help="policies, and why one decides as it does"), live)
    _add_grants(modes.add_parser("grants", help="remembered approvals"))
    _add_audit(modes.add_parser("audit", help="the audit log"))
    return parser


def _common() -> argparse.ArgumentParser:
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


def _screen() -> argparse.ArgumentParser:
    screen = _plain()
    screen.add_argument(
        "--graphics",
        choices=["auto", "on", "off", "kitty", "iterm2", "sixel"],
        help="draw images in real pixels (auto: in terminals known for it; on: through tmux, too; "
        "or by the protocol named)",
    )
    screen.add_argument(
        "--decision-seconds",
        type=_seconds,
        metavar="S",
        help="seconds after which an open question is denied (120)",
    )
    return screen


def _headless(common: argparse.ArgumentParser) -> argparse.ArgumentParser:
    headless = argparse.ArgumentParser(add_help=False, parents=[common])
    headless.add_argument(
        "--connect-timeout",
        type=_seconds,
        default=60.0,
        metavar="S",
        help="seconds until the tools have to be listed (60)",
    )
    headless.add_argument(
        "--show-secrets",
        action="store_true",
        help="print what is masked otherwise: secrets in arguments, commands and messages",
    )
    return headless


def _add_call(call: argparse.ArgumentParser) -> None:
    call.add_argument("tool", metavar="TOOL", help="the exact name of the tool")
    _add_bundled(call)
    _add_arguments(call)
    call.add_argument(
        "--preset", default="", metavar="NAME", help="arguments kept under a name; -a goes over it"
    )
    _add_json(call)
    _add_approve(call)


def _add_read(read: argparse.ArgumentParser) -> None:
    read.add_argument("uri", metavar="URI", help="exactly as the server wrote it")
    _add_bundled(read)
    _add_json(read)
    _add_approve(read)


def _add_approve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--approve",
        choices=["ask", "policy", "always", "never"],
        default="ask",
        help="who answers when the policy asks (ask; without a terminal that means: not approved)",
    )


def _add_matrix(matrix: argparse.ArgumentParser) -> None:
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


def _add_diff(diff: argparse.ArgumentParser) -> None:
    _add_bundled(diff)
    _add_json(diff)
    diff.add_argument(
        "--pin", metavar="FILE", default="", help="compare with this baseline, not with last time"
    )
    diff.add_argument(
        "--update", action="store_true", help="write the baseline anew after comparing"
    )


def _add_policy(policy: argparse.ArgumentParser, live: argparse.ArgumentParser) -> None:
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


def _add_grants(grants: argparse.ArgumentParser) -> None:
    verbs = _verbs(grants)
    _add_json(verbs.add_parser("list", help="scope, age, uses and expiry of each"))
    revoke = verbs.add_parser("revoke", help="take one back")
    revoke.add_argument("id", type=int, metavar="ID")
    clear = verbs.add_parser("clear", help="take all back")
    clear.add_argument(
        "--reset", action="store_true", help="move a damaged store aside and start a new one"
    )


def _add_audit(audit: argparse.ArgumentParser) -> None:
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


def _verbs(parser: argparse.ArgumentParser) -> Any:
    return parser.add_subparsers(dest="verb", required=True, metavar="VERB", prog=parser.prog)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-a", dest="assign", action="append", default=[], metavar="NAME=VALUE", help="an argument"
    )
    parser.add_argument(
        "--args", default="", metavar="JSON|@FILE|-", help="all arguments as a JSON object"
    )


def _add_bundled(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundled", nargs="?", choices=["demo"], metavar="demo")


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _plain() -> argparse.ArgumentParser:
    return argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value
