"""The audit log as the bench uses it: what goes wrong with it is said, and never raised."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from ..protocol.findings import Finding, error
from ..storage.audit_log import AuditError, AuditLog
from ..storage.auditing.audit_events import Event
from ..storage.fault_log import note_fault


class Ledger:
    """Writes events of one run of Signoff; without a log it writes nothing and has no problem."""

    def __init__(self, log: AuditLog | None = None, session: str = "", problem: str = "") -> None:
        self._log = log
        self._session = session
        self.problem = problem
        """Why nothing can be written now, in words; empty while all is well."""
        self.on_problem: Callable[[Finding], None] = lambda finding: None

    @property
    def is_kept(self) -> bool:
        """Whether there is a log at all."""
        return self._log is not None

    @property
    def place(self) -> str:
        """The file, for people; empty where no log is kept."""
        return "" if self._log is None else str(self._log.path)

    def check(self) -> str:
        """Why the next event cannot be written; empty where it can."""
        if self._log is not None:
            self._say(self._log.probe())
        return self.problem

    def write(self, event: Event | Callable[[], Event]) -> bool:
        """Append an event; False where that failed. Without a log a function is not called: the
        digests of an event take longer than the call that it is about."""
        if self._log is None:
            return not self.problem
        return self._write(event() if callable(event) else event, is_durable=False)

    async def write_through(self, event: Event | Callable[[], Event]) -> bool:
        """Append an event and wait until the disk has it; False where that failed.

        Who is cancelled meanwhile is so after it: what is written next stands below it.
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
            # What is not logged does not run where it may destroy, whatever the reason.
            self._say(note_fault(fault, "while it wrote the audit log"))
            return False
        self._say("")
        return True

    def _say(self, problem: str) -> None:
        is_new = bool(problem) and problem != self.problem
        self.problem = problem
        if is_new:
            words = f"the audit log cannot be written: {problem}"
            self.on_problem(error("audit-unwritable", words))
