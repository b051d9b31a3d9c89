"""The private key of a client: which can be used, and what it signs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa

from signoff.app.cli.options.session import SessionOptions
from signoff.app.cli.targets.targets import UsageError, read_target
from signoff.app.demo.authorization import READ, AuthorizationServer, IssuedGrant
from signoff.app.demo.replies import DemoReply, json_reply
from signoff.app.transport.events import Ended
from signoff.app.transport.sign_in.assertion import KIND, SigningKey, read_key
from signoff.app.transport.sign_in.credentials import ClientCredentials
from tests.approved import approved
from tests.servers.signing_in import signing_in_with
from tests.transport.sign_in.test_client_sign_in import Behind, told
from tests.transport.webbed import to, to_listed

PROSE = approved("transport-client-key")
KEYS: dict[str, Any] = {
    "RS256": rsa.generate_private_key(65537, 2048),
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate(),
}


def pem(key: Any, password: bytes = b"") -> bytes:
    made: bytes = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(password)
        if password
        else serialization.NoEncryption(),
    )
    return made


class KnowsKeys(AuthorizationServer):
    """An authorization server whose clients sign in with a key."""

    key: Any = None
    supported: tuple[str, ...] = ("RS256", "ES256", "EdDSA")

    def metadata(self) -> dict[str, Any]:
        return super().metadata() | {
            "token_endpoint_auth_methods_supported": ["private_key_jwt"],
            "token_endpoint_auth_signing_alg_values_supported": list(self.supported),
        }

    def _token_of_client(self, given: Mapping[str, str], authorization: str) -> DemoReply:
        self.asked_by_clients += 1
        assert given["client_assertion_type"] == KIND
        assert "client_secret" not in given
        assert not authorization
        claims = jwt.decode(
            given["client_assertion"],
            self.key.public_key(),
            algorithms=list(self.supported),
            audience=self.issuer,
            options={"require": ["exp", "iat", "jti", "iss", "sub", "aud"]},
        )
        if not claims["iss"] == claims["sub"] == given["client_id"] == "ci":
            return json_reply({"error": "invalid_client"}, 401)
        return self._tokens_for(IssuedGrant("ci", READ), has_refresh=False)


@pytest.mark.parametrize("kind", KEYS)
async def test_a_client_signs_in_with_its_key(kind: str) -> None:
    credentials = ClientCredentials("ci", key=read_key(pem(KEYS[kind])))
    with signing_in_with("", Behind(), KnowsKeys) as (url, server):
        assert isinstance(server, KnowsKeys)
        server.key = KEYS[kind]
        async with to_listed(url, credentials=credentials) as (link, _):
            assert link.signed_in.issuer == server.issuer
            seen = repr(link.wire.since(0))
    assert server.asked_by_clients == 1
    assert "eyJ" not in seen


async def test_an_algorithm_and_a_method_that_do_not_fit_are_told() -> None:
    key = ClientCredentials("ci", key=read_key(pem(KEYS["ES256"])))
    secret = ClientCredentials("ci", "a-long-secret")
    with signing_in_with("", Behind(), KnowsKeys) as (url, server):
        assert isinstance(server, KnowsKeys)
        server.supported = ("RS256",)
        async with to(url, credentials=key) as (_, heard):
            words = (await heard.one(Ended)).words
        PROSE.holds("another algorithm", told(words, url, server.issuer))
        async with to(url, credentials=secret) as (_, heard):
            words = (await heard.one(Ended)).words
        PROSE.holds("another method", told(words, url, server.issuer))
    assert server.asked_by_clients == 0


WRONG: dict[str, bytes] = {
    "encrypted": pem(KEYS["ES256"], b"password"),
    "not a key": b"-----BEGIN PRIVATE KEY-----\nQUJD\n-----END PRIVATE KEY-----\n",
    "empty": b"",
    "too short": pem(rsa.generate_private_key(65537, 1024)),
    "another kind": pem(dsa.generate_private_key(2048)),
    "another curve": pem(ec.generate_private_key(ec.SECP256K1())),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_key_that_cannot_be_used_is_told(name: str, tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    file.write_bytes(WRONG[name])
    given = SessionOptions(url="http://h/mcp", client_id="ci", client_key=str(file))
    with pytest.raises(UsageError) as raised:
        read_target(given)
    PROSE.holds(name, str(raised.value), FILE=file)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / "none.pem"
    given = SessionOptions(url="http://h/mcp", client_id="ci", client_key=str(file))
    with pytest.raises(UsageError) as raised:
        read_target(given)
    PROSE.holds("missing", str(raised.value), FILE=file)


def test_a_key_is_not_in_its_repr() -> None:
    key = read_key(pem(KEYS["RS256"]))
    assert "PRIVATE" not in repr((key, ClientCredentials("ci", key=key)))
    assert isinstance(key, SigningKey)
