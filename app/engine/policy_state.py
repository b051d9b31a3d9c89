"""The active policy with grants, audit log and rulebook.

Problems of the audit log are noted, never raised. The rulebook has every policy and all host rules,
built-in and user-defined.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence

from ..approval.fingerprint import ServerFingerprint
from ..approval.grants import Grant, Remember
from ..approval.matrix import Overrides
from ..approval.policies.policy import Policy, unlogged_words
from ..approval.policies.policy_text import PolicyError, built_in, built_ins
from ..approval.skill_approvals import SkillBinding
from ..content.frozen import frozen
from ..protocol.definitions.changes import ListDiff
from ..protocol.extensions.skills import Skill
from ..protocol.findings.findings import Finding, error, note
from ..protocol.server import Server
from ..protocol.tool import ToolDefinition
from ..storage.audit_log import AuditError, AuditLog
from ..storage.auditing.events import (
    Event,
    changes_accepted,
    closed,
    definitions_changed,
    listed,
    lost,
    opened,
    opened_outside,
    policy_changed,
    reopened,
    trust_changed,
    what_if,
)
from ..storage.auditing.events import grant as grant_event
from ..storage.fault_log import note_fault
from ..storage.policy_files import PolicyNotFound, find_hosts, find_policy, own_names
from .memory import Memory


class AuditWriter:
    """Writes events of one run of Signoff; without a log it writes nothing and has no problem."""

    def __init__(self, log: AuditLog | None = None, session: str = "", problem: str = "") -> None:
        self._log = log
        self._session = session
        self.problem = problem
        """Why nothing can be written now, in words; empty while all is well."""
        self.on_problem: Callable[[Finding], None] = lambda finding: None

    @property
    def is_kept(self) -> bool:
        """True if there is a log at all."""
        return self._log is not None

    @property
    def place(self) -> str:
        """The file, for people; empty if no log is kept."""
        return "" if self._log is None else str(self._log.path)

    def check(self) -> str:
        """Probe the log; returns why the next event cannot be written, or an empty string."""
        if self._log is not None:
            self._say(self._log.probe())
        return self.problem

    def write(self, event: Event | Callable[[], Event]) -> bool:
        """Append an event; False if that failed. Without a log a function is not called: the
        digests of an event take longer than the call that it is about."""
        if self._log is None:
            return not self.problem
        return self._write(event() if callable(event) else event, is_durable=False)

    async def write_through(self, event: Event | Callable[[], Event]) -> bool:
        """Append an event and wait until it is on disk; False on failure.

        A cancellation that arrives during the writing applies after it: the next event is written
        below it.
        """
        if self._log is None:
            return not self.problem
        made = event() if callable(event) else event
        writing = asyncio.create_task(asyncio.to_thread(self._write, made, is_durable=True))
        try:
            return await asyncio.shield(writing)
        finally:
            while not writing.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait({writing})

    def close(self) -> None:
        if self._log is not None:
            self._log.close()

    def _write(self, event: Event, *, is_durable: bool) -> bool:
        if self._log is None:
            return not self.problem
        name, severity, fields = event
        try:
            fields = {"session": self._session, **fields}
            self._log.append(name, severity, fields, durable=is_durable)
        except AuditError as failure:
            self._say(str(failure))
            return False
        except Exception as fault:
            # A call that may destroy does not run unlogged, whatever the reason.
            self._say(note_fault(fault, "while it wrote the audit log"))
            return False
        self._say("")
        return True

    def _say(self, problem: str) -> None:
        is_new = bool(problem) and problem != self.problem
        self.problem = problem
        if is_new:
            self.on_problem(error("audit-unwritable", unlogged_words(problem)))


@frozen
class PolicyCallbacks:
    """Callbacks that `PolicyState` needs from its engine. They may be called from any thread."""

    server: Callable[[], Server]
    changed: Callable[[], None]
    """The rules are others: verdicts may be, too."""
    notice: Callable[[Finding], None]


class PolicyState:
    """Policy, what-if hints, memory and ledger of one engine; every change of them is logged."""

    def __init__(
        self,
        memory: Memory,
        ledger: AuditWriter | None = None,
        policy: Policy | None = None,
    ) -> None:
        self.memory = memory
        self.ledger = ledger or AuditWriter()
        self.policy = policy or built_in("cautious")
        self.what_if: dict[str, Overrides] = {}
        """Hints that the person set, by exact tool name; they are not the server's."""
        self._surface: PolicyCallbacks | None = None
        self._ending = threading.Lock()
        self._is_closed = False
        """Whether the end is logged: a list that is compared in a thread comes too late."""

    def attach(self, surface: PolicyCallbacks) -> None:
        """Begin to log and report changes."""
        self._surface = surface
        self.memory.on_problem = self.ledger.on_problem = surface.notice
        self.memory.on_voided = self._note_voided
        self.ledger.write(opened(surface.server(), self.policy))

    def lost(self) -> None:
        """The connection of the server is gone."""
        self.ledger.write(lost(self._server))

    def reopened(self, runs: ServerFingerprint | None) -> None:
        """The server is connected again; None if the program could not be examined."""
        self.ledger.write(lambda: reopened(self._server, self.policy, runs))

    def close(self, calls: int) -> None:
        """End: `calls` were made."""
        with self._ending:
            self._is_closed = True
            if self._surface is not None:
                self.ledger.write(closed(self._surface.server(), calls))
        self.ledger.close()
        self.memory.close()

    def compare(self, tools: Sequence[ToolDefinition], *, is_whole: bool = True) -> ListDiff:
        """Compare a list with the one before it and keep it; takes a while for a long one."""
        diff = self.memory.take_list(tools, is_whole=is_whole)
        with self._ending:
            if not self._is_closed:
                self.ledger.write(listed(self._server, tools))
                if not diff.is_empty:
                    self.ledger.write(definitions_changed(self._server, diff))
        return diff

    def accept_changes(self, shown: ListDiff) -> bool:
        """Take the shown changes of definitions as the person's own; False if there are others."""
        is_accepted = self.memory.accept(shown)
        if is_accepted and not shown.is_empty:
            self.ledger.write(lambda: changes_accepted(self._server, shown))
        return is_accepted

    def set_policy(self, policy: Policy) -> None:
        """Set the policy for calls that are judged from now on."""
        self.policy = policy
        self.ledger.write(policy_changed(self._server, policy))
        self._tell_changed()

    def trust_changed(self) -> None:
        """Log that the server is now trusted, or no longer."""
        self.ledger.write(trust_changed(self._server))

    def set_what_if(self, tool: str, overrides: Overrides) -> None:
        """Flip hints of a tool locally; empty takes it back. It never makes a verdict milder."""
        if overrides:
            self.what_if[tool] = dict(overrides)
        else:
            self.what_if.pop(tool, None)
        self.ledger.write(what_if(self._server, tool, overrides))
        self._tell_changed()

    def overrides(self, tool: ToolDefinition) -> Overrides:
        """The what-if hints that the user has set, by hint name."""
        return self.what_if.get(tool.name, {})

    def log_opened_outside(self, uri: str, program: str) -> bool:
        """An address is about to be opened outside; False if that could not be logged."""
        return self.ledger.write(opened_outside(self._server, uri, program))

    def revoke(self, grant: Grant) -> bool:
        """Take a remembered approval back; False if it was gone already."""
        is_revoked = self.memory.revoke(grant.id)
        if is_revoked:
            self.ledger.write(grant_event("grant-revoked", grant))
        self._tell_changed()
        return is_revoked

    def approve_skill(
        self, skill: Skill, binding: SkillBinding, texts: Mapping[str, str], remember: Remember
    ) -> str:
        """Remember a person's approval of a skill; returns why it is not remembered, or "".

        `texts` are those of its files, by digest.
        """
        if problem := self.ledger.check():
            return problem
        if not self.memory.keep_approved_skill(skill, texts):
            return self.memory.problem or "the store failed"
        grant = self.memory.remember(binding, remember)
        if grant is None:
            runs = binding.runs
            return self.memory.problem or (runs.problem if runs else "") or "the store failed"
        self.ledger.write(grant_event("grant-given", grant))
        return ""

    def revoke_all(self) -> int:
        """Take back all remembered approvals, of every server, and the denials of this session."""
        for grant in self.memory.grants():
            self.ledger.write(grant_event("grant-revoked", grant))
        count = self.memory.revoke_all()
        self._tell_changed()
        return count

    def allow_again(self, name: str) -> None:
        """Take back the denial of a tool for this session."""
        self.memory.allow_again(name)
        self._tell_changed()

    @property
    def _server(self) -> Server:
        assert self._surface is not None
        return self._surface.server()

    def _tell_changed(self) -> None:
        if self._surface is not None:
            self._surface.changed()

    def _note_voided(self, grants: Sequence[Grant], why: str) -> None:
        for grant in grants:
            self.ledger.write(grant_event("grant-voided", grant))
        count = f"{len(grants)} remembered approval{'' if len(grants) == 1 else 's'}"
        words = f"{count} ended: {why}"
        if self._surface is not None:
            self._surface.notice(note("approvals-voided", words))


@frozen
class PolicyCatalog:
    """Policies and host rules, each in its order; and the files that cannot be read, why."""

    policies: tuple[Policy, ...]
    hosts: tuple[Policy, ...]
    policy_problems: tuple[str, ...] = ()
    host_problems: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[Policy, ...]:
        """Policies first, hosts after them."""
        return (*self.policies, *self.hosts)

    @property
    def problems(self) -> tuple[str, ...]:
        return (*self.policy_problems, *self.host_problems)


def read_rulebook() -> PolicyCatalog:
    """Everything that can be read; a broken file of one's own is named and left out."""
    own: list[Policy] = []
    problems: list[str] = []
    for name in own_names():
        try:
            own.append(find_policy(name))
        except (PolicyError, PolicyNotFound) as problem:
            problems.append(str(problem))
    found = find_hosts()
    return PolicyCatalog((*built_ins(), *own), found.hosts, tuple(problems), tuple(found.problems))
