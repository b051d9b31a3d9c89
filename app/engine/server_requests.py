"""Requests of the server: taken in, put to a person, answered exactly once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from ..content.text import shortened
from ..protocol.findings.findings import Finding, error, note, warning
from ..protocol.rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    RpcError,
)
from ..protocol.server_requests.capabilities import FORM, OF_METHOD, URL
from ..storage.fault_log import note_fault
from ..transport.events import Requested

if TYPE_CHECKING:
    from ..approval.server_questions import ServerQuestion
    from ..content.json.jsonio import JsonValue
    from ..protocol.server_requests.capabilities import Root
    from ..transport import Link
    from .calls.call_task import CallTask
    from .open_resolutions import OpenResolutions
    from .request_handler import RequestHandler

TOLD_MAX: Final = 10
"""Different methods of a server's own requests that are reported while no call runs."""
WAITING_MAX: Final = 20
"""Requests of one server that may wait for an answer; more are declined at once."""
VISITS_KEPT: Final = 100
NOT_DECLARED: Final = RpcError(METHOD_NOT_FOUND, "Method not found")
NO_ROOTS: Final = RpcError(METHOD_NOT_FOUND, "Roots not supported")
"""Spec 2025-11-25, client/roots, "Error Handling"."""
RESOLVING: Final = RpcError(INVALID_REQUEST, "tools/resolve may not lead to a request")
LIST_ROOTS: Final = "roots/list"


