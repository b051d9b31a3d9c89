"""What is between Signoff and a server: TLS, proxies, names, the transport before this one."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import ssl
from base64 import b64encode
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from signoff.app.transport.events import Ended
from signoff.app.transport.http import bodies
from signoff.app.transport.http.refusals import CERTIFICATES, unread_certificates
from tests.approved import approved
from tests.transport.webbed import Answers, Asked, Web, answer, greets, to, to_listed, web

PROSE = approved("http")

ENDPOINT = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    b": hello\n\nevent: endpoint\ndata: /messages?session_id=1\n\n"
)
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture(autouse=True)
def _without_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


async def ended_words(url: str) -> str:
    async with to(url) as (_, heard):
        return (await heard.one(Ended)).words


def refuses_posts(status: str, stream: bytes = ENDPOINT) -> Answers:
    """A server that only gives streams: each goes on until it is dropped."""

    async def answers(asked: Asked) -> bytes:
        if asked.verb == "POST":
            return answer(status, b"no", "text/plain")
        return stream

    return answers


@pytest.mark.parametrize(
    "stream",
    [
        answer("405 Method Not Allowed"),
        ENDPOINT.replace(b"endpoint", b"message"),
        ENDPOINT.replace(b"event-stream", b"plain"),
        ENDPOINT.replace(b"\r\n\r\n", b"\r\nContent-Encoding: br\r\n\r\n"),
        b": nothing\n" * 20_000,
        b"",
    ],
    ids=["no stream", "other event", "other kind", "compressed", "no http", "nothing"],
)
async def test_what_names_no_endpoint_is_not_called_old(stream: bytes) -> None:
    async with web(refuses_posts("404 Not Found", stream)) as served:
        words = await ended_words(served.url)
    PROSE.holds("not found: check the URL", words)


async def test_a_server_that_says_nothing_to_the_look_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bodies, "LOOK_SECONDS", 0.2)

    async def answers(asked: Asked) -> bytes:
        if asked.verb == "GET":
            await asyncio.sleep(3600)
        return answer("404 Not Found")

    async with web(answers) as served:
        PROSE.holds("not found: no such path", await ended_words(served.url))


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden", "500 Oh", "302 Found"])
async def test_other_refusals_are_not_looked_into(status: str) -> None:
    async with web(refuses_posts(status)) as served:
        assert f"answered {status[:3]}" in await ended_words(served.url)
    # The metadata of a sign-in is looked for elsewhere.
    assert [one.path for one in served.asked if one.verb == "GET" and one.path == "/mcp"] == []


async def test_no_word_of_a_refusal_repeats_the_credentials() -> None:
    pair = b64encode(b"me:s3cret").decode()

    def answers(asked: Asked) -> bytes:
        said = f"no access for me:s3cret, {asked.headers['authorization']}"
        return answer("403 Forbidden", said.encode(), "text/plain")

    async with web(answers) as served:
        words = await ended_words(served.url.replace("http://", "http://me:s3cret@"))
    PROSE.holds("refused: with secrets", words)
    assert pair not in words


@contextlib.asynccontextmanager
async def tls(folder: Path) -> AsyncIterator[Web]:
    """A server behind TLS whose certificate nobody signed; it is `folder / "cert.pem"`."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = serialization.NoEncryption()
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    (folder / "cert.pem").write_bytes(certificate.public_bytes(pem))
    (folder / "key.pem").write_bytes(private)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    served = Web(greets)
    server = await asyncio.start_server(served.serve, "127.0.0.1", 0, ssl=context)
    served.url = f"https://localhost:{server.sockets[0].getsockname()[1]}/mcp"
    try:
        yield served
    finally:
        server.close()
        await served.close()


async def test_a_certificate_that_nobody_signed_says_so_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in CERTIFICATES:
        monkeypatch.delenv(name, raising=False)
    async with tls(tmp_path) as served:
        words = await ended_words(served.url)
        where = served.url.removeprefix("https://").removesuffix("/mcp")
        PROSE.holds("no connection: the certificate", words, HOST=where)
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
        async with to_listed(served.url) as (_, heard):
            assert heard.of(Ended) == []


async def test_https_to_a_server_without_tls_says_so() -> None:
    async def refuse(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer("400 Bad Request"))
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        words = await ended_words(f"https://127.0.0.1:{port}/mcp")
    PROSE.holds("not TLS", words, PORT=port)


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("missing.pem", None, "no such file or directory"),
        ("junk.pem", "junk", "has no certificate"),
        ("", None, "is a directory"),
    ],
)
async def test_certificates_that_cannot_be_read_are_named_with_their_variable(
    name: str, content: str | None, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    place = str(tmp_path / name)
    monkeypatch.setenv("SSL_CERT_FILE", place)
    words = await ended_words("https://server.invalid/mcp")
    cause = f"SSL_CERT_FILE is {place}, which cannot be used: {why}"
    assert words == f"the connection failed: {cause}; set it to a PEM file, or unset it"


def test_a_folder_of_certificates_that_does_not_exist_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    assert unread_certificates() == ""
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "none"))
    assert unread_certificates() == str(tmp_path / "none")


async def test_a_refusal_may_be_the_proxys(monkeypatch: pytest.MonkeyPatch) -> None:
    def answers(asked: Asked) -> bytes:
        return answer("403 Forbidden", b"blocked by policy", "text/plain")

    async with web(answers) as proxy:
        host = proxy.url.removesuffix("/mcp")
        monkeypatch.setenv("HTTP_PROXY", host)
        monkeypatch.setenv("HTTPS_PROXY", host)
        plain = await ended_words("http://server.invalid/mcp")
        tunnel = await ended_words("https://server.invalid/mcp")
    named = host.removeprefix("http://")
    PROSE.holds("proxy: a refusal", plain, PROXY=named)
    PROSE.holds("proxy: refuses the tunnel", tunnel, PROXY=named)


@pytest.mark.parametrize(
    ("variable", "proxy", "key"),
    [
        ("HTTP_PROXY", "http://me:s3cret@127.0.0.1:9", "proxy: no connection"),
        ("ALL_PROXY", "socks5://me:s3cret@127.0.0.1:9", "proxy: SOCKS"),
        ("ALL_PROXY", "gopher://me:s3cret@127.0.0.1:9", "proxy: an unknown scheme"),
    ],
)
async def test_a_proxy_that_cannot_be_used_is_named_without_its_password(
    variable: str, proxy: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, proxy)
    words = await ended_words("http://server.invalid/mcp")
    PROSE.holds(key, words)
    assert "s3cret" not in words
