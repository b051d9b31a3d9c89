"""Late approval: a call that waits, as a task, for an approval on the server's side.

SEP-2848, "Denied-but-requestable returns a task", "Lifecycle and task status" and "Execution
disposition". The draft does not mark a task as one that waits for an approval unless the server
has structured denials, too (SEP-2643): then each status of the task carries the envelope.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from enum import StrEnum
from typing import Final

from ...content.json.jsonio import JsonValue
from ...content.json.quoting import quoted
from ..answers.task_states import TaskState
from ..findings.findings import Finding, error, warning
from .denials import STRUCTURED_DENIALS, Denial, Remediation, envelope_in, read_denial

LATE_APPROVAL: Final = "tool-approval"
"""The word of `--experimental`."""
DISPOSITION: Final = "io.modelcontextprotocol/tool-approval-disposition"
READS_ENVELOPE: Final = frozenset({LATE_APPROVAL, STRUCTURED_DENIALS})
"""Names of `--experimental` with which the envelope is read."""
_PLACE: Final = f"$._meta.{DISPOSITION}"


class Disposition(StrEnum):
    """What became of the work, as the server reports it."""

    EXECUTED = "approved-executed"
    NOT_EXECUTED = "denied-not-executed"
    FAILED = "execution-error"
    UNCERTAIN = "outcome-unknown"
    UNRECOGNISED = "unrecognised"
    """Any other value: the work may have been done, and is never retried without a person."""

    @property
    def words(self) -> str:
        return _WORDS[self]

    @property
    def may_have_run(self) -> bool:
        """True if the effect of the call is unknown."""
        return self in (Disposition.UNCERTAIN, Disposition.UNRECOGNISED)


_WORDS: Final = {
    Disposition.EXECUTED: "approved on the server's side, and it ran",
    Disposition.NOT_EXECUTED: "denied on the server's side; it did not run",
    Disposition.FAILED: "approved on the server's side, and failed while it ran",
    Disposition.UNCERTAIN: "the server does not know whether it ran",
    Disposition.UNRECOGNISED: "an unknown disposition: it may have run",
}


def read_disposition(result: JsonValue) -> Disposition | None:
    """The disposition in `_meta` of a result; None if it has none."""
    meta = result.get("_meta") if isinstance(result, dict) else None
    if not isinstance(meta, dict) or DISPOSITION not in meta:
        return None
    known = [one for one in Disposition if one.value == meta[DISPOSITION]]
    return known[0] if known and known[0] in _SENT else Disposition.UNRECOGNISED


_SENT: Final = tuple(one for one in Disposition if one is not Disposition.UNRECOGNISED)


def disposition_findings(
    result: JsonValue, denial: Denial | None, *, was_pending: bool
) -> tuple[Finding, ...]:
    """The faults of the disposition of a final result; `was_pending`: of a task that waited
    for an approval.
    """
    found = read_disposition(result)
    if found is None:
        if not was_pending:
            return ()
        words = "a task that waited for an approval ended without a disposition"
        return (warning("disposition-missing", words, _PLACE),)
    assert isinstance(result, dict)
    if found is Disposition.UNRECOGNISED:
        meta = result["_meta"]
        assert isinstance(meta, dict)
        words = f"the disposition is {quoted(meta[DISPOSITION])}: the work may have been done"
        return (warning("disposition-unknown", words, _PLACE),)
    is_error = result.get("isError") is True
    said = f"the disposition is {found.value}, but"
    wrong = []
    if is_error is (found is Disposition.EXECUTED):
        wrong.append(f"{said} `isError` is {'true' if is_error else 'not true'}")
    if denial is not None and found is not Disposition.NOT_EXECUTED:
        wrong.append(f"{said} the envelope means that nothing was performed")
    if denial is not None and denial.remediation is not Remediation.UNAVAILABLE and not wrong:
        wrong.append(
            f"{said} its envelope is {denial.remediation.value}: a final one has no remedy"
        )
    return tuple(error("disposition-contradicts", words, _PLACE) for words in wrong)


class PendingApproval:
    """The statuses of one task, read for a decision that is pending at the server."""

    def __init__(self, names: Collection[str], origin: str = "") -> None:
        """`names` of drafts that are turned on; `origin` as for `read_denial`."""
        self._is_read = not READS_ENVELOPE.isdisjoint(names)
        self._origin = origin
        self._first: JsonValue = None
        self.was_pending = False
        """True once a status has reported that a decision is pending."""
        self.denial: Denial | None = None
        """The newest envelope of a status."""

    def see(self, task: TaskState) -> tuple[TaskState, tuple[Finding, ...]]:
        """Return the status, marked if it waits for an approval, and its faults."""
        if not self._is_read:
            return task, ()
        has_envelope, raw = envelope_in(task.raw)
        denial, findings = read_denial(task.raw, self._origin)
        self.denial = None if task.is_ended else denial
        if task.is_ended:
            return task, ()
        awaits = denial is not None and denial.awaits_task
        if self.was_pending and not task.is_out_of_reach:
            findings = (*findings, *self._unlike(has_envelope, raw))
        elif awaits:
            self.was_pending, self._first = True, raw
        return replace(task, awaits_approval=awaits), findings

    def _unlike(self, has_envelope: bool, raw: JsonValue) -> tuple[Finding, ...]:
        """How the envelope differs from the first one of the task."""
        if not has_envelope:
            words = "a status of the pending task lacks the envelope, which must be repeated"
        elif _handle(raw) != _handle(self._first):
            words = "the handle of the pending task changed from one status to the next"
        elif raw != self._first:
            words = "the envelope of the pending task changed from one status to the next"
        else:
            return ()
        return (warning("denial-not-repeated", words),)


def _handle(envelope: JsonValue) -> JsonValue:
    return envelope.get("authorizationContextId") if isinstance(envelope, dict) else None
