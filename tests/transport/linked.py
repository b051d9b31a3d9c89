"""A link to a real server, what it told, and calls over it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.server_requests import NOT_DECLARED
from signoff.app.protocol.rpc import RpcError
from signoff.app.transport import Link
from signoff.app.transport.events import Ended, LinkEvent, Listing, Noticed, Reply, Requested
from signoff.app.transport.peer import PendingRequest
from signoff.app.transport.stdio.stdio import StdioLink

E = TypeVar("E", bound=LinkEvent)


class Heard:
    """Everything that a link told, and a way to wait for it.

    What the server asks for is answered over `link`, as nothing that is declared or with `answer`.
    """

    def __init__(self, link: Link | None = None) -> None:
        self.events: list[LinkEvent] = []
        self.answer: dict[str, JsonValue] | RpcError = NOT_DECLARED
        self._link = link
        self._changed = asyncio.Event()

    def __call__(self, event: LinkEvent) -> None:
        self.events.append(event)
        if isinstance(event, Requested) and self._link is not None:
            self._link.answer(event, self.answer)
        self._changed.set()

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    async def until(self, condition: Callable[[], object], seconds: float = 60) -> None:
        try:
            async with asyncio.timeout(seconds):
                while not condition():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"not within {seconds:g} s; heard: {self.events!r}") from None

    async def one(self, kind: type[E], seconds: float = 60) -> E:
        await self.until(lambda: self.of(kind), seconds)
        return self.of(kind)[0]

    async def settled(self) -> Listing | Ended:
        await self.until(lambda: self.of(Listing) or self.of(Ended))
        listings = self.of(Listing)
        return listings[0] if listings else self.of(Ended)[0]

    @property
    def codes(self) -> list[str]:
        return [event.finding.code for event in self.of(Noticed)]


@dataclass
class Made:
    """A call as it goes on."""

    sent: list[Any] = field(default_factory=list)
    progress: list[Any] = field(default_factory=list)
    late: list[JsonValue] = field(default_factory=list)

    async def make(
        self, link: Link, name: str, arguments: dict[str, JsonValue] | None = None
    ) -> Reply:
        pending = PendingRequest(self.sent.append, self.progress.append, self.late.append)
        async with asyncio.timeout(60):
            return await link.request(pending, {"name": name, "arguments": arguments or {}})


@contextlib.asynccontextmanager
async def linked(
    argv: Sequence[str], protocol: str = "auto"
) -> AsyncIterator[tuple[StdioLink, Heard]]:
    """A link that has begun, and what it tells."""
    link = StdioLink(argv, protocol=protocol)
    link.begin()
    heard = Heard(link)
    link.attach(heard)
    try:
        yield link, heard
    finally:
        await link.close()


async def call(link: Link, name: str, arguments: dict[str, JsonValue] | None = None) -> Reply:
    return await Made().make(link, name, arguments)


def received(file: Path) -> list[dict[str, Any]]:
    """What the client wrote, from a `--received` file."""
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def methods(file: Path) -> list[str]:
    return [message.get("method", "(answer)") for message in received(file)]
