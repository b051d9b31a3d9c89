"""Grants: remembered approvals with their scope and expiry."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from ..content.frozen import frozen

if TYPE_CHECKING:
    from .fingerprint import ServerFingerprint

DAY = 86_400.0
DAYS = (1, 7, 30)
"""How long an approval until a date can be."""
CLOCK_SLACK = 60.0
"""Seconds by which the clock may have gone back since a grant was given."""


class Scope(StrEnum):
    """Scopes of a remembered approval, narrowest first."""

    ONCE = "this call only"
    ARGUMENTS = "these arguments, this session"
    SESSION = "this tool, this session"
    UNTIL = "this tool, until a date"


@frozen
class Remember:
    """The scope that a person chose for an approval; `days` only for `Scope.UNTIL`."""

    scope: Scope = Scope.ONCE
    days: int = 0


SKILL_MARK = "skill:"
"""Begins the digest of a skill, so that it is never that of a tool's definition."""


class Approvable(Protocol):
    """What an approval is bound to: a `Snapshot` of a call, or a `SkillBinding`."""

    @property
    def server_identity(self) -> str: ...

    @property
    def tool(self) -> str: ...

    @property
    def definition_digest(self) -> str: ...

    @property
    def arguments_digest(self) -> str: ...

    @property
    def runs(self) -> ServerFingerprint | None: ...


@frozen
class Grant:
    """One remembered approval. Times are seconds since the epoch.

    It is bound to the server's identity and running program, the tool's exact name and the digest
    of its whole definition, to the arguments if `arguments_digest` is set, and to one run of
    Signoff if `session` is set. Of a skill, `tool` is the URI, and `definition_digest` begins with
    SKILL_MARK.
    """

    id: int
    server_digest: str
    """`identity_digest` of the server: the identity holds its command line, and with it secrets."""
    server_name: str
    masked_server: str
    """The identity without its secrets, for people."""
    tool: str
    definition_digest: str
    arguments_digest: str | None
    session: str | None
    given_at: float
    expires_at: float | None
    uses: int = 0
    last_used_at: float | None = None
    runs: ServerFingerprint | None = None

    @property
    def scope(self) -> Scope:
        if self.arguments_digest is not None:
            return Scope.ARGUMENTS
        return Scope.SESSION if self.session is not None else Scope.UNTIL

    @property
    def is_of_skill(self) -> bool:
        return self.definition_digest.startswith(SKILL_MARK)

    def is_current(self, session: str, now: float) -> bool:
        """True if it holds in this run and at this time; a clock that went back ends it."""
        if self.session is not None and self.session != session:
            return False
        if now < self.given_at - CLOCK_SLACK:
            return False
        return self.expires_at is None or now < self.expires_at

    def covers(self, snapshot: Approvable, session: str, now: float) -> bool:
        """True if this very call is covered: nothing is matched by prefix, title or pattern."""
        return self.runs == snapshot.runs and self._is_for(snapshot, session, now)

    def lapsed_for(self, snapshot: Approvable, session: str, now: float) -> bool:
        """True if this very call would be covered, did not something else run now."""
        return self.runs != snapshot.runs and self._is_for(snapshot, session, now)

    def _is_for(self, snapshot: Approvable, session: str, now: float) -> bool:
        return (
            self.is_current(session, now)
            and self.server_digest == identity_digest(snapshot.server_identity)
            and self.tool == snapshot.tool
            and self.definition_digest == snapshot.definition_digest
            and self.arguments_digest in (None, snapshot.arguments_digest)
        )


def identity_digest(identity: str) -> str:
    """SHA-256 of a server's identity, as kept on disk, and named in the log."""
    return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()


@frozen
class Lapsed:
    """An approval of before that does not count, since something else runs than `runs` then."""

    runs: ServerFingerprint | None
    was_remembered: bool
    """Whether it was given for more than one call."""


def new_grant(
    snapshot: Approvable, server_name: str, remember: Remember, session: str, now: float
) -> Grant | None:
    """Make the grant (without an id yet) of an approval.

    None for this call only, and if the running program is unknown: nothing could be covered later.
    """
    if remember.scope is Scope.ONCE or (snapshot.runs is not None and snapshot.runs.problem):
        return None
    is_dated = remember.scope is Scope.UNTIL
    if is_dated and remember.days < 1:
        raise ValueError("an approval until a date needs at least one day")
    # Imported here, since the first list of tools waits for this module.
    from ..schemas.secrets.commands import mask_identity
    from ..schemas.secrets.masks import mask_text

    return Grant(
        id=0,
        server_digest=identity_digest(snapshot.server_identity),
        server_name=mask_text(server_name),
        masked_server=mask_identity(snapshot.server_identity),
        tool=snapshot.tool,
        definition_digest=snapshot.definition_digest,
        arguments_digest=(snapshot.arguments_digest if remember.scope is Scope.ARGUMENTS else None),
        session=None if is_dated else session,
        given_at=now,
        expires_at=now + remember.days * DAY if is_dated else None,
        runs=snapshot.runs,
    )
