"""Settings that an engine is made with: policy, memory, audit log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..protocol.server import Trust

if TYPE_CHECKING:
    from ..approval.policies.policy import Policy
    from ..calls.call import CallLimits
    from ..protocol.server_requests.capabilities import Root
    from ..transport import Link
    from .engine import Engine
    from .events import EngineEvent
    from .policy_state import PolicyState


@dataclass(frozen=True, slots=True)
class Setup:
    """Policy and storage of an engine. `policy` None is the default, `cautious`."""

    policy: Policy | None = None
    audit: Path | None = None
    """The audit log; None is the one in the state folder."""
    keeps_audit: bool = True
    memory: Path | None = None
    """The folder of what is remembered; None is the state folder."""
    keeps_memory: bool = True
    """Whether approvals and definitions of earlier runs count, and those of this one are kept."""
    keeps_arguments: bool = True
    """Whether the arguments of calls are kept, to be chosen from."""
    roots: tuple[Root, ...] = ()
    """What the server is told when it asks where it may work."""

    log_level: str = ""
    """From which one on the server's log messages are wanted; empty to say nothing of it."""

    as_task: bool = False
    """Whether calls that may run as tasks do."""

    attach: Callable[[Engine], None] | None = None
    """Told of the engine before anything happens there: it is recorded."""

    def recorded_by(self, attach: Callable[[Engine], None]) -> Setup:
        """Return the same setup with a recorder attached."""
        return replace(self, attach=attach)

    def engine(
        self,
        link: Link,
        name: str,
        trust: Trust,
        limits: CallLimits,
        *,
        listener: Callable[[EngineEvent], None] = lambda event: None,
        relink: Callable[[], Link] | None = None,
        is_bundled: bool = False,
    ) -> Engine:
        """Make an engine on a link that has begun; store and log are opened when needed."""
        from .engine import Engine

        def make_consent() -> PolicyState:
            from ..storage.audit_log import AuditLog, default_path
            from ..storage.store import Store
            from .memory import Memory
            from .policy_state import AuditWriter, PolicyState

            open_store = partial(Store.open, self.memory)
            memory = Memory(
                link.identity,
                name,
                open_store if self.keeps_memory else None,
                keeps_arguments=self.keeps_arguments,
            )
            log = AuditLog(self.audit or default_path()) if self.keeps_audit else None
            return PolicyState(memory, AuditWriter(log, memory.session), self.policy)

        engine = Engine(
            link,
            name,
            trust=trust,
            limits=limits,
            listener=listener,
            make_consent=make_consent,
            relink=relink,
            is_bundled=is_bundled,
        )
        engine.set_roots(self.roots)
        engine.as_task = self.as_task
        if self.attach is not None:
            self.attach(engine)
        if self.log_level:
            engine.set_log_level(self.log_level)
        return engine
