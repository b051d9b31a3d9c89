"""Options of the commands with a server: the server, policy and approval, limits, logs.

A command has those that can have an effect in it; `Use` names what it does.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator
from enum import Enum, auto
from typing import Any, Final, NamedTuple

from ...protocol.extensions.register import EXTENSIONS
from ...protocol.log_messages import LEVELS
from ...protocol.server_requests.capabilities import NAMES
from .declared import Option, add_options, declared, options, read_values
from .grouping import (
    CHOSEN,
    FOUND,
    SERVER,
    file_path,
    url_opt,
)
from .grouping import JUDGING as JUDGING
from .grouping import LIMITS as LIMITS
from .grouping import LOGS as LOGS
from .grouping import Targets as Targets
from .meaning import Fits, LastAndAll, OptionMeaning, OptionScope, Repeat, session_opt, time_limit
from .parser import DEMO, Parser, seconds


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
    PRINTS = auto()
    """Has no screen that shows how long a server takes."""
    QUESTIONS = auto()
    """Asks, and waits for an answer."""
    GREETS = auto()
    """Is a client itself, and agrees with the server on a revision and capabilities."""
    RELAYS = auto()
    """Leaves that to a host."""


LISTS: Final = frozenset((Use.ONE_CONNECTION,))
"""The uses of a command that only lists what a server offers."""
JUDGES: Final = LISTS | {Use.POLICY, Use.TRUST}
"""The same, with the decision of the policy."""
REQUESTS: Final = JUDGES | {Use.CALLS, Use.RECORD, Use.EVIDENCE, Use.QUESTIONS}
"""The uses of a command that calls or reads."""
WATCHES: Final = JUDGES | {Use.CALLS, Use.TOOLS, Use.RECORD, Use.WATCHED, Use.QUESTIONS}
"""The uses of a command that always watches the server."""
EVERY_USE: Final = REQUESTS | {Use.TOOLS}


_WATCHING: Final = (Use.EVIDENCE, Use.WATCHED)


@options
class SessionOptions(NamedTuple):
    """Options of every command with a server; None and empty if not given. Times are seconds."""

    is_bundled: bool = False
    pasted: str = ""
    """JSON with `server`, in the place of a file."""
    spot: tuple[int, ...] = ()
    """Line and column of `server` in its file, if that was chosen on a screen."""
    folder: str = ""
    """Where the server is started; empty for the folder of this program."""

    url: str | None = session_opt(
        "--url URL",
        "connect to a server over HTTP",
        Repeat.TARGET,
        OptionScope.COMMAND,
        group=SERVER,
        only=CHOSEN,
    )
    name: str | None = session_opt(
        "--name NAME",
        "show the server under this name",
        Repeat.GIVEN,
        OptionScope.SERVER,
        kept=True,
        flow="what to call the server",
        group=SERVER,
        only=(Use.ONE_CONNECTION,),
    )
    env: tuple[str, ...] = session_opt(
        "--env NAME[=VALUE]",
        "give the server this variable (it inherits PATH, HOME, the language, proxies, "
        "certificates and a few others, and no other variable)",
        Repeat.TARGET,
        OptionScope.SERVER,
        fits=Fits.STARTED,
        flow="variables for the server's process",
        group=SERVER,
    )
    """`NAME` or `NAME=VALUE`."""
    headers: tuple[str, ...] = url_opt(
        "--header NAME=@FILE|$VAR|-",
        "send this header to a URL; its value is read from a file or a variable, or asked for",
        Repeat.SOURCE,
        flow="headers of every request to the url",
    )
    """`NAME=@FILE`, `NAME=$VARIABLE`, `NAME=-` or `NAME=VALUE`."""
    client_id: str | None = url_opt(
        "--client-id ID",
        "sign in to a URL as this client: by itself with a secret or a key, otherwise you sign in, "
        "in a browser; also the URL of a client id document",
        flow="the client that signs in to the url",
    )
    client_secret_env: str | None = url_opt(
        "--client-secret-env NAME",
        "the variable with the secret of --client-id",
        Repeat.SOURCE,
        flow="the variable with the client's secret",
    )
    """The name of a variable; never the secret itself."""
    client_key: str | None = url_opt(
        "--client-key FILE",
        "the PEM file with the private key of --client-id, in place of a secret",
        flow="a PEM file with the client's private key",
        type=file_path,
    )
    scope: str | None = url_opt(
        "--scope SCOPE",
        "the scopes to request in a sign-in, with blanks between (default: those that the server "
        "names)",
        flow="the scopes to request",
    )
    issuer: str | None = url_opt(
        "--issuer URL",
        "sign in at this authorization server only, also the only one that gets a secret (default: "
        "the one that the server names)",
        flow="the only authorization server to sign in at",
    )
    sign_in_by: str | None = url_opt(
        "--sign-in-by",
        "browser: you sign in, in a browser; client: --client-id signs in by itself; off: Signoff "
        "does not sign in (default: client with a secret or a key, otherwise browser)",
        flow="who signs in to the url: browser, client or off",
        choices=("browser", "client", "off"),
    )
    callback_url: str | None = url_opt(
        "--callback-url URL",
        "the address of this machine that a sign-in page leads back to, such as "
        "http://127.0.0.1:8765/callback (default: any free port)",
        flow="the address of this machine that a sign-in page leads back to",
    )
    lenient: tuple[str, ...] = url_opt(
        "--lenient CHECK",
        "sign in although this check fails, as lenient clients do: issuer, resource, pkce or "
        "metadata",
        kept=False,
    )
    ca: str | None = url_opt(
        "--ca FILE",
        "trust the certificates in this PEM file, too (default: those of the system)",
        flow="a PEM file with certificates to trust, too",
        type=file_path,
    )
    insecure: bool = url_opt(
        "--insecure",
        "check no certificate: any machine between can read and change all messages",
        kept=False,
    )
    transport: str | None = url_opt(
        "--transport",
        "auto: Streamable HTTP, or HTTP+SSE if the server has only that; http: only "
        "Streamable HTTP; sse: only HTTP+SSE (default: auto)",
        flow="how the url is reached; auto",
        choices=("auto", "http", "sse"),
    )
    protocol: str | None = session_opt(
        "--protocol",
        "auto: negotiate; legacy: start with initialize; 2026-07-28: without initialize "
        "(default: auto)",
        Repeat.GIVEN,
        OptionScope.COMMAND,
        kept=True,
        flow="what to speak; auto",
        group=SERVER,
        only=(Use.GREETS,),
        choices=("auto", "legacy", "2026-07-28"),
    )
    without: tuple[str, ...] = session_opt(
        "--without CAPABILITY",
        f"hide a client capability from the server: {', '.join(NAMES)}",
        Repeat.GIVEN,
        OptionScope.COMMAND,
        kept=True,
        flow="hidden client capabilities",
        group=SERVER,
        only=(Use.GREETS,),
        choices=NAMES,
    )
    """Capabilities of a client that are not declared."""
    experimental: tuple[str, ...] = session_opt(
        "--experimental NAME",
        f"try a draft of an extension to MCP: {', '.join(EXTENSIONS)}",
        Repeat.GIVEN,
        OptionScope.COMMAND,
        kept=True,
        setting=True,
        flow="drafts of extensions in use",
        group=SERVER,
        only=(Use.GREETS, Use.RELAYS),
        choices=tuple(EXTENSIONS),
    )
    """Names of drafts of extensions."""
    roots: tuple[str, ...] = session_opt(
        "--root [NAME=]FOLDER",
        "offer this folder (or file: URI) as a root",
        Repeat.GIVEN,
        OptionScope.COMMAND,
        kept=True,
        flow="folders or URIs sent as roots",
        group=SERVER,
        only=(Use.GREETS,),
    )
    """`NAME=URI`, a URI, or a folder."""
    log_level: str | None = session_opt(
        "--log-level LEVEL",
        f"request the server's log messages from this level on: {', '.join(LEVELS)}",
        Repeat.GIVEN,
        OptionScope.COMMAND,
        flow="from which one on its log messages are wanted",
        group=SERVER,
        only=(Use.GREETS,),
        choices=LEVELS,
    )
    """From which one on the server's log messages are wanted."""
    as_task: bool = session_opt(
        "--as-task",
        "run a tool as a task if it supports tasks (task-only tools always do)",
        Repeat.GIVEN,
        OptionScope.COMMAND,
        group=SERVER,
        only=(Use.TOOLS,),
    )

    servers: tuple[str, ...] = session_opt(
        "--server [HOST/]NAME",
        "start the server of this name in the configuration files of hosts, once you agree; see "
        "`signoff servers`",
        Repeat.TARGET,
        OptionScope.COMMAND,
        group=FOUND,
        only=CHOSEN,
        instead={
            Targets.SEVERAL: "start the server of this name in the configuration files of hosts, "
            "once you agree; see `signoff servers`. Give it again for several servers at once"
        },
    )
    """The names of configured servers, or HOST/NAME."""
    is_all: bool = session_opt(
        "--all",
        "start every server of the configuration files, each once you agree",
        Repeat.TARGET,
        OptionScope.COMMAND,
        group=FOUND,
        only=(Targets.SEVERAL,),
    )
    """Whether every server of the configuration files is meant."""
    config: tuple[str, ...] = session_opt(
        "--config FILE",
        "read the servers of this file (default: the usual places of every host)",
        Repeat.TARGET,
        OptionScope.COMMAND,
        group=FOUND,
        only=CHOSEN,
    )
    """The configuration files to look in; those of the usual places if there are none."""
    config_host: str | None = session_opt(
        "--host NAME",
        "read the servers in the files of this host alone, such as cursor",
        Repeat.GIVEN,
        OptionScope.COMMAND,
        kept=True,
        group=FOUND,
        only=CHOSEN,
    )
    described: str | None = session_opt(
        "--from FILE",
        "start what this server.json of the MCP registry describes, or the manifest.json of a "
        "bundle (MCPB), once you agree",
        Repeat.TARGET,
        OptionScope.SERVER,
        group=FOUND,
        only=CHOSEN,
    )
    """A file of the MCP registry, or the manifest of a bundle."""
    start: tuple[str, ...] = session_opt(
        "--start DIGEST",
        "start --server without a question if its digest is this one: for scripts and CI",
        Repeat.NEVER,
        OptionScope.COMMAND,
        group=FOUND,
        only=CHOSEN,
    )
    """The digests of starts that need no question."""
    values: tuple[str, ...] = session_opt(
        "--value NAME=@FILE|$VAR|-",
        "give a value that the entry of --server asks for",
        Repeat.SOURCE,
        OptionScope.SERVER,
        kept=True,
        group=FOUND,
        only=CHOSEN,
    )
    """Values that an entry asks for, in the forms of `headers`."""

    trust: bool = session_opt(
        "--trust",
        "trust this server's hints (default for demo)",
        Repeat.RULES,
        OptionScope.SERVER,
        flow="whether the server's hints count; only the bundled one's do",
        group=JUDGING,
        only=(Use.TRUST,),
        rivals="trust",
    )
    no_trust: bool = session_opt(
        "--no-trust",
        "do not trust this server's hints (default)",
        Repeat.RULES,
        OptionScope.COMMAND,
        group=JUDGING,
        only=(Use.TRUST,),
        rivals="trust",
        instead={
            Use.POLICY: "do not trust this server: its hints let no call run without asking, "
            "unless --as names a host that believes them (default)"
        },
    )
    policy: str | None = session_opt(
        "--policy NAME|FILE",
        "use this policy; see `signoff policy list` (default: cautious)",
        Repeat.RULES,
        OptionScope.SESSION,
        setting=True,
        group=JUDGING,
        only=(Use.POLICY,),
        rivals="policy",
        action=LastAndAll,
        every="policies",
    )
    host: str | None = session_opt(
        "--as HOST[:MODE]",
        "use the rules of a host, such as codex or codex:exec; see `signoff policy list`",
        Repeat.RULES,
        OptionScope.SESSION,
        group=JUDGING,
        only=(Use.POLICY,),
        rivals="policy",
        action=LastAndAll,
        every="hosts",
    )
    """What `--as` names."""

    timeout: float | None = session_opt(
        "--timeout S",
        "cancel a call after S seconds without progress (default: 60)",
        Repeat.GIVEN,
        OptionScope.SESSION,
        setting=True,
        group=LIMITS,
        only=(Use.CALLS,),
        type=seconds,
    )
    max_time: float | None = session_opt(
        "--max-time S",
        "limit the whole call to S seconds (default: 600)",
        Repeat.GIVEN,
        OptionScope.SESSION,
        setting=True,
        group=LIMITS,
        only=(Use.CALLS,),
        type=seconds,
    )
    connect_timeout: float | None = session_opt(
        "--connect-timeout S",
        "give up if the tools are not listed after S seconds (default: 60)",
        Repeat.GIVEN,
        OptionScope.SESSION,
        setting=True,
        group=LIMITS,
        only=(Use.PRINTS,),
        type=seconds,
    )
    decision_seconds: float | None = session_opt(
        "--decision-seconds S|off",
        "deny an open question after S seconds without input, or off (default: 120)",
        Repeat.GIVEN,
        OptionScope.SESSION,
        setting=True,
        group=LIMITS,
        only=(Use.QUESTIONS,),
        type=time_limit,
    )
    """`NO_LIMIT` if it is off."""

    evidence: bool = session_opt(
        "--evidence",
        "start the server in a scratch folder and watch each call: files, processes, network "
        "addresses",
        Repeat.GIVEN,
        OptionScope.COMMAND,
        fits=Fits.STARTED,
        group=LOGS,
        only=(Use.EVIDENCE,),
    )
    """Whether the server's process is watched."""
    evidence_by: str | None = session_opt(
        "--evidence-by",
        "how to watch (default: strace if available, otherwise folders)",
        Repeat.GIVEN,
        OptionScope.COMMAND,
        fits=Fits.STARTED,
        group=LOGS,
        only=_WATCHING,
        choices=("strace", "folders"),
    )
    """How it is watched: strace or folders; None for what works."""
    scratch: str | None = session_opt(
        "--scratch FOLDER",
        "start the watched server in a copy of FOLDER (default: an empty folder)",
        Repeat.GIVEN,
        OptionScope.SERVER,
        fits=Fits.STARTED,
        flow="for evidence: a folder, of which a copy is what it works in",
        group=LOGS,
        only=_WATCHING,
    )
    """The folder of which a copy is what the watched server works in."""
    capture: str | None = session_opt(
        "--capture FILE",
        "write every message to FILE, secrets included; `signoff replay` serves it again",
        Repeat.NEVER,
        OptionScope.SERVER,
        group=LOGS,
        only=(Use.ONE_CONNECTION,),
    )
    """The file that takes all that goes over the wire."""
    record: str | None = session_opt(
        "--record FILE",
        "record the session as a flow file for `signoff test`",
        Repeat.NEVER,
        OptionScope.SERVER,
        group=LOGS,
        only=(Use.RECORD,),
    )
    """The flow file of the recording."""
    audit: str | None = session_opt(
        "--audit FILE",
        "write the audit log to FILE (default: in the state folder); lint also reports responses "
        "in FILE that broke a schema",
        Repeat.GIVEN,
        OptionScope.SESSION,
        group=LOGS,
        rivals="audit",
    )
    no_audit: bool = session_opt(
        "--no-audit",
        "write no audit log",
        Repeat.GIVEN,
        OptionScope.SESSION,
        group=LOGS,
        rivals="audit",
    )
    no_memory: bool = session_opt(
        "--no-memory",
        "ignore remembered approvals and the history of definitions, and add nothing to them",
        Repeat.GIVEN,
        OptionScope.SESSION,
        group=LOGS,
    )

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
    return read_values(SessionOptions, given)._replace(is_bundled=is_bundled)


def session_options() -> Iterator[tuple[str, Option, OptionMeaning]]:
    """Each option of a session with its field and what it means."""
    for name, one in declared(SessionOptions).items():
        yield name, one, one.means


def misplaced(given: tuple[Any, ...], *, has_url: bool, url: str = "--url") -> str:
    """Why an option is not for this server, which has an address, called `url`, or is started;
    empty if all are. `given` has some options of a session.
    """
    started = "a server that Signoff starts"
    for name, one, means in session_options():
        if means.fits is (Fits.STARTED if has_url else Fits.URL) and getattr(given, name, None):
            fit, other = (started, url) if has_url else (url, started)
            return f"{one.flags[0]} is for {fit}, not for {other}"
    return ""


def add_session(
    parser: Parser, uses: Collection[Use] = EVERY_USE, targets: Targets = Targets.ONE
) -> None:
    """Add the options of a command with a server, except the bundled one, in groups."""
    greets = () if Use.RELAYS in uses else (Use.GREETS,)
    add_options(parser, SessionOptions, {*uses, *greets, targets})
