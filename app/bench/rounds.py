"""What leaves for a call and what comes for it, within the limits of time."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

from signoff.app.bench.patience import Patience
from signoff.app.bench.sending import Ears, Sending
from signoff.app.bench.surroundings import Surroundings
from signoff.app.bench.telling import Telling
from signoff.app.core.auditing.audit_events import sent
from signoff.app.core.calls import Outcome, State
from signoff.app.core.findings import note
from signoff.app.core.jsonio import JsonValue
from signoff.app.link.events import Reply

MAYBE_DONE = "it may have done its work anyway"


class Rounds:
    """The sendings of one call: what was approved, and the wait for its reply."""

    def __init__(
        self, around: Surroundings, telling: Telling, was_sent: Callable[[], None]
    ) -> None:
        """`was_sent` is told soon after something has left."""
        self._around = around
        self._telling = telling
        self._was_sent = was_sent
        self._asking: asyncio.Task[Reply] | None = None
        self._patience: Patience | None = None

    def cancel(self) -> None:
        """Cancel what is on its way; the server is told."""
        if self._asking is not None:
            self._asking.cancel()

    def delay(self, seconds: float) -> None:
        """The program stood still for so long; that counts for no time limit."""
        if self._patience is not None:
            self._patience.delay(seconds)

    async def exchange(self, *, was_asked: bool) -> Reply | None:
        """Send what was approved; returns the reply to it, or None where the call has ended.

        `was_asked`: somebody was asked about it.
        """
        around, telling = self._around, self._telling
        if not around.server.is_open:
            telling.refuse("the server is not connected")
            return None
        ears = Ears(self._on_sent, self._on_progress, self._on_late, telling.find)
        call = telling.call
        sending = Sending(around, call.request, call.snapshot, ears, was_asked=was_asked)
        telling.change(state=State.WAITING)
        self._asking = asyncio.create_task(sending.exchange())
        try:
            reply = await self._wait(self._asking)
        except asyncio.CancelledError:
            self._asking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait({self._asking}, timeout=1)
            raise
        if sending.refused_because and not telling.call.sent:
            telling.refuse(sending.refused_because, is_too_late=sending.is_too_late)
            return None
        return reply

    async def _wait(self, asking: asyncio.Task[Reply]) -> Reply | None:
        """The reply, or None where a time limit or a cancellation ended the call."""
        telling = self._telling
        patience = self._patience = Patience(self._around.limits)
        while not asking.done():
            overdue = patience.overdue
            if overdue is not None:
                telling.change(cancel_requested=True)
                asking.cancel()
                await asyncio.wait({asking}, timeout=5)
                limit = f"{overdue.limit} time limit of {overdue.seconds:g} s"
                telling.end(Outcome.TIMEOUT, f"{limit}; cancel requested")
                return None
            await asyncio.wait({asking}, timeout=patience.rest)
        if asking.cancelled():
            told = f"the server was told; {MAYBE_DONE}"
            telling.end(Outcome.CANCELLED, told if telling.call.sent else "before it was sent")
            return None
        return asking.result()

    def _on_sent(self) -> None:
        """What was approved leaves in this moment."""
        now = time.monotonic()
        self._hear()
        self._telling.change(state=State.RUNNING, sent_at=now)
        self._around.ledger.write(sent(self._telling.call, self._around.server))
        asyncio.get_running_loop().call_soon(self._was_sent)

    def _on_progress(self, params: JsonValue) -> None:
        self._hear()
        self._telling.progress(params)

    def _on_late(self, raw: JsonValue) -> None:
        telling = self._telling
        telling.find(note("late-answer", "an answer arrived after the call had ended here"))
        if telling.call.verdict.reviews_result:
            # Nobody was asked about it, and nobody will be.
            telling.change(withheld=True)
        else:
            telling.change(late=raw)

    def _hear(self) -> None:
        if self._patience is not None:
            self._patience.hear()
