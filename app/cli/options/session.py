"""Options of the commands with a server: the server, policy and approval, limits, logs.

A command has those that can have an effect in it; `Use` names what it does.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from enum import Enum, auto
from typing import Any, Final, NamedTuple

from ...protocol.log_messages import LEVELS
from ...protocol.server_requests.capabilities import NAMES
from .parser import Parser, picked, seconds, shared_options
from .server import DEMO


class Use(Enum):
    """Something that a command does, so that the options about it have an effect."""

    ONE_CONNECTION = auto()
    """Connects to one server, which has a name, and whose messages can be captured."""
    POLICY = auto()
    """Lets a policy decide."""
    TRUST = auto()
    """Judges by hints that count or do not."""
    CALLS = auto()
    """Sends requests that take their time."""
    TOOLS = auto()
    """Calls tools."""
    RECORD = auto()
    """Does what a flow file can repeat."""
    EVIDENCE = auto()
    """Shows what the server was seen to do, if it is watched."""
    WATCHED = auto()
    """Watches the server in any case."""


LISTS: Final = frozenset((Use.ONE_CONNECTION,))
"""The uses of a command that only lists what a server offers."""
JUDGES: Final = LISTS | {Use.POLICY, Use.TRUST}
"""The same, with the decision of the policy."""
REQUESTS: Final = JUDGES | {Use.CALLS, Use.RECORD, Use.EVIDENCE}
"""The uses of a command that calls or reads."""
WATCHES: Final = JUDGES | {Use.CALLS, Use.TOOLS, Use.RECORD, Use.WATCHED}
"""The uses of a command that always watches the server."""
EVERY_USE: Final = REQUESTS | {Use.TOOLS}


class Targets(Enum):
    """What the command is about."""

    ONE = auto()
    SEVERAL = auto()
    """One server, or several at once."""
    BUNDLED = auto()
    WORDS = auto()
    """Servers behind `--` only: their commands or URLs."""


class SessionOptions(NamedTuple):
    """Options of every command with a server; None and empty if not given. Times are seconds."""

    is_bundled: bool = False
    url: str | None = None
    name: str | None = None
    env: tuple[str, ...] = ()
    """`NAME` or `NAME=VALUE`."""
    servers: tuple[str, ...] = ()
    """The names of configured servers, or HOST/NAME."""
    is_all: bool = False
    """Whether every server of the configuration files is meant."""
    config: tuple[str, ...] = ()
    """The configuration files to look in; those of the usual places if there are none."""
    config_host: str | None = None
    described: str | None = None
    """A file of the MCP registry, or the manifest of a bundle."""
    pasted: str = ""
    """JSON with `server`, in the place of a file."""
    spot: tuple[int, ...] = ()
    """Line and column of `server` in its file, if that was chosen on a screen."""
    folder: str = ""
    """Where the server is started; empty for the folder of this program."""
    start: tuple[str, ...] = ()
    """The digests of starts that need no question."""
    values: tuple[str, ...] = ()
    """Values that an entry asks for, in the forms of `header`."""
    header: tuple[str, ...] = ()
    """`NAME=@FILE`, `NAME=$VARIABLE`, `NAME=-` or `NAME=VALUE`."""
    transport: str | None = None
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
    """The flow file of the recording."""

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
    """`NO_LIMIT` if it is off."""

    @property
    def server(self) -> str | None:
        """The only configured server that is named; None if there is none."""
        return self.servers[0] if self.servers else None

    @property
    def has_target(self) -> bool:
        """True if options name a server, or all servers."""
        is_named = bool(self.servers) or self.is_all or self.described is not None
        return self.is_bundled or self.url is not None or is_named

    @property
    def is_several(self) -> bool:
        """True if more than one server is meant."""
        return self.is_all or len(self.servers) > 1


def read_session(given: argparse.Namespace) -> SessionOptions:
    """Build the values of parsed options."""
    is_bundled = given.mode in (DEMO, "tour") or vars(given).get("bundled") == DEMO
    return picked(SessionOptions, given)._replace(is_bundled=is_bundled)


ALL_VALUES: Final = frozenset(("hosts", "policies"))
"""Names under which `LastAndAll` keeps all values of an option, beside its last one."""


class LastAndAll(argparse.Action):
    """Keeps the last value as `dest`, and all of them as `every`."""

    def __init__(
        self, option_strings: Sequence[str], dest: str, *, every: str, **given: Any
    ) -> None:
        super().__init__(option_strings, dest, **given)
        self.every = every

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        setattr(namespace, self.dest, values)
        setattr(namespace, self.every, (*vars(namespace).get(self.every, ()), values))


def add_session(
    parser: Parser, uses: Collection[Use] = EVERY_USE, targets: Targets = Targets.ONE
) -> None:
    """Add the options of a command with a server, except the bundled one, in groups."""
    _add_server(shared_options(parser, "options for the server", "the server"), uses, targets)
    if targets in (Targets.ONE, Targets.SEVERAL):
        found = shared_options(parser, "servers in configuration files", "the server")
        _add_configured(found, takes_several=targets is Targets.SEVERAL)
    if {Use.POLICY, Use.TRUST} & set(uses):
        _add_judging(shared_options(parser, "policy and approval", "approval"), uses)
    limits = shared_options(parser, "limits", "limits")
    if Use.CALLS in uses:
        _add_limits(limits)
    logs = shared_options(parser, "logs and records", "logs")
    if {Use.EVIDENCE, Use.WATCHED} & set(uses):
        _add_watching(logs, is_always=Use.WATCHED in uses)
    _add_logs(logs, uses)


def add_without_screen(parser: Parser) -> None:
    """Add the options of commands that print: the time to connect, and the masking of secrets."""
    add_connect_timeout(shared_options(parser, "limits", "limits"))
    add_show_secrets(shared_options(parser, "logs and records", "logs"))


def _add_server(
    parser: argparse._ActionsContainer, uses: Collection[Use], targets: Targets
) -> None:
    if targets in (Targets.ONE, Targets.SEVERAL):
        parser.add_argument("--url", metavar="URL", help="connect to a server over HTTP")
    if Use.ONE_CONNECTION in uses:
        parser.add_argument("--name", metavar="NAME", help="show the server under this name")
    parser.add_argument(
        "--env",
        action="append",
        metavar="NAME[=VALUE]",
        help="give the server this variable (it inherits PATH, HOME, the language, proxies, "
        "certificates and a few others, and no other variable)",
    )
    if targets is not Targets.BUNDLED:
        _add_http(parser)
    parser.add_argument(
        "--protocol",
        choices=["auto", "legacy", "2026-07-28"],
        help="auto: negotiate; legacy: start with initialize; 2026-07-28: without initialize "
        "(default: auto)",
    )
    parser.add_argument(
        "--without",
        action="append",
        choices=NAMES,
        metavar="CAPABILITY",
        help=f"hide a client capability from the server: {', '.join(NAMES)}",
    )
    parser.add_argument(
        "--root",
        dest="roots",
        action="append",
        metavar="[NAME=]FOLDER",
        help="offer this folder (or file: URI) as a root",
    )
    parser.add_argument(
        "--log-level",
        choices=LEVELS,
        metavar="LEVEL",
        help=f"request the server's log messages from this level on: {', '.join(LEVELS)}",
    )
    if Use.TOOLS in uses:
        parser.add_argument(
            "--as-task",
            action="store_true",
            help="run a tool as a task if it supports tasks (task-only tools always do)",
        )


def _add_http(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--header",
        action="append",
        metavar="NAME=@FILE|$VAR|-",
        help="send this header to a URL; its value is read from a file or a variable, or asked for",
    )
    parser.add_argument(
        "--transport",
        choices=["auto", "http", "sse"],
        help="auto: Streamable HTTP, or HTTP+SSE if the server has only that; http: only "
        "Streamable HTTP; sse: only HTTP+SSE (default: auto)",
    )


def _add_configured(parser: argparse._ActionsContainer, *, takes_several: bool) -> None:
    parser.add_argument(
        "--server",
        dest="servers",
        action="append",
        metavar="[HOST/]NAME",
        help="start the server of this name in the configuration files of hosts, once you agree; "
        "see `signoff servers`"
        + (". Give it again for several servers at once" if takes_several else ""),
    )
    if takes_several:
        parser.add_argument(
            "--all",
            dest="is_all",
            action="store_true",
            help="start every server of the configuration files, each once you agree",
        )
    add_config(parser)
    parser.add_argument(
        "--host",
        dest="config_host",
        metavar="NAME",
        help="read the servers in the files of this host alone, such as cursor",
    )
    parser.add_argument(
        "--from",
        dest="described",
        metavar="FILE",
        help="start what this server.json of the MCP registry describes, or the manifest.json of a "
        "bundle (MCPB), once you agree",
    )
    add_start(parser)


def add_config(parser: argparse._ActionsContainer) -> None:
    """Add the files that --server is looked for in."""
    parser.add_argument(
        "--config",
        action="append",
        metavar="FILE",
        help="read the servers of this file (default: the usual places of every host)",
    )


def add_start(parser: argparse._ActionsContainer) -> None:
    """Add the consent to the start of --server, and its values."""
    parser.add_argument(
        "--start",
        action="append",
        metavar="DIGEST",
        help="start --server without a question if its digest is this one: for scripts and CI",
    )
    parser.add_argument(
        "--value",
        dest="values",
        action="append",
        metavar="NAME=@FILE|$VAR|-",
        help="give a value that the entry of --server asks for",
    )


def _add_judging(parser: argparse._ActionsContainer, uses: Collection[Use]) -> None:
    if Use.TRUST in uses:
        trust = parser.add_mutually_exclusive_group()
        trust.add_argument(
            "--trust", action="store_true", help="trust this server's hints (default for demo)"
        )
        trust.add_argument(
            "--no-trust",
            action="store_true",
            help="do not trust this server: its hints let no call run without asking, unless --as "
            "names a host that believes them (default)"
            if Use.POLICY in uses
            else "do not trust this server's hints (default)",
        )
    if Use.POLICY in uses:
        _add_policy(parser.add_mutually_exclusive_group())


def _add_policy(rules: argparse._ActionsContainer) -> None:
    rules.add_argument(
        "--policy",
        action=LastAndAll,
        every="policies",
        metavar="NAME|FILE",
        help="use this policy; see `signoff policy list` (default: cautious)",
    )
    rules.add_argument(
        "--as",
        dest="host",
        action=LastAndAll,
        every="hosts",
        metavar="HOST[:MODE]",
        help="use the rules of a host, such as codex or codex:exec; see `signoff policy list`",
    )


def _add_limits(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--timeout",
        type=seconds,
        metavar="S",
        help="cancel a call after S seconds without progress (default: 60)",
    )
    parser.add_argument(
        "--max-time",
        type=seconds,
        metavar="S",
        help="limit the whole call to S seconds (default: 600)",
    )


def add_connect_timeout(parser: argparse._ActionsContainer) -> None:
    """Add until when the list of tools is waited for."""
    parser.add_argument(
        "--connect-timeout",
        type=seconds,
        metavar="S",
        help="give up if the tools are not listed after S seconds (default: 60)",
    )


def _add_watching(parser: argparse._ActionsContainer, *, is_always: bool) -> None:
    if not is_always:
        parser.add_argument(
            "--evidence",
            action="store_true",
            help="start the server in a scratch folder and watch each call: files, processes, "
            "network addresses",
        )
    parser.add_argument(
        "--evidence-by",
        choices=["strace", "folders"],
        help="how to watch (default: strace if available, otherwise folders)",
    )
    parser.add_argument(
        "--scratch",
        metavar="FOLDER",
        help="start the watched server in a copy of FOLDER (default: an empty folder)",
    )


def _add_logs(parser: argparse._ActionsContainer, uses: Collection[Use]) -> None:
    if Use.ONE_CONNECTION in uses:
        parser.add_argument(
            "--capture",
            metavar="FILE",
            help="write every message to FILE, secrets included; `signoff replay` serves it again",
        )
    if Use.RECORD in uses:
        parser.add_argument(
            "--record",
            metavar="FILE",
            help="record the session as a flow file for `signoff test`",
        )
    log = parser.add_mutually_exclusive_group()
    log.add_argument(
        "--audit",
        metavar="FILE",
        help="write the audit log to FILE (default: in the state folder); lint also reports "
        "responses in FILE that broke a schema",
    )
    log.add_argument("--no-audit", action="store_true", help="write no audit log")
    parser.add_argument(
        "--no-memory",
        action="store_true",
        help="ignore remembered approvals and the history of definitions, and add nothing to them",
    )


def add_show_secrets(parser: argparse._ActionsContainer) -> None:
    """Add the wish to see secrets."""
    parser.add_argument(
        "--show-secrets",
        action="store_true",
        help="print secrets in arguments, commands and messages (default: masked)",
    )
