"""Requests other than calls: sent on the event loop, responses kept as received."""

from __future__ import annotations

import asyncio
import contextlib

from ..content.json.jsonio import JsonValue
from ..protocol.rpc import RpcError
from .events import Reply
from .exchange import Answered, ConnectionClosed, RpcClient
from .exchange import NoResponse as NoResponse
from .gate import NEEDS_APPROVAL, Gate
from .protocol import CANCELLED, notification, request


def admit(gate: Gate, message: dict[str, JsonValue]) -> RpcError | None:
    """Admit a request that is no call, or a message that a person wrote and approved.

    Returns the error to answer with if its method is that of calls: those have a way of their own.
    """
    identity, method = message.get("id"), str(message.get("method"))
    if method in NEEDS_APPROVAL:
        return RpcError(None, str(gate.block(identity, method)))
    gate.admit(identity if isinstance(identity, str) else None, method, message.get("params"))
    return None


async def ask(
    exchange: RpcClient, gate: Gate, method: str, params: JsonValue, seconds: float | None
) -> Answered:
    """Make a request over a line transport. A timeout or a cancellation is sent on the wire."""
    identity = exchange.new_id()
    answer = await send_raw(exchange, gate, request(identity, method, params), seconds)
    return ConnectionClosed() if answer is None else answer


async def send_raw(
    exchange: RpcClient, gate: Gate, message: dict[str, JsonValue], seconds: float | None
) -> Answered | None:
    """Send a message unmodified, and wait if it is a request; None for messages without a
    response.
    """
    if (refused := admit(gate, message)) is not None:
        return refused
    identity = message.get("id")
    if not isinstance(identity, str):
        exchange.tell(message)
        return None

    loop = asyncio.get_running_loop()
    came: asyncio.Future[Answered] = loop.create_future()

    def take(answer: Answered) -> None:
        if not came.done():
            came.set_result(answer)

    def on_answer(answer: Answered) -> None:
        # The loop may be closed by then.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(take, answer)

    exchange.post(identity, message, on_answer)
    try:
        async with asyncio.timeout(seconds):
            return await came
    except TimeoutError:
        return NoResponse()
    finally:
        exchange.forget(identity)
        if not came.done() or came.cancelled():
            exchange.tell(notification(CANCELLED, {"requestId": identity}))


def answered(reply: Reply) -> Answered:
    """The same of a reply that was kept as that of a call."""
    if reply.lost:
        return ConnectionClosed()
    if reply.error is not None:
        return reply.error
    if isinstance(reply.result, dict):
        return reply.result
    return RpcError(None, reply.problem or "the result is not an object")
