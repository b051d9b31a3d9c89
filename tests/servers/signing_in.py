"""The sign-in of `signoff demo serve` in this process, on real sockets, with one fault."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn

from signoff.app.demo.authorization import AuthorizationServer
from signoff.app.demo.replies import json_reply, send_reply
from signoff.app.demo.serve import HOST, MCP, Protected


async def _behind(scope: Any, receive: Any, send: Any) -> None:
    """Stands for the server that is protected."""
    await send_reply(send, json_reply({"jsonrpc": "2.0", "id": None, "result": {}}))


class Soon(uvicorn.Server):
    """Looks more often than usual whether it has to end: a test waits for that."""

    async def main_loop(self) -> None:
        ticks = 0
        while not await self.on_tick(ticks):
            ticks += 1
            await asyncio.sleep(0.01)


@contextlib.contextmanager
def signing_in(fault: str = "", app: Any = _behind) -> Iterator[str]:
    """The address of a server that requires a sign-in."""
    with signing_in_with(fault, app) as (url, _):
        yield url


@contextlib.contextmanager
def signing_in_with(
    fault: str = "",
    app: Any = _behind,
    kind: Callable[..., Any] = AuthorizationServer,
    around: Callable[[Any], Any] = lambda protected: protected,
) -> Iterator[tuple[str, Any]]:
    """The same, with its authorization server, which `kind` makes of an issuer and the fault;
    `around` puts something around all of it.
    """
    with socket.create_server((HOST, 0)) as first, socket.create_server((HOST, 0)) as second:
        origin, port = f"http://{HOST}:{first.getsockname()[1]}", second.getsockname()[1]
        server = kind(f"http://{HOST}:{port}", fault)
        protected = around(Protected(app, origin, server, port))
        config = uvicorn.Config(
            protected, log_level="critical", lifespan="off", timeout_graceful_shutdown=0
        )
        web = Soon(config)
        thread = threading.Thread(target=web.run, args=([first, second],), daemon=True)
        thread.start()
        try:
            yield f"{origin}{MCP}", server
        finally:
            web.should_exit = True
            thread.join(10)
