"""All that a session is made with: the server, its address, trust, policy, limits, storage."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..approval.approval import DECISION_SECONDS
from ..calls.effects.scratch import SCRATCH
from ..content.frozen import frozen
from ..platforms.files import why
from ..protocol.server import Trust
from ..protocol.wire.frames import WireLog
from ..transport import NoLink

if TYPE_CHECKING:
    from ..approval.policies.policy import Policy
    from ..calls.call import CallLimits
    from ..calls.effects.watch import Watch
    from ..protocol.server import Start
    from ..protocol.server_requests.capabilities import Root
    from ..transport import Link
    from ..transport.sign_in.browser_options import BrowserOptions
    from ..transport.sign_in.credentials import ClientCredentials
    from .engine import Engine
    from .events import EngineEvent
    from .policy_state import PolicyState


T = TypeVar("T")


@frozen
class Target:
    """A server by command (`argv`) or by `url`; exactly one of them is set."""

    name: str
    argv: tuple[str, ...] = ()
    url: str = ""
    is_bundled: bool = False
    folder: str = ""
    """Where the server's process starts; empty for the folder of this program."""
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Variables for the server's process, beyond the few that every server inherits."""
    shown: tuple[str, ...] = ()
    """The words of the command, or the URL, without secrets that were filled in; empty: as is."""
    configured: tuple[str, ...] = ()
    """The configuration file and the name in it; empty for any other server."""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Headers of every request to `url`."""
    credentials: ClientCredentials | None = None
    """Those of a client that signs in at `url` by itself."""
    browser: BrowserOptions | None = None
    """How a person signs in at `url`; None if no person is to."""
    apart: str = ""
    """Its name in a session, if another server there is started in exactly the same way: approvals
    of one count for no other. Empty otherwise."""
    is_trusted: bool = False
    """Whether the person's own entry trusts its hints, unless an option decides."""
    policy: str = ""
    """The policy of that entry, likewise; empty for none."""
    roots: tuple[str, ...] = ()
    """The roots of that entry, likewise."""
    transport: str = "auto"
    """How `url` is reached: auto, http (Streamable HTTP alone) or sse (HTTP+SSE of 2024-11-05)."""
    ca: str = ""
    """A PEM file whose certificates are trusted, too; empty for none."""
    is_insecure: bool = False
    """Whether no certificate of `url` is checked."""
    protocol: str = "auto"
    """Which era to ask for: auto, legacy or a revision without the handshake."""
    without: frozenset[str] = frozenset()
    """Capabilities that are not declared to the server, so that it must not use them."""
    experimental: frozenset[str] = frozenset()
    """Names of drafts of extensions that are in use if the server has them, too."""
    wire: WireLog = field(default_factory=WireLog, compare=False, repr=False)
    """All that is sent and received, over every link that is made to it."""

    watch: Watch | None = field(default=None, compare=False, repr=False)
    """The observer of the server's process, if one is set."""

    def link(self) -> Link:
        """A link that has not begun yet. Raises NoLink if none can be made."""
        link = self._link()
        if self.apart:
            link.identity = (
                f"{link.identity} {json.dumps(self.apart)}"
                if self.url
                else json.dumps([*json.loads(link.identity), self.apart])
            )
        return link

    def _link(self) -> Link:
        if self.url:
            from ..transport.http.http import HttpLink

            return self.over_http(HttpLink)
        from ..protocol.server_requests.capabilities import ClientCapabilities
        from ..transport.stdio.stdio import StdioLink

        try:
            return StdioLink(
                self.argv,
                self._variables(),
                self.protocol,
                ClientCapabilities(self.without, self.experimental),
                self.wire,
                self.watch,
                self.folder,
                self.shown,
            )
        except OSError as problem:
            raise NoLink(_why_no_link(problem)) from None

    def over_http(self, make: Callable[..., T]) -> T:
        """Make a link to `url`, of the class HttpLink or one that takes its arguments."""
        from ..protocol.server_requests.capabilities import ClientCapabilities
        from ..transport.http.reach import Reach

        return make(
            self.url,
            self.protocol,
            ClientCapabilities(self.without, self.experimental),
            self.wire,
            dict(self.headers),
            "".join(self.shown),
            self.transport,
            Reach(self.ca, self.is_insecure),
            self.credentials,
            self.browser,
        )

    def _variables(self) -> dict[str, str]:
        """The variables, with the path of the scratch folder if the server is watched."""
        if self.watch is None:
            return dict(self.env)
        return {name: value.replace(SCRATCH, self.watch.scratch) for name, value in self.env}


