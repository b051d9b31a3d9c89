"""The state of a sign-in: client, issuer, scopes and end of the token; never the token."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from ...content.frozen import frozen
from ...content.text import shortened

SHOWN = 200


@frozen
class SignedIn:
    """The sign-in of one connection; texts are raw."""

    client_id: str
    issuer: str = ""
    """Empty without a token."""
    scopes: tuple[str, ...] = ()
    until: float | None = None
    """The end of the token in seconds since 1970; None if that is not known."""
    problem: str = ""
    """Why the last sign-in failed, safe to show; empty if it did not."""
    is_by_person: bool = False
    """Whether a person signs in, in a browser."""
    is_kept: bool = False
    """Whether the token is of an earlier run, or is kept for later ones."""
    doubts: tuple[str, ...] = ()
    """Failed checks that the person has set aside, safe to show."""
    refreshed: int = 0
    """Tokens of this connection that took the place of another one without a question."""

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """Each fact with its label, safe to show."""
        if self.is_by_person:
            return self._rows_of_person
        client = f"{shortened(self.client_id, SHOWN)}, by client credentials"
        if not self.issuer:
            if self.problem:
                return (("not signed in", f"as {client}: {self.problem}"),)
            return (("not signed in", f"as {client}: the server has not required it"),)
        rows = [("signed in", f"as {client}"), ("issuer", shortened(self.issuer, SHOWN))]
        rows.append(("scopes", shortened(" ".join(self.scopes), SHOWN) or "none named"))
        rows.append(("token until", self.end or "not known"))
        return (*rows, ("not renewed", self.problem)) if self.problem else tuple(rows)

    @property
    def _rows_of_person(self) -> tuple[tuple[str, str], ...]:
        if not self.issuer:
            return (("not signed in", self.problem),) if self.problem else ()
        how = "in a browser, kept for the next time" if self.is_kept else "in a browser"
        rows = [
            ("signed in", how),
            ("issuer", shortened(self.issuer, SHOWN)),
            ("client", shortened(self.client_id, SHOWN)),
            ("scopes", shortened(" ".join(self.scopes), SHOWN) or "none named"),
            ("token until", self.end or "not known"),
        ]
        rows += [("set aside", one) for one in self.doubts]
        return (*rows, ("not renewed", self.problem)) if self.problem else tuple(rows)

    @property
    def words(self) -> str:
        """The same in one line."""
        return "; ".join(f"{label} {words}" for label, words in self.rows)

    @property
    def end(self) -> str:
        """When the token ends, in UTC; empty if that is not known."""
        if self.until is None:
            return ""
        return datetime.fromtimestamp(self.until, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")

    def as_json(self) -> dict[str, Any]:
        """The same for a machine."""
        return {
            "signed_in": bool(self.issuer),
            "by": "browser" if self.is_by_person else "client_credentials",
            "client_id": shortened(self.client_id, SHOWN),
            "issuer": shortened(self.issuer, SHOWN) or None,
            "scopes": [shortened(one, SHOWN) for one in self.scopes[:SHOWN]],
            "until": self.end or None,
            "problem": self.problem or None,
        }
