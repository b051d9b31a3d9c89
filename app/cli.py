"""The command line: opens the terminal interface, or runs without a screen.

Nothing heavy is imported before the server process has been started.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from app import __version__
from app.targets import DEMO, Target, UsageError, read_target

if TYPE_CHECKING:
    from app.core.calls import CallLimits
    from app.core.trust import Trust

USAGE_STATUS = 2
SUBCOMMANDS = ("demo", "tools", "call")

EPILOG = """\
targets (one of them, in every command):
  demo                 the bundled server
  --url URL            Streamable HTTP
  -- COMMAND [ARG...]  any stdio server; runs with your rights

examples:
  signoff demo
  signoff -- npx -y @modelcontextprotocol/server-everything
  signoff tools demo --json
  signoff call delete_file demo -a path=notes/todo.txt --approve always --json

exit status: 0 fine; 1 the tool or the protocol said error; 2 wrong usage; 3 not approved;
4 the answer breaks its contract; 5 the server could not be reached or was lost; 6 a time
limit; 130 interrupted.
"""


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run Signoff; ends the process with the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    command: tuple[str, ...] = ()
    if "--" in words:
        at = words.index("--")
        words, command = words[:at], tuple(words[at + 1 :])
    parser = _parser()
    options = _parse(parser, words)
    try:
        sys.exit(_run(options, command))
    except UsageError as problem:
        print(f"signoff: {problem}", file=sys.stderr)
        sys.exit(USAGE_STATUS)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read the output has left; the interpreter must not try to write the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + 13)


def _parse(parser: argparse.ArgumentParser, words: list[str]) -> argparse.Namespace:
    options, rest = parser.parse_known_args(words)
    given = vars(options)
    if rest == [DEMO] and "bundled" in given and given["bundled"] is None:
        # argparse takes all positional words from the first group of them: not the `demo` that
        # comes after options.
        options.bundled = DEMO
    elif rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    return options


def _run(options: argparse.Namespace, command: tuple[str, ...]) -> int:
    given = vars(options)
    mode = given.get("mode")
    is_demo = mode == "demo" or given.get("bundled") == "demo"
    target = read_target(
        demo=is_demo,
        url=given.get("url", ""),
        argv=command,
        name=given.get("name", ""),
        env=given.get("env", ()),
    )
    if mode in ("tools", "call"):
        return _run_headless(mode, given, target)
    return _run_screen(given, target)


def _trust(given: dict[str, Any], target: Target) -> Trust:
    from app.core.trust import Trust

    trusted = given.get("trust", target.is_bundled) and not given.get("no_trust", False)
    return Trust.TRUSTED if trusted else Trust.UNTRUSTED


def _limits(given: dict[str, Any]) -> CallLimits:
    from app.core.calls import CallLimits

    return CallLimits(given.get("timeout", 60.0), given.get("max_time", 600.0))


def _run_headless(mode: str, given: dict[str, Any], target: Target) -> int:
    from app.flows.headless import CallOptions, Options, run_call, run_tools

    options = Options(
        target,
        _trust(given, target),
        _limits(given),
        given.get("connect_timeout", 60.0),
        given.get("json", False),
    )
    if mode == "tools":
        return run_tools(options)
    call = CallOptions(given["tool"], given["assign"], given["args"], given["approve"])
    return run_call(options, call)


def _run_screen(given: dict[str, Any], target: Target) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "the screen needs a terminal; without one use signoff tools or signoff call"
        )
    # Until the app has handlers of its own: whatever ends Signoff, the server ends with it.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    link = target.link()
    try:
        link.begin()
        from app.screens.app import run
        from app.screens.opening import Opening
        from widgets.graphics import prepare_graphics

        prepare_graphics(given.get("graphics", "auto"))
        return run(
            Opening(
                link,
                target.name,
                _trust(given, target),
                idle_seconds=given.get("timeout"),
                absolute_seconds=given.get("max_time"),
                decision_seconds=given.get("decision_seconds"),
            )
        )
    finally:
        link.kill()


def _leave(number: int, frame: object) -> NoReturn:
    sys.exit(128 + number)


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--url", metavar="URL", help="a server over Streamable HTTP")
    common.add_argument("--name", metavar="NAME", help="what to call the server on the screen")
    common.add_argument(
        "--env",
        action="append",
        metavar="NAME[=VALUE]",
        help="a variable for the server, which otherwise inherits only PATH, HOME and the like",
    )
    trust = common.add_mutually_exclusive_group()
    trust.add_argument(
        "--trust", action="store_true", help="let this server's hints count (demo: the default)"
    )
    trust.add_argument("--no-trust", action="store_true", help="show its hints, never obey them")
    common.add_argument(
        "--timeout", type=_seconds, metavar="S", help="seconds without a sign of a call (60)"
    )
    common.add_argument(
        "--max-time", type=_seconds, metavar="S", help="seconds of a call altogether (600)"
    )

    screen = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    screen.add_argument(
        "--graphics",
        choices=["auto", "on", "off"],
        help="draw images by sixel or kitty graphics, which needs textual-image (auto: in "
        "terminals known to have them)",
    )
    screen.add_argument(
        "--decision-seconds",
        type=_seconds,
        metavar="S",
        help="seconds after which an open question is denied (120)",
    )

    parser = argparse.ArgumentParser(
        prog="signoff",
        usage="""signoff [OPTIONS] (demo | --url URL | -- COMMAND [ARG...])
       signoff tools [OPTIONS] [demo | --url URL | -- COMMAND [ARG...]]
       signoff call TOOL [-a NAME=VALUE ...] [OPTIONS] [demo | --url URL | -- COMMAND [ARG...]]""",
        parents=[common, screen],
        description="Test how MCP tools get approved.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"signoff {__version__}")
    modes = parser.add_subparsers(dest="mode", metavar="demo | tools | call")
    modes.add_parser("demo", parents=[common, screen], help="open the bundled server")

    headless = argparse.ArgumentParser(add_help=False, parents=[common])
    headless.add_argument("--json", action="store_true", help="print one JSON object")
    headless.add_argument(
        "--connect-timeout",
        type=_seconds,
        default=60.0,
        metavar="S",
        help="seconds until the tools have to be listed (60)",
    )
    tools = modes.add_parser("tools", parents=[headless], help="list tools, hints and verdicts")
    tools.add_argument("bundled", nargs="?", choices=["demo"], metavar="demo")
    call = modes.add_parser("call", parents=[headless], help="make one call")
    call.add_argument("tool", metavar="TOOL", help="the exact name of the tool")
    call.add_argument("bundled", nargs="?", choices=["demo"], metavar="demo")
    call.add_argument(
        "-a", dest="assign", action="append", default=[], metavar="NAME=VALUE", help="an argument"
    )
    call.add_argument(
        "--args", default="", metavar="JSON|@FILE|-", help="all arguments as a JSON object"
    )
    call.add_argument(
        "--approve",
        choices=["ask", "policy", "always", "never"],
        default="ask",
        help="who answers when the policy asks (ask; without a terminal that means: not approved)",
    )
    return parser


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value
