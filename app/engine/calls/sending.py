"""One sending of an approved call: one snapshot, once, under a token of its own, as approved.

It leaves again only where the server required a sign-in instead of taking it, and only while the
approval still covers it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from ...approval.snapshot import Snapshot
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...protocol.findings.findings import Finding, error
from ...protocol.requests import PromptGet, Request, ResourceRead, ToolCall
from ...transport.events import Reply
from ...transport.gate import CallGate, SendRefused
from ...transport.peer import PendingRequest
from ..definitions import RECHECK_SECONDS, Relisted
from .context import EngineContext

OTHER_SERVER = "the server was restarted after the approval, and another program runs now"
OTHER_RULES = "trust, the policy, a what-if or the tools changed before it was sent: call it again"
NEWS_MAX = 5
"""How often the tools may change between the last look and the sending."""


@frozen
class CallObserver:
    """Callbacks for one request; called on the event loop."""

    sent: Callable[[], None]
    """In the last moment before it is written."""
    progress: Callable[[JsonValue], None]
    late: Callable[[JsonValue], None]
    found: Callable[[Finding], None]


class Sending:
    """Sends one approved request and waits for its response."""

    def __init__(
        self,
        engine: EngineContext,
        request: Request,
        snapshot: Snapshot,
        observer: CallObserver,
        *,
        was_asked: bool,
        is_still_approved: Callable[[], bool],
        extra: dict[str, JsonValue] | None = None,
        number: int = 0,
        as_task: bool = False,
    ) -> None:
        """`extra`: params added to the approved ones, in a further round or to run `as_task`.
        `number`: of the call, for the wire log. `was_asked`: a person took any time over the
        definition, so it is listed again, whatever the server has notified. `is_still_approved`:
        called in the last moment, True if the decision still applies.
        """
        self._engine = engine
        self._request = request
        self._snapshot = snapshot
        self._observer = observer
        self._was_asked = was_asked
        self._is_still_approved = is_still_approved
        self._extra = extra or {}
        self._number = number
        self._as_task = as_task
        self._pending: PendingRequest | None = None
        self._token = engine.approvals.issue(snapshot)
        self._has_news = False
        self._was_written = False
        """Whether it left once; it leaves again only where a sign-in was wanting."""
        self._people = 0
        """How often a person had been asked to sign in, when it was written."""
        self._must_recheck = False
        self.refused_because = ""
        """Why it was not sent, in words."""
        self.is_too_late = False
        """It was not sent because something before it took longer than it may."""

    def stop_progress(self) -> None:
        """Expect no more progress: the task is over, or there is none."""
        if self._pending is not None:
            self._pending.is_followed = False

    async def exchange(self) -> Reply:
        """Send the approved request and wait for its reply; cancelled as a whole."""
        engine = self._engine
        await engine.turns.wait()
        if await engine.fingerprint() != self._snapshot.runs and engine.server.is_open:
            return self._not_sent(OTHER_SERVER)
        if self._request.tool is None:
            # It has no definition that could be listed again.
            return await self._send()
        if self._was_asked:
            relisted = await engine.definitions.recheck()
            if relisted is not Relisted.DONE:
                return self._not_listed("the server did not list its tools again", relisted)
        for _ in range(NEWS_MAX):
            definitions = engine.definitions
            relisted = await (
                definitions.recheck() if self._must_recheck else definitions.refresh()
            )
            if relisted is not Relisted.DONE:
                what = "the tools changed, and the server did not list them again"
                return self._not_listed(what, relisted)
            self._has_news = self._must_recheck = False
            reply = await self._send()
            if not self._has_news:
                return reply
        return self._not_sent("the server keeps changing its tools")

    async def _send(self) -> Reply:
        snapshot, observer = self._snapshot, self._observer
        first = self._compare_again if self._was_written else self._compare_with_snapshot
        pending = self._pending = PendingRequest(
            CallGate(first, self._compare_again),
            observer.progress,
            observer.late,
            snapshot.method,
            self._number,
        )
        pending.is_followed = self._as_task
        reply = await self._engine.link.request(pending, self._params() | self._extra)
        is_refused = self._was_written and self.refused_because
        return self._not_sent(self.refused_because) if is_refused else reply

    def _params(self) -> dict[str, JsonValue]:
        given = self._snapshot.arguments()
        match self._request:
            case ResourceRead():
                return {"uri": str(given["uri"])}
            case PromptGet(prompt):
                filled = given["arguments"]
                return {"name": prompt, "arguments": filled if isinstance(filled, dict) else {}}
            case ToolCall():
                return {"name": self._snapshot.tool, "arguments": given}

    def _compare_with_snapshot(self, message: dict[str, JsonValue]) -> None:
        """Check in the last gate that the request is as approved, once, under the same
        definition.
        """
        engine, request, snapshot = self._engine, self._request, self._snapshot
        if engine.definitions.has_news and request.tool is not None:
            # They changed while the call was on its way here: list them again first.
            self._has_news = True
            raise SendRefused("the tools changed")
        if engine.runs != snapshot.runs and engine.server.is_open:
            self._refuse(OTHER_SERVER)
        if not self._is_still_approved():
            self.refused_because = OTHER_RULES
            raise SendRefused(OTHER_RULES)
        token, self._token = self._token, ""
        current = engine.definitions.digest(request)
        if not engine.approvals.redeem(token, snapshot, current):
            self._refuse(
                "the tool definition changed since it was approved"
                if current != snapshot.definition_digest
                else "one approval covers one sending"
            )
        params = message.get("params")
        is_same_method = message.get("method") == snapshot.method
        if not is_same_method or not snapshot.same_arguments(request.asks_for(params)):
            self._refuse("the request to send differs from the approved one")
        if not snapshot.same_task(params.get("task") if isinstance(params, dict) else None):
            self._refuse("the task request to send differs from the approved one")
        self._was_written, self._people = True, engine.timers.count
        self._observer.sent()

    def _compare_again(self, message: dict[str, JsonValue]) -> None:
        """Check what may have changed while a person signed in."""
        engine, snapshot = self._engine, self._snapshot
        if engine.runs != snapshot.runs and engine.server.is_open:
            self._refuse(OTHER_SERVER)
        if not self._is_still_approved():
            self._refuse(OTHER_RULES)
        if self._request.tool is None:
            return
        if engine.definitions.has_news or engine.timers.count != self._people:
            # A person has taken any time over a sign-in: list the tools again first.
            self._people = engine.timers.count
            self._has_news = self._must_recheck = True
            raise SendRefused("the tools may have changed")
        if engine.definitions.digest(self._request) != snapshot.definition_digest:
            self._refuse("the tool definition changed since it was approved")

    def _refuse(self, reason: str) -> NoReturn:
        self.refused_because = reason
        self._observer.found(error("sending-refused", reason))
        raise SendRefused(reason)

    def _not_listed(self, what: str, relisted: Relisted) -> Reply:
        """Refuse to send under a definition that could not be listed again."""
        if relisted is Relisted.TOO_SLOW:
            self.is_too_late = True
            return self._not_sent(f"{what} within {RECHECK_SECONDS:g} s")
        return self._not_sent(what)

    def _not_sent(self, reason: str) -> Reply:
        server = self._engine.server
        if not server.is_open and server.ended_words:
            reason = f"{reason}: {server.ended_words}"
        self.refused_because = reason
        if self._was_written:
            # The server has required a sign-in instead of taking it (RFC 9110, 15.5.2).
            words = f"not sent again after the sign-in: {reason}"
            return Reply(problem=words, ending="not-taken")
        return Reply(problem=reason)
