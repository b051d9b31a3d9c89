"""The credentials of a client that signs in by itself, from its options."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ...content.text import visible
from ...platforms.files import read_bounded
from ...storage.state_dir import why
from ..options.session import SessionOptions
from .usage import UsageError

if TYPE_CHECKING:
    from ...transport.sign_in.assertion import SigningKey
    from ...transport.sign_in.credentials import ClientCredentials

KEY_MAX: Final = 100_000
"""Bytes of the largest file with a key."""
SHORTEST: Final = 8
"""Characters of the shortest secret: a shorter one could be part of any text."""
_LONGEST: Final = 10_000
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SCOPE: Final = re.compile(r"[!#-\[\]-~]+(?: +[!#-\[\]-~]+)*")
"""RFC 6749, 3.3."""


def read_credentials(
    given: SessionOptions, headers: Sequence[tuple[str, str]]
) -> ClientCredentials | None:
    """The credentials of the options; None without any. Raises UsageError, without the secret."""
    beside = (given.client_secret_env, given.client_key, given.scope, given.issuer)
    if given.client_id is None:
        if any(one is not None for one in beside):
            raise UsageError(
                "--client-secret-env, --client-key, --scope and --issuer need --client-id, the "
                "client that signs in"
            )
        return None
    if (given.client_secret_env is None) == (given.client_key is None):
        raise UsageError(
            "--client-id needs either --client-secret-env NAME, the variable with its secret, or "
            "--client-key FILE, its private key"
        )
    if any(name.lower() == "authorization" for name, _ in headers):
        raise UsageError("give a token with --header Authorization, or --client-id, but not both")
    if "@" in (given.url or "").partition("://")[2].partition("/")[0]:
        raise UsageError("give a URL without a user name, or no --client-id")
    if not given.client_id.isprintable() or not given.client_id:
        raise UsageError("--client-id has no text, or characters that no client id can have")
    if given.scope is not None and not _SCOPE.fullmatch(given.scope.strip()):
        raise UsageError("--scope: expected scopes with blanks between, such as 'read write'")
    from ...transport.sign_in.credentials import ClientCredentials

    variable, file = given.client_secret_env, given.client_key
    return ClientCredentials(
        given.client_id,
        _secret(variable) if variable is not None else "",
        given.scope or "",
        given.issuer or "",
        _key(file) if file is not None else None,
    )


def _key(path: str) -> SigningKey:
    from ...transport.sign_in.assertion import read_key

    shown = visible(path)
    try:
        return read_key(read_bounded(os.path.expanduser(path), KEY_MAX))
    except OSError as problem:
        raise UsageError(f"--client-key: {shown} cannot be read: {why(problem)}") from None
    except ValueError as problem:
        raise UsageError(f"--client-key: {shown} cannot be used: {problem}") from None


def _secret(name: str) -> str:
    """The value of a variable. A name is not repeated: it may be the secret, by mistake."""
    option = "--client-secret-env"
    if not _VARIABLE.fullmatch(name):
        raise UsageError(f"{option}: expected the name of a variable, not the secret itself")
    secret = os.environ.get(name)
    if not secret:
        state = "empty" if secret is not None else "not set here"
        raise UsageError(f"{option}: the variable of this name is {state}")
    if len(secret) < SHORTEST or len(secret) > _LONGEST or not secret.isprintable():
        raise UsageError(
            f"{option}: the value of the variable is not {SHORTEST} to {_LONGEST:,} characters of "
            "one line"
        )
    return secret
