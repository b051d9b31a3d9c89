"""The private key of a client, and what it signs at a token endpoint (RFC 7523, 2.2).

The libraries behind it take a while to load, and few sign-ins need them.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from dataclasses import field
from typing import Any, Final

from ...content.frozen import frozen

KIND: Final = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
LIFETIME: Final = 60
"""Seconds in which the signed text counts."""
_RSA: Final = ("RS256", "PS256", "RS384", "RS512", "PS384", "PS512")
_CURVES: Final = {"secp256r1": "ES256", "secp384r1": "ES384", "secp521r1": "ES512"}
RSA_MIN: Final = 2048


@frozen
class SigningKey:
    """A private key, and the algorithms that it can sign with, the usual one first."""

    pem: bytes = field(repr=False)
    algorithms: tuple[str, ...]

    def algorithm(self, supported: Sequence[str] | None) -> str:
        """The first algorithm that an authorization server supports; empty for none."""
        usable = (one for one in self.algorithms if supported is None or one in supported)
        return next(usable, "")

    def sign(self, client_id: str, audience: str, algorithm: str) -> str:
        """The text that proves who the client is, for one authorization server, once."""
        import jwt

        now = int(time.time())
        claims: dict[str, Any] = {
            "iss": client_id,
            "sub": client_id,
            "aud": audience,
            "iat": now,
            "exp": now + LIFETIME,
            "jti": str(uuid.uuid4()),
        }
        return jwt.encode(claims, self.pem, algorithm=algorithm)


def read_key(pem: bytes) -> SigningKey:
    """Read a private key. Raises ValueError with words that are safe to show."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(pem, None)
    except TypeError:
        raise ValueError("it is encrypted, and Signoff asks for no password of a key") from None
    except (ValueError, UnsupportedAlgorithm):
        raise ValueError("it has no private key in PEM") from None
    algorithms: tuple[str, ...] = ()
    if isinstance(key, RSAPrivateKey):
        if key.key_size < RSA_MIN:
            raise ValueError(f"an RSA key of {key.key_size:,} bits is too short: use {RSA_MIN:,}")
        algorithms = _RSA
    elif isinstance(key, EllipticCurvePrivateKey) and key.curve.name in _CURVES:
        algorithms = (_CURVES[key.curve.name],)
    elif isinstance(key, Ed25519PrivateKey):
        algorithms = ("EdDSA", "Ed25519")
    if not algorithms:
        raise ValueError("its kind of key is not supported: use RSA, P-256 or Ed25519")
    return SigningKey(pem, algorithms)
