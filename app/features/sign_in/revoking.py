"""Revocation of tokens at the authorization server that issued them (RFC 7009)."""

from __future__ import annotations

import contextlib
import ssl
from typing import Final

from ...storage.sign_ins import StoredSignIn
from ...transport.sign_in.credentials import ClientCredentials
from ...transport.sign_in.discovery import server_places
from ...transport.sign_in.fetching import Fetcher
from ...transport.sign_in.guard import UNREADABLE, guard_of
from ...transport.sign_in.values import SERVER

WHAT: Final = "revocation"
_BASIC: Final = "client_secret_basic"
_POST: Final = "client_secret_post"
_OK: Final = 200


async def revoke(entry: StoredSignIn, verify: ssl.SSLContext | bool = True) -> str:
    """Revoke the tokens of a sign-in; returns why that failed, safe to show, or "".

    `verify` is how certificates are checked.

    The metadata is requested again from the issuer itself: tokens go nowhere else.
    """
    tokens = [one for one in (entry.refresh_token, entry.access_token) if one]
    if not tokens:
        return "the tokens could not be read"
    guard = guard_of(entry.resource, "")
    if guard is None:
        return UNREADABLE
    try:
        fetcher = Fetcher(guard, verify=verify)
    except (OSError, ImportError, ValueError):
        return "the certificates or the proxy of this system cannot be used"
    async with contextlib.aclosing(fetcher):
        endpoint, problem = await _endpoint(fetcher, entry.issuer)
        if problem:
            return problem
        for token in tokens:
            form, authorization = _form(entry, token)
            found = await fetcher.post(endpoint, WHAT, form, authorization)
            if found.status != _OK:
                is_second = token != tokens[0]
                before = "only the refresh token was revoked; " if is_second else ""
                return f"{before}{found.url}: {found.outcome}"
    return ""


async def _endpoint(fetcher: Fetcher, issuer: str) -> tuple[str, str]:
    """The address for revocations, or why there is none."""
    tried = []
    for url, why in server_places(issuer):
        found = await fetcher.fetch(url, SERVER, why)
        document = found.document
        if document is None:
            tried.append(f"{found.url}: {found.outcome}")
            continue
        if document.get("issuer") != issuer:
            return "", f"{found.url} has another issuer"
        endpoint = document.get("revocation_endpoint")
        if not isinstance(endpoint, str) or not endpoint:
            return "", "its metadata has no revocation_endpoint"
        return endpoint, ""
    return "", f"its metadata cannot be read ({'; '.join(tried)})"


def _form(entry: StoredSignIn, token: str) -> tuple[dict[str, str], str]:
    """The form to post, and the value of `Authorization`."""
    client = entry.client
    form = {"token": token}
    hint = "refresh_token" if token == entry.refresh_token else "access_token"
    form["token_type_hint"] = hint
    if client.secret and client.method == _BASIC:
        return form, ClientCredentials(client.client_id, client.secret).basic
    form["client_id"] = client.client_id
    if client.secret and client.method == _POST:
        form["client_secret"] = client.secret
    return form, ""
