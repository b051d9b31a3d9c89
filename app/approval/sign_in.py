"""The request for a sign-in in a browser, as a value and as a question. Texts are raw."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ..content.frozen import frozen
from .server_questions import ServerAsks, frozen_answer

if TYPE_CHECKING:
    from ..content.json.jsonio import JsonValue
    from .snapshot import Snapshot

SIGN_IN = "sign-in"


@frozen
class SignInRequest:
    """All that a person needs to decide on a sign-in."""

    url: str
    """The server, without credentials."""
    issuer: str
    """The authorization server, as the server's metadata names it."""
    page: str
    """The page that would open, without its parameters."""
    token_endpoint: str
    registration_endpoint: str
    """Where Signoff would register itself first; empty if it does not."""
    client: str
    """How Signoff is known there, in words of its own."""
    redirect: str
    """Where the page leads back to; an address of this machine."""
    scopes: tuple[str, ...]
    """The scopes to request; empty for none, which leaves the choice to the issuer."""
    granted: tuple[str, ...]
    """The scopes that Signoff had before."""
    why: str
    """The reason for the request, safe to show."""
    place: str
    """Where the tokens would be kept, safe to show."""
    doubts: tuple[str, ...] = ()
    """Checks that failed and that the person has set aside, safe to show."""
    issuer_before: str = ""
    """The authorization server of the sign-in before, if it was another one."""
    client_kind: str = "registered"
    """How Signoff is known there, in a word: registered, document or given."""

    @property
    def added(self) -> tuple[str, ...]:
        """The scopes that would be new."""
        return tuple(one for one in self.scopes if one not in self.granted)

    def as_json(self) -> dict[str, JsonValue]:
        """All of it, for a digest and for the log."""
        return {
            "url": self.url,
            "issuer": self.issuer,
            "issuer_before": self.issuer_before,
            "page": self.page,
            "token_endpoint": self.token_endpoint,
            "registration_endpoint": self.registration_endpoint,
            "client": self.client,
            "redirect": self.redirect,
            "scopes": list(self.scopes),
            "granted": list(self.granted),
            "why": self.why,
            "place": self.place,
            "doubts": list(self.doubts),
        }


@frozen(kw_only=True)
class AboutSignIn(ServerAsks):
    """Asks whether a page may open, on which a person lets Signoff use a server as them."""

    wanted: SignInRequest
    method: ClassVar[str] = SIGN_IN
    can_edit: ClassVar[bool] = False
    can_deny_session: ClassVar[bool] = False

    @property
    def snapshot(self) -> Snapshot:
        """The request, frozen."""
        return frozen_answer(self, self.method, self.wanted.as_json())