def _why_no_link(problem: OSError) -> str:
    try:
        os.getcwd()
    except OSError:
        return (
            "the folder that Signoff was started in was deleted, and approvals are bound to it: "
            "start Signoff in an existing folder"
        )
    return f"the server cannot be started: {why(problem)}"


@frozen
class SessionConfig:
    """Options, settings and defaults of a session, merged. Times are seconds."""

    target: Target
    trust: Trust = Trust.UNTRUSTED
    policy: Policy | None = None
    """None is the default, `cautious`."""

    timeout: float = 60.0
    """Until a call without a sign of life ends."""
    max_time: float = 600.0
    """Until a call ends in any case."""
    connect_timeout: float = 60.0
    """Time limit until the tools are listed, for commands without a screen to wait on."""
    decision_seconds: float = DECISION_SECONDS
    """Until an open question is denied; may be `NO_LIMIT`."""

    audit: Path | None = None
    """The audit log; None is the one in the state folder."""
    keeps_audit: bool = True
    memory: Path | None = None
    """The folder of remembered approvals and other state; None is the state folder."""
    keeps_memory: bool = True
    """Whether approvals and definitions of earlier runs count, and those of this one are kept."""
    keeps_arguments: bool = True
    """Whether the arguments of calls are kept, to be chosen from."""

    roots: tuple[Root, ...] = ()
    """The roots in the response to `roots/list`."""
    log_level: str = ""
    """The lowest level of the server's log messages to request; empty to leave it to the server."""
    as_task: bool = False
    """Whether calls that may run as tasks do."""

    start: Start | None = None
    """The command line that started the session; None without one."""
    attach: Callable[[Engine], None] | None = None
    """Gets the engine before anything happens there: it is recorded."""

    @property
    def limits(self) -> CallLimits:
        """The time limits of a call."""
        from ..calls.call import CallLimits

        return CallLimits(self.timeout, self.max_time)

    def recorded_by(self, attach: Callable[[Engine], None]) -> SessionConfig:
        """Return the same configuration with a recorder attached."""
        return replace(self, attach=attach)

    def engine(
        self, link: Link, *, listener: Callable[[EngineEvent], None] = lambda event: None
    ) -> Engine:
        """Make an engine on a link that has begun; store and log are opened when needed."""
        from .engine import Engine

        def open_policy_state() -> PolicyState:
            from ..storage.audit_log import AuditLog, default_path
            from ..storage.store import Store
            from .memory import Memory
            from .policy_state import AuditWriter, PolicyState

            open_store = partial(Store.open, self.memory)
            memory = Memory(
                link.identity,
                self.target.name,
                open_store if self.keeps_memory else None,
                keeps_arguments=self.keeps_arguments,
            )
            log = AuditLog(self.audit or default_path()) if self.keeps_audit else None
            return PolicyState(memory, AuditWriter(log, memory.session), self.policy)

        engine = Engine(
            link,
            self.target.name,
            trust=self.trust,
            limits=self.limits,
            listener=listener,
            make_consent=open_policy_state,
            relink=self.target.link,
            is_bundled=self.target.is_bundled,
        )
        engine.set_roots(self.roots)
        engine.as_task = self.as_task
        if self.attach is not None:
            self.attach(engine)
        if self.log_level:
            engine.set_log_level(self.log_level)
        return engine
