"""Follows what a server reports about an approval of its own, for one call.

Nothing that it reports causes a call, a sign-in or a visit: a handle only goes with a call that
was approved here, and a task is followed as any other.
"""

from __future__ import annotations

from typing import Final

from ...approval.snapshot import Snapshot
from ...calls.call import Call
from ...content.json.jsonio import JsonValue
from ...protocol.answers.task_states import TaskState
from ...protocol.extensions.denials import (
    CONTEXT_ID,
    STRUCTURED_DENIALS,
    Denial,
    contradictions,
    read_denial,
    read_denial_before,
)
from ...protocol.extensions.late_approval import (
    LATE_APPROVAL,
    READS_ENVELOPE,
    Disposition,
    PendingApproval,
    disposition_findings,
    read_disposition,
)
from ...protocol.findings.findings import warning
from ...protocol.rpc import RpcError
from .call_state import CallUpdater
from .context import EngineContext

SENT_BACK: Final = (
    "the server denied call {} and names a remedy: this is a new call, and the handle of that "
    "denial goes with it"
)


MADE_AGAIN: Final = (
    "the server denied call {} and names a remedy: this is a new call, which the host makes again"
)


class ServerApproval:
    """Denials and late approvals by the server of one call."""

    def __init__(self, engine: EngineContext, updates: CallUpdater) -> None:
        self._engine = engine
        self._updates = updates
        self._names = engine.link.capabilities.experimental
        server = engine.server
        self._origin = "" if server.is_started_here else server.command
        self._pending = PendingApproval(self._names, self._origin)
        self._is_changed = False

    def first_params(self) -> dict[str, JsonValue]:
        """What goes with the first request beside its arguments, as the question about it had."""
        call = self._updates.call
        before = denied_before(self._engine, call.snapshot)
        if before is None or before.denial is None:
            return {}
        was_told = SENT_BACK.format(before.id) in call.verdict.reasons
        return self._params(before.denial) if was_told else {}

    def take_round(self, result: JsonValue) -> dict[str, JsonValue]:
        """Note the denial of a result that asks for input; returns what goes with the next
        request."""
        denial = self._read(result)
        return {} if denial is None else self._params(denial)

    def awaits(self, task: TaskState) -> bool:
        """True if a task begins with waiting for an approval of the server."""
        pending = PendingApproval(self._names, self._origin)
        return pending.see(task)[0].awaits_approval

    def take_task(self, task: TaskState) -> None:
        """Publish a status of the task, and the faults of it."""
        shown, findings = self._pending.see(task)
        known = self._updates.call.findings
        self._updates.add_findings(*(one for one in findings if one not in known))
        if shown.awaits_approval:
            self._compare()
        # Published together: a task that waits for an approval has the denial, and no other.
        self._updates.call = self._updates.call.later(denial=self._pending.denial)
        self._updates.on_task_status(shown)

    def take_result(self, result: JsonValue) -> str:
        """Note denial and disposition of a final result.

        Returns why it is not a success, in words of Signoff's own; empty if nothing is against it.
        """
        updates = self._updates
        denial = self._read(result)
        updates.add_findings(*contradictions(result, denial))
        disposition: Disposition | None = None
        if LATE_APPROVAL in self._names:
            disposition = read_disposition(result)
            was_pending = self._pending.was_pending
            updates.add_findings(*disposition_findings(result, denial, was_pending=was_pending))
        updates.change(disposition=disposition)
        if disposition is not None and disposition is not Disposition.EXECUTED:
            return disposition.words
        return "" if denial is None else denial.words

    def take_error(self, error: RpcError) -> str:
        """Note the denial in an error of an earlier text of the draft, likewise."""
        if STRUCTURED_DENIALS not in self._names:
            return ""
        denial, findings = read_denial_before(error.data, self._origin)
        self._updates.add_findings(*findings)
        self._updates.change(denial=denial)
        return "" if denial is None else denial.words

    def _read(self, result: JsonValue) -> Denial | None:
        if READS_ENVELOPE.isdisjoint(self._names):
            return None
        denial, findings = read_denial(result, self._origin)
        self._updates.add_findings(*findings)
        self._updates.change(denial=denial)
        return denial

    def _params(self, denial: Denial) -> dict[str, JsonValue]:
        if STRUCTURED_DENIALS not in self._names or not denial.invites_retry:
            return {}
        return {"_meta": {CONTEXT_ID: denial.handle}}

    def _compare(self) -> None:
        """Note once that the tool is no longer the approved one while the call waits."""
        call, definitions = self._updates.call, self._engine.definitions
        what = definitions.change_of(call.request)
        if not what or self._is_changed or not self._engine.server.is_open:
            return
        self._is_changed = True
        words = (
            f"while the call waits, the tool {what}: your approval was for "
            f"{call.snapshot.definition_digest[:12]}, the server may run another one"
        )
        self._updates.add_findings(warning("approval-definition-changed", words))


def denied_before(engine: EngineContext, snapshot: Snapshot) -> Call | None:
    """The newest identical call, if its denial invites another one with its handle."""
    if STRUCTURED_DENIALS not in engine.link.capabilities.experimental:
        return None
    before = engine.same_before(snapshot)
    is_invited = before is not None and before.denial is not None and before.denial.invites_retry
    return before if is_invited else None
