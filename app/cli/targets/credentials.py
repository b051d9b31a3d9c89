"""How Signoff signs in at a URL, from its options: a person in a browser, or a client by itself."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ...cli.targets.given_files import given_data
from ...content.frozen import frozen
from ...content.suggest import did_you_mean
from ...content.text import visible
from ..options.session import SessionOptions
from .usage import UsageError

if TYPE_CHECKING:
    from ...transport.sign_in.assertion import SigningKey
    from ...transport.sign_in.browser_options import BrowserOptions
    from ...transport.sign_in.credentials import ClientCredentials

KEY_MAX: Final = 100_000
"""Bytes of the largest file with a key."""
SHORTEST: Final = 8
"""Characters of the shortest secret: a shorter one could be part of any text."""
_LONGEST: Final = 10_000
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SCOPE: Final = re.compile(r"[!#-\[\]-~]+(?: +[!#-\[\]-~]+)*")
"""RFC 6749, 3.3."""


BROWSER, CLIENT, OFF = "browser", "client", "off"


@frozen
class SignInWay:
    """How Signoff signs in at a URL: at most one of them is set."""

    credentials: ClientCredentials | None = None
    browser: BrowserOptions | None = None


def read_sign_in(given: SessionOptions, headers: Sequence[tuple[str, str]]) -> SignInWay:
    """How to sign in, by the options. Raises UsageError, without the secret."""
    proofs = (given.client_secret_env, given.client_key)
    has_proof = any(one is not None for one in proofs)
    if given.client_id is None and has_proof:
        raise UsageError(
            "--client-secret-env and --client-key need --client-id, the client that signs in"
        )
    if given.client_id is not None and (not given.client_id.isprintable() or not given.client_id):
        raise UsageError("--client-id has no text, or characters that no client id can have")
    if given.scope is not None and not _SCOPE.fullmatch(given.scope.strip()):
        raise UsageError("--scope: expected scopes with blanks between, such as 'read write'")
    way = given.sign_in_by or (CLIENT if has_proof else BROWSER)
    asks = given.client_id is not None or given.sign_in_by in (BROWSER, CLIENT)
    if any(name.lower() == "authorization" for name, _ in headers):
        if asks:
            raise UsageError("give a token with --header Authorization, or a sign-in, but not both")
        return SignInWay()
    if "@" in (given.url or "").partition("://")[2].partition("/")[0]:
        if asks:
            raise UsageError("give a URL without a user name, or no sign-in")
        return SignInWay()
    if way == CLIENT:
        return SignInWay(credentials=_credentials(given))
    return SignInWay(browser=_browser(given)) if way == BROWSER else SignInWay()


def _credentials(given: SessionOptions) -> ClientCredentials:
    from ...transport.sign_in.credentials import ClientCredentials

    variable, file = given.client_secret_env, given.client_key
    if given.client_id is None or (variable is None) == (file is None):
        raise UsageError(
            "--sign-in-by client needs --client-id, and either --client-secret-env NAME, the "
            "variable with its secret, or --client-key FILE, its private key"
        )
    if given.lenient or given.callback_url is not None:
        raise UsageError("--lenient and --callback-url are for a sign-in in a browser")
    return ClientCredentials(
        given.client_id,
        _secret(variable) if variable is not None else "",
        given.scope or "",
        given.issuer or "",
        _key(file) if file is not None else None,
    )


def _browser(given: SessionOptions) -> BrowserOptions:
    from ...transport.sign_in.browser_options import LENIENT, BrowserOptions
    from ...transport.sign_in.callback import why_no_callback

    if given.client_key is not None:
        raise UsageError("--client-key is for --sign-in-by client: a browser sign-in has no key")
    for one in given.lenient:
        if one not in LENIENT:
            hint = did_you_mean(one, LENIENT)
            raise UsageError(f"--lenient: “{visible(one)}” is none of {', '.join(LENIENT)}{hint}")
    if given.callback_url is not None and (why := why_no_callback(given.callback_url)):
        raise UsageError(f"--callback-url: {why}")
    variable = given.client_secret_env
    return BrowserOptions(
        given.client_id or "",
        _secret(variable) if variable is not None else "",
        given.scope or "",
        given.issuer or "",
        given.callback_url or "",
        given.lenient,
    )


def _key(path: str) -> SigningKey:
    from ...transport.sign_in.assertion import read_key

    try:
        return read_key(given_data(path, KEY_MAX, "--client-key"))
    except ValueError as problem:
        raise UsageError(f"--client-key: {visible(path)} cannot be used: {problem}") from None


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
