"""Greeting a Streamable HTTP server: the modern era is asked for first, then the handshake."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ...protocol.findings import note
from ...protocol.rpc import RpcError
from ...protocol.server import Basis
from ..events import Greeting, LinkEvent, Noticed, Stage
from ..exchange import Answered, Silent
from ..greeting import (
    PROBE_SECONDS,
    GreetingFailed,
    read_discovery,
    read_handshake,
    wants_modern_again,
    why_neither,
    without_legacy,
    without_modern,
)
from ..negotiation import LEGACY
from ..protocol import DISCOVER, INITIALIZE, MODERN

if TYPE_CHECKING:
    from mcp import ClientSession

    from .tap import HttpTap

ANSWER_SECONDS = 15.0
"""How long a server may take for its answer to initialize."""


class HttpGreeting:
    """Greets one server, on a session that has just begun."""

    def __init__(
        self,
        url: str,
        session: ClientSession,
        tap: HttpTap,
        emit: Callable[[LinkEvent], None],
        is_over: Callable[[], bool],
        why_over: Callable[[], str],
    ) -> None:
        """`is_over`: whether the connection is gone meanwhile; `why_over`: why, in words."""
        self._url = url
        self._session = session
        self._tap = tap
        self._emit = emit
        self._is_over = is_over
        self._why_over = why_over

    async def agree(self, protocol: str) -> Greeting:
        """Ask for the modern era, then for the handshake, or for the one that was chosen.

        Raises GreetingFailed.
        """
        if protocol == LEGACY:
            found = await self._initialize(without_legacy)
            return replace(found, basis=Basis.CHOSEN)
        is_chosen = protocol == MODERN
        answer = await self._discover(ANSWER_SECONDS if is_chosen else PROBE_SECONDS)
        if wants_modern_again(answer):
            answer = await self._discover(ANSWER_SECONDS)
        if (modern := read_discovery(answer)) is not None:
            return replace(modern, basis=Basis.CHOSEN) if is_chosen else modern
        if is_chosen:
            raise without_modern(answer)
        try:
            found = await self._initialize()
        except GreetingFailed as failed:
            if self._is_over() or not isinstance(answer, Silent):
                raise why_neither(answer, failed) from None
            # A server of the modern era that was too slow for the probe.
            answer = await self._discover(ANSWER_SECONDS)
            if (modern := read_discovery(answer)) is not None:
                return modern
            raise why_neither(answer, failed) from None
        return replace(found, basis=Basis.GUESSED) if isinstance(answer, Silent) else found

    async def _discover(self, seconds: float) -> Answered:
        self._emit(Stage(f"waiting for an answer to {DISCOVER}"))
        return await self._tap.outcome(DISCOVER, self._session.send_discover(MODERN), seconds)

    async def _initialize(
        self,
        refused: Callable[[GreetingFailed], GreetingFailed] = lambda failed: failed,
    ) -> Greeting:
        if self._is_over():
            raise GreetingFailed(self._why_over())
        self._emit(Stage(f"waiting for an answer to {INITIALIZE}"))
        answer = await self._tap.outcome(INITIALIZE, self._session.initialize(), ANSWER_SECONDS)
        if isinstance(answer, Silent):
            limit = f"{ANSWER_SECONDS:g} s"
            raise GreetingFailed(f"the server did not answer initialize within {limit}")
        if isinstance(answer, RpcError):
            await self._look_for_old_sse()
            if answer.code is None:
                raise GreetingFailed(answer.message)
        try:
            return read_handshake(answer)
        except GreetingFailed as failed:
            raise refused(failed) from None

    async def _look_for_old_sse(self) -> None:
        """Raises GreetingFailed where the refusal means the transport before this one."""
        from .old_sse import OLD_SSE, may_be_old, names_endpoint
        from .refusals import status_words

        status = self._tap.refused.get(INITIALIZE)
        if status is None or not may_be_old(status):
            return
        self._emit(Stage("looking whether it is a server of the old transport"))
        if await names_endpoint(self._url):
            words = "HTTP+SSE is deprecated since 2025-03-26: Streamable HTTP takes its place"
            self._emit(Noticed(note("deprecated-feature", words)))
            raise GreetingFailed(f"the server answered {status_words(status)}: {OLD_SSE}")
