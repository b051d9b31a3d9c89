"""A peer by itself: what it wrote, and what the callbacks of a request were told."""

from __future__ import annotations

import asyncio
from typing import Any

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.rpc import CALL_METHOD
from signoff.app.transport.events import Noticed, Reply
from signoff.app.transport.gate import Gate, LastGate
from signoff.app.transport.messages import classify
from signoff.app.transport.peer import Peer, PendingRequest


class Wire:
    """What a peer wrote through a gate, and what it told."""

    def __init__(self, **more: Any) -> None:
        self.sent: list[dict[str, JsonValue]] = []
        self.events: list[Any] = []
        self.gate = LastGate(self.events.append)
        self.peer = Peer(self.write, self.events.append, **more)

    def write(self, message: dict[str, JsonValue], gate: Gate | None, number: int) -> None:
        self.gate.seal(message, gate)
        self.sent.append(message)

    def take(self, body: dict[str, Any]) -> None:
        self.peer.take(classify(body))

    @property
    def codes(self) -> list[str]:
        return [event.finding.code for event in self.events if isinstance(event, Noticed)]

    @property
    def newest(self) -> Any:
        return self.sent[-1]["id"]


class Call:
    """One call and what its callbacks were told."""

    def __init__(self, method: str = CALL_METHOD, **more: Any) -> None:
        self.compared: list[JsonValue] = []
        self.progress: list[JsonValue] = []
        self.late: list[JsonValue] = []
        self.pending = PendingRequest(
            self.compared.append, self.progress.append, self.late.append, method, **more
        )

    async def begun(self, wire: Wire) -> asyncio.Task[Reply]:
        task = asyncio.create_task(wire.peer.request(self.pending, {"name": "a", "arguments": {}}))
        await asyncio.sleep(0)
        return task
