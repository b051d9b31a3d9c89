"""A server of `webbed` on a loop of its own, for commands that run in the tests' process."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator

from tests.transport.webbed import Answers, web


@contextlib.contextmanager
def web_in_thread(answers: Answers) -> Iterator[str]:
    """The address of a server that answers until the end of the block."""
    loop = asyncio.new_event_loop()
    is_there, is_over = threading.Event(), asyncio.Event()
    found: list[str] = []

    async def serve() -> None:
        async with web(answers) as served:
            found.append(served.url)
            is_there.set()
            await is_over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    assert is_there.wait(30)
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(is_over.set)
        thread.join(10)
        loop.close()