class ServerRequests:
    """Requests of one server. Undeclared and malformed ones get an error."""

    def __init__(
        self,
        notice: Callable[[Finding], None],
        person: Callable[[], RequestHandler],
        resolutions: OpenResolutions,
    ) -> None:
        """`person` makes the handler at the first request that needs one. While one of
        `resolutions` is open and no call runs, each request is refused.
        """
        self._resolutions = resolutions
        self._notice = notice
        self._make_person = person
        self._person: RequestHandler | None = None
        self._told: set[str] = set()
        self._open: dict[tuple[Link, str | int], asyncio.Task[None]] = {}
        """By the connection that asks, and the id that the server gave."""
        self._has_told_flood = False
        self._visits: set[str] = set()
        """Ids of pages for the person to open, until the server reports them as done."""
        self.roots: tuple[Root, ...] = ()
        """The roots in the response to `roots/list`."""

    @property
    def person(self) -> RequestHandler:
        if self._person is None:
            self._person = self._make_person()
        return self._person

    @property
    def muted(self) -> tuple[str, ...]:
        """Methods that are declined without a question."""
        return () if self._person is None else tuple(sorted(self._person.muted))

    def take(self, link: Link, request: Requested, call_tasks: Iterable[CallTask]) -> None:
        """Note a request at the running calls, and answer it.

        Nothing on the wire links a request to a call.
        """
        running = [call_task for call_task in call_tasks if call_task.is_running]
        if not running and self._resolutions.take(request.method):
            if not link.request_meta():
                link.answer(request, RESOLVING)
            return
        if link.request_meta():
            # Since 2026-07-28 no response is sent; the watcher of the wire reports it, too.
            for call_task in running:
                call_task.on_forbidden_request(request.method)
            return
        capability = OF_METHOD.get(request.method)
        if capability is None or not link.capabilities.declares(capability):
            self._tell(request, running, "")
            link.answer(request, NOT_DECLARED)
            return
        if request.method == LIST_ROOTS:
            answer, words = self._roots_told()
            self._tell(request, running, words)
            link.answer(request, answer)
            return
        if (link, request.id) in self._open:
            words = "the server reused the id of an open request"
            self._notice(error("request-id-reused", words))
            return
        if len(self._open) >= WAITING_MAX:
            self._decline_flood(link, request)
            return
        work = self._ask(link, request, running)
        self._open[link, request.id] = asyncio.create_task(work, name=f"asked-{request.id}")

    def withdrawn(self, link: Link, identity: str | int) -> None:
        """The server cancels a request of its own: its question closes, and nothing is answered.

        Spec 2025-11-25, basic/utilities/cancellation.
        """
        if (task := self._open.get((link, identity))) is not None:
            task.cancel()

    def visited(self, identity: str) -> None:
        """Note that a URL elicitation is complete: the call can be made again."""
        if identity in self._visits:
            self._visits.discard(identity)
            words = (
                "the server reports that the page you opened is done; call again if the call failed"
            )
            self._notice(note("visit-done", words))
        else:
            words = "the server reports a completed visit that it never requested"
            self._notice(warning("visit-unknown", words))

    def close(self, reason: str) -> None:
        """Void all pending approvals; `reason` is shown in them."""
        if self._person is not None:
            self._person.void_all(reason)

    async def _ask(self, link: Link, request: Requested, running: list[CallTask]) -> None:
        answer: dict[str, JsonValue] | RpcError | None = None
        try:
            answer = await self.answer(link, request.method, request.params, running)
        except asyncio.CancelledError:
            words = f"the server withdrew its request: {_words(request)}"
            self._notice(note("request-withdrawn", words))
        except Exception as problem:
            fault = note_fault(problem, "while it answered a server's request")
            self._notice(error("fault", fault))
            answer = RpcError(INTERNAL_ERROR, "Internal error")
        finally:
            self._open.pop((link, request.id), None)
        if answer is not None:
            link.answer(request, answer)

    async def answer(
        self, link: Link, method: str, params: JsonValue, running: list[CallTask]
    ) -> dict[str, JsonValue] | RpcError:
        """Answer one request, by a person or a script. Never raises for malformed params."""
        from ..protocol.server_requests.elicitation import MalformedRequest

        if not link.capabilities.declares(OF_METHOD.get(method, "")):
            return NOT_DECLARED
        if method == LIST_ROOTS:
            answer, words = self._roots_told()
            if isinstance(answer, RpcError):
                # Roots that are sent are in the wire log; a refusal to send them is not.
                for call_task in running:
                    call_task.on_request_answered(f"the server requested roots; {words}")
            return answer
        try:
            question = await self.person.question(method, params, running)
        except MalformedRequest as problem:
            self._notice(error("malformed-request", f"the server sent {problem}"))
            return RpcError(INVALID_PARAMS, str(problem))
        if why := _undeclared(link, question):
            self._notice(warning("asked-undeclared", why))
            return RpcError(INVALID_PARAMS, why)
        if (identity := _visit_id(question)) and len(self._visits) < VISITS_KEPT:
            self._visits.add(identity)
        return await self.person.asked(link, question, running)

    def _roots_told(self) -> tuple[dict[str, JsonValue] | RpcError, str]:
        """Return the reply to `roots/list`, and its description in words."""
        from ..protocol.server_requests.capabilities import roots_result

        if refused := self.person.refuses_roots():
            return NO_ROOTS, f"refused by policy: {refused}"
        return roots_result(self.roots), f"{len(self.roots):,} sent"

    def _decline_flood(self, link: Link, request: Requested) -> None:
        if not self._has_told_flood:
            self._has_told_flood = True
            words = (
                f"more than {WAITING_MAX} requests of the server wait for a reply; new ones are "
                "declined"
            )
            self._notice(error("asks-too-much", words))
        from .request_handler import declined

        link.answer(request, declined(request.method))

    def _tell(self, request: Requested, running: list[CallTask], what: str) -> None:
        for call_task in running:
            call_task.on_server_request(request.method, request.params, what)
        if running or request.method in self._told or len(self._told) >= TOLD_MAX:
            return
        self._told.add(request.method)
        from ..calls.retries import CANNOT_ANSWER, words_of_request

        wanted = words_of_request(request.method, request.params)
        words = f"the server asked for {wanted}: {what or CANNOT_ANSWER}"
        self._notice(note("asked-by-server", words))


def _visit_id(question: ServerQuestion) -> str:
    from ..approval.server_questions import AboutElicitation

    return question.elicitation.id if isinstance(question, AboutElicitation) else ""


def _words(request: Requested) -> str:
    from ..calls.retries import words_of_request

    return shortened(words_of_request(request.method, request.params), 200)


def _undeclared(link: Link, question: ServerQuestion) -> str:
    """The reason why this mode of request is undeclared by the client; empty if it is declared."""
    from ..approval.server_questions import AboutElicitation

    if isinstance(question, AboutElicitation):
        name = FORM if question.elicitation.mode == "form" else URL
        if not link.capabilities.declares(name):
            mode = question.elicitation.mode
            return f"the server requests an elicitation in mode {mode}, which was not declared"
        return ""
    from ..protocol.server_requests.capabilities import SAMPLING_TOOLS

    if question.sampling.tools and not link.capabilities.declares(SAMPLING_TOOLS):
        return "the server sent tools with a sampling request, which was not declared"
    return ""
