"""Options on the server, policy, time limits, appearance, reports and simulated people."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NamedTuple

from ...protocol.log_messages import LEVELS
from ...protocol.server_requests.capabilities import NAMES
from .parser import Parser, picked, seconds

DEMO = "demo"


class SessionOptions(NamedTuple):
    """Options of every command with a server; None and empty if not given. Times are seconds."""

    is_bundled: bool = False
    url: str | None = None
    name: str | None = None
    env: tuple[str, ...] = ()
    """`NAME` or `NAME=VALUE`."""
    protocol: str | None = None
    without: tuple[str, ...] = ()
    """Capabilities of a client that are not declared."""
    roots: tuple[str, ...] = ()
    """`NAME=URI`, a URI, or a folder."""
    log_level: str | None = None
    """From which one on the server's log messages are wanted."""
    as_task: bool = False
    trust: bool = False
    no_trust: bool = False
    capture: str | None = None
    """The file that takes all that goes over the wire."""
    evidence: bool = False
    """Whether the server's process is watched."""
    evidence_by: str | None = None
    """How it is watched: strace or folders; None for what works."""
    scratch: str | None = None
    """The folder of which a copy is what the watched server works in."""
    record: str | None = None
    """The flow file that takes what is done."""

    policy: str | None = None
    host: str | None = None
    """What `--as` names."""
    audit: str | None = None
    no_audit: bool = False
    no_memory: bool = False

    timeout: float | None = None
    max_time: float | None = None
    connect_timeout: float | None = None
    decision_seconds: float | None = None
    """`NO_LIMIT` where it is off."""


def read_session(given: argparse.Namespace) -> SessionOptions:
    """Build the values of parsed options."""
    is_bundled = given.mode in (DEMO, "tour") or vars(given).get("bundled") == DEMO
    return picked(SessionOptions, given)._replace(is_bundled=is_bundled)


def add_session(parser: argparse._ActionsContainer) -> None:
    """Add the options of every command with a server, except the bundled one."""
    parser.add_argument("--url", metavar="URL", help="a server over Streamable HTTP")
    parser.add_argument("--name", metavar="NAME", help="what to call the server on the screen")
    parser.add_argument(
        "--env",
        action="append",
        metavar="NAME[=VALUE]",
        help="a variable for the server, which otherwise inherits only PATH, HOME and the like",
    )
    parser.add_argument(
        "--protocol",
        choices=["auto", "legacy", "2026-07-28"],
        help="what to speak: find out (auto), begin with initialize (legacy), or the revision "
        "without it",
    )
    parser.add_argument(
        "--without",
        action="append",
        choices=NAMES,
        metavar="CAPABILITY",
        help=f"do not tell the server of it, to see how it does without: {', '.join(NAMES)}",
    )
    parser.add_argument(
        "--root",
        dest="roots",
        action="append",
        metavar="[NAME=]FOLDER",
        help="a folder, or a file: URI, that the server is told when it asks for the roots",
    )
    parser.add_argument(
        "--log-level",
        choices=LEVELS,
        metavar="LEVEL",
        help=f"ask for the server's log messages from this level on: {', '.join(LEVELS)}",
    )
    parser.add_argument(
        "--as-task",
        action="store_true",
        help="call tools that may run as a task as one (those that must are, anyway)",
    )
    trust = parser.add_mutually_exclusive_group()
    trust.add_argument(
        "--trust", action="store_true", help="let this server's hints count (demo: the default)"
    )
    trust.add_argument("--no-trust", action="store_true", help="show its hints, never obey them")
    parser.add_argument(
        "--capture",
        metavar="FILE",
        help="write all that goes over the wire into this file, secrets included; signoff replay "
        "serves it again",
    )
    parser.add_argument(
        "--evidence",
        action="store_true",
        help="start the server in a scratch folder and watch what each call does: files, "
        "processes, addresses",
    )
    parser.add_argument(
        "--evidence-by",
        choices=["strace", "folders"],
        help="how (strace where it works, else folders)",
    )
    parser.add_argument(
        "--scratch", metavar="FOLDER", help="watch it in a copy of this folder, not an empty one"
    )
    parser.add_argument(
        "--record",
        metavar="FILE",
        help="write what is called, answered and denied as a flow file, which signoff test runs",
    )
    _add_judging(parser)
    parser.add_argument(
        "--timeout", type=seconds, metavar="S", help="seconds without a sign of a call (60)"
    )
    parser.add_argument(
        "--max-time", type=seconds, metavar="S", help="seconds of a call altogether (600)"
    )


def _add_judging(parser: argparse._ActionsContainer) -> None:
    rules = parser.add_mutually_exclusive_group()
    rules.add_argument(
        "--policy", metavar="NAME|FILE", help="who decides what is asked (cautious); policy list"
    )
    rules.add_argument(
        "--as", dest="host", metavar="HOST", help="decide by the rules of a known host; policy list"
    )
    log = parser.add_mutually_exclusive_group()
    log.add_argument("--audit", metavar="FILE", help="the audit log (in the state folder)")
    log.add_argument("--no-audit", action="store_true", help="keep no audit log")
    parser.add_argument(
        "--no-memory",
        action="store_true",
        help="use and keep no remembered approvals and no history of definitions",
    )


def add_connect_timeout(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--connect-timeout",
        type=seconds,
        default=argparse.SUPPRESS,
        metavar="S",
        help="seconds until the tools have to be listed (60)",
    )


def add_bundled(parser: Parser) -> None:
    """The bundled server, as the last word of a command."""
    parser.add_argument(
        "bundled", nargs="?", choices=[DEMO], metavar=DEMO, help="the bundled server"
    )


JSON = ("json", "print one JSON object")


class OutputOptions(NamedTuple):
    """Output of a command without a screen."""

    json: bool = False
    show_secrets: bool = False


def add_show_secrets(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--show-secrets",
        action="store_true",
        help="print what is masked otherwise: secrets in arguments, commands and messages",
    )


def add_json(parser: Parser) -> None:
    name, words = JSON
    parser.add_argument(f"--{name}", action="store_true", help=words)


def add_shape(parser: Parser, kinds: Sequence[tuple[str, str]]) -> None:
    """One option for each kind of report, by its name and words; lines where none is given."""
    shape = parser.add_mutually_exclusive_group()
    for name, words in kinds:
        shape.add_argument(
            f"--{name}", dest="shape", action="store_const", const=name, default="lines", help=words
        )


def add_person(parser: argparse._ActionsContainer) -> None:
    """Add the simulated person and their delay."""
    parser.add_argument(
        "--person",
        default=argparse.SUPPRESS,
        metavar="WHO",
        help="a simulated person answers every question: absent, denies, approves, slow:SECONDS or "
        "erratic:SEED; does the server survive it?",
    )
