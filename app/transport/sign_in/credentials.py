"""Credentials of a client that signs in by itself, without a person (OAuth 2.1, 4.2)."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import field
from urllib.parse import quote, quote_plus

from ...content.frozen import frozen
from .assertion import SigningKey


@frozen
class ClientCredentials:
    """A client that an authorization server knows, with its secret or its private key."""

    client_id: str
    secret: str = field(repr=False, default="")
    scope: str = ""
    """The scopes to request; empty for those that the server names."""
    issuer: str = ""
    """The only authorization server that may get the secret; empty for the first that is named."""

    key: SigningKey | None = None
    """None if it has a secret."""

    @property
    def identity(self) -> str:
        """Who signs in, for what, by whom: an approval counts for no other."""
        return json.dumps((self.client_id, self.scope, self.issuer))

    @property
    def basic(self) -> str:
        """The value of `Authorization` at the token endpoint (RFC 6749, 2.3.1)."""
        pair = f"{quote_plus(self.client_id)}:{quote_plus(self.secret)}"
        return f"Basic {b64encode(pair.encode()).decode()}"

    @property
    def secrets(self) -> tuple[str, ...]:
        """The secret in every form in which a server could repeat it."""
        secret = self.secret
        if not secret:
            return ()
        pair = self.basic.partition(" ")[2]
        return tuple(dict.fromkeys((pair, secret, quote(secret), quote_plus(secret))))
