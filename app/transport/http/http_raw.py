"""A message that a person wrote, over HTTP: past the SDK's session, which would change it."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

from ...content.json.jsonio import JsonValue
from ...protocol.rpc import RpcError
from ..exchange import Answered, Gone, Silent
from ..plain_requests import admit
from ..protocol import CANCELLED, notification

if TYPE_CHECKING:
    from .tap import HttpTap


class HttpRaw:
    """Sends messages of one connection as they are. Lives on the event loop."""

    def __init__(self, outbox: Any, tap: HttpTap, over: asyncio.Event, *, is_modern: bool) -> None:
        """`outbox` is the stream onto the transport of the SDK; `over` is set once that ends."""
        self._outbox = outbox
        self._tap = tap
        self._over = over
        self._is_modern = is_modern

    async def send(self, message: dict[str, JsonValue], seconds: float | None) -> Answered | None:
        """Send it and wait for its answer; None for a message that gets none."""
        if (refused := admit(self._tap.gate, message)) is not None:
            return refused
        identity = message.get("id")
        if not isinstance(identity, str):
            return None if await self._post(message) else Gone()
        came: asyncio.Future[dict[str, JsonValue] | RpcError] = (
            asyncio.get_running_loop().create_future()
        )

        def take(answer: dict[str, JsonValue] | RpcError) -> None:
            if not came.done():
                came.set_result(answer)

        self._tap.awaited[identity] = take
        ended = asyncio.ensure_future(self._over.wait())
        try:
            if not await self._post(message):
                return Gone()
            both: set[asyncio.Future[Any]] = {came, ended}
            await asyncio.wait(both, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if came.done():
                return came.result()
            if self._over.is_set():
                return Gone()
            await self._post(notification(CANCELLED, {"requestId": identity}))
            return Silent()
        finally:
            ended.cancel()
            self._tap.awaited.pop(identity, None)

    async def _post(self, message: dict[str, JsonValue]) -> bool:
        import anyio
        from mcp.shared.message import ClientMessageMetadata, SessionMessage
        from mcp.types import jsonrpc_message_adapter

        # Since 2026-07-28 the headers say what the body says (basic/transports).
        headers = {"mcp-method": _header(str(message["method"]))} if self._is_modern else {}
        metadata = ClientMessageMetadata(headers=headers)
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            made = jsonrpc_message_adapter.validate_python(message)
            await self._outbox.send(SessionMessage(made, metadata=metadata))
            return True
        return False


def _header(text: str) -> str:
    from mcp.shared.inbound import encode_header_value

    return encode_header_value(text)
