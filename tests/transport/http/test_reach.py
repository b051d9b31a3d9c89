"""Certificates of one server, and Unix sockets in place of the network."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from signoff.app.cli.options.parser import server_meant
from signoff.app.engine.session_config import Target
from signoff.app.presentation.openings import typed_openings
from signoff.app.protocol.server import UNCHECKED
from signoff.app.transport.events import Ended, Listing
from signoff.app.transport.http.http import HttpLink
from signoff.app.transport.http.reach import Reach, split_socket
from signoff.app.transport.sign_in.browser_options import BrowserOptions
from tests.approved import approved
from tests.transport.http.test_http_between import tls
from tests.transport.linked import Heard
from tests.transport.webbed import Asked, Web, answer, greets, web

PROSE = approved("http")


@contextlib.asynccontextmanager
async def reached(url: str, reach: Reach) -> AsyncIterator[tuple[HttpLink, Heard]]:
    link, heard = HttpLink(url, reach=reach), Heard()
    link.attach(heard)
    try:
        yield link, heard
    finally:
        await link.close()


async def test_certificates_of_a_file_are_trusted_for_one_server(tmp_path: Path) -> None:
    async with tls(tmp_path) as served:
        async with reached(served.url, Reach(ca=str(tmp_path / "cert.pem"))) as (link, heard):
            await heard.one(Listing)
            assert dict(link.route)["certificates"].endswith("cert.pem")
        async with reached(served.url, Reach()) as (link, heard):
            await heard.one(Ended)
            assert link.route == ()


async def test_without_certificates_the_server_is_another_one_and_it_is_said(
    tmp_path: Path,
) -> None:
    async with (
        tls(tmp_path) as served,
        reached(served.url, Reach(is_insecure=True)) as (link, heard),
    ):
        await heard.one(Listing)
        assert link.identity.endswith(UNCHECKED)
        assert link.route == (("certificates", "not checked (--insecure)"),)
        assert link.identity != HttpLink(served.url).identity


@pytest.mark.parametrize(
    ("name", "content", "key"),
    [("missing.pem", None, "--ca: missing"), ("junk.pem", "junk", "--ca: no certificate")],
)
async def test_a_file_without_certificates_is_named(
    name: str, content: str | None, key: str, tmp_path: Path
) -> None:
    file = tmp_path / name
    if content is not None:
        file.write_text(content)
    async with reached("https://localhost:1/mcp", Reach(ca=str(file))) as (_, heard):
        ended = await heard.one(Ended)
    PROSE.holds(key, ended.words, FILE=file)


async def test_a_variable_that_chooses_the_certificates_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    async with tls(tmp_path / "other"), tls(tmp_path) as served:
        other = tmp_path / "other" / "cert.pem"
        monkeypatch.setenv("SSL_CERT_FILE", str(other))
        async with reached(served.url, Reach()) as (_, heard):
            ended = await heard.one(Ended)
        where = served.url.removeprefix("https://").removesuffix("/mcp")
        PROSE.holds("no connection: SSL_CERT_FILE", ended.words, FILE=other, HOST=where)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("unix:///run/x.sock#/mcp", ("http://localhost/mcp", "/run/x.sock")),
        ("unix:///run/x.sock#mcp?a=b", ("http://localhost/mcp?a=b", "/run/x.sock")),
        ("unix:///run/x.sock", ("http://localhost/", "/run/x.sock")),
        ("unix:///run/a?b#/c", ("http://localhost/c", "/run/a?b")),
        ("unix://host/x.sock#/mcp", ("unix://host/x.sock#/mcp", "")),
        ("unix:x.sock", ("unix:x.sock", "")),
        ("https://a.example/mcp#x", ("https://a.example/mcp#x", "")),
        ("http://[", ("http://[", "")),
    ],
)
def test_the_socket_of_a_url(url: str, expected: tuple[str, str]) -> None:
    assert split_socket(url) == expected


@contextlib.asynccontextmanager
async def on_socket(path: Path, served: Web) -> AsyncIterator[str]:
    if sys.platform == "win32":
        pytest.skip("no Unix sockets")
    server = await asyncio.start_unix_server(served.serve, path)
    try:
        yield f"unix://{path}#/mcp"
    finally:
        server.close()
        await served.close()


async def test_a_server_on_a_unix_socket_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    # A proxy is for the network.
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    served = Web(greets)
    with tempfile.TemporaryDirectory() as folder:
        async with (
            on_socket(Path(folder) / "s", served) as url,
            reached(url, Reach()) as (link, heard),
        ):
            await heard.one(Listing)
            assert link.command == url
            assert link.route == ()
        assert {one.headers["host"] for one in served.asked} == {"localhost:80"}
        async with reached(url, Reach()) as (_, heard):
            words = (await heard.one(Ended)).words
        assert folder in words


async def test_the_metadata_of_a_sign_in_comes_over_the_same_socket() -> None:
    def answers(asked: Asked) -> bytes:
        if asked.verb == "POST":
            return answer("401 Unauthorized", more="WWW-Authenticate: Bearer scope=a\r\n")
        if asked.path.endswith("oauth-protected-resource/mcp"):
            body = b'{"resource": "http://localhost/mcp", "authorization_servers": []}'
            return answer("200 OK", body)
        return answer("404 Not Found")

    with tempfile.TemporaryDirectory() as folder:
        async with (
            on_socket(Path(folder) / "s", Web(answers)) as url,
            reached(url, Reach()) as (link, heard),
        ):
            words = (await heard.one(Ended)).words
            found = await link.sign_in()
    assert found is not None
    assert found.resource is not None
    assert "authorization_servers of the resource metadata is empty" in words


async def test_a_proxy_of_the_environment_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with web(greets) as proxy:
        where = proxy.url.removesuffix("/mcp")
        monkeypatch.setenv("HTTP_PROXY", where)
        async with reached("http://far.example/mcp", Reach()) as (link, heard):
            await heard.one(Listing)
            (fact,) = link.route
    assert fact == (
        "proxy",
        f"{where.removeprefix('http://')}, by the variables of the environment",
    )


def test_a_target_hands_its_certificates_to_the_link() -> None:
    target = Target("x", url="https://a.example/mcp", ca="file.pem", is_insecure=True)
    link = target.link()
    assert isinstance(link, HttpLink)
    assert link.identity.endswith(UNCHECKED)


def test_a_socket_is_an_address_wherever_one_is_typed() -> None:
    (row,) = typed_openings("unix:///run/x.sock#/mcp", {}, "linux")
    assert row.words == ("--url", "unix:///run/x.sock#/mcp")
    assert "comes after --url" in server_meant(["unix:///run/x.sock#/mcp"])


def test_checks_of_a_sign_in_that_are_set_aside_are_facts_of_the_link() -> None:
    browser = BrowserOptions(lenient=("issuer", "pkce", "issuer"), store=None)
    link = HttpLink("https://a.example/mcp", browser=browser)
    assert link.lenient == ("issuer", "pkce")
    assert dict(link.route)["sign-in"] == "not checked: issuer, pkce (--lenient)"
    plain = HttpLink("https://a.example/mcp", browser=BrowserOptions(store=None))
    assert (plain.lenient, plain.route) == ((), ())
