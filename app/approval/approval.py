"""An approval's binding to one call, the rules for giving one, and the time limit of a dialog.

The approved call is exactly the call sent, once, to exactly that server, under exactly that tool
definition.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from ..content.frozen import frozen
from ..content.text import seconds
from .grants import Remember

if TYPE_CHECKING:
    from .snapshot import Snapshot

ONCE = Remember()


class DecisionAnswer(StrEnum):
    APPROVE = "approve"
    DENY = "deny"
    CANCEL = "cancel"
    """What the server asks was closed without a choice: neither given nor refused."""
    EDIT = "edit"
    WITHDRAWN = "withdrawn"
    """Closed without an answer, because the request itself ended; not a denial. Nothing is sent."""


TAKEN_BACK: Final = "it was taken back"
"""The reason for closing a dialog whose request was taken back."""
PUT_BACK: Final = "it was put back"
"""The reason for closing a question that stays open: others come first."""
BY_REMEMBERED_APPROVAL: Final = "remembered approval"
BY_REMEMBERED_DENIAL: Final = "remembered denial"
BY_HOST: Final = "host"
"""A call that a host made without a question of Signoff's."""
BY_NO_APPROVER: Final = "no approver"
"""A request that a policy asks about, without a person who could be asked."""
BY_WORDS: Final[Mapping[str, str]] = {
    BY_REMEMBERED_APPROVAL: "your remembered approval (f10)",
    BY_REMEMBERED_DENIAL: "your denial for this session (f10)",
    BY_NO_APPROVER: "Signoff (no person to ask)",
    BY_HOST: "the host",
    "signoff": "Signoff",
    "time limit": "the time limit",
}
"""`Decision.by` in words for people; a name that is not listed is used as it is."""
ANSWER_WORDS: Final[Mapping[DecisionAnswer, str]] = {
    DecisionAnswer.APPROVE: "approved",
    DecisionAnswer.DENY: "denied",
    DecisionAnswer.CANCEL: "closed",
    DecisionAnswer.EDIT: "edited",
    DecisionAnswer.WITHDRAWN: "withdrawn",
}
"""`Decision.answer` in words for people, before `by`."""


def answered_by(answer: str, by: str) -> str:
    """Word an answer and its author: "approved by you"; or the words for a call of a host."""
    is_of_host = by in (BY_HOST, BY_WORDS[BY_HOST])
    return "sent by the host, not asked here" if is_of_host else f"{answer} by {by}"


def decision_words(answer: str, by: str, basis: str, after: float | None, scope: str) -> str:
    """Word a decision: its answer and author, then basis, time and scope if they are known."""
    took = "" if after is None else f"after {seconds(after)}"
    remembered = f"remembered: {scope}" if scope else ""
    return ", ".join(filter(None, (answered_by(answer, by), basis, took, remembered)))


@frozen
class Decision:
    """The answer to an approval request, and its author.

    `by` is one of `you`, `policy`, `script`, `host`, `time limit`, `no approver`, `signoff`,
    `remembered approval` and `remembered denial`: a tool denied for the session is denied by that,
    and by no policy. JSON and the audit log have these words.
    """

    answer: DecisionAnswer
    by: str
    reason: str = ""
    remember: Remember = ONCE
    """The scope for which an approval is remembered."""
    for_session: bool = False
    """A denial that holds for every further call of this tool in this session."""
    answer_sent: Snapshot | None = None
    """What the server is answered, of a question that the server asked: as it was shown."""
    is_unchecked: bool = False
    """The answer is sent although the form may refuse it: a test of the server."""
    seconds: float | None = None
    """From the first paint of the question to the decision, where a person was asked."""

    @property
    def by_words(self) -> str:
        """`by` for people: "your denial for this session (f10)"."""
        return BY_WORDS.get(self.by, self.by)

    @property
    def words(self) -> str:
        """Answer, author, time and scope: "approved by you, after 2.1 s, remembered: exact"."""
        scope = "" if self.remember == ONCE else self.remember.scope.value
        return decision_words(ANSWER_WORDS[self.answer], self.by_words, "", self.seconds, scope)

    def as_json(self) -> dict[str, str]:
        shown = {"answer": self.answer.value, "by": self.by}
        if self.reason:
            shown["reason"] = self.reason
        return shown


def deny(by: str, reason: str = "") -> Decision:
    return Decision(DecisionAnswer.DENY, by, reason)


def withdrawn(reason: str) -> Decision:
    return Decision(DecisionAnswer.WITHDRAWN, "signoff", reason)


def approve(by: str, reason: str = "") -> Decision:
    return Decision(DecisionAnswer.APPROVE, by, reason)


class DenyAll:
    """The approver of an engine without a person or script: denies every request."""

    async def ask(self, question: object) -> Decision:
        return deny("signoff", "no person can be asked")


class Approvals:
    """One-time tokens: an approval covers one snapshot and is used up by the first sending."""

    def __init__(self) -> None:
        self._open: dict[str, str] = {}

    def issue(self, snapshot: Snapshot) -> str:
        token = secrets.token_hex(16)
        self._open[token] = snapshot.digest
        return token

    def redeem(self, token: str, snapshot: Snapshot, definition_digest: str | None) -> bool:
        """Use a token up. True only for the snapshot it was issued for, under its definition.

        `definition_digest` is the digest of the definition as the server lists it now, None when
        it is gone.
        """
        expected = self._open.pop(token, None)
        return (
            expected is not None
            and expected == snapshot.digest
            and definition_digest == snapshot.definition_digest
        )


QUIET_SECONDS = 0.5


@dataclass(slots=True)
class QuietGuard:
    """Disarms a dialog until the keyboard and the mouse have been quiet.

    Times are seconds of one monotonic clock. Every event while disarmed restarts the wait, so that
    neither typing ahead nor a held key ever answers a request. Once armed it stays armed until
    `restart`.
    """

    quiet_seconds: float = QUIET_SECONDS
    _since: float | None = None
    _armed: bool = False

    def restart(self, now: float) -> None:
        """Wait again: the dialog was painted or changed, or an event came while disarmed."""
        self._since = now
        self._armed = False

    def share(self, now: float) -> float:
        """How much of the quiet time has passed, from 0 to 1."""
        if self._since is None:
            return 0.0
        if not self.quiet_seconds:
            return 1.0
        return min(max((now - self._since) / self.quiet_seconds, 0.0), 1.0)

    def is_armed(self, now: float) -> bool:
        if not self._armed and self._since is not None:
            self._armed = now - self._since >= self.quiet_seconds
        return self._armed


DECISION_SECONDS: Final = 120.0
NO_LIMIT: Final = math.inf
"""A question with this limit stays open until it is answered."""
OFF: Final = "off"
_MOST = 1e9


def read_time_limit(text: str) -> float:
    """Seconds as a person writes them, `off` for `NO_LIMIT`. Raises ValueError in words.

    0 is refused: it could as well mean that everything is denied at once.
    """
    if text.strip().casefold() == OFF:
        return NO_LIMIT
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < _MOST:
        raise ValueError(f"{text!r} is neither a number of seconds above 0 nor {OFF}")
    return seconds
