"""What a person has given for sign-ins in a browser, and what they can set aside."""

from __future__ import annotations

from dataclasses import field
from typing import Final

from ...content.frozen import frozen
from ...storage.sign_ins import ClientIdentity, SignInStore

LENIENT: Final = {
    "issuer": ("issuer",),
    "resource": ("resource",),
    "pkce": ("pkce",),
    "metadata": ("metadata-place", "one-challenge", "response-types", "grant-types"),
}
"""What a person can set aside for a connection, with the checks that it is about. Not the answer of
the browser: who answers is never a matter of taste."""


@frozen
class BrowserOptions:
    """What a person has given for sign-ins in a browser."""

    client_id: str = ""
    """A client that the authorization server knows, or the URL of a client id document."""
    client_secret: str = field(repr=False, default="")
    scope: str = ""
    """The scopes to request; empty for those that the server names."""
    issuer: str = ""
    """The only authorization server to sign in at; empty for the one that the server names."""
    redirect: str = ""
    """The address that the page leads back to; empty for one with any free port."""
    lenient: tuple[str, ...] = ()
    """Which of LENIENT are set aside."""
    store: SignInStore | None = field(default_factory=SignInStore, compare=False)
    """Where tokens are kept; None to keep none."""

    @property
    def is_document(self) -> bool:
        return self.client_id.startswith("https://")

    def may_use(self, client: ClientIdentity) -> bool:
        """True if a client of an earlier sign-in is what the person has given.

        A client id document counts only where an authorization server supports it: elsewhere a
        registered client takes its place.
        """
        if not self.client_id or client.client_id == self.client_id:
            return True
        return self.is_document and client.kind == "registered"
