"""`signoff sign-out --revoke`: the issuer itself is told, and nobody else gets a token."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from signoff.app.cli.targets.targets import UsageError
from signoff.app.features.sign_in.sign_out import SignOutOptions, run_sign_out
from signoff.app.presentation.exit_status import ExitStatus
from signoff.app.storage.sign_ins import SignInStore
from tests.storage.signed import CLIENT, ENTRY, SECRETS

Said = pytest.CaptureFixture[str]


class Server(ThreadingHTTPServer):
    """An authorization server with an address for revocations; `metadata` is what it serves."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server_port}"
        self.metadata: dict[str, object] = {
            "issuer": self.issuer,
            "revocation_endpoint": f"{self.issuer}/revoke",
        }
        self.refused = ""
        """The kind of token that it refuses."""
        self.posted: list[tuple[dict[str, str], str]] = []


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        is_there = self.path == "/.well-known/oauth-authorization-server"
        self.reply(200 if is_there else 404, json.dumps(self.server.metadata).encode())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        self.server.posted.append((form, self.headers.get("Authorization", "")))
        is_refused = form["token_type_hint"] == self.server.refused
        self.reply(400 if is_refused else 200, b'{"error": "x"}' if is_refused else b"")

    def reply(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def signed_out(folder: Path, server: Server, method: str = "none") -> int:
    store = SignInStore(folder / "sign-ins")
    client = replace(CLIENT, method=method, secret="" if method == "none" else CLIENT.secret)
    store.write(
        replace(ENTRY, resource=f"{server.issuer}/mcp", issuer=server.issuer, client=client)
    )
    status = run_sign_out(SignOutOptions(all=True, revoke=True), store)
    # Whatever the server does, nothing is stored here.
    assert store.all() == ()
    return status


@pytest.mark.parametrize("method", ["none", "client_secret_basic", "client_secret_post"])
def test_both_tokens_are_revoked(tmp_path: Path, server: Server, method: str, capsys: Said) -> None:
    assert signed_out(tmp_path, server, method) == ExitStatus.OK
    assert "has revoked the tokens" in capsys.readouterr().out
    assert [form["token"] for form, _ in server.posted] == [ENTRY.refresh_token, ENTRY.access_token]
    for form, authorization in server.posted:
        assert bool(authorization) is (method == "client_secret_basic")
        assert ("client_secret" in form) is (method == "client_secret_post")
        assert ("client_id" in form) is (method != "client_secret_basic")


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ({"issuer": "https://evil.example.com"}, "has another issuer"),
        ({"revocation_endpoint": None}, "has no revocation_endpoint"),
        ({"revocation_endpoint": 7}, "has no revocation_endpoint"),
        ({"revocation_endpoint": "http://192.0.2.1/x"}, "not requested"),
        ({"revocation_endpoint": "javascript:x"}, "not requested"),
    ],
)
def test_a_token_goes_nowhere_else(
    tmp_path: Path, server: Server, metadata: dict[str, object], words: str, capsys: Said
) -> None:
    server.metadata |= metadata
    assert signed_out(tmp_path, server) == ExitStatus.LOST
    said = capsys.readouterr()
    assert words in said.err
    assert "was not notified" in said.err
    assert not any(secret in said.out + said.err for secret in SECRETS)
    assert server.posted == []


@pytest.mark.parametrize(
    ("kind", "words", "count"),
    [("refresh_token", "400", 1), ("access_token", "only the refresh token was revoked", 2)],
)
def test_a_refusal_is_told(
    tmp_path: Path, server: Server, kind: str, words: str, count: int, capsys: Said
) -> None:
    server.refused = kind
    assert signed_out(tmp_path, server) == ExitStatus.LOST
    assert words in capsys.readouterr().err
    assert len(server.posted) == count


def test_certificates_are_for_a_revocation_and_are_read_before_anything_is_removed(
    tmp_path: Path, server: Server
) -> None:
    store = SignInStore(tmp_path / "sign-ins")
    store.write(replace(ENTRY, resource=f"{server.issuer}/mcp", issuer=server.issuer))
    missing = str(tmp_path / "missing.pem")
    for wanted in (
        SignOutOptions(all=True, ca=missing),
        SignOutOptions(all=True, revoke=True, ca=missing),
    ):
        with pytest.raises(UsageError, match="--ca"):
            run_sign_out(wanted, store)
    assert len(store.all()) == 1
