"""Plain requests, which are no calls: asked on the event loop, answered as they came."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from signoff.app.core.jsonio import JsonValue
from signoff.app.core.rpc import RpcError
from signoff.app.link.events import Reply
from signoff.app.link.exchange import Answered, Exchange, Gone
from signoff.app.link.exchange import Silent as Silent
from signoff.app.link.protocol import CANCELLED, notification


async def ask(
    exchange: Exchange, method: str, params: JsonValue, seconds: float | None
) -> Answered:
    """Ask over a line transport. What is given up, or cancelled, is cancelled on the wire."""
    return await _awaited(
        exchange, lambda on_answer: exchange.begin(method, params, on_answer), seconds
    )


async def send_raw(
    exchange: Exchange, message: dict[str, JsonValue], seconds: float | None
) -> Answered | None:
    """Send a message as it is, and wait where it is a request; None for what gets no answer."""
    identity = message.get("id")
    if not isinstance(identity, str):
        exchange.tell(message)
        return None

    def begin(on_answer: Callable[[Answered], None]) -> str:
        exchange.post(identity, message, on_answer)
        return identity

    return await _awaited(exchange, begin, seconds)


async def _awaited(
    exchange: Exchange,
    begin: Callable[[Callable[[Answered], None]], str],
    seconds: float | None,
) -> Answered:
    loop = asyncio.get_running_loop()
    came: asyncio.Future[Answered] = loop.create_future()

    def take(answer: Answered) -> None:
        if not came.done():
            came.set_result(answer)

    def on_answer(answer: Answered) -> None:
        # The loop may be closed by then.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(take, answer)

    identity = begin(on_answer)
    try:
        async with asyncio.timeout(seconds):
            return await came
    except TimeoutError:
        return Silent()
    finally:
        exchange.forget(identity)
        if not came.done() or came.cancelled():
            exchange.tell(notification(CANCELLED, {"requestId": identity}))


def answered(reply: Reply) -> Answered:
    """The same of a reply that was kept as that of a call."""
    if reply.lost:
        return Gone()
    if reply.error is not None:
        return reply.error
    if isinstance(reply.result, dict):
        return reply.result
    return RpcError(None, reply.problem or "the result is not an object")
