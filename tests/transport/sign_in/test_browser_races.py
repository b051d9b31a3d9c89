"""Many requests, one sign-in: nobody waits for another's answer, and nobody is asked twice."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

from signoff.app.demo.replies import json_reply, send_reply
from tests.servers.signing_in import signing_in_with
from tests.transport.linked import call
from tests.transport.sign_in.browsing import signed_in
from tests.transport.sign_in.rotating import Rotating, refusing
from tests.transport.sign_in.test_client_sign_in import Behind

MANY = 50


class Slow(Behind):
    """Answers each call after a while; a call of `hang` never, and notes that it was left."""

    def __init__(self, seconds: float = 0.0) -> None:
        super().__init__()
        self._seconds = seconds
        self.hung = asyncio.Event()
        self.left = asyncio.Event()
        self.loop = asyncio.get_running_loop()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        messages = [await receive()]
        while messages[-1].get("more_body"):
            messages.append(await receive())
        asked = json.loads(b"".join(one.get("body", b"") for one in messages))
        if asked["method"] == "tools/call":
            if asked["params"]["name"] == "hang":
                await self._hang(receive)
                return
            await asyncio.sleep(self._seconds)

        async def again() -> Any:
            return messages.pop(0)

        await super().__call__(scope, again, send)

    async def _hang(self, receive: Any) -> None:
        self.loop.call_soon_threadsafe(self.hung.set)
        while (await receive())["type"] != "http.disconnect":
            pass
        self.loop.call_soon_threadsafe(self.left.set)


async def test_calls_run_beside_each_other_with_one_token() -> None:
    with signing_in_with("", Slow(0.5), Rotating) as (url, server):
        async with signed_in(url) as (link, _):
            await call(link, "echo")
            server.forget()
            begun = time.monotonic()
            replies = await asyncio.gather(*(call(link, "echo") for _ in range(4)))
            took = time.monotonic() - begun
    assert not any(one.problem for one in replies)
    assert (server.codes, server.refreshes) == (1, 1)
    # One after the other they would take 2 s.
    assert took < 1.4


async def test_fifty_that_are_refused_at_once_lead_to_one_question() -> None:
    with signing_in_with("", Behind(), Rotating) as (url, server):
        async with signed_in(url) as (link, person):
            server.forget()
            server.of_refresh = refusing("invalid_grant")
            person.agrees = None
            calls = [asyncio.create_task(call(link, "echo")) for _ in range(MANY)]
            await person.until(lambda: len(person.open) == 2)
            # Whoever waits can leave.
            for one in calls[::10]:
                one.cancel()
            await asyncio.sleep(0.05)
            person.open[1].allow()
            replies = await asyncio.gather(*calls, return_exceptions=True)
            assert len(person.asked) == 2
    answered = [one for one in replies if not isinstance(one, BaseException)]
    assert len(answered) == MANY - len(calls[::10])
    assert not any(one.problem for one in answered)
    assert (server.codes, server.refreshes) == (2, 1)


async def test_a_cancellation_leaves_while_a_person_is_in_the_browser() -> None:
    behind = Slow()
    with signing_in_with("", behind, Rotating) as (url, server):
        async with signed_in(url) as (link, person):
            person.visits_pages = False
            hanging = asyncio.create_task(call(link, "hang"))
            async with asyncio.timeout(20):
                await behind.hung.wait()
            server.forget()
            server.of_refresh = refusing("invalid_grant")
            waiting = asyncio.create_task(call(link, "echo"))
            await person.until(lambda: len(person.pages) == 2)
            hanging.cancel()
            async with asyncio.timeout(5):
                await behind.left.wait()
            assert not waiting.done()
            # The last one that waits leaves the question open: it is of all later ones.
            waiting.cancel()
            await asyncio.wait({hanging, waiting})
            assert len(person.closed) == 1
        assert len(person.closed) == 2


async def test_closing_while_a_person_is_asked_again_ends_every_call() -> None:
    with signing_in_with("", Behind(), Rotating) as (url, server):
        async with signed_in(url) as (link, person):
            server.forget()
            server.of_refresh = refusing("invalid_grant")
            person.agrees = None
            calls = [asyncio.create_task(call(link, "echo")) for _ in range(5)]
            await person.until(lambda: len(person.open) == 2)
        async with asyncio.timeout(5):
            replies = await asyncio.gather(*calls)
    assert all(one.lost for one in replies)
    assert server.codes == 1


class Often(Behind):
    """Lets each request in once, and requires another sign-in the next time."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = (await receive()).get("body", b"")
        if b'"tools/call"' in body:
            reply = json_reply({"error": "invalid_token"}, 401)
            reply.headers["www-authenticate"] = 'Bearer error="invalid_token"'
            await send_reply(send, reply)
            return

        async def again() -> Any:
            return {"type": "http.request", "body": body}

        await super().__call__(scope, again, send)


async def test_a_call_that_no_token_gets_in_ends() -> None:
    with signing_in_with("", Often(), Rotating) as (url, server):
        async with signed_in(url) as (link, person):
            assert (await call(link, "echo")).problem
            assert len(person.asked) <= 2
    assert server.refreshes <= 3
