"""A host made of two pipes, a relay, and a real server process behind it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import select
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.transport.events import Reply
from signoff.app.transport.host import HostCall, HostPipe
from signoff.app.transport.peer import PendingRequest
from signoff.app.transport.stdio.relay import RelayLink
from tests.transport.linked import Heard

_ECHO = """
import os, sys
kept = open(sys.argv[1], "ab", buffering=0)
for line in sys.stdin.buffer:
    kept.write(line)
    rest = memoryview(line)
    while rest:
        rest = rest[os.write(1, rest):]
"""
_SECONDS = 60


def echo(record: Path) -> list[str]:
    """A server that writes back each line that it gets, and keeps it."""
    return [sys.executable, "-I", "-S", "-c", _ECHO, str(record)]


class Host:
    """The host's ends of the pipes."""

    def __init__(self) -> None:
        source, self._to = os.pipe()
        self._from, target = os.pipe()
        self._open = {source, target, self._to, self._from}
        self.pipe = HostPipe(source, target)
        self._kept = bytearray()

    def write(self, *lines: bytes) -> None:
        """Write each with an end of line."""
        self.write_bytes(b"".join(line + b"\n" for line in lines))

    def write_bytes(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._to, rest) :]

    def send(self, **message: Any) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def read_until(self, is_enough: Callable[[bytearray], object]) -> bytes:
        """What was read from the last time on."""
        while not is_enough(self._kept):
            ready, _, _ = select.select([self._from], [], [], _SECONDS)
            assert ready, f"not within {_SECONDS} s; read: {bytes(self._kept[-2000:])!r}"
            chunk = os.read(self._from, 1_000_000)
            assert chunk, f"the relay has ended; read: {bytes(self._kept[-2000:])!r}"
            self._kept += chunk
        found, self._kept = self._kept, bytearray()
        return bytes(found)

    def line(self) -> Any:
        """The next line, as JSON."""
        found = self.read_until(lambda kept: b"\n" in kept)
        line, _, rest = found.partition(b"\n")
        self._kept = bytearray(rest)
        return json.loads(line)

    def has_nothing(self) -> bool:
        """True if nothing is there to be read at the moment."""
        return not self._kept and not select.select([self._from], [], [], 0)[0]

    def end(self) -> None:
        """Write nothing more."""
        self._close(self._to)

    def vanish(self) -> None:
        """End as a process that is killed."""
        self._close(self._to, self._from)

    def close(self) -> None:
        self._close(*self._open)

    def _close(self, *descriptors: int) -> None:
        for one in self._open.intersection(descriptors):
            self._open.remove(one)
            os.close(one)


@contextlib.contextmanager
def watched(argv: Sequence[str]) -> Iterator[tuple[Host, RelayLink]]:
    """A relay that only watches, without an event loop."""
    host = Host()
    link = RelayLink(argv, host.pipe, holds=False, env=dict(os.environ))
    link.begin()
    try:
        yield host, link
    finally:
        host.vanish()
        link.close_now()
        host.close()


class Held:
    """The calls of a host that a relay holds."""

    def __init__(self, host: Host, link: RelayLink) -> None:
        self.host = host
        self.link = link
        self.heard = Heard()
        self.calls: list[HostCall] = []
        self.cancelled: list[HostCall] = []
        self.ended = False

    async def until(self, is_so: Callable[[], object]) -> None:
        async with asyncio.timeout(_SECONDS):
            while not is_so():
                await asyncio.sleep(0.005)

    async def called(self, count: int = 1) -> HostCall:
        """Wait for so many calls; returns the newest."""
        await self.until(lambda: len(self.calls) >= count)
        return self.calls[count - 1]

    async def approve(
        self,
        call: HostCall,
        gate: Callable[[dict[str, JsonValue]], None] = lambda message: None,
        number: int = 7,
    ) -> Reply:
        self.link.bind(number, call)
        return await self.link.request(PendingRequest(gate, number=number), {})


@contextlib.asynccontextmanager
async def holding(argv: Sequence[str], *, holds: bool = True) -> AsyncIterator[Held]:
    """A relay that holds the calls of a host."""
    host = Host()
    link = RelayLink(argv, host.pipe, holds=holds, env=dict(os.environ))
    held = Held(host, link)

    def note_end() -> None:
        held.ended = True

    link.on_host.called = held.calls.append
    link.on_host.cancelled = held.cancelled.append
    link.on_host.host_ended = note_end
    link.begin()
    link.attach(held.heard)
    try:
        yield held
    finally:
        host.vanish()
        await link.close()
        host.close()
