"""The listener for the answer of a browser: one answer, at one address, and nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from urllib.parse import urlsplit

import pytest

from signoff.app.transport.sign_in.callback import (
    CONNECTIONS_MAX,
    CallbackListener,
    why_no_callback,
)
from signoff.app.transport.sign_in.code_flow import ANSWER_MAX
from signoff.app.transport.sign_in.tokens import SignInFailed


async def say(listener: CallbackListener, data: str, *, ends: bool = False) -> bytes:
    """Send bytes to the listener; what it says."""
    parts = urlsplit(listener.redirect)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    found = b""
    with contextlib.suppress(ConnectionError):
        writer.write(data.encode())
        if ends:
            writer.write_eof()
        async with asyncio.timeout(10):
            found = await reader.read()
    writer.close()
    return found


def asked(listener: CallbackListener, **changes: str) -> str:
    parts = urlsplit(listener.redirect)
    given = {
        "method": "GET",
        "target": f"{parts.path}?code=a&state=b",
        "version": "HTTP/1.1",
        "host": f"Host: {parts.netloc}\r\n",
        "more": "",
    } | changes
    head = f"{given['method']} {given['target']} {given['version']}\r\n{given['host']}"
    return f"{head}{given['more']}\r\n"


async def has_answer(listener: CallbackListener) -> bool:
    query = asyncio.ensure_future(listener.query())
    done, _ = await asyncio.wait({query}, timeout=0.02)
    query.cancel()
    return bool(done)


async def test_one_answer_gets_a_constant_page() -> None:
    async with CallbackListener() as listener:
        assert listener.redirect.startswith("http://127.0.0.1:")
        assert len(urlsplit(listener.redirect).path) > 12
        found = await say(listener, asked(listener))
        assert await listener.query() == "code=a&state=b"
        head, _, page = found.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 ")
        for header in (b"no-store", b"no-referrer", b"default-src 'none'", b"nosniff"):
            assert header in head
        other = await say(
            listener, asked(listener, target=f"{urlsplit(listener.redirect).path}?x=<b>")
        )
        assert other.partition(b"\r\n\r\n")[2] == page
        assert await listener.query() == "code=a&state=b"


async def test_two_listeners_have_other_addresses() -> None:
    async with CallbackListener() as one, CallbackListener() as two:
        assert urlsplit(one.redirect).port != urlsplit(two.redirect).port
        assert urlsplit(one.redirect).path != urlsplit(two.redirect).path


WRONG = {
    "no host": ({"host": "", "version": "HTTP/1.0"}, b"421"),
    "another host": ({"host": "Host: evil.example\r\n"}, b"421"),
    "another port": ({"host": "Host: 127.0.0.1:1\r\n"}, b"421"),
    "another name of this machine": ({"host": "Host: localhost\r\n"}, b"421"),
    "the root": ({"target": "/?code=a&state=b"}, b"404"),
    "a whole URL": ({"target": "http://127.0.0.1/?code=a&state=b"}, b"404"),
    "an icon": ({"target": "/favicon.ico"}, b"404"),
    "a post": ({"method": "POST", "more": "Content-Length: 4\r\n"}, b"405"),
    "a head": ({"method": "HEAD"}, b"405"),
    "options": ({"method": "OPTIONS"}, b"405"),
    "two hosts": ({"more": "Host: evil.example\r\n"}, b"400"),
    "no HTTP": ({"version": "FTP"}, b"400"),
}


@pytest.mark.parametrize("name", WRONG)
async def test_anything_else_is_refused_and_the_wait_goes_on(name: str) -> None:
    changes, status = WRONG[name]
    async with CallbackListener() as listener:
        found = await say(listener, asked(listener, **changes))
        assert found.split(b" ")[1] == status
        assert b"code" not in found
        assert not await has_answer(listener)
        assert b" 200 " in await say(listener, asked(listener))
        assert await has_answer(listener)


async def test_an_answer_needs_a_query() -> None:
    async with CallbackListener() as listener:
        path = urlsplit(listener.redirect).path
        assert b" 400 " in await say(listener, asked(listener, target=path))
        assert b" 400 " in await say(listener, asked(listener, target=f"{path}?"))
        assert not await has_answer(listener)


async def test_http_1_0_and_a_body_are_read() -> None:
    async with CallbackListener() as listener:
        assert b" 200 " in await say(listener, asked(listener, version="HTTP/1.0"))
    async with CallbackListener() as listener:
        more = "Content-Length: 3\r\n"
        assert b" 200 " in await say(listener, asked(listener, more=more) + "abc")
        assert await listener.query() == "code=a&state=b"


async def test_a_code_of_a_megabyte_ends_the_wait() -> None:
    async with CallbackListener() as listener:
        path = urlsplit(listener.redirect).path
        await say(listener, asked(listener, target=f"{path}?code={'x' * 1_000_000}"))
        async with asyncio.timeout(10):
            assert len(await listener.query()) > ANSWER_MAX
    async with CallbackListener() as listener:
        await say(listener, asked(listener, target=f"/{'x' * 1_000_000}"))
        assert not await has_answer(listener)


async def test_many_that_say_nothing_keep_no_browser_out() -> None:
    async with CallbackListener() as listener:
        parts = urlsplit(listener.redirect)
        silent = [await asyncio.open_connection(parts.hostname, parts.port) for _ in range(30)]
        half = await asyncio.open_connection(parts.hostname, parts.port)
        half[1].write(b"GET /")
        assert len(silent) > CONNECTIONS_MAX
        # The oldest ones have to go.
        for reader, _ in silent[: len(silent) - CONNECTIONS_MAX]:
            async with asyncio.timeout(2):
                assert await reader.read() == b""
        assert b" 200 " in await say(listener, asked(listener))
        assert await listener.query() == "code=a&state=b"
    # Whoever is left is told, and nothing is served any more.
    async with asyncio.timeout(10):
        for reader, writer in (*silent, half):
            with contextlib.suppress(ConnectionError):
                assert await reader.read() == b""
            writer.close()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(parts.hostname, parts.port)


async def test_a_connection_that_ends_at_once_does_nothing() -> None:
    async with CallbackListener() as listener:
        assert await say(listener, "", ends=True) == b""
        await say(listener, "\r\n", ends=True)
        assert not await has_answer(listener)


async def test_a_port_that_is_taken_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        wanted = f"http://127.0.0.1:{taken.getsockname()[1]}/callback"
        with pytest.raises(SignInFailed, match=r"port \d+ of this machine.*cannot be used: ."):
            async with CallbackListener(wanted):
                pass


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="no IPv6")
async def test_nobody_else_listens_at_the_other_address_of_localhost() -> None:
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SignInFailed):
            async with CallbackListener(f"http://localhost:{port}/callback"):
                pass
        # Nothing is left of the first one.
        socket.create_server(("127.0.0.1", port)).close()


async def test_a_given_address_is_listened_at() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    for path in ("/callback", "/", ""):
        wanted = f"http://localhost:{port}{path}"
        async with CallbackListener(wanted) as listener:
            assert listener.redirect == wanted
            target = f"{path or '/'}?code=a"
            assert b" 200 " in await say(listener, asked(listener, target=target))


def test_where_a_page_may_lead_back_to() -> None:
    for good in ("http://127.0.0.1:1/a", "http://localhost:65535", "http://[::1]:8/"):
        assert why_no_callback(good) == ""
    for bad in (
        *("", "x", "https://127.0.0.1:1/a", "http://127.0.0.1/a", "http://127.0.0.1:0/a"),
        *("http://192.168.0.1:1/", "http://a@127.0.0.1:1/", "http://127.0.0.1:1/?a=1"),
        *("http://127.0.0.1:1/#a", "http://127.0.0.1:99999/", "http://[::1", "http://0.0.0.0:1/"),
        "http://127.0.0.1.evil.example:1/",
    ):
        assert why_no_callback(bad)
