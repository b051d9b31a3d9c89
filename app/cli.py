"""The command line: opens the terminal interface, or runs without a screen.

Nothing heavy is imported before the server process has been started.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from app import __version__
from app.targets import Target, UsageError, read_target

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
    options = parser.parse_args(words)
    try:
        sys.exit(_run(options, command))
    except UsageError as problem:
        print(f"signoff: {problem}", file=sys.stderr)
        sys.exit(USAGE_STATUS)
    except KeyboardInterrupt:
        sys.exit(130)


def _run(options: argparse.Namespace, command: tuple[str, ...]) -> int:
    from app.core.policy import Trust
    from app.story import CallLimits

    given = vars(options)
    mode = given.get("mode")
    is_demo = mode == "demo" or given.get("bundled") == "demo"
    target = read_target(
        demo=is_demo, url=given.get("url", ""), argv=command, name=given.get("name", "")
    )
    trusted = given.get("trust", target.is_bundled) and not given.get("no_trust", False)
    trust = Trust.TRUSTED if trusted else Trust.UNTRUSTED
    limits = CallLimits(given.get("timeout", 60.0), given.get("max_time", 600.0))
    if mode in ("tools", "call"):
        return _run_headless(mode, given, target, trust, limits)
    return _run_screen(given, target, trust, limits)


def _run_headless(mode: str, given: dict[str, Any], target: Target, trust: Any, limits: Any) -> int:
    from app.flows.headless import CallOptions, Options, run_call, run_tools

    options = Options(
        target, trust, limits, given.get("connect_timeout", 60.0), given.get("json", False)
    )
    if mode == "tools":
        return run_tools(options)
    call = CallOptions(given["tool"], given["assign"], given["args"], given["approve"])
    return run_call(options, call)


def _run_screen(given: dict[str, Any], target: Target, trust: Any, limits: Any) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "the screen needs a terminal; without one use signoff tools or signoff call"
        )
    link = target.link()
    link.begin()
    from app.screens.app import run

    return run(link, target, trust, limits)


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--url", metavar="URL", help="a server over Streamable HTTP")
    common.add_argument("--name", metavar="NAME", help="what to call the server on the screen")
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

    parser = argparse.ArgumentParser(
        prog="signoff",
        parents=[common],
        description="Test how MCP tools get approved.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"signoff {__version__}")
    modes = parser.add_subparsers(dest="mode", metavar="demo | tools | call")
    modes.add_parser("demo", parents=[common], help="open the bundled server")

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
