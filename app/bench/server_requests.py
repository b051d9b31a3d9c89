"""What a server asks of us: taken in, told, and answered exactly once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from signoff.app.core.findings import Finding, note
from signoff.app.core.rpc import METHOD_NOT_FOUND, RpcError
from signoff.app.link.events import Requested

if TYPE_CHECKING:
    from signoff.app.bench.story import Story
    from signoff.app.link import Link

TOLD_MAX: Final = 10
"""Methods of a server's own requests that are told of while no call runs."""
NOT_DECLARED: Final = RpcError(METHOD_NOT_FOUND, "Method not found")


class ServerRequests:
    """The requests of one server. None of what they are for is declared, so each gets an error."""

    def __init__(self, notice: Callable[[Finding], None]) -> None:
        self._notice = notice
        self._told: set[str] = set()

    def take(self, link: Link, request: Requested, stories: Iterable[Story]) -> None:
        """Say that it was asked, at the calls that run meanwhile, and answer it.

        Nothing on the wire says for which call a request is made.
        """
        running = [story for story in stories if story.is_running]
        for story in running:
            story.hear_request(request.method, request.params)
        if not running:
            self._tell(request)
        link.answer(request, NOT_DECLARED)

    def _tell(self, request: Requested) -> None:
        if request.method in self._told or len(self._told) >= TOLD_MAX:
            return
        self._told.add(request.method)
        from signoff.app.core.answers.unfinished import CANNOT_ANSWER, words_of_request

        wanted = words_of_request(request.method, request.params)
        words = f"the server asked for {wanted}: {CANNOT_ANSWER}"
        self._notice(note("asked-by-server", words))
