"""One sending: a snapshot leaves once, under a token of its own, as what was approved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from ..approval.snapshot import Snapshot
from ..content.json.jsonio import JsonValue
from ..protocol.findings import Finding, error
from ..protocol.requests import PromptGet, Request, ResourceRead, ToolCall
from ..transport.calls import PendingCall
from ..transport.events import Reply
from ..transport.gate import SendRefused
from .definitions import RECHECK_SECONDS, Relisted
from .surroundings import Surroundings

OTHER_SERVER = "the server was started anew meanwhile, and something else runs now"
OTHER_RULES = "trust, the policy or a what-if changed before it was sent: call it again"
NEWS_MAX = 5
"""How often the tools may change between the last look and the sending."""


@dataclass(frozen=True, slots=True)
class Ears:
    """What a story hears of its sending, on the event loop."""

    sent: Callable[[], None]
    """In the last moment before it is written."""
    progress: Callable[[JsonValue], None]
    late: Callable[[JsonValue], None]
    found: Callable[[Finding], None]


class Sending:
    """One round of a story: what left, and what came for it."""

    def __init__(
        self,
        around: Surroundings,
        request: Request,
        snapshot: Snapshot,
        ears: Ears,
        *,
        was_asked: bool,
        still_holds: Callable[[], bool],
        further: dict[str, JsonValue] | None = None,
        number: int = 0,
        as_task: bool = False,
    ) -> None:
        """`further`: what the request comes with beside what was approved: in a further round, or
        to run `as_task`. `number` is that of the call, for the record of the wire.
        `was_asked`: somebody has looked at the definition for as long as they liked, so that it
        is listed once more, whatever the server said meanwhile. `still_holds`: asked in the last
        moment, whether the decision does."""
        self._around = around
        self._request = request
        self._snapshot = snapshot
        self._ears = ears
        self._was_asked = was_asked
        self._still_holds = still_holds
        self._further = further or {}
        self._number = number
        self._as_task = as_task
        self._pending: PendingCall | None = None
        self._token = around.approvals.issue(snapshot)
        self._has_news = False
        self.refused_because = ""
        """Why it was not sent, in words."""
        self.is_too_late = False
        """It was not sent because something before it took longer than it may."""

    def unfollow(self) -> None:
        """The task as which it ran is over, or there is none: no progress is to come."""
        if self._pending is not None:
            self._pending.is_followed = False

    async def exchange(self) -> Reply:
        """Send what was approved and wait for what comes; cancelled as a whole."""
        around = self._around
        await around.turns.wait()
        if await around.what_runs() != self._snapshot.runs and around.server.is_open:
            return self._not_sent(OTHER_SERVER)
        if self._request.tool is None:
            # No definition stands behind it, so there is nothing to look at once more.
            return await self._send()
        if self._was_asked:
            relisted = await around.definitions.recheck()
            if relisted is not Relisted.DONE:
                return self._not_listed("the server did not list its tools again", relisted)
        for _ in range(NEWS_MAX):
            relisted = await around.definitions.refresh()
            if relisted is not Relisted.DONE:
                what = "the tools changed, and the server did not list them again"
                return self._not_listed(what, relisted)
            self._has_news = False
            reply = await self._send()
            if not self._has_news:
                return reply
        return self._not_sent("the server does not stop changing its tools")

    async def _send(self) -> Reply:
        link, snapshot = self._around.link, self._snapshot
        ears = self._ears
        pending = self._pending = PendingCall(
            self._on_sending,
            ears.progress,
            ears.late,
            snapshot.method,
            self._further,
            number=self._number,
        )
        pending.is_followed = self._as_task
        match self._request:
            case ResourceRead():
                return await link.read(pending, str(snapshot.arguments()["uri"]))
            case PromptGet(prompt):
                given = snapshot.arguments()["arguments"]
                filled = given if isinstance(given, dict) else {}
                return await link.get_prompt(pending, prompt, filled)
            case ToolCall():
                return await link.call(pending, snapshot.tool, snapshot.arguments())

    def _on_sending(self, params: JsonValue) -> None:
        """The last gate: what is written is what was approved, once, under the same definition."""
        around, request, snapshot = self._around, self._request, self._snapshot
        if around.definitions.has_news and request.tool is not None:
            # They changed while the call was on its way here: list them again first.
            self._has_news = True
            raise SendRefused("the tools changed")
        if around.runs != snapshot.runs and around.server.is_open:
            self._stop(OTHER_SERVER)
        if not self._still_holds():
            self.refused_because = OTHER_RULES
            raise SendRefused(OTHER_RULES)
        token, self._token = self._token, ""
        current = around.definitions.digest(request)
        if not around.approvals.redeem(token, snapshot, current):
            self._stop(
                "the tool definition changed since it was approved"
                if current != snapshot.definition_digest
                else "one approval covers one sending"
            )
        if not snapshot.same_arguments(request.asks_for(params)):
            self._stop("what was about to be sent is not what was approved")
        if not snapshot.same_task(params.get("task") if isinstance(params, dict) else None):
            self._stop("what was about to be sent as a task is not what was approved")
        self._ears.sent()

    def _stop(self, reason: str) -> NoReturn:
        self.refused_because = reason
        self._ears.found(error("sending-refused", reason))
        raise SendRefused(reason)

    def _not_listed(self, what: str, relisted: Relisted) -> Reply:
        """Nobody knows what the definition is now, so nothing is sent under it."""
        if relisted is Relisted.TOO_SLOW:
            self.is_too_late = True
            return self._not_sent(f"{what} within {RECHECK_SECONDS:g} s")
        return self._not_sent(what)

    def _not_sent(self, reason: str) -> Reply:
        server = self._around.server
        if not server.is_open and server.ended_words:
            reason = f"{reason}: {server.ended_words}"
        self.refused_because = reason
        return Reply(problem=reason)
