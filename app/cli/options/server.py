"""Options on the server, policy, time limits, appearance, reports and simulated people."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from ...protocol.log_messages import LEVELS
from ...protocol.server_requests.capabilities import NAMES
from .parser import BUNDLED, Parser, picked, seconds

DEMO = "demo"


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


def add_session(
    parser: argparse._ActionsContainer,
    *,
    takes_several: bool = True,
    takes_target: bool = True,
    takes_url: bool = True,
) -> None:
    """Add the options of every command with a server, except the bundled one.

    Those for several servers are hidden from the help of a command that is for one server; those
    that choose a server if words after `--` or the command itself do; those of a connection over
    HTTP if there is none.
    """

    def target_help(words: str) -> str:
        return words if takes_target else argparse.SUPPRESS

    def url_help(words: str) -> str:
        return words if takes_url else argparse.SUPPRESS

    parser.add_argument("--url", metavar="URL", help=target_help("connect to a server over HTTP"))
    parser.add_argument("--name", metavar="NAME", help="show the server under this name")
    parser.add_argument(
        "--env",
        action="append",
        metavar="NAME[=VALUE]",
        help="give the server this variable (it inherits PATH, HOME, the language, proxies, "
        "certificates and a few others, and no other variable)",
    )
    parser.add_argument(
        "--server",
        dest="servers",
        action="append",
        metavar="[HOST/]NAME",
        help=target_help(
            "start the server of this name in the configuration files of hosts, once you agree; "
            "see `signoff servers`"
            + (". Give it again for several servers at once" if takes_several else "")
        ),
    )
    parser.add_argument(
        "--all",
        dest="is_all",
        action="store_true",
        help="start every server of the configuration files, each once you agree"
        if takes_several and takes_target
        else argparse.SUPPRESS,
    )
    add_config(parser, is_hidden=not takes_target)
    parser.add_argument(
        "--host",
        dest="config_host",
        metavar="NAME",
        help=target_help("read the servers in the files of this host alone, such as cursor"),
    )
    parser.add_argument(
        "--from",
        dest="described",
        metavar="FILE",
        help=target_help(
            "start what this server.json of the MCP registry describes, or the manifest.json of a "
            "bundle (MCPB), once you agree"
        ),
    )
    add_start(parser, is_hidden=not takes_target)
    parser.add_argument(
        "--header",
        action="append",
        metavar="NAME=@FILE|$VAR|-",
        help=url_help(
            "send this header to a URL; its value is read from a file or a variable, or asked for"
        ),
    )
    parser.add_argument(
        "--transport",
        choices=["auto", "http", "sse"],
        help=url_help(
            "auto: Streamable HTTP, or HTTP+SSE if the server has only that; http: only "
            "Streamable HTTP; sse: only HTTP+SSE (default: auto)"
        ),
    )
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
    parser.add_argument(
        "--as-task",
        action="store_true",
        help="run a tool as a task if it supports tasks (task-only tools always do)",
    )
    trust = parser.add_mutually_exclusive_group()
    trust.add_argument(
        "--trust", action="store_true", help="trust this server's hints (default for demo)"
    )
    trust.add_argument(
        "--no-trust",
        action="store_true",
        help="do not trust this server: its hints let no call run without asking, unless --as "
        "names a host that believes them (default)",
    )
    parser.add_argument(
        "--capture",
        metavar="FILE",
        help="write every message to FILE, secrets included; `signoff replay` serves it again",
    )
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
    parser.add_argument(
        "--record",
        metavar="FILE",
        help="record the session as a flow file for `signoff test`",
    )
    _add_judging(parser)
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


def add_config(parser: argparse._ActionsContainer, *, is_hidden: bool = False) -> None:
    """Add the files that --server is looked for in."""
    words = "read the servers of this file (default: the usual places of every host)"
    parser.add_argument(
        "--config",
        action="append",
        metavar="FILE",
        help=argparse.SUPPRESS if is_hidden else words,
    )


def add_start(parser: argparse._ActionsContainer, *, is_hidden: bool = False) -> None:
    """Add the consent to the start of --server, and its values."""
    start = "start --server without a question if its digest is this one: for scripts and CI"
    value = "give a value that the entry of --server asks for"
    parser.add_argument(
        "--start",
        action="append",
        metavar="DIGEST",
        help=argparse.SUPPRESS if is_hidden else start,
    )
    parser.add_argument(
        "--value",
        dest="values",
        action="append",
        metavar="NAME=@FILE|$VAR|-",
        help=argparse.SUPPRESS if is_hidden else value,
    )


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


def _add_judging(parser: argparse._ActionsContainer) -> None:
    rules = parser.add_mutually_exclusive_group()
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


def add_connect_timeout(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--connect-timeout",
        type=seconds,
        default=argparse.SUPPRESS,
        metavar="S",
        help="give up if the tools are not listed after S seconds (default: 60)",
    )


def add_bundled(parser: Parser) -> None:
    """The bundled server, as the last word of a command."""
    parser.add_argument(BUNDLED, nargs="?", choices=[DEMO], metavar=DEMO, help="the bundled server")


JSON = ("json", "print one JSON object")
MARKDOWN = ("markdown", "print Markdown")


class OutputOptions(NamedTuple):
    """Output of a command without a screen."""

    json: bool = False
    show_secrets: bool = False


def add_show_secrets(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--show-secrets",
        action="store_true",
        help="print secrets in arguments, commands and messages (default: masked)",
    )


def add_json(parser: Parser) -> None:
    name, words = JSON
    parser.add_argument(f"--{name}", action="store_true", help=words)


_REPORTS: Final = {"junit": "JUnit XML", "sarif": "SARIF 2.1.0", "html": "one page of HTML"}


def add_report_files(
    parser: argparse._ActionsContainer, kinds: Sequence[str] = ("junit", "html")
) -> None:
    """Add further reports, each with the file that it is written to; empty if not given."""
    for kind in kinds:
        words = f"write {_REPORTS[kind]} to FILE, too (-: print only that)"
        parser.add_argument(f"--{kind}", metavar="FILE", default="", help=words)


def add_hosts(parser: argparse._ActionsContainer, words: str) -> None:
    """Add the hosts and policies that a report is about, as `columns`."""
    parser.add_argument(
        "--hosts",
        dest="columns",
        metavar="HOST[:MODE],...",
        action="append",
        default=[],
        help=words,
    )


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
        help="let a simulated person answer every question: absent (each waits for its time "
        "limit), denies, approves, slow:SECONDS or erratic:SEED",
    )
