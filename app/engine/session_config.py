"""All that a session with a server is made with: the server, trust, policy, limits and storage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..approval.approval import DECISION_SECONDS
from ..content.frozen import frozen
from ..protocol.server import Trust

if TYPE_CHECKING:
    from ..approval.policies.policy import Policy
    from ..calls.call import CallLimits
    from ..protocol.server import Start
    from ..protocol.server_requests.capabilities import Root
    from ..transport import Link
    from .engine import Engine
    from .events import EngineEvent
    from .policy_state import PolicyState
    from .target import Target


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
